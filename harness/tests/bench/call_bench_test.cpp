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
    Result<std::vector<CallRow>> run() {
        testing::internal::CaptureStderr();
        Progress progress;
        auto rows = CallBench(module_, progress).run(plan_);
        warnings_ = testing::internal::GetCapturedStderr();
        return rows;
    }

    /// How many rows of a kind were measured.
    static auto count(const std::vector<CallRow>& rows, CallKind kind) {
        return std::count_if(rows.begin(), rows.end(),
                             [&](const CallRow& row) { return row.spec.kind == kind; });
    }

    SimulatedKernel kernel_{simulated_functions(1, 1)};
    FdirectModule module_{std::make_unique<SimulatedFiles>(kernel_)};
    CallPlan plan_;
    std::string warnings_;
};

TEST_F(CallBenchTest, MeasuresEveryKindWithEveryCount) {
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    EXPECT_EQ(warnings_, "");
    for (CallKind kind : call_kinds) {
        EXPECT_EQ(count(*rows, kind), static_cast<std::ptrdiff_t>(call_specs(kind).size()));
    }
    auto times = [&](const CallSpec& spec) {
        return std::count_if(rows->begin(), rows->end(),
                             [&](const CallRow& row) { return row.spec == spec; });
    };
    for (const CallRow& row : *rows) {
        EXPECT_EQ(times(row.spec), 1) << describe(row.spec);
        EXPECT_EQ(row.calls, 100000U);
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
    const CallRow& row = rows->front();
    EXPECT_EQ(row.calls, 30000U);
    EXPECT_EQ(row.overhead, SimulatedKernel::cost_of({CallKind::plain}));
    EXPECT_EQ(row.per_call, row.overhead + SimulatedKernel::untraced_call);
    EXPECT_GT(static_cast<double>(row.total), row.per_call * 30000) << "other chunks are slower";
}

TEST_F(CallBenchTest, WhatTheKernelLacksIsLeftOutAndSaidOnce) {
    kernel_.lacks_in_call = {"regs", "trampoline", "hash-near", "hash-far"};
    auto rows = run();
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    EXPECT_EQ(count(*rows, CallKind::hash_near), 0);
    EXPECT_EQ(count(*rows, CallKind::direct_far), 3);
    EXPECT_TRUE(std::none_of(rows->begin(), rows->end(), [](const CallRow& row) {
        return row.spec.save_regs || row.spec.trampoline;
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
