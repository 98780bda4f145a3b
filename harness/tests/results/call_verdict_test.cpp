// SPDX-License-Identifier: GPL-2.0
#include "results/call_verdict.h"

#include <gtest/gtest.h>

#include "records.h"

namespace fdirect {
namespace {

using Texts = std::vector<std::string>;

Record record_with(bool patched, std::vector<Row> rows) {
    Record record = record_of("call", patched);
    record.rows = std::move(rows);
    return record;
}

Texts verdicts(const std::vector<Record>& records) {
    auto groups = groups_of(records);
    return call_verdicts(groups.front());
}

TEST(CallVerdict, ADirectCallInReachIsComparedWithAPlainOne) {
    auto record =
        record_with(true, {call_row("plain", 0, 0, 5), call_row("direct-near", 0, 0, 5.004),
                           call_row("direct-far", 0, 0, 17), call_row("hash-near", 0, 0, 6.5)});
    EXPECT_EQ(verdicts({record}),
              (Texts{"patched: direct-near costs exactly what a plain call of the stub costs: 5.00",
                     "patched: hash-near costs 6.50, 1.50 more than what a plain call of the stub "
                     "costs"}));
}

TEST(CallVerdict, EveryDirectCallIsComparedWithThatOfTheStockKernel) {
    auto patched =
        record_with(true, {call_row("direct-far", 0, 0, 17), call_row("hash-near", 0, 0, 5),
                           call_row("hash-far", 0, 0, 16)});
    auto stock = record_with(false, {call_row("direct-far", 0, 0, 17)});
    Texts expected = {"patched: direct-far costs exactly what direct-far on stock costs: 17.00",
                      "patched: hash-far costs 16.00, 1.00 less than what direct-far on stock "
                      "costs"};
    EXPECT_EQ(verdicts({patched, stock}), expected);
    EXPECT_EQ(verdicts({stock, patched}), expected);
}

TEST(CallVerdict, WhetherIrrelevantOnesMatter) {
    auto record =
        record_with(true, {call_row("ops", 1, 0, 30), call_row("ops", 1, 0, 39, true),
                           call_row("ops", 1, 1, 60), call_row("ops", 1, 10, 100),
                           call_row("ops", 1, 100, 39, true), call_row("ops", 10, 0, 300)});
    EXPECT_EQ(
        verdicts({record}),
        (Texts{
            "patched: 1 relevant ftrace_ops costs 30.00 beside 0 irrelevant ones, 100.00 beside 10",
            "patched: 1 relevant ftrace_ops, trampoline costs 39.00, whether 0 or 100 irrelevant "
            "ones are there"}));
}

TEST(CallVerdict, TimesAreNotJudged) {
    auto record = record_with(true, {call_row("plain", 0, 0, 5), call_row("direct-near", 0, 0, 5)});
    for (Row& row : record.rows) {
        row.unit = "ns";
    }
    EXPECT_TRUE(verdicts({record}).empty());
}

} // namespace
} // namespace fdirect
