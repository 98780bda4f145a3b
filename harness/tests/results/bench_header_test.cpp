// SPDX-License-Identifier: GPL-2.0
#include "results/bench_header.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

BenchHeader header_of(const std::string& base, const std::string& arch) {
    return {base, "6.12.107", arch, "tcg", "insn", 2, {{"cpu", "QEMU"}}};
}

struct Measured {
    BenchHeader header;
};

TEST(BenchHeader, RoundTrip) {
    BenchHeader header = header_of("6.12", "arm64");
    auto json = parse_bench_json(to_json(header).dump());
    ASSERT_TRUE(json.ok()) << json.error().message;
    JsonReader reader;
    EXPECT_EQ(read_bench_header(reader, *json), header);
    EXPECT_FALSE(reader.complaint());
}

TEST(BenchHeader, TheEnvironmentMayBeMissing) {
    auto json = to_json(header_of("6.12", "arm64"));
    json.erase("env");
    JsonReader reader;
    EXPECT_TRUE(read_bench_header(reader, json).env.empty());
    EXPECT_FALSE(reader.complaint());
}

TEST(BenchHeader, TheEnvironmentIsTexts) {
    auto json = to_json(header_of("6.12", "arm64"));
    // Deep enough to run out of stack for whoever follows it down
    json["env"]["cpu"] =
        nlohmann::ordered_json::parse(std::string(300000, '[') + std::string(300000, ']'));
    JsonReader reader;
    EXPECT_TRUE(read_bench_header(reader, json).env["cpu"].empty());
    EXPECT_EQ(reader.complaint(), "env.cpu is no text");
}

TEST(BenchHeader, WhatIsNoResult) {
    EXPECT_EQ(parse_bench_json("").error().message, "it is no JSON object");
    EXPECT_EQ(parse_bench_json("[1]").error().message, "it is no JSON object");
    EXPECT_EQ(parse_bench_json("{}").error().message, "schema is missing");
    EXPECT_EQ(parse_bench_json(R"({"schema": 2})").error().message, "it has another schema than 1");
}

TEST(BenchHeader, Headline) {
    EXPECT_EQ(headline(header_of("6.12", "arm64")), "6.12: Linux 6.12.107, arm64, tcg, 2 vCPUs");
}

TEST(BenchHeader, LabelsAreAsShortAsTheyCanBe) {
    using Labels = std::vector<std::string>;
    EXPECT_EQ(labels_of({header_of("a", "x"), header_of("b", "x")}), (Labels{"a", "b"}));
    EXPECT_EQ(labels_of({header_of("a", "x"), header_of("a", "y")}), (Labels{"a x", "a y"}));
    EXPECT_EQ(labels_of({header_of("a", "x"), header_of("a", "x")}),
              (Labels{"a x 6.12.107 (1)", "a x 6.12.107 (2)"}));
}

TEST(BenchHeader, UnitsAreNotMixed) {
    BenchHeader other = header_of("b", "x");
    EXPECT_TRUE(check_same_unit({header_of("a", "x"), other}).ok());
    other.unit = "ns";
    EXPECT_EQ(check_same_unit({header_of("a", "x"), other}).error().code, ExitCode::usage);
}

TEST(BenchHeader, ResultsByArchitectureInTheirOrder) {
    std::vector<Measured> results = {
        {header_of("a", "y")}, {header_of("a", "x")}, {header_of("b", "y")}};
    auto groups = by_arch(results);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(labels_of(headers_of(groups[0])), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(groups[1].front().header.arch, "x");
}

} // namespace
} // namespace fdirect
