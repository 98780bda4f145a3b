// SPDX-License-Identifier: GPL-2.0
#include "cli/call_counts.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

CallCounts some() {
    CallCounts counts;
    counts.seconds = 2.5;
    counts.attached = 1234;
    counts.functions = {{"often", 12345}, {"once", 1}};
    counts.left_out = {{"a", "no type in BTF"}, {"b", "not traceable"}, {"c", "not traceable"}};
    return counts;
}

TEST(CallCounts, MostCallsComeFirst) {
    const std::vector<BpfTarget> functions = {
        {"b", 1, 1}, {"a", 2, 2}, {"never", 3, 3}, {"most", 4, 4}};
    EXPECT_EQ(ranked(functions, {1, 0, 7, 0}, {3, 2, 7, 90}),
              (std::vector<CallCount>{{"most", 90}, {"a", 2}, {"b", 2}}));
}

TEST(CallCounts, ReasonsAreAddedUp) {
    EXPECT_EQ(sum_of(some().left_out), "3 functions left out: 2 not traceable, 1 no type in BTF");
}

TEST(CallCounts, AreATableWithWhatThereIsToSay) {
    EXPECT_EQ(report(some(), Format::table, 20, false),
              "function   calls\n"
              "--------  ------\n"
              "often     12,345\n"
              "once           1\n"
              "\n"
              "1,234 functions attached, 2 of them called 12,346 times in 2.50 s\n"
              "3 functions left out: 2 not traceable, 1 no type in BTF\n");
}

TEST(CallCounts, TheTopIsShownAndAllAreAddedUp) {
    auto text = report(some(), Format::table, 1, false);
    EXPECT_EQ(text.find("once"), std::string::npos);
    EXPECT_NE(text.find("2 of them called 12,346 times"), std::string::npos);
}

TEST(CallCounts, MissedCallsAreTold) {
    auto counts = some();
    counts.missed = 1;
    EXPECT_NE(report(counts, Format::table, 0, false)
                  .find("1 call not counted, made while the program ran on their CPU\n"),
              std::string::npos);
}

TEST(CallCounts, EachFunctionThatIsLeftOutIsNamedIfAskedFor) {
    auto text = report(some(), Format::markdown, 0, true);
    EXPECT_NE(text.find("| often | 12,345 |"), std::string::npos);
    EXPECT_NE(text.find("left out: a: no type in BTF\n"), std::string::npos);
}

TEST(CallCounts, CsvHasPlainNumbersAlone) {
    EXPECT_EQ(report(some(), Format::csv, 0, true), "function,calls\noften,12345\nonce,1\n");
}

TEST(CallCounts, JsonHasEverything) {
    auto counts = some();
    counts.returns = true;
    counts.missed = 3;
    auto json = nlohmann::json::parse(report(counts, Format::json, 1, true));
    EXPECT_EQ(json["at"], "return");
    EXPECT_EQ(json["attached"], 1234);
    EXPECT_EQ(json["called"], 2);
    EXPECT_EQ(json["calls"], 12346);
    EXPECT_EQ(json["missed"], 3);
    EXPECT_EQ(json["functions"].size(), 1U);
    EXPECT_EQ(json["functions"][0]["calls"], 12345);
    EXPECT_EQ(json["reasons"]["not traceable"], 2);
    EXPECT_EQ(json["left_out"].size(), 3U);
    EXPECT_FALSE(
        nlohmann::json::parse(report(some(), Format::json, 1, false)).contains("left_out"));
}

} // namespace
} // namespace fdirect
