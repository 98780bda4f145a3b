// SPDX-License-Identifier: GPL-2.0
#include "results/table.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

Table example() {
    Table table({{"method", false}, {"insn", true}, {"note", false}});
    table.add({"hash", "3,750", ""});
    table.add({"multi*", "12", "a, \"b\" | c"});
    return table;
}

TEST(Table, TextIsAlignedWithoutBlanksAtLineEnds) {
    EXPECT_EQ(example().text(), "method   insn  note\n"
                                "------  -----  ----------\n"
                                "hash    3,750\n"
                                "multi*     12  a, \"b\" | c\n");
}

TEST(Table, MarkdownEscapes) {
    EXPECT_EQ(example().markdown(), "| method | insn | note |\n"
                                    "|---|---:|---|\n"
                                    "| hash | 3,750 |  |\n"
                                    "| multi\\* | 12 | a, \"b\" \\| c |\n");
}

TEST(Table, CsvQuotesWhatNeedsIt) {
    EXPECT_EQ(example().csv(), "method,insn,note\n"
                               "hash,\"3,750\",\n"
                               "multi*,12,\"a, \"\"b\"\" | c\"\n");
}

TEST(Table, HtmlEscapes) {
    Table table({{"<a>", false}, {"b", true}});
    table.add({"x & \"y\"", "5"});
    EXPECT_EQ(table.html(), "<table>\n<thead><tr><th>&lt;a&gt;</th><th class=\"number\">b</th></tr>"
                            "</thead>\n<tbody>\n<tr><td>x &amp; &quot;y&quot;</td>"
                            "<td class=\"number\">5</td></tr>\n</tbody>\n</table>\n");
}

TEST(Table, RowsOfAnotherLengthFit) {
    Table table({{"a", false}, {"b", false}});
    table.add({"1"});
    table.add({"1", "2", "3"});
    EXPECT_EQ(table.csv(), "a,b\n1,\n1,2\n");
}

TEST(Table, WithoutRowsThereAreTitles) {
    EXPECT_EQ(Table({{"a", false}}).text(), "a\n-\n");
}

} // namespace
} // namespace fdirect
