// SPDX-License-Identifier: GPL-2.0
#include "bench/scale_bench.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "simulated_module.h"

namespace fdirect {
namespace {

class ScaleBenchTest : public testing::Test {
  protected:
    ScaleBenchTest() {
        plan_.sizes = {1, 10, 60};
        plan_.before = {0, 50};
        plan_.ways = {{Method::hash}};
        plan_.runs = 3;
    }

    Result<Record> run() {
        testing::internal::CaptureStderr();
        Verifier verifier(module_, calls_, "/nonexistent", "x86_64");
        MemoryGauge gauge([&]() -> Result<MemoryUse> { return use_(); }, [] {});
        Progress progress;
        auto result =
            ScaleBench(module_, calls_, verifier, gauge, progress).run(plan_, kernel_.functions());
        warnings_ = testing::internal::GetCapturedStderr();
        return result;
    }

    /// The rows of a step.
    static std::vector<Row> rows_of(const Record& record, const std::string& step) {
        std::vector<Row> rows = record.rows;
        std::erase_if(rows, [&](const Row& row) { return row.text("step") != step; });
        return rows;
    }

    /// The code of a plan's error, ok if it has none.
    template<class Change>
    ExitCode code_after(Change change) {
        ScalePlan plan = plan_;
        change(plan);
        auto sense = ScaleBench::check(plan, 100, {Method::each, Method::multi, Method::hash});
        return sense.ok() ? ExitCode::ok : sense.error().code;
    }

    SimulatedKernel kernel_{simulated_functions(100, 5)};
    FdirectModule module_{std::make_unique<SimulatedFiles>(kernel_)};
    SimulatedCalls calls_{kernel_, 5};
    ScalePlan plan_;
    /// A megabyte of slab and a page of vmalloc for each function that is attached.
    std::function<MemoryUse()> use_ = [&] {
        return MemoryUse{1000000 + 1000000 * kernel_.attached(), 4096 * kernel_.attached()};
    };
    std::string warnings_;
};

TEST_F(ScaleBenchTest, MeasuresEachSizeBesideEachNumber) {
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->env.functions_available, 100U);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> measured;
    for (const Row& row : rows_of(*result, "attach")) {
        EXPECT_TRUE(row.verified);
        EXPECT_EQ(row.measured, row.number("functions"));
        EXPECT_FALSE(row.details.contains("beside_method"));
        EXPECT_EQ(row.running.values().size(), 3U);
        EXPECT_EQ(row.elapsed.values().size(), 3U);
        measured.emplace_back(row.number("beside"), row.number("functions"));
    }
    EXPECT_EQ(measured, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                            {0, 1}, {0, 10}, {0, 60}, {50, 1}, {50, 10}}));
    EXPECT_EQ(warnings_,
              "warning: left out: 60 functions beside 50, which is more than there are\n");
    EXPECT_EQ(kernel_.attached(), 0U);
}

TEST_F(ScaleBenchTest, MemoryIsMeasuredFirstWithTheMostFunctions) {
    auto result = run();
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(kernel_.commands[0], "attach 0 60 0");
    EXPECT_EQ(kernel_.commands[1], "detach");
    const Row& memory = result->rows.front();
    EXPECT_EQ(memory.key.dump(), R"({"method":"hash","functions":60,"beside":0,"step":"memory"})");
    EXPECT_EQ(memory.unit, "bytes");
    EXPECT_EQ(memory.measured, 60U);
    EXPECT_EQ(memory.running, Samples({60 * (1000000 + 4096)}));
    EXPECT_EQ(memory.details["slab"], 60000000);
    EXPECT_EQ(memory.details["vmalloc"], 4096 * 60);
}

TEST_F(ScaleBenchTest, MemoryThatDoesNotSettleEndsIt) {
    std::uint64_t bytes = 0;
    use_ = [&] { return MemoryUse{bytes += 1000000, 0}; };
    auto result = run();
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("does not settle"), std::string::npos);
}

TEST_F(ScaleBenchTest, KprobesAreOnAFunctionThatIsNotAttached) {
    auto result = run();
    ASSERT_TRUE(result.ok());
    for (const char* step : {"register", "disable", "enable", "unregister"}) {
        auto rows = rows_of(*result, step);
        ASSERT_EQ(rows.size(), 2U);
        EXPECT_EQ(rows[0].number("beside"), 0U);
        EXPECT_EQ(rows[1].number("beside"), 50U);
        for (const Row& row : rows) {
            EXPECT_EQ(row.details["ftrace"], true);
            EXPECT_TRUE(row.verified);
            EXPECT_EQ(row.running.values().size(), 3U) << "the warm-up is not kept";
            EXPECT_EQ(row.waiting().median(), 1000);
        }
    }
    EXPECT_EQ(kernel_.probed, std::vector<std::string>(2U * (1 + 3), "known_0"))
        << "the others are in front of it";
    EXPECT_EQ(kernel_.commands[kernel_.commands.size() - 2], "attach 0 50 0");
    EXPECT_EQ(kernel_.commands.back(), "detach");
}

