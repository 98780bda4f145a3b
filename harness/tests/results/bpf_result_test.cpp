// SPDX-License-Identifier: GPL-2.0
#include "results/bpf_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

BpfResult example() {
    BpfResult result;
    result.header = {"6.12", "6.12.107", "x86_64", "tcg", "insn", 2, {{"cpu", "QEMU"}}};
    result.functions_available = 40000;
    result.functions_busy = 3000;
    result.refused = {{"dynamic_dname", 22}};
    result.loops = {{BpfKind::fentry, "getpgid", 2, true, {Samples({10, 20}), Samples({30, 40})}}};
    BpfRun run;
    run.functions = run.programs = 100;
    run.verified = true;
    run.called = 7;
    run.meanwhile = 9;
    run.load.running = Samples({300});
    run.attach = {Samples({100}), Samples({150})};
    run.detach = {Samples({200}), Samples({9000})};
    result.runs = {run};
    result.calls = {{BpfKind::raw_tracepoint, 1000, 45000, 44.5, 12.25, true}};
    result.unsupported = {BpfKind::kprobe_multi};
    return result;
}

/// The error of reading the example after `change`.
template<class Change>
std::string complaint_after(Change change) {
    Json json = to_json(example());
    change(json);
    auto result = parse_bpf_result(json.dump());
    return result.ok() ? "" : result.error().message;
}

TEST(BpfResult, RoundTrip) {
    auto back = parse_bpf_result(to_json(example()).dump(2));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, example());
    EXPECT_TRUE(is_bpf_result(to_json(example())));
}

TEST(BpfResult, HowManyAreBusyMayNotBeKnown) {
    BpfResult result = example();
    result.functions_busy.reset();
    EXPECT_FALSE(to_json(result).contains("functions_busy"));
    EXPECT_EQ(parse_bpf_result(to_json(result).dump()).value(), result);
}

TEST(BpfResult, KeysAsDocumented) {
    Json json = to_json(example());
    EXPECT_EQ(json["refused"].dump(), R"([{"function":"dynamic_dname","errno":22}])");
    EXPECT_EQ(json["unsupported"].dump(), R"(["kprobe.multi"])");
    EXPECT_EQ(json["loops"][0]["loops"], 2);
    EXPECT_EQ(json["loops"][0]["loop"]["samples"].dump(), "[10,20]");
    EXPECT_EQ(json["loops"][0]["loop_elapsed"]["max"], 40);
    EXPECT_EQ(json["runs"][0]["hits_meanwhile"], 9);
    EXPECT_EQ(json["runs"][0]["detach_elapsed"]["median"], 9000);
    EXPECT_FALSE(json["runs"][0].contains("load_elapsed"));
    EXPECT_EQ(json["calls"][0].dump(), R"({"kind":"raw_tracepoint","calls":1000,"total":45000,)"
                                       R"("per_call":44.5,"overhead":12.25,"verified":true})");
}

TEST(BpfResult, IsVerifiedAsAWhole) {
    EXPECT_TRUE(verified(example()));
    BpfResult result = example();
    result.calls[0].verified = false;
    EXPECT_FALSE(verified(result));
}

TEST(BpfResult, BadFilesAreExplained) {
    EXPECT_EQ(parse_bpf_result("").error().message, "it is no JSON object");
    EXPECT_EQ(complaint_after([](Json& json) { json.erase("runs"); }), "runs is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0]["kind"] = "x"; }),
              "runs[0].kind 'x' is not known");
    EXPECT_EQ(complaint_after([](Json& json) { json["runs"][0]["functions"] = 0; }),
              "runs[0].functions is 0");
    EXPECT_EQ(complaint_after([](Json& json) { json["loops"][0].erase("loop"); }),
              "loops[0].loop is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["unsupported"][0] = 1; }),
              "unsupported[0].kind '' is not known");
}

} // namespace
} // namespace fdirect
