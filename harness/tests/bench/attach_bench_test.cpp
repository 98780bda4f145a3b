// SPDX-License-Identifier: GPL-2.0
#include "bench/attach_bench.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>

#include "simulated_module.h"

namespace fdirect {
namespace {

constexpr std::array<const char*, 4> steps = {"attach", "modify", "detach", "prepare"};

class AttachBenchTest : public testing::Test {
  protected:
    AttachBenchTest() {
        plan_.sizes = {1, 50};
        plan_.ways = {{Method::each}, {Method::multi}, {Method::hash}};
        plan_.each_limit = 20;
        plan_.runs = 3;
        plan_.warmup = 1;
    }

    Result<std::vector<Row>> run() {
        testing::internal::CaptureStderr();
        Verifier verifier(module_, calls_, "/nonexistent", "x86_64");
        Progress progress;
        auto rows =
            AttachBench(module_, calls_, verifier, progress).run(plan_, kernel_.functions());
        warnings_ = testing::internal::GetCapturedStderr();
        return rows;
    }

    SimulatedKernel kernel_{simulated_functions(100, 5)};
    FdirectModule module_{std::make_unique<SimulatedFiles>(kernel_)};
    SimulatedCalls calls_{kernel_, 5};
    AttachPlan plan_;
    std::string warnings_;
};

TEST_F(AttachBenchTest, MeasuresEverySizeWithEveryMethod) {
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    ASSERT_EQ(rows->size(), 6U * steps.size());
    std::size_t step = 0;
    for (const Row& row : *rows) {
        const std::size_t runs = row.extrapolated() ? 1 : 3;
        EXPECT_TRUE(row.verified);
        EXPECT_EQ(row.text("step"), steps[step++ % steps.size()]);
        EXPECT_EQ(row.running.values().size(), runs);
        EXPECT_EQ(row.elapsed.values().size(), runs);
        EXPECT_EQ(row.details["targets"],
                  row.text("method") == "multi" ? 1 : row.number("functions"));
        EXPECT_EQ(row.number("beside"), 0U);
    }
    EXPECT_EQ((*rows)[0].waiting().median(), 1000);
    EXPECT_EQ(kernel_.attached(), 0U);
    EXPECT_EQ(warnings_, "");
}

TEST_F(AttachBenchTest, EachIsLimitedAndSaysSo) {
    auto rows = run();
    ASSERT_TRUE(rows.ok());
    const Row& each = (*rows)[3 * steps.size()];
    EXPECT_EQ(each.key.dump(), R"({"method":"each","functions":50,"beside":0,"step":"attach"})");
    EXPECT_EQ(each.measured, 20U);
    EXPECT_TRUE(each.extrapolated());
    EXPECT_FALSE(rows->back().extrapolated());
}

TEST_F(AttachBenchTest, EachBeyondItsLimitIsMeasuredOnce) {
    plan_.ways = {{Method::each}};
    plan_.sizes = {30, 50};
    plan_.warmup = 0;
    plan_.each_runs = 2;
    auto rows = run();
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 2U * steps.size());
    EXPECT_EQ((*rows)[0].running, (*rows)[steps.size()].running);
    EXPECT_EQ((*rows)[0].number("functions"), 30U);
    EXPECT_EQ((*rows)[steps.size()].number("functions"), 50U);
    EXPECT_EQ(std::count(kernel_.commands.begin(), kernel_.commands.end(), "attach 0 20 0"), 2);
}

TEST_F(AttachBenchTest, WarmupOfEachTakesFewFunctions) {
    plan_.ways = {{Method::each}};
    plan_.sizes = {50};
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(kernel_.commands[0], "attach 0 10 0");
    EXPECT_EQ(kernel_.commands[3], "attach 0 20 0");
}

TEST_F(AttachBenchTest, ModifyGivesEveryFunctionAnotherStub) {
    plan_.ways = {{Method::hash}};
    plan_.sizes = {50};
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(kernel_.commands[1], "modify 0 50 50");
}

TEST_F(AttachBenchTest, OthersThatAreAttachedMeanwhileStay) {
    plan_.attached_before = 40;
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    for (const Row& row : *rows) {
        EXPECT_TRUE(row.verified) << warnings_;
        EXPECT_EQ(row.number("beside"), 40U);
    }
    EXPECT_EQ(kernel_.commands[0], "attach 0 40 0");
    EXPECT_EQ(kernel_.attached(), 0U);
}

TEST_F(AttachBenchTest, OthersCanBeAttachedByAnotherMethod) {
    plan_.ways = {{Method::each}};
    plan_.sizes = {1};
    plan_.attached_before = 40;
    plan_.before_method = Method::multi;
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    ASSERT_EQ(rows->size(), steps.size());
    EXPECT_TRUE(rows->front().verified) << warnings_;
    EXPECT_EQ(rows->front().details["beside_method"], "multi");
    EXPECT_EQ(rows->front().text("method"), "each");
    EXPECT_EQ(kernel_.commands[0], "attach 0 40 0");
    EXPECT_EQ(kernel_.methods_used[0], Method::multi);
    EXPECT_EQ(kernel_.commands[1], "attach 40 1 40");
    EXPECT_EQ(kernel_.methods_used[1], Method::each);
}

TEST_F(AttachBenchTest, AnyKnownCallCanBeTheFirst) {
    plan_.ways = {{Method::hash}};
    plan_.sizes = {1};
    std::set<std::string> measured;
    for (plan_.first_call = 0; plan_.first_call < 5; plan_.first_call++) {
        auto rows = run();
        ASSERT_TRUE(rows.ok()) << rows.error().message;
        EXPECT_TRUE(rows->front().verified) << warnings_;
        auto selected = kernel_.read("functions");
        ASSERT_TRUE(selected.ok());
        measured.insert(*selected);
    }
    EXPECT_EQ(measured.size(), 5U);
    auto rows = run();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ExitCode::usage);
    EXPECT_EQ(rows.error().message, "there is no known call 5");
}

