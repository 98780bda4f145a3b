// SPDX-License-Identifier: GPL-2.0
#include "results/attach_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "util/text.h"

namespace fdirect {
namespace {

AttachRun run_of(Method method, std::uint64_t functions, std::uint64_t measured,
                 std::uint64_t total) {
    AttachRun run;
    run.way = {method, Reach::near};
    run.functions = functions;
    run.targets = method == Method::multi ? 1 : functions;
    run.measured = measured;
    run.verified = true;
    for (const auto& [name, samples] : operations) {
        (run.*samples).running = Samples({total, total + 10, total - 10});
        (run.*samples).elapsed = Samples({total + 2000000, total + 2000000, total + 2000000});
    }
    return run;
}

AttachResult result_of(const std::string& base, std::vector<AttachRun> runs) {
    AttachResult result;
    result.header.base = base;
    result.header.kernel = "6.12.107";
    result.header.arch = "x86_64";
    result.header.accel = "tcg";
    result.header.unit = "insn";
    result.header.vcpus = 2;
    result.functions_available = 43175;
    result.runs = std::move(runs);
    return result;
}

AttachResult patched() {
    return result_of("6.12", {run_of(Method::each, 40000, 200, 1760000000),
                              run_of(Method::hash, 40000, 40000, 150000000)});
}

AttachResult stock() {
    return result_of("6.12-stock", {run_of(Method::each, 40000, 200, 1760000000),
                                    run_of(Method::multi, 40000, 40000, 300000000)});
}

std::string alone(const AttachResult& result, Format format) {
    return *report(std::vector<AttachResult>{result}, format);
}

/// The words of the first line that starts with these.
std::vector<std::string_view> row(std::string_view text, std::string_view start) {
    for (std::string_view line : split_lines(text)) {
        if (line.starts_with(start)) {
            return split_words(line);
        }
    }
    return {};
}

TEST(AttachReport, FiguresPerFunctionWithWaitingAndRatio) {
    std::string text = alone(patched(), Format::table);
    EXPECT_NE(text.find("6.12: Linux 6.12.107, x86_64, tcg, 2 vCPUs, 43,175 functions available\n"
                        "instructions per function\n"),
              std::string::npos)
        << text;
    auto hash = row(text, "hash");
    std::vector<std::string_view> expected = {"hash",  "40,000", "40,000",  "attach",
                                              "3,750", "3,750",  "3,750",   "0.000",
                                              "150",   "2.00",   "2,347x*", "yes"};
    EXPECT_EQ(hash, expected) << text;
}

TEST(AttachReport, ExtrapolatedFiguresAreMarkedAndExplained) {
    std::string text = alone(patched(), Format::table);
    auto each = row(text, "each");
    ASSERT_GE(each.size(), 9U) << text;
    EXPECT_EQ(each[1], "40,000*");
    EXPECT_EQ(each[5], "8,800,000");
    EXPECT_EQ(each[8], "352,000") << "the total stands for all functions";
    EXPECT_EQ(each[9], "400") << "and so does the waiting";
    EXPECT_NE(text.find("* measured with 200 functions and extrapolated\n"), std::string::npos);
}

TEST(AttachReport, WhatDidNotVerifyCannotBeOverlooked) {
    auto result = patched();
    result.runs[1].verified = false;
    EXPECT_EQ(row(alone(result, Format::table), "hash").back(), "NO");
}

TEST(AttachReport, FilesWithoutElapsedTimesHaveNoWaiting) {
    auto result = patched();
    result.runs[1].attach.elapsed = Samples();
    auto hash = row(alone(result, Format::table), "hash");
    EXPECT_EQ(hash.size(), 11U);
}

TEST(AttachReport, OthersAttachedMeanwhileGetAColumn) {
    auto result = patched();
    EXPECT_EQ(alone(result, Format::table).find("beside"), std::string::npos);
    result.runs[1].attached_before = 1000;
    EXPECT_EQ(row(alone(result, Format::table), "hash")[3], "1,000");
}

TEST(AttachReport, Markdown) {
    std::string text = alone(patched(), Format::markdown);
    EXPECT_NE(text.find("| each | 40,000\\* |"), std::string::npos) << text;
    EXPECT_NE(text.find("\n\\* measured with 200"), std::string::npos) << text;
}

TEST(AttachReport, CsvHasThePlainNumbers) {
    std::string text = alone(patched(), Format::csv);
    auto lines = split_lines(text);
    ASSERT_EQ(lines.size(), 7U);
    EXPECT_EQ(lines[4], "6.12,6.12.107,x86_64,tcg,insn,hash,near,40000,40000,40000,0,true,attach,3,"
                        "149999990,150000000,150000010,10.000,3750.000,2000000,");
}

TEST(AttachReport, JsonIsTheResult) {
    auto back = parse_attach_result(alone(patched(), Format::json));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, patched());
}

TEST(AttachReport, SideBySideWithRatiosToTheFirst) {
    auto slower = patched();
    slower.header.base = "other";
    slower.runs[1] = run_of(Method::hash, 40000, 40000, 300000000);
    auto text = report({patched(), stock(), slower}, Format::table);
    ASSERT_TRUE(text.ok());
    EXPECT_NE(text->find("median instructions per function"), std::string::npos);
    std::vector<std::string_view> hash = {"hash", "40,000", "attach", "3,750", "2.00",
                                          "-",    "7,500",  "2.00",   "2.00x", "yes"};
    EXPECT_EQ(row(*text, "hash"), hash) << *text;
    std::vector<std::string_view> multi = {"multi", "40,000", "attach", "-",
                                           "7,500", "2.00",   "-",      "yes"};
    EXPECT_EQ(row(*text, "multi"), multi) << *text;
    EXPECT_EQ(row(*text, "each")[1], "40,000*");
}

TEST(AttachReport, EveryReachHasRowsAndIsComparedWithItsOwnEach) {
    AttachRun far = run_of(Method::hash, 40000, 40000, 300000000);
    far.way.reach = Reach::far;
    auto result = patched();
    result.runs.push_back(far);
    std::string text = alone(result, Format::table);
    EXPECT_EQ(row(text, "hash ")[10], "2,347x*") << text;
    EXPECT_EQ(row(text, "hash-far")[10], "1,173x*") << text;
    far.way.method = Method::each;
    result.runs.push_back(far);
    text = alone(result, Format::table);
    EXPECT_EQ(row(text, "hash ")[10], "2,347x*") << text;
    EXPECT_EQ(row(text, "hash-far")[10], "1.00x") << text;
    EXPECT_NE(alone(result, Format::csv).find(",hash,far,"), std::string::npos);
}

TEST(AttachReport, ArchitecturesHaveTablesOfTheirOwn) {
    auto here = patched();
    auto there = patched();
    here.header.arch = there.header.arch = "arm64";
    there.header.base = "6.12-stock";
    auto text = report({here, patched(), there}, Format::table);
    ASSERT_TRUE(text.ok());
    auto last = text->rfind("\n6.12: Linux 6.12.107, x86_64");
    ASSERT_NE(last, std::string::npos) << *text;
    EXPECT_NE(text->find("/ 6.12"), std::string::npos) << *text;
    EXPECT_EQ(text->find("/ 6.12", last), std::string::npos) << "that one stands alone";
    EXPECT_EQ(row(text->substr(last), "hash").size(), 12U) << *text;
}

TEST(AttachReport, FilesOfTheSameBaseAreToldApart) {
    auto text = report({patched(), patched()}, Format::table);
    EXPECT_NE(text->find("(2)"), std::string::npos);
}

TEST(AttachReport, SeveralAsCsvAndJson) {
    auto csv = report({patched(), patched()}, Format::csv);
    ASSERT_TRUE(csv.ok());
    EXPECT_TRUE(split_lines(*csv)[12].ends_with(",1.000000")) << *csv;
    auto json = report({patched(), stock()}, Format::json);
    EXPECT_EQ(nlohmann::json::parse(*json).size(), 2U);
}

TEST(AttachReport, UnitsAreNotMixed) {
    auto other = stock();
    other.header.unit = "ns";
    auto text = report({patched(), other}, Format::table);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code, ExitCode::usage);
}

} // namespace
} // namespace fdirect
