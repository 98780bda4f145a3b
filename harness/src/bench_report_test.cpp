// SPDX-License-Identifier: GPL-2.0
#include "bench_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "text.h"

namespace fdirect {
namespace {

BenchRun run_of(Method method, std::uint64_t functions, std::uint64_t measured,
                std::uint64_t total) {
    BenchRun run;
    run.method = method;
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

BenchResult result_of(const std::string& base, std::vector<BenchRun> runs) {
    BenchResult result;
    result.base = base;
    result.kernel = "6.12.107";
    result.arch = "x86_64";
    result.accel = "tcg";
    result.unit = "insn";
    result.vcpus = 2;
    result.functions_available = 43175;
    result.runs = std::move(runs);
    return result;
}

BenchResult patched() {
    return result_of("6.12", {run_of(Method::each, 40000, 200, 1760000000),
                              run_of(Method::hash, 40000, 40000, 150000000)});
}

BenchResult stock() {
    return result_of("6.12-stock", {run_of(Method::each, 40000, 200, 1760000000),
                                    run_of(Method::multi, 40000, 40000, 300000000)});
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

TEST(BenchReport, FiguresPerFunctionWithWaitingAndRatio) {
    std::string text = report(patched(), Format::table);
    EXPECT_NE(text.find("6.12: Linux 6.12.107, x86_64, tcg, 2 vCPUs, 43,175 functions available\n"
                        "instructions per function\n"),
              std::string::npos)
        << text;
    auto hash = row(text, "hash");
    std::vector<std::string_view> expected = {"hash",  "40,000", "40,000", "attach",
                                              "3,750", "3,750",  "3,750",  "0.000",
                                              "150",   "2.00",   "2,347x", "yes"};
    EXPECT_EQ(hash, expected) << text;
}

TEST(BenchReport, ExtrapolatedFiguresAreMarkedAndExplained) {
    std::string text = report(patched(), Format::table);
    auto each = row(text, "each");
    ASSERT_GE(each.size(), 9U) << text;
    EXPECT_EQ(each[1], "40,000*");
    EXPECT_EQ(each[5], "8,800,000");
    EXPECT_EQ(each[8], "352,000") << "the total stands for all functions";
    EXPECT_EQ(each[9], "400") << "and so does the waiting";
    EXPECT_NE(text.find("* measured with 200 functions and extrapolated\n"), std::string::npos);
}

TEST(BenchReport, WhatDidNotVerifyCannotBeOverlooked) {
    auto result = patched();
    result.runs[1].verified = false;
    EXPECT_EQ(row(report(result, Format::table), "hash").back(), "NO");
}

TEST(BenchReport, FilesWithoutElapsedTimesHaveNoWaiting) {
    auto result = patched();
    result.runs[1].attach.elapsed = Samples();
    auto hash = row(report(result, Format::table), "hash");
    EXPECT_EQ(hash.size(), 11U);
}

TEST(BenchReport, OthersAttachedMeanwhileGetAColumn) {
    auto result = patched();
    EXPECT_EQ(report(result, Format::table).find("beside"), std::string::npos);
    result.runs[1].attached_before = 1000;
    EXPECT_EQ(row(report(result, Format::table), "hash")[3], "1,000");
}

TEST(BenchReport, Markdown) {
    std::string text = report(patched(), Format::markdown);
    EXPECT_NE(text.find("| each | 40,000\\* |"), std::string::npos) << text;
    EXPECT_NE(text.find("\n\\* measured with 200"), std::string::npos) << text;
}

TEST(BenchReport, CsvHasThePlainNumbers) {
    std::string text = report(patched(), Format::csv);
    auto lines = split_lines(text);
    ASSERT_EQ(lines.size(), 7U);
    EXPECT_EQ(lines[4], "6.12,6.12.107,x86_64,tcg,insn,hash,40000,40000,40000,0,true,attach,3,"
                        "149999990,150000000,150000010,10.000,3750.000,2000000,");
}

TEST(BenchReport, JsonIsTheResult) {
    auto back = parse_bench_result(report(patched(), Format::json));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, patched());
}

TEST(BenchReport, SideBySideWithRatiosToTheFirst) {
    auto slower = patched();
    slower.base = "other";
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

TEST(BenchReport, FilesOfTheSameBaseAreToldApart) {
    auto other = patched();
    other.arch = "arm64";
    auto text = report({patched(), other}, Format::table);
    EXPECT_NE(text->find("6.12 arm64"), std::string::npos);
    text = report({patched(), patched()}, Format::table);
    EXPECT_NE(text->find("(2)"), std::string::npos);
}

TEST(BenchReport, SeveralAsCsvAndJson) {
    auto csv = report({patched(), patched()}, Format::csv);
    ASSERT_TRUE(csv.ok());
    EXPECT_TRUE(split_lines(*csv)[12].ends_with(",1.000000")) << *csv;
    auto json = report({patched(), stock()}, Format::json);
    EXPECT_EQ(nlohmann::json::parse(*json).size(), 2U);
}

TEST(BenchReport, UnitsAreNotMixed) {
    auto other = stock();
    other.unit = "ns";
    auto text = report({patched(), other}, Format::table);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code, ExitCode::usage);
}

} // namespace
} // namespace fdirect
