// SPDX-License-Identifier: GPL-2.0
#include "results/call_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "util/text.h"

namespace fdirect {
namespace {

CallRow row_of(const CallSpec& spec, double overhead) {
    return {spec, 100000, 4711, overhead + 7, overhead};
}

CallResult result_of(const std::string& base, std::vector<CallRow> rows) {
    return {{base, "6.12.107", "arm64", "tcg", "insn", 2, {}}, std::move(rows)};
}

CallResult patched() {
    return result_of("6.12",
                     {row_of({CallKind::ops, 1, 0}, 30), row_of({CallKind::ops, 1, 10}, 1063.384),
                      row_of({CallKind::ops, 1, 0, true}, 60), row_of({CallKind::plain}, 5),
                      row_of({CallKind::hash_near}, 5), row_of({CallKind::hash_far}, 17)});
}

CallResult stock() {
    return result_of("6.12-stock", {row_of({CallKind::ops, 1, 0}, 33), row_of({CallKind::plain}, 5),
                                    row_of({CallKind::direct_far}, 17)});
}

std::string shown(const std::vector<CallResult>& results, Format format = Format::table) {
    auto text = report(results, format);
    return text.ok() ? *text : text.error().message;
}

TEST(CallReport, AloneWithTheCostOfACallAndItsOverhead) {
    EXPECT_EQ(shown({patched()}),
              "6.12: Linux 6.12.107, arm64, tcg, 2 vCPUs\n"
              "instructions per call; overhead is what an untraced call does not cost\n"
              "relevant: ftrace_ops of the function that is called; irrelevant: of another one\n"
              "\n"
              "ftrace_ops\n"
              "\n"
              "relevant  irrelevant  per call  overhead\n"
              "--------  ----------  --------  --------\n"
              "       1           0     37.00     30.00\n"
              "       1          10   1070.38   1063.38\n"
              "\n"
              "ftrace_ops, save_regs\n"
              "\n"
              "relevant  irrelevant  per call  overhead\n"
              "--------  ----------  --------  --------\n"
              "       1           0     67.00     60.00\n"
              "\n"
              "direct calls\n"
              "\n"
              "kind       relevant  irrelevant  per call  overhead  vs plain\n"
              "---------  --------  ----------  --------  --------  --------\n"
              "plain             0           0     12.00      5.00      0.00\n"
              "hash-near         0           0     12.00      5.00      0.00\n"
              "hash-far          0           0     24.00     17.00    +12.00\n"
              "\n"
              "6.12: hash-near costs exactly what a plain call of the stub costs: 5.00\n"
              "6.12: 1 relevant ftrace_ops costs 30.00 beside 0 irrelevant ones, 1063.38 beside "
              "10\n");
}

TEST(CallReport, SideBySideWithTheDifferencesFromTheStockKernel) {
    std::string text = shown({patched(), stock()});
    EXPECT_NE(text.find("instructions per call that an untraced call does not cost\n"),
              std::string::npos);
    EXPECT_NE(text.find("\n"
                        "relevant  irrelevant     6.12  vs 6.12-stock  6.12-stock\n"
                        "--------  ----------  -------  -------------  ----------\n"
                        "       1           0    30.00          -3.00       33.00\n"
                        "       1          10  1063.38                          -\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n"
                        "kind        relevant  irrelevant   6.12  vs 6.12-stock  6.12-stock\n"
                        "----------  --------  ----------  -----  -------------  ----------\n"
                        "plain              0           0   5.00           0.00        5.00\n"
                        "hash-near          0           0   5.00                          -\n"
                        "hash-far           0           0  17.00                          -\n"
                        "direct-far         0           0      -                      17.00\n"),
              std::string::npos)
        << text;
    EXPECT_NE(
        text.find("6.12: hash-far costs exactly what direct-far on 6.12-stock costs: 17.00\n"),
        std::string::npos)
        << text;
}

TEST(CallReport, ArchitecturesHaveTablesOfTheirOwn) {
    auto other = patched();
    other.header.arch = "x86_64";
    EXPECT_EQ(shown({patched(), other, stock()}),
              shown({patched(), stock()}) + "\n" + shown({other}));
}

TEST(CallReport, Markdown) {
    std::string text = shown({patched()}, Format::markdown);
    EXPECT_NE(text.find("\n**ftrace_ops, save_regs**\n\n| relevant | irrelevant |"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n- 6.12: hash-near costs exactly"), std::string::npos) << text;
}

TEST(CallReport, CsvHasThePlainNumbers) {
    auto text = shown({patched(), stock()}, Format::csv);
    auto lines = split_lines(text);
    ASSERT_EQ(lines.size(), 10U);
    EXPECT_EQ(lines[3], "6.12,6.12.107,arm64,tcg,insn,ops,1,0,true,false,false,false,100000,4711,"
                        "67.0000,60.0000");
}

TEST(CallReport, JsonIsTheResultOrAListOfThem) {
    auto back = parse_call_result(shown({patched()}, Format::json));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, patched());
    EXPECT_EQ(nlohmann::json::parse(shown({patched(), stock()}, Format::json)).size(), 2U);
}

TEST(CallReport, UnitsAreNotMixed) {
    auto other = stock();
    other.header.unit = "ns";
    EXPECT_EQ(report({patched(), other}, Format::table).error().code, ExitCode::usage);
}

} // namespace
} // namespace fdirect
