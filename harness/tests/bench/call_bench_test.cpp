// SPDX-License-Identifier: GPL-2.0
#include "bench/call_bench.h"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>

#include "simulated_module.h"

namespace fdirect {
namespace {

class CallBenchTest : public testing::Test {
  protected:
    Result<std::vector<Row>> run() {
        testing::internal::CaptureStderr();
        Progress progress;
        auto rows = CallBench(module_, progress).run(plan_);
        warnings_ = testing::internal::GetCapturedStderr();
        return rows;
    }

    /// How many rows of a kind were measured.
    static auto count(const std::vector<Row>& rows, CallKind kind) {
        return std::count_if(rows.begin(), rows.end(),
                             [&](const Row& row) { return row.text("kind") == name_of(kind); });
    }

    SimulatedKernel kernel_{simulated_functions(1, 1)};
    FdirectModule module_{std::make_unique<SimulatedFiles>(kernel_)};
    CallPlan plan_;
    std::string warnings_;
};

TEST_F(CallBenchTest, RunsBeforeThoseThatAreMeasuredAreNotKept) {
    plan_.kinds = {CallKind::plain};
    for (std::uint32_t warmup : {0U, 2U}) {
        plan_.warmup = warmup;
        auto rows = run();
        ASSERT_TRUE(rows.ok()) << rows.error().message;
        EXPECT_EQ(rows->front().running.values().size(), plan_.runs);
    }
}

TEST_F(CallBenchTest, SamplesStandForTheSameNumberOfCallsWhateverTheChunks) {
    plan_.kinds = {CallKind::plain};
    kernel_.fewer_calls = 1234;
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    const Row& row = rows->front();
    EXPECT_EQ(row.running.min(), row.running.max());
    EXPECT_EQ(row.untraced.min(), row.untraced.max());
    EXPECT_EQ(row.cost(), static_cast<double>(SimulatedKernel::cost_of({CallKind::plain})));
}

TEST_F(CallBenchTest, MeasuresEveryKindWithEveryCount) {
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    EXPECT_EQ(warnings_, "");
    for (CallKind kind : call_kinds) {
        EXPECT_EQ(count(*rows, kind), static_cast<std::ptrdiff_t>(call_specs(kind).size()));
    }
    auto times = [&](const CallSpec& spec) {
        return std::count_if(rows->begin(), rows->end(), [&](const Row& row) {
            return row.text("kind") == name_of(spec.kind) &&
                   row.number("relevant") == spec.relevant &&
                   row.number("irrelevant") == spec.irrelevant &&
                   row.key["save_regs"] == spec.save_regs &&
                   row.key["recursion"] == spec.recursion && row.key["rcu"] == spec.rcu &&
                   row.key["trampoline"] == spec.trampoline;
        });
    };
    for (const Row& row : *rows) {
        EXPECT_EQ(row.text("step"), "call");
        EXPECT_EQ(row.details["calls"], 100000U);
        bool many = row.number("relevant") + row.number("irrelevant") > 10;
        EXPECT_EQ(row.running.values().size(), many ? 1U : 3U) << row.key;
        EXPECT_EQ(row.untraced.values().size(), many ? 1U : 3U);
    }
    for (bool save_regs : {false, true}) {
        for (bool trampoline : {false, !save_regs}) {
            for (std::uint32_t irrelevant : {0U, 1U, 2U, 10U, 100U}) {
                for (std::uint32_t relevant : {0U, 1U}) {
                    EXPECT_EQ(times({CallKind::ops, relevant, irrelevant, save_regs, false, false,
                                     trampoline}),
                              1);
                }
            }
            for (std::uint32_t relevant : {2U, 10U, 100U}) {
                EXPECT_EQ(times({CallKind::ops, relevant, 0, save_regs, false, false, trampoline}),
                          1);
            }
        }
    }
}

TEST_F(CallBenchTest, FiguresArePerCallInTheFastestChunk) {
    plan_.kinds = {CallKind::plain};
    plan_.calls = 30000;
    auto rows = run();
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 1U);
    const Row& row = rows->front();
    EXPECT_EQ(row.details["calls"], 30000U);
    EXPECT_EQ(row.cost(), SimulatedKernel::cost_of({CallKind::plain}));
    EXPECT_EQ(row.untraced.min(), SimulatedKernel::untraced_call * row.measured);
    EXPECT_LT(row.measured, 30000U) << "a chunk";
}

TEST_F(CallBenchTest, WhatTheKernelLacksIsLeftOutAndSaidOnce) {
    kernel_.lacks_in_call = {"regs", "trampoline", "hash-near", "hash-far"};
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    EXPECT_EQ(count(*rows, CallKind::hash_near), 0);
    EXPECT_EQ(count(*rows, CallKind::direct_far), 3);
    EXPECT_TRUE(std::none_of(rows->begin(), rows->end(), [](const Row& row) {
        return row.key["save_regs"] == true || row.key["trampoline"] == true;
    }));
    auto lines = split_lines(warnings_);
    ASSERT_EQ(lines.size(), 4U) << warnings_;
    EXPECT_NE(lines[0].find("left out: cannot measure ops, 0 relevant, 0 irrelevant, save_regs: "),
              std::string_view::npos)
        << warnings_;
}

TEST_F(CallBenchTest, AKindThatWasAskedForMustBeThere) {
    kernel_.lacks_in_call = {"regs", "direct-far"};
    plan_.kinds = {CallKind::ops};
    EXPECT_TRUE(run().ok());
    plan_.kinds = {CallKind::plain, CallKind::direct_far};
    auto rows = run();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ExitCode::cannot_run);
}

TEST_F(CallBenchTest, OtherRefusalsEndIt) {
    kernel_.refusals["call: direct-near 100000 1 0"] = EIO;
    auto rows = run();
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().system, EIO);
    EXPECT_EQ(rows.error().message, "cannot measure direct-near, 1 relevant, 0 irrelevant: "
                                    "simulated: call: direct-near 100000 1 0");
}

} // namespace
} // namespace fdirect
