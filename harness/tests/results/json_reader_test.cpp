// SPDX-License-Identifier: GPL-2.0
#include "results/json_reader.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

const auto object = JsonReader::Json::parse(R"({"whole": 7, "part": -1.5, "flag": true,
    "text": "words", "list": [1, 2], "times": {"samples": [3, 4]}})");

TEST(JsonReader, TakesWhatIsThere) {
    JsonReader reader;
    EXPECT_EQ(reader.number(object, "whole", ""), 7U);
    EXPECT_EQ(reader.number(object, "whole", "", 7), 7U);
    EXPECT_EQ(reader.whole(object, "whole", ""), 7);
    EXPECT_EQ(reader.whole(JsonReader::Json{{"a", -7}}, "a", ""), -7);
    EXPECT_EQ(reader.real(object, "part", ""), -1.5);
    EXPECT_EQ(reader.real(object, "whole", ""), 7);
    EXPECT_TRUE(reader.flag(object, "flag", ""));
    EXPECT_EQ(reader.text(object, "text", ""), "words");
    EXPECT_EQ(reader.list(object, "list", "")->size(), 2U);
    EXPECT_EQ(reader.samples(object, "times", ""), Samples({3, 4}));
    EXPECT_TRUE(reader.samples_if_any(object, "none", "").empty());
    EXPECT_FALSE(reader.complaint());
}

TEST(JsonReader, RemembersTheFirstComplaint) {
    JsonReader reader;
    EXPECT_EQ(reader.number(object, "part", "rows[2]."), 0U);
    EXPECT_EQ(reader.text(object, "whole", ""), "");
    reader.complain("and more");
    EXPECT_EQ(reader.complaint(), "rows[2].part is no whole number");
}

TEST(JsonReader, SaysWhatIsWrong) {
    auto complaint = [](auto&& read) {
        JsonReader reader;
        read(reader);
        return reader.complaint().value_or("");
    };
    EXPECT_EQ(complaint([](auto& reader) { reader.find(object, "none", "a."); }),
              "a.none is missing");
    EXPECT_EQ(complaint([](auto& reader) { reader.number(object, "whole", "", 6); }),
              "whole is more than 6");
    EXPECT_EQ(complaint([](auto& reader) { reader.whole(object, "part", ""); }),
              "part is no whole number");
    EXPECT_EQ(complaint([](auto& reader) {
                  reader.whole(JsonReader::Json{{"a", std::uint64_t{1} << 63}}, "a", "");
              }),
              "a is no whole number");
    EXPECT_EQ(complaint([](auto& reader) {
                  reader.whole(JsonReader::Json{{"a", INT64_MIN}}, "a", "");
              }),
              "a is no whole number");
    EXPECT_EQ(complaint([](auto& reader) { reader.real(object, "text", ""); }),
              "text is no number");
    EXPECT_EQ(complaint([](auto& reader) { reader.flag(object, "whole", ""); }),
              "whole is neither true nor false");
    EXPECT_EQ(complaint([](auto& reader) { reader.list(object, "text", ""); }), "text is no list");
    EXPECT_EQ(complaint([](auto& reader) { reader.samples(object, "list", ""); }),
              "list.samples is missing");
}

} // namespace
} // namespace fdirect
