// SPDX-License-Identifier: GPL-2.0
#include "results/scale_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

ScaleResult example() {
    ScaleResult result;
    result.header.base = "6.12-stock";
    result.header.kernel = "6.12.107";
    result.header.arch = "x86_64";
    result.header.accel = "tcg";
    result.header.unit = "insn";
    result.header.vcpus = 2;
    result.functions_available = 43175;
    AttachRun run;
    run.way = {Method::each, Reach::near};
    run.functions = run.targets = run.measured = 1;
    run.attached_before = 40000;
    run.before_method = Method::multi;
    run.verified = true;
    for (const auto& [name, samples] : operations) {
        (run.*samples).running = Samples({100, 200});
    }
    result.runs.push_back(run);
    KprobeRun probe;
    probe.way = {Method::multi, Reach::near};
    probe.attached_before = 40000;
    probe.ftrace = true;
    probe.verified = true;
    for (CallSamples& step : probe.steps) {
        step.running = Samples({10, 30, 20});
        step.elapsed = Samples({11, 31, 21});
    }
    result.kprobe.push_back(probe);
    result.memory = MemoryGrowth{{Method::multi, Reach::near}, 40000, 4000000, -8000};
    return result;
}

/// The error of reading the example after `change`.
template<class Change>
std::string complaint_after(Change change) {
    Json json = to_json(example());
    change(json);
    auto result = parse_scale_result(json.dump());
    return result.ok() ? "" : result.error().message;
}

TEST(ScaleResult, RoundTrip) {
    auto back = parse_scale_result(to_json(example()).dump(2));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, example());
}

TEST(ScaleResult, KeysAsDocumented) {
    Json json = to_json(example());
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["runs"][0]["attached_before"], 40000);
    EXPECT_EQ(json["runs"][0]["before_method"], "multi");
    const Json& probe = json["kprobe"][0];
    EXPECT_EQ(probe["method"], "multi");
    EXPECT_EQ(probe["attached_before"], 40000);
    EXPECT_EQ(probe["ftrace"], true);
    EXPECT_EQ(probe["verified"], true);
    for (const char* step : {"register", "disable", "enable", "unregister"}) {
        EXPECT_EQ(probe[step]["samples"], (Json{10, 30, 20}));
        EXPECT_EQ(probe[step]["min"], 10);
        EXPECT_EQ(probe[step]["median"], 20);
        EXPECT_EQ(probe[step]["max"], 30);
        EXPECT_EQ(probe[std::string(step) + "_elapsed"]["median"], 21);
    }
    const Json& memory = json["memory_per_function"];
    EXPECT_EQ(memory["functions"], 40000);
    EXPECT_EQ(memory["slab"], 100);
    EXPECT_EQ(memory["vmalloc"], -0.2);
    EXPECT_EQ(memory["total"], 99.8);
    EXPECT_EQ(memory["slab_bytes"], 4000000);
}

TEST(ScaleResult, IsToldFromOthers) {
    EXPECT_TRUE(is_scale_result(to_json(example())));
    EXPECT_FALSE(is_scale_result(to_json(static_cast<const AttachResult&>(example()))));
}

TEST(ScaleResult, MemoryMayBeMissing) {
    Json json = to_json(example());
    json.erase("memory_per_function");
    auto result = parse_scale_result(json.dump());
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_FALSE(result->memory);
}

TEST(ScaleResult, ComplaintsSayWhere) {
    EXPECT_EQ(complaint_after([](Json& json) { json.erase("kprobe"); }), "kprobe is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["kprobe"][0].erase("enable"); }),
              "kprobe[0].enable is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["kprobe"][0]["ftrace"] = 1; }),
              "kprobe[0].ftrace is neither true nor false");
    EXPECT_EQ(complaint_after([](Json& json) { json["kprobe"][0]["method"] = "magic"; }),
              "kprobe[0].method 'magic' is not known");
    EXPECT_EQ(complaint_after([](Json& json) { json["memory_per_function"]["functions"] = 0; }),
              "memory_per_function.functions is 0");
    EXPECT_EQ(
        complaint_after([](Json& json) { json["memory_per_function"]["slab_bytes"] = 1e300; }),
        "memory_per_function.slab_bytes is no whole number");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0]["before_method"] = "magic"; }),
              "runs[0].before_method 'magic' is not known");
    EXPECT_EQ(complaint_after([](Json& json) { json["schema"] = 2; }),
              "it has another schema than 1");
}

} // namespace
} // namespace fdirect
