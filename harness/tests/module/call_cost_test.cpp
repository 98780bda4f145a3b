// SPDX-License-Identifier: GPL-2.0
#include "module/call_cost.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace fdirect {
namespace {

const std::string answer =
    "kind ops\ncalls 90000\nrelevant 1\nirrelevant 10\nregs 1\nrecursion 0\n"
    "rcu 1\ntrampoline 0\ntotal_ns 5000123\nbaseline_ns 700000\n"
    "chunk_calls 10000\nbest_ns 480000\nbaseline_best_ns 70000\nhits 100000\n"
    "later 1\n";

std::string without(const std::string& line) {
    std::string rest = answer;
    return rest.erase(rest.find(line), line.size());
}

TEST(CallCost, EveryKey) {
    auto cost = parse_call_cost(answer);
    ASSERT_TRUE(cost.ok()) << cost.error().message;
    EXPECT_EQ(cost->spec, (CallSpec{CallKind::ops, 1, 10, true, false, true, false}));
    EXPECT_EQ(cost->calls, 90000U);
    EXPECT_EQ(cost->total, 5000123U);
}

TEST(CallCost, EachFlagByItself) {
    const std::vector<std::pair<std::string, bool CallSpec::*>> flags = {
        {"regs", &CallSpec::save_regs},
        {"recursion", &CallSpec::recursion},
        {"rcu", &CallSpec::rcu},
        {"trampoline", &CallSpec::trampoline},
    };
    const std::string rest = "kind ops\ncalls 9\nrelevant 1\nirrelevant 10\ntotal_ns 5\n"
                             "chunk_calls 2\nbest_ns 3\nbaseline_best_ns 4\n";
    for (const auto& [set, member] : flags) {
        std::string text = rest;
        for (const auto& [key, other] : flags) {
            text += key + (key == set ? " 1\n" : " 0\n");
        }
        CallSpec spec{CallKind::ops, 1, 10};
        spec.*member = true;
        auto cost = parse_call_cost(text);
        ASSERT_TRUE(cost.ok()) << cost.error().message;
        EXPECT_EQ(cost->spec, spec) << set;
    }
}

TEST(CallCost, TheFastestChunkCounts) {
    auto cost = parse_call_cost(answer);
    ASSERT_TRUE(cost.ok());
    EXPECT_EQ(cost->best, 480000U);
    EXPECT_EQ(cost->baseline_best, 70000U);
    EXPECT_EQ(cost->chunk_calls, 10000U);
}

TEST(CallCost, WhatIsMissingOrWrongIsNamed) {
    EXPECT_EQ(parse_call_cost("").error().message, "the module's call has no 'kind'");
    EXPECT_EQ(parse_call_cost(without("best_ns 480000\n")).error().message,
              "the module's call has no 'best_ns'");
    EXPECT_EQ(parse_call_cost(without("rcu 1\n")).error().message,
              "the module's call has no 'rcu'");
    EXPECT_EQ(parse_call_cost("kind slow\n" + without("kind ops\n")).error().message,
              "the module measured a kind 'slow' that is not known");
    EXPECT_EQ(parse_call_cost(without("chunk_calls 10000\n") + "chunk_calls 0\n").error().message,
              "the module's call says chunk_calls '0'");
}

} // namespace
} // namespace fdirect