TEST_F(AttachBenchTest, AFaultIsNotedAndTheRunsGoOn) {
    kernel_.swaps_first_two = true;
    auto rows = run();
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 6U * steps.size());
    EXPECT_TRUE((*rows)[0].verified) << "one function alone cannot be swapped";
    EXPECT_FALSE(rows->back().verified);
    EXPECT_NE(warnings_.find("hash, 50 functions: run 1 of 3, attached: "), std::string::npos)
        << warnings_;
}

TEST_F(AttachBenchTest, NothingIsProvenWithoutKnownCalls) {
    SimulatedKernel kernel(simulated_functions(100, 0));
    FdirectModule module(std::make_unique<SimulatedFiles>(kernel));
    SimulatedCalls calls(kernel, 0);
    Verifier verifier(module, calls, "/nonexistent", "x86_64");
    Progress progress;
    testing::internal::CaptureStderr();
    auto rows = AttachBench(module, calls, verifier, progress).run(plan_, kernel.functions());
    EXPECT_NE(testing::internal::GetCapturedStderr().find("prove nothing"), std::string::npos);
    ASSERT_TRUE(rows.ok());
    EXPECT_FALSE((*rows)[0].verified);
}

TEST_F(AttachBenchTest, NearAndFarStubsAreMeasuredApart) {
    plan_.ways = {
        {Method::each, Reach::near}, {Method::each, Reach::far}, {Method::hash, Reach::far}};
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    ASSERT_EQ(rows->size(), 6U * steps.size());
    for (std::size_t i = 0; i < rows->size(); i++) {
        EXPECT_EQ((*rows)[i].text("method"), name_of(plan_.ways[i / steps.size() % 3]));
        EXPECT_TRUE((*rows)[i].verified) << warnings_;
    }
    EXPECT_EQ(std::count(kernel_.commands.begin(), kernel_.commands.end(), "attach 0 20 0"), 2);
    EXPECT_EQ(warnings_, "");
}

TEST_F(AttachBenchTest, WithoutFarStubsNothingIsBegun) {
    kernel_.has_far = false;
    plan_.ways = {{Method::hash, Reach::near}, {Method::hash, Reach::far}};
    auto rows = run();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ExitCode::cannot_run);
    EXPECT_TRUE(kernel_.commands.empty());
}

TEST_F(AttachBenchTest, RefusalsEndIt) {
    kernel_.refusals["control: modify 0 50 50"] = ENOMEM;
    auto rows = run();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().system, ENOMEM);
}

TEST_F(AttachBenchTest, PlansThatMakeNoSense) {
    const std::vector<Method> methods = {Method::each, Method::multi};
    auto code = [&](auto change) {
        AttachPlan plan = plan_;
        plan.ways = {{Method::each}};
        change(plan);
        auto sense = AttachBench::check(plan, 100, methods);
        return sense.ok() ? ExitCode::ok : sense.error().code;
    };
    EXPECT_EQ(code([](AttachPlan&) {}), ExitCode::ok);
    EXPECT_EQ(code([](AttachPlan& plan) { plan.sizes.clear(); }), ExitCode::usage);
    EXPECT_EQ(code([](AttachPlan& plan) { plan.sizes = {0}; }), ExitCode::usage);
    EXPECT_EQ(code([](AttachPlan& plan) { plan.runs = 0; }), ExitCode::usage);
    EXPECT_EQ(code([](AttachPlan& plan) { plan.each_limit = 0; }), ExitCode::usage);
    EXPECT_EQ(code([](AttachPlan& plan) { plan.sizes = {65537}; }), ExitCode::usage);
    EXPECT_EQ(code([](AttachPlan& plan) { plan.sizes = {101}; }), ExitCode::cannot_run);
    EXPECT_EQ(code([](AttachPlan& plan) { plan.attached_before = 60; }), ExitCode::cannot_run);
    EXPECT_EQ(code([](AttachPlan& plan) { plan.ways = {{Method::hash}}; }), ExitCode::cannot_run);
}

} // namespace
} // namespace fdirect
