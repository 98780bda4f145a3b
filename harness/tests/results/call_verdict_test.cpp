// SPDX-License-Identifier: GPL-2.0
#include "results/call_verdict.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

using Texts = std::vector<std::string>;

CallResult result_of(const std::string& base, std::vector<CallRow> rows) {
    return {{base, "6.12.107", "arm64", "tcg", "insn", 2, {}}, std::move(rows)};
}

CallRow row_of(const CallSpec& spec, double overhead) {
    return {spec, 100000, 0, overhead + 7, overhead};
}

TEST(CallVerdict, ADirectCallInReachIsComparedWithAPlainOne) {
    auto result =
        result_of("6.12", {row_of({CallKind::plain}, 5), row_of({CallKind::direct_near}, 5.004),
                           row_of({CallKind::direct_far}, 17), row_of({CallKind::hash_near}, 6.5)});
    EXPECT_EQ(call_verdicts({result}),
              (Texts{"6.12: direct-near costs exactly what a plain call of the stub costs: 5.00",
                     "6.12: hash-near costs 6.50, 1.50 more than what a plain call of the stub "
                     "costs"}));
}

TEST(CallVerdict, EveryDirectCallIsComparedWithThatOfTheStockKernel) {
    auto patched =
        result_of("6.12", {row_of({CallKind::direct_far}, 17), row_of({CallKind::hash_near}, 5),
                           row_of({CallKind::hash_far}, 16)});
    auto stock = result_of("6.12-stock", {row_of({CallKind::direct_far}, 17)});
    Texts expected = {"6.12: direct-far costs exactly what direct-far on 6.12-stock costs: 17.00",
                      "6.12: hash-far costs 16.00, 1.00 less than what direct-far on 6.12-stock "
                      "costs"};
    EXPECT_EQ(call_verdicts({patched, stock}), expected);
    EXPECT_EQ(call_verdicts({stock, patched}), expected);
}

TEST(CallVerdict, WhetherIrrelevantOnesMatter) {
    CallSpec own{CallKind::ops, 1, 0, false, false, false, true};
    CallSpec own_beside = own;
    own_beside.irrelevant = 100;
    auto result =
        result_of("6.12", {row_of({CallKind::ops, 1, 0}, 30), row_of(own, 39),
                           row_of({CallKind::ops, 1, 1}, 60), row_of({CallKind::ops, 1, 10}, 100),
                           row_of(own_beside, 39), row_of({CallKind::ops, 10, 0}, 300)});
    EXPECT_EQ(
        call_verdicts({result}),
        (Texts{
            "6.12: 1 relevant ftrace_ops costs 30.00 beside 0 irrelevant ones, 100.00 beside 10",
            "6.12: 1 relevant ftrace_ops, trampoline costs 39.00, whether 0 or 100 irrelevant ones "
            "are there"}));
}

TEST(CallVerdict, TimesAreNotJudged) {
    auto result =
        result_of("6.12", {row_of({CallKind::plain}, 5), row_of({CallKind::direct_near}, 5)});
    result.header.unit = "ns";
    EXPECT_TRUE(call_verdicts({result}).empty());
}

TEST(CallVerdict, TheFirstIsTheReferenceWhereThereIsNoStock) {
    EXPECT_EQ(reference_of({result_of("a", {}), result_of("b", {})}), 0U);
    EXPECT_EQ(reference_of({result_of("a", {}), result_of("b-stock", {})}), 1U);
}

} // namespace
} // namespace fdirect
