// SPDX-License-Identifier: GPL-2.0
#include "results/scale_report.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "util/text.h"

namespace fdirect {
namespace {

AttachRun run_of(Method method, std::uint64_t functions, std::uint64_t before,
                 std::uint64_t per_function) {
    AttachRun run;
    run.way = {method, Reach::near};
    run.functions = run.targets = run.measured = functions;
    run.attached_before = before;
    run.verified = true;
    std::uint64_t total = functions * per_function;
    for (const auto& [name, samples] : operations) {
        (run.*samples).running = Samples({total, total + 2, total - 2});
        (run.*samples).elapsed = Samples({total + 3000000, total + 3000002, total + 2999998});
        total *= 2;
    }
    return run;
}

KprobeRun probe_of(std::uint64_t before, std::uint64_t cost) {
    KprobeRun run;
    run.way = {Method::hash, Reach::near};
    run.attached_before = before;
    run.ftrace = true;
    run.verified = true;
    for (CallSamples& step : run.steps) {
        step.running = Samples({cost, cost + 1, cost - 1});
        step.elapsed = Samples({cost + 5000000, cost + 5000001, cost + 4999999});
        cost *= 2;
    }
    return run;
}

ScaleResult result_of(const std::string& base, Method method) {
    ScaleResult result;
    result.header.base = base;
    result.header.kernel = "6.12.107";
    result.header.arch = "x86_64";
    result.header.accel = "tcg";
    result.header.unit = "insn";
    result.header.vcpus = 2;
    result.functions_available = 43175;
    result.runs = {run_of(method, 1, 0, 7000000), run_of(method, 40000, 0, 4000),
                   run_of(method, 1, 40000, 37000000)};
    result.kprobe = {probe_of(0, 5000000), probe_of(40000, 10000000)};
    result.memory = MemoryGrowth{{method, Reach::near}, 40000, 3840000, 160000};
    return result;
}

ScaleResult patched() {
    return result_of("6.12", Method::hash);
}

ScaleResult stock() {
    return result_of("6.12-stock", Method::multi);
}

std::string shown(const std::vector<ScaleResult>& results, Format format) {
    return *report(results, format);
}

using Words = std::vector<std::string_view>;

/// The words of the first line that starts with these, after the title.
Words row(std::string_view text, std::string_view title, const Words& start) {
    for (std::string_view line : split_lines(text.substr(text.find(title)))) {
        auto words = split_words(line);
        if (words.size() >= start.size() && std::equal(start.begin(), start.end(), words.begin())) {
            return words;
        }
    }
    return {};
}

TEST(ScaleReport, CostPerFunctionBySizeAndOthers) {
    std::string text = shown({patched()}, Format::table);
    const char* title = "median instructions per function";
    EXPECT_EQ(row(text, title, {"operation"}), (Words{"operation", "functions", "method", "beside",
                                                      "0", "beside", "40,000", "verified"}))
        << text;
    EXPECT_EQ(row(text, title, {"attach"}),
              (Words{"attach", "1", "hash", "7,000,000", "37,000,000", "yes"}));
    EXPECT_EQ(row(text, title, {"attach", "40,000"}),
              (Words{"attach", "40,000", "hash", "4,000", "-", "yes"}));
    EXPECT_EQ(row(text, title, {"detach"}),
              (Words{"detach", "1", "hash", "28,000,000", "148,000,000", "yes"}));
}

TEST(ScaleReport, WaitingIsThatOfTheWholeCall) {
    std::string text = shown({patched()}, Format::table);
    EXPECT_EQ(row(text, "waiting of the whole call (ms)", {"modify", "40,000"}),
              (Words{"modify", "40,000", "hash", "3.00", "-", "yes"}))
        << text;
    EXPECT_EQ(row(text, "waiting for a kprobe (ms)", {"unregister"}),
              (Words{"unregister", "1", "kprobe,", "by", "ftrace", "5.00", "5.00", "yes"}));
}

TEST(ScaleReport, KprobesAndMemory) {
    std::string text = shown({patched()}, Format::table);
    EXPECT_EQ(
        row(text, "a kprobe on another function, median instructions", {"register"}),
        (Words{"register", "1", "kprobe,", "by", "ftrace", "5,000,000", "10,000,000", "yes"}));
    EXPECT_NE(text.find("\nmemory per attached function: 100 bytes, 96.0 of slab and 4.00 of "
                        "vmalloc (40,000 functions with hash)\n"),
              std::string::npos)
        << text;
}

TEST(ScaleReport, WhatDidNotVerifyCannotBeOverlooked) {
    auto result = patched();
    result.runs[2].verified = false;
    result.kprobe[1].verified = false;
    std::string text = shown({result}, Format::table);
    EXPECT_EQ(row(text, "median instructions per", {"attach"}).back(), "NO") << text;
    EXPECT_EQ(row(text, "a kprobe on another", {"register"}).back(), "NO");
}

TEST(ScaleReport, KernelsBelowEachOther) {
    std::string text = shown({patched(), stock()}, Format::table);
    const char* title = "median instructions per function";
    EXPECT_EQ(row(text, title, {"attach", "1", "6.12-stock"}),
              (Words{"attach", "1", "6.12-stock", "multi", "7,000,000", "37,000,000", "yes"}))
        << text;
    EXPECT_NE(text.find("6.12-stock: memory per attached function: "), std::string::npos);
}

TEST(ScaleReport, EachArchitectureForItself) {
    auto other = patched();
    other.header.arch = "arm64";
    other.kprobe.clear();
    std::string text = shown({patched(), other}, Format::markdown);
    EXPECT_NE(text.find("\n6.12: Linux 6.12.107, arm64, tcg, 2 vCPUs, 43,175 functions"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("**median instructions per function**"), std::string::npos);
    EXPECT_NE(text.find("\n- memory per attached function: "), std::string::npos);
    EXPECT_EQ(text.find("**a kprobe", text.find("arm64")), std::string::npos);
}

TEST(ScaleReport, CsvHasALineForEachMeasurement) {
    std::string csv = shown({patched(), stock()}, Format::csv);
    auto lines = split_lines(csv);
    EXPECT_EQ(lines.size(), 1 + 2U * (3 * 3 + 2 * 4 + 2)) << csv;
    EXPECT_EQ(lines[1], "6.12,6.12.107,x86_64,tcg,insn,hash,near,1,0,true,attach,3,6999998,7000000,"
                        "7000002,7000000.000,3000000");
    EXPECT_NE(csv.find(",kprobe,near,1,40000,true,register,3,9999999,10000000,"),
              std::string::npos);
    EXPECT_NE(csv.find(",bytes,hash,near,40000,0,true,slab,1,3840000,3840000,3840000,96.000,\n"),
              std::string::npos);
}

TEST(ScaleReport, JsonIsTheResult) {
    auto json = nlohmann::ordered_json::parse(shown({patched()}, Format::json));
    EXPECT_EQ(json, to_json(patched()));
    EXPECT_EQ(nlohmann::ordered_json::parse(shown({patched(), stock()}, Format::json)).size(), 2U);
}

TEST(ScaleReport, DifferentUnitsCannotBeCompared) {
    auto other = stock();
    other.header.unit = "ns";
    auto text = report(std::vector<ScaleResult>{patched(), other}, Format::table);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code, ExitCode::usage);
}

} // namespace
} // namespace fdirect
