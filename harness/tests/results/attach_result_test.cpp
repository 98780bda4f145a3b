// SPDX-License-Identifier: GPL-2.0
#include "results/attach_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

AttachResult example() {
    AttachResult result;
    result.header.base = "6.12";
    result.header.kernel = "6.12.107";
    result.header.arch = "x86_64";
    result.header.accel = "tcg";
    result.header.unit = "insn";
    result.header.vcpus = 2;
    result.functions_available = 43175;
    result.header.env = {{"cpu", "QEMU"}};
    AttachRun run;
    run.way = {Method::each, Reach::far};
    run.functions = 40000;
    run.targets = 40000;
    run.measured = 200;
    run.verified = true;
    run.called = 17;
    run.before_method = Method::multi;
    for (const auto& [name, samples] : operations) {
        (run.*samples).running = Samples({100, 400, 200, 301});
        (run.*samples).elapsed = Samples({150, 500, 200, 300});
    }
    run.prepare.running = Samples({1, 2, 3, 4});
    run.prepare.elapsed = Samples({1, 2, 3, 4});
    result.runs.push_back(run);
    return result;
}

/// The error of reading the example after `change`.
template<class Change>
std::string complaint_after(Change change) {
    Json json = to_json(example());
    change(json);
    auto result = parse_attach_result(json.dump());
    return result.ok() ? "" : result.error().message;
}

TEST(AttachResult, RoundTrip) {
    auto back = parse_attach_result(to_json(example()).dump(2));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, example());
}

TEST(AttachResult, KeysAsDocumented) {
    Json json = to_json(example());
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["functions_available"], 43175);
    const Json& run = json["runs"][0];
    EXPECT_EQ(run["method"], "each");
    EXPECT_EQ(run["reach"], "far");
    EXPECT_EQ(run["measured"], 200);
    EXPECT_EQ(run["attached_before"], 0);
    EXPECT_EQ(run["verified"], true);
    EXPECT_EQ(run["attach"]["samples"].size(), 4U);
    EXPECT_EQ(run["attach"]["min"], 100);
    EXPECT_EQ(run["attach"]["median"], 250.5);
    EXPECT_EQ(run["attach"]["max"], 400);
    EXPECT_TRUE(run["attach"]["stddev"].is_number());
    EXPECT_TRUE(run.contains("detach") && run.contains("modify"));
}

TEST(AttachResult, WaitingIsElapsedMinusRunningAndNeverNegative) {
    EXPECT_EQ(example().runs[0].attach.waiting(), Samples({50, 100, 0, 0}));
    EXPECT_TRUE(CallSamples().waiting().empty());
}

TEST(AttachResult, ExtraKeysMayBeMissing) {
    Json json = to_json(example());
    json.erase("env");
    for (const char* key : {"reach", "called", "prepare", "prepare_elapsed", "attach_elapsed",
                            "detach_elapsed", "modify_elapsed"}) {
        json["runs"][0].erase(key);
    }
    auto result = parse_attach_result(json.dump());
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(result->runs[0].attach.elapsed.empty());
    EXPECT_EQ(result->runs[0].way.reach, Reach::near) << "as it was before there was another";
}

TEST(AttachResult, BadFilesAreExplained) {
    EXPECT_EQ(parse_attach_result("").error().message, "it is no JSON object");
    EXPECT_EQ(parse_attach_result("[1]").error().message, "it is no JSON object");
    EXPECT_EQ(parse_attach_result("{}").error().message, "schema is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["schema"] = 2; }),
              "it has another schema than 1");
    EXPECT_EQ(complaint_after([](Json& json) { json.erase("runs"); }), "runs is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"] = 1; }), "runs is no list");
    EXPECT_EQ(complaint_after([](Json& json) { json["unit"] = 1; }), "unit is no text");
    EXPECT_EQ(complaint_after([](Json& json) { json["vcpus"] = -1; }), "vcpus is no whole number");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0] = 5; }),
              "runs[0].method is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0]["method"] = "x"; }),
              "runs[0].method 'x' is not known");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0]["reach"] = "out"; }),
              "runs[0].reach 'out' is not known");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0]["verified"] = "yes"; }),
              "runs[0].verified is neither true nor false");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0].erase("detach"); }),
              "runs[0].detach is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0]["attach"]["samples"][1] = 1.5; }),
              "runs[0].attach.samples has something that is no whole number");
    EXPECT_EQ(
        complaint_after([](Json& json) { json["runs"][0]["attach"]["samples"] = Json::array(); }),
        "runs[0].attach.samples is no list of numbers");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0]["measured"] = 0; }),
              "runs[0].measured is not between 1 and functions");
}

} // namespace
} // namespace fdirect
