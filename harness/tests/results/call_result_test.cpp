// SPDX-License-Identifier: GPL-2.0
#include "results/call_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

CallResult example() {
    CallResult result;
    result.header = {"6.12", "6.12.107", "arm64", "tcg", "insn", 2, {{"cpu", "QEMU"}}};
    result.rows = {
        {{CallKind::ops, 1, 10, true, false, true, false}, 100000, 4800123, 48.0012, 41.0012},
        {{CallKind::hash_far}, 100000, 2000000, 20, 13}};
    return result;
}

/// The error of reading the example after `change`.
template<class Change>
std::string complaint_after(Change change) {
    Json json = to_json(example());
    change(json);
    auto result = parse_call_result(json.dump());
    return result.ok() ? "" : result.error().message;
}

TEST(CallResult, RoundTrip) {
    auto back = parse_call_result(to_json(example()).dump(2));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, example());
}

TEST(CallResult, KeysAsDocumented) {
    Json json = to_json(example());
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["base"], "6.12");
    EXPECT_EQ(json["rows"][0].dump(),
              R"({"kind":"ops","relevant":1,"irrelevant":10,"save_regs":true,"recursion":false,)"
              R"("rcu":true,"trampoline":false,"calls":100000,"total":4800123,)"
              R"("per_call":48.0012,"overhead":41.0012})");
    EXPECT_EQ(json["rows"][1]["kind"], "hash-far");
}

TEST(CallResult, RowsAreFoundByWhatWasAttached) {
    CallResult result = example();
    EXPECT_EQ(find_row(result, {CallKind::hash_far}), &result.rows[1]);
    EXPECT_EQ(find_row(result, {CallKind::hash_near}), nullptr);
    EXPECT_EQ(find_row(result, {CallKind::ops, 1, 10}), nullptr) << "those do not save registers";
}

TEST(CallResult, BadFilesAreExplained) {
    EXPECT_EQ(parse_call_result("").error().message, "it is no JSON object");
    EXPECT_EQ(complaint_after([](Json& json) { json.erase("rows"); }), "rows is missing");
    EXPECT_EQ(complaint_after([](Json& json) { json["rows"] = 1; }), "rows is no list");
    EXPECT_EQ(complaint_after([](Json& json) { json["unit"] = 1; }), "unit is no text");
    EXPECT_EQ(complaint_after([](Json& json) { json["rows"][1]["kind"] = "x"; }),
              "rows[1].kind 'x' is not known");
    EXPECT_EQ(complaint_after([](Json& json) { json["rows"][0]["rcu"] = 1; }),
              "rows[0].rcu is neither true nor false");
    EXPECT_EQ(complaint_after([](Json& json) { json["rows"][0]["relevant"] = 1ULL << 32; }),
              "rows[0].relevant is more than 4294967295");
    EXPECT_EQ(complaint_after([](Json& json) { json["rows"][0]["overhead"] = "much"; }),
              "rows[0].overhead is no number");
    EXPECT_EQ(complaint_after([](Json& json) { json["rows"][0]["calls"] = -1; }),
              "rows[0].calls is no whole number");
}

} // namespace
} // namespace fdirect
