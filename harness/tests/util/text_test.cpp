// SPDX-License-Identifier: GPL-2.0
#include "util/text.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Text, TrimTakesBlanksOffBothEnds) {
    EXPECT_EQ(trim(" \t a b \r\n"), "a b");
    EXPECT_EQ(trim(" \n"), "");
    EXPECT_EQ(trim(""), "");
}

TEST(Text, LinesWithAndWithoutALastNewline) {
    EXPECT_EQ(split_lines("a\n\nb\n"), (std::vector<std::string_view>{"a", "", "b"}));
    EXPECT_EQ(split_lines("a\nb"), (std::vector<std::string_view>{"a", "b"}));
    EXPECT_TRUE(split_lines("").empty());
}

TEST(Text, WordsAreSeparatedByAnyBlanks) {
    EXPECT_EQ(split_words("  a\t\tb c "), (std::vector<std::string_view>{"a", "b", "c"}));
    EXPECT_TRUE(split_words(" \t").empty());
}

TEST(Text, NumbersStandAlone) {
    EXPECT_EQ(parse_number("18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(parse_number("18446744073709551616"), std::nullopt);
    EXPECT_EQ(parse_number(""), std::nullopt);
    EXPECT_EQ(parse_number("-1"), std::nullopt);
    EXPECT_EQ(parse_number("1 "), std::nullopt);
    EXPECT_EQ(parse_number("0x1"), std::nullopt);
}

TEST(Text, AddressesWithAndWithoutPrefix) {
    EXPECT_EQ(parse_address("ffffffff81000000"), 0xffffffff81000000);
    EXPECT_EQ(parse_address("0xFFFFFFFF81000000"), 0xffffffff81000000);
    EXPECT_EQ(parse_address("0x"), std::nullopt);
    EXPECT_EQ(parse_address("do_exit"), std::nullopt);
}

TEST(Text, Thousands) {
    EXPECT_EQ(with_thousands(0), "0");
    EXPECT_EQ(with_thousands(999), "999");
    EXPECT_EQ(with_thousands(1000), "1,000");
    EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

TEST(Text, ReadableNumbers) {
    EXPECT_EQ(readable(8800000.4), "8,800,000");
    EXPECT_EQ(readable(-123.5), "-124");
    EXPECT_EQ(readable(12.345), "12.3");
    EXPECT_EQ(readable(1.2345), "1.23");
    EXPECT_EQ(readable(0.04249), "0.042");
    EXPECT_EQ(readable(0), "0");
}

TEST(Text, Hundredths) {
    EXPECT_EQ(hundredths(1063.384), "1063.38");
    EXPECT_EQ(hundredths(-2), "-2.00");
    EXPECT_EQ(hundredths(-0.004), "0.00");
}

TEST(Text, CountedNouns) {
    EXPECT_EQ(counted(1, "function"), "1 function");
    EXPECT_EQ(counted(40000, "function"), "40,000 functions");
}

} // namespace
} // namespace fdirect