TEST_F(ScaleBenchTest, EachIsOneMoreBesideOneOps) {
    plan_.ways = {{Method::multi}, {Method::each}};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    auto each = rows_of(*result, "attach");
    std::erase_if(each, [](const Row& row) { return row.text("method") != "each"; });
    ASSERT_EQ(each.size(), 2U);
    EXPECT_EQ(each[0].number("functions"), 1U);
    EXPECT_FALSE(each[0].details.contains("beside_method"));
    EXPECT_EQ(each[1].number("functions"), 1U);
    EXPECT_EQ(each[1].number("beside"), 50U);
    EXPECT_EQ(each[1].details["beside_method"], "multi");
    EXPECT_TRUE(each[1].verified) << warnings_;
    EXPECT_EQ(rows_of(*result, "detach").size(), 5U + 2U);
}

TEST_F(ScaleBenchTest, EachIsLeftOutWithoutASizeOfOne) {
    plan_.ways = {{Method::multi}, {Method::each}};
    plan_.sizes = {10};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(rows_of(*result, "attach").size(), 2U);
    EXPECT_EQ(warnings_, "warning: left out: each, which is measured with 1 function only\n");
}

TEST_F(ScaleBenchTest, WhatIsWrongIsNotedInItsRun) {
    kernel_.swaps_first_two = true;
    plan_.before = {50};
    plan_.sizes = {1};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_FALSE(rows_of(*result, "attach").front().verified);
    EXPECT_FALSE(rows_of(*result, "register").front().verified);
}

TEST_F(ScaleBenchTest, MemoryOfWhatIsWrongIsNoFigure) {
    kernel_.swaps_first_two = true;
    auto result = run();
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("memory of 60 functions"), std::string::npos);
}

TEST_F(ScaleBenchTest, RefusalsEndIt) {
    kernel_.refusals["kprobe: 50"] = EINVAL;
    auto result = run();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().system, EINVAL);
}

TEST_F(ScaleBenchTest, PlansThatMakeNoSense) {
    EXPECT_EQ(code_after([](ScalePlan&) {}), ExitCode::ok);
    EXPECT_EQ(code_after([](ScalePlan& plan) { plan.sizes.clear(); }), ExitCode::usage);
    EXPECT_EQ(code_after([](ScalePlan& plan) { plan.before.clear(); }), ExitCode::usage);
    EXPECT_EQ(code_after([](ScalePlan& plan) { plan.sizes = {0, 1}; }), ExitCode::usage);
    EXPECT_EQ(code_after([](ScalePlan& plan) { plan.runs = 0; }), ExitCode::usage);
    EXPECT_EQ(code_after([](ScalePlan& plan) { plan.ways = {{Method::each}}; }), ExitCode::usage);
    EXPECT_EQ(code_after([](ScalePlan& plan) { plan.ways.clear(); }), ExitCode::usage);
    EXPECT_EQ(code_after([](ScalePlan& plan) { plan.sizes = {101}; }), ExitCode::cannot_run);
    EXPECT_EQ(code_after([](ScalePlan& plan) { plan.before = {100}; }), ExitCode::ok)
        << "it is left out";
    auto sense = ScaleBench::check(plan_, 100, {Method::each, Method::multi});
    ASSERT_FALSE(sense.ok());
    EXPECT_EQ(sense.error().code, ExitCode::cannot_run);
}

TEST(ScalePlan, FewerRunsWithManyFunctions) {
    ScalePlan plan;
    EXPECT_EQ(plan.runs_of(1), 5U);
    EXPECT_EQ(plan.runs_of(1001), 5U);
    EXPECT_EQ(plan.runs_of(10001), 3U);
    EXPECT_EQ(plan.runs_of(40000), 2U);
    EXPECT_EQ(plan.runs_of(41000), 2U);
    plan.runs = 1;
    EXPECT_EQ(plan.runs_of(1), 1U);
    EXPECT_EQ(plan.runs_of(40000), 1U);
}

} // namespace
} // namespace fdirect
