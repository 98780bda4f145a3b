// SPDX-License-Identifier: GPL-2.0
#include "results/record.h"

#include <gtest/gtest.h>

#include "records.h"

namespace fdirect {
namespace {

Record full_record() {
    Record record = record_of("attach", true);
    record.notes = {"3 functions refused", "this kernel does not have kprobe.multi"};
    Row row = attach_row("hash-far", 40000, 7, "attach", 200, {11, 12, 13}, {21, 22, 23});
    row.untraced = Samples({1, 2});
    row.details = {{"targets", 39999}, {"called", 17}, {"beside_method", "multi"}};
    record.rows = {row, attach_row("each", 5, 3, "modify", 4, {31})};
    record.rows[1].verified = false;
    record.rows[1].unit = "ns";
    return record;
}

std::string complaint(const Json& json) {
    auto record = parse_record(json.dump());
    return record ? "" : record.error().message;
}

TEST(Record, IsWhatIsInItsFile) {
    auto record = parse_record(json_text(to_json(full_record())));
    ASSERT_TRUE(record.ok()) << record.error().message;
    EXPECT_EQ(*record, full_record());
}

TEST(Record, TheFormatIsAsDocumented) {
    Json json = to_json(full_record());
    EXPECT_EQ(json["schema"], 2);
    EXPECT_EQ(json["benchmark"], "attach");
    EXPECT_EQ(json["env"]["base"], "6.12");
    EXPECT_EQ(json["env"]["kernel"], "6.12.107");
    EXPECT_EQ(json["env"]["patched"], true);
    EXPECT_EQ(json["env"]["arch"], "x86_64");
    EXPECT_EQ(json["env"]["accel"], "tcg");
    EXPECT_EQ(json["env"]["vcpus"], 2);
    EXPECT_EQ(json["env"]["functions_available"], 43175);
    EXPECT_EQ(json["env"]["compiler"], "gcc 12");
    const Json& row = json["rows"][0];
    EXPECT_EQ(row["key"].dump(),
              R"({"method":"hash-far","functions":40000,"beside":7,"step":"attach"})");
    EXPECT_EQ(row["measured"], 200);
    EXPECT_EQ(row["verified"], true);
    EXPECT_EQ(row["unit"], "insn");
    EXPECT_EQ(row["running"], Json({11, 12, 13}));
    EXPECT_EQ(row["elapsed"], Json({21, 22, 23}));
    EXPECT_EQ(row["untraced"], Json({1, 2}));
    EXPECT_EQ(row["details"]["called"], 17);
    EXPECT_FALSE(json["rows"][1].contains("elapsed"));
}

TEST(Record, SaysWhatIsWrongAndWhere) {
    const Json good = to_json(full_record());
    EXPECT_EQ(complaint(good), "");
    auto without = [&](auto change) {
        Json json = good;
        change(json);
        return complaint(json);
    };
    EXPECT_EQ(without([](Json& json) { json["schema"] = 3; }),
              "it has another schema than 1 and 2");
    EXPECT_EQ(without([](Json& json) { json.erase("schema"); }), "schema is missing");
    EXPECT_EQ(without([](Json& json) { json["benchmark"] = 5; }), "benchmark is no text");
    EXPECT_EQ(without([](Json& json) { json["env"]["patched"] = "yes"; }), "patched is no flag");
    EXPECT_EQ(without([](Json& json) { json["env"]["vcpus"] = -1; }), "vcpus is no whole number");
    EXPECT_EQ(without([](Json& json) { json["rows"] = 1; }), "rows is no list");
    EXPECT_EQ(without([](Json& json) { json["rows"][1].erase("unit"); }),
              "rows[1]: unit is missing");
    EXPECT_EQ(without([](Json& json) {
                  json["rows"][1]["running"] = {1, "2"};
              }),
              "rows[1]: running is no list of whole numbers");
    EXPECT_EQ(without([](Json& json) { json["rows"][0]["running"] = Json::array(); }),
              "rows[0]: it measured nothing");
    EXPECT_EQ(without([](Json& json) { json["rows"][0]["measured"] = 0; }),
              "rows[0]: it measured nothing");
    EXPECT_EQ(without([](Json& json) { json["rows"][0]["measured"] = 40001; }),
              "rows[0]: measured is more than functions");
    EXPECT_EQ(without([](Json& json) { json["rows"][0]["key"]["functions"] = 1.5; }),
              "rows[0]: key.functions is no text, number or flag");
    EXPECT_EQ(parse_record("[]").error().message, "it is no JSON object");
    EXPECT_EQ(parse_record("{").error().message, "it is no JSON object");
}

TEST(Record, KeysThatAreNotKnownAreSkipped) {
    Json json = to_json(full_record());
    json["rows"][0]["later"] = 5;
    json["later"] = "x";
    EXPECT_EQ(*parse_record(json.dump()), full_record());
}

TEST(Record, TextThatIsNoTextIsReplaced) {
    Record record = full_record();
    record.env.others["cmdline"] = "quiet \xff";
    EXPECT_NE(json_text(to_json(record)).find("quiet \uFFFD"), std::string::npos);
}

TEST(Row, FiguresOfOne) {
    Row row = attach_row("hash", 400, 9, "attach", 200, {1000, 3000, 1400}, {1100, 3500, 1900});
    EXPECT_EQ(row.text("method"), "hash");
    EXPECT_EQ(row.text("functions"), "");
    EXPECT_EQ(row.number("beside"), 9U);
    EXPECT_EQ(row.number("method"), 0U);
    EXPECT_TRUE(row.extrapolated());
    EXPECT_DOUBLE_EQ(row.stands_for(), 400);
    EXPECT_DOUBLE_EQ(row.cost(), 7);
    EXPECT_DOUBLE_EQ(row.least(), 5);
    EXPECT_DOUBLE_EQ(row.most(), 15);
    EXPECT_EQ(row.waiting().values(), (std::vector<std::uint64_t>{100, 500, 500}));
    row.measured = 400;
    EXPECT_FALSE(row.extrapolated());
}

TEST(Row, SecondsAreThoseOnTheClock) {
    Row row = attach_row("hash", 400, 0, "attach", 200, {1000, 3000, 1400}, {1100, 3500, 1900});
    EXPECT_DOUBLE_EQ(row.seconds(), 3800e-9);
    EXPECT_DOUBLE_EQ(row.seconds_of_all_runs(), 6500e-9);
    row.elapsed = Samples();
    EXPECT_DOUBLE_EQ(row.seconds(), 2800e-9) << "there is nothing else";
    EXPECT_DOUBLE_EQ(row.seconds_of_all_runs(), 5400e-9);
}

TEST(Row, CallsDoNotStandForFunctions) {
    Row row = call_row("plain", 0, 0, 5);
    row.key["functions"] = 2 * row.measured;
    EXPECT_FALSE(row.extrapolated());
    EXPECT_DOUBLE_EQ(row.stands_for(), static_cast<double>(row.measured));
}

TEST(Row, ACallIsTheFastestLessTheFastestUntraced) {
    EXPECT_DOUBLE_EQ(call_row("plain", 0, 0, 5).cost(), 5);
}

TEST(Record, RowsAreFoundByTheirKey) {
    Record record = full_record();
    EXPECT_EQ(find_row(record, record.rows[1].key), &record.rows[1]);
    EXPECT_EQ(find_row(record, Json::object()), nullptr);
    EXPECT_FALSE(verified(record));
    record.rows[1].verified = true;
    EXPECT_TRUE(verified(record));
    EXPECT_EQ(record.unit(), "insn");
}

} // namespace
} // namespace fdirect
