// SPDX-License-Identifier: GPL-2.0
#include "results/report.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "records.h"
#include "results/headline.h"

namespace fdirect {
namespace {

std::string text_of(const std::vector<Record>& records, Format format = Format::table,
                    const ReportParts& parts = {}) {
    auto text = report(records, format, parts);
    EXPECT_TRUE(text.ok());
    return text ? *text : "";
}

void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "not there: " << part << "\n" << text;
}

TEST(Report, StockFiguresStandBesideThePatchedOnes) {
    EXPECT_EQ(text_of(attach_records(), Format::table, {false, true, false}),
              R"(bench attach, x86_64

patched: Linux 6.12.107 (6.12), x86_64, tcg, 2 vCPUs, 43,175 functions available
stock: Linux 6.12.106 (6.12-stock), x86_64, tcg, 2 vCPUs, 43,175 functions available

instructions per function

method  functions  step    patched  waiting (ms)      stock  waiting (ms)  / patched  verified
------  ---------  ------  -------  ------------  ---------  ------------  ---------  --------
hash       40,000  attach    1,266         0.010          -                           yes
hash       40,000  detach    1,014          11.1          -                           yes
each      40,000*  attach    8,894         0.078  8,802,527          2.85       990x  yes
each      40,000*  detach        -                8,795,186     4,156,963             yes

* measured with 200 functions and extrapolated
)");
}

TEST(Report, EndsWithTheRatiosAndTheirSpread) {
    EXPECT_EQ(text_of(attach_records(), Format::markdown, {false, false, true}),
              R"(### bench attach, x86_64

- patched: Linux 6.12.107 (6.12), x86_64, tcg, 2 vCPUs, 43,175 functions available
- stock: Linux 6.12.106 (6.12-stock), x86_64, tcg, 2 vCPUs, 43,175 functions available

**an ops for each function, as today (stock), against one for all (patched)**

| with | functions | beside | step | stock | patched | ratio | spread |
|---|---:|---:|---|---:|---:|---:|---|
| hash | 40,000 | 0 | attach | 8,802,527\* | 1,266 | 6,953x | 6,946x to 6,960x |
| hash | 40,000 | 0 | detach | 8,795,186\* | 1,014 | 8,674x | 8,674x to 8,674x |

\* measured with 200 functions and extrapolated

**the same on both kernels**

| with | functions | beside | step | stock | patched | ratio | spread |
|---|---:|---:|---|---:|---:|---:|---|
| each | 40,000 | 0 | attach | 8,802,527\* | 8,894\* | 990x | 989x to 990x |

\* measured with 200 functions and extrapolated
)");
}

TEST(Report, ARecordWithoutRowsHasNoUnit) {
    auto records = attach_records();
    records[1].rows.clear();
    expect_in(text_of(records), "instructions per function");
    std::swap(records[0], records[1]);
    expect_in(text_of(records), "instructions per function");
}

TEST(Report, TheHeadlineIsTimeWithWaiting) {
    auto records = attach_records();
    Record patched = record_of("bpf", true);
    patched.rows = {
        row_of({{"kind", "fentry"}, {"functions", 1U}, {"beside", 0U}, {"step", "loop"}}, 1,
               {100000, 120000, 170000}, {1000000, 2000000, 3000000})};
    Record stock = record_of("bpf", false);
    stock.rows = patched.rows;
    stock.rows[0].elapsed = Samples({100000000, 110000000, 90000000});
    records.push_back(patched);
    records.push_back(stock);
    auto text = text_of(records, Format::table, {true, false, false});
    expect_in(text, "attach 40,000 functions*         352 s  0.051 s   6,952x\n");
    expect_in(text, "detach 40,000 functions*       4,509 s  0.052 s  87,278x\n");
    expect_in(text, "3 loops of one fentry program  0.300 s  0.006 s    50.0x\n");
    EXPECT_EQ(text.find("bench attach"), std::string::npos) << "nothing else was asked for";
    EXPECT_EQ(text_of(attach_records(), Format::markdown, {true, false, false}),
              R"(| x86_64 | stock | patched | ratio |
|---|---:|---:|---:|
| attach 40,000 functions\* | 352 s | 0.051 s | 6,952x |
| detach 40,000 functions\* | 4,509 s | 0.052 s | 87,278x |

\* measured with 200 functions and extrapolated
- stock: an ops for each function, patched: one for all; guest time, 1 ns for an instruction, with waiting
)");
}

TEST(Report, AnotherVersionHasAColumn) {
    auto records = attach_records();
    Record other = record_of("attach", false);
    other.env.base = "7.3-stock";
    other.recorded = true;
    other.rows = {
        attach_row("hash", 40000, 0, "attach", 40000, {278640000}, {278700000}),
    };
    records.push_back(other);
    EXPECT_EQ(text_of(records, Format::markdown, {true, false, false}),
              R"(| x86_64 | stock | Linux 7.3 (recorded) | patched | ratio |
|---|---:|---:|---:|---:|
| attach 40,000 functions\* | 352 s | 0.279 s | 0.051 s | 6,952x |
| detach 40,000 functions\* | 4,509 s | - | 0.052 s | 87,278x |

\* measured with 200 functions and extrapolated
- stock: an ops for each function, patched: one for all; guest time, 1 ns for an instruction, with waiting
- Linux 7.3 (recorded): one ops for all; the ratio is that of stock and patched
)");
    auto text = text_of(records);
    expect_in(text, "  Linux 7.3 (recorded)  waiting (ms)");
    expect_in(text, "Linux 7.3 (recorded): Linux 6.12.106 (7.3-stock), x86_64");
    expect_in(text, "an ops for each function, as today (stock), against one for all (patched)");
}

TEST(Report, OneRecordHasItsSpread) {
    auto records = attach_records();
    records.pop_back();
    auto text = text_of(records);
    expect_in(text, "method  functions  step      min  median    max  waiting (ms)  verified\n");
    expect_in(text, "hash       40,000  attach  1,265   1,266  1,267         0.010  yes\n");
    expect_in(text, "an ops for each function, as today (patched), against one for all (patched)");
}

TEST(Report, WhatIsNotVerifiedSaysSo) {
    auto records = attach_records();
    records[1].rows[1].verified = false;
    expect_in(text_of(records), "8,795,186     4,156,963             NO\n");
}

TEST(Report, RecordedFiguresAreMarked) {
    auto records = attach_records();
    records[1].recorded = true;
    auto text = text_of(records);
    expect_in(text, "stock (recorded): Linux 6.12.106 (6.12-stock), x86_64, tcg, 2 vCPUs, 43,175 "
                    "functions available; repeat it with: make bench BASE=6.12-stock ARCH=x86_64 "
                    "N=40000 COUNT=insn\n");
    EXPECT_EQ(text.find("BASE=6.12 "), std::string::npos) << "the other was measured";
    expect_in(text, "  stock (recorded)  waiting (ms)");
    expect_in(text_of(records, Format::markdown, {true, false, false}),
              "| x86_64 | stock (recorded) | patched | ratio |\n");
}

TEST(Report, NumbersBesideAreColumns) {
    Record record = record_of("scale", true);
    record.rows = {attach_row("hash", 1, 0, "attach", 1, {24799}, {2024799}),
                   attach_row("hash", 1, 1000, "attach", 1, {12725}, {1012725}),
                   attach_row("hash", 10, 0, "attach", 10, {60000}, {3060000}),
                   attach_row("hash", 1, 0, "register", 1, {61989}),
                   attach_row("hash", 1, 1000, "register", 1, {33698}),
                   attach_row("hash", 10, 0, "memory", 10, {970})};
    record.rows[5].unit = "bytes";
    auto text = text_of({record});
    expect_in(text, "method  functions  step    beside 0  beside 1,000  verified\n"
                    "------  ---------  ------  --------  ------------  --------\n"
                    "hash            1  attach    24,799        12,725  yes\n"
                    "hash           10  attach     6,000             -  yes\n");
    expect_in(text, "waiting of the whole call (ms)\n\n"
                    "method  functions  step    beside 0  beside 1,000  verified\n"
                    "------  ---------  ------  --------  ------------  --------\n"
                    "hash            1  attach      2.00          1.00  yes\n"
                    "hash           10  attach      3.00             -  yes\n");
    expect_in(text, "a kprobe on another function: instructions");
    expect_in(text, "hash            1  register    61,989        33,698  yes\n");
    expect_in(text, "memory: bytes per attached function");
    expect_in(text, "97.0");
}

TEST(Report, CallsShowDifferences) {
    Record patched = record_of("call", true);
    patched.rows = {call_row("direct-near", 0, 0, 5.25), call_row("direct-near", 1, 0, 300)};
    Record stock = record_of("call", false);
    stock.rows = {call_row("direct-near", 0, 0, 5), call_row("direct-near", 1, 0, 259)};
    auto text = text_of({patched, stock});
    expect_in(text, "kind         relevant  step  patched   stock  vs patched  verified\n");
    expect_in(text, "direct-near         0  call     5.25    5.00       -0.25  yes\n");
    expect_in(text, "direct-near         1  call   300.00  259.00      -41.00  yes\n");
    expect_in(text, "patched: direct-near costs 5.25, 0.25 more than what direct-near on stock");
}

TEST(Report, LoopsAndCallsOfPrograms) {
    Record record = record_of("bpf", true);
    record.notes = {"3 functions refused"};
    record.rows = {row_of({{"kind", "fentry"}, {"functions", 1U}, {"beside", 0U}, {"step", "loop"}},
                          1, {100000, 120000, 170000}, {1100000, 2120000, 6170000}),
                   row_of({{"kind", "fexit"}, {"functions", 1U}, {"beside", 0U}, {"step", "call"}},
                          1000, {500000, 520000})};
    record.rows[1].untraced = Samples({302000, 303000});
    auto text = text_of({record});
    expect_in(text, "waiting (ms)  longest (ms)  all (s)");
    expect_in(text, "100,000  120,000  170,000          2.00          6.00    0.009  yes\n");
    expect_in(text, "fexit  call   198.00  2,000,000  yes\n");
    expect_in(text, "patched: 3 functions refused");
}

TEST(Report, CsvHasThePlainNumbers) {
    auto text = text_of(attach_records(), Format::csv);
    expect_in(text,
              "benchmark,base,kernel,patched,recorded,arch,accel,method,functions,beside,step,"
              "measured,verified,unit,samples,min,median,max,stddev,cost,waiting_median,"
              "waiting_max\n");
    expect_in(text,
              "attach,6.12,6.12.107,true,false,x86_64,tcg,hash,40000,0,attach,40000,true,insn,"
              "3,50600000,50640000,50680000,40000.000,1266.0000,10000,10000\n");
    expect_in(text,
              "attach,6.12-stock,6.12.106,false,false,x86_64,tcg,each,40000,0,detach,200,true,"
              "insn,1,1759037200,1759037200,1759037200,0.000,8795186.0000,20784815000,"
              "20784815000\n");
}

TEST(Report, JsonIsWhatIsInTheFiles) {
    auto records = attach_records();
    EXPECT_EQ(*parse_record(text_of({records[0]}, Format::json)), records[0]);
    auto list = Json::parse(text_of(records, Format::json));
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(*parse_record(list[1].dump()), records[1]);
}

TEST(Report, TheHeadlineIsInTheOrderOfTheRecords) {
    auto records = attach_records();
    auto others = attach_records();
    for (Record& record : others) {
        record.env.arch = "arm64";
    }
    records.insert(records.end(), others.begin(), others.end());
    auto blocks = headline_of(records);
    ASSERT_EQ(blocks.size(), 2U);
    expect_in(blocks[0].table->csv(), "x86_64,stock,patched,ratio\n");
    expect_in(blocks[1].table->csv(), "arm64,stock,patched,ratio\n");
    std::rotate(records.begin(), records.begin() + 2, records.end());
    expect_in(headline_of(records)[0].table->csv(), "arm64,");
}

TEST(Report, TheHeadlineOfAVersionThatHasOneOpsForAll) {
    auto record_of_7 = [](const char* benchmark, bool patched) {
        Record record = record_of(benchmark, patched);
        record.env.kernel = patched ? "7.3.4-fdirect" : "7.3.4-fdirect-stock";
        return record;
    };
    auto attach = [&](bool patched, std::uint64_t cost) {
        Record record = record_of_7("attach", patched);
        for (std::uint64_t functions : {1000U, 40000U}) {
            record.rows.push_back(
                attach_row("hash", functions, 0, "attach", functions, {cost * functions}));
        }
        return record;
    };
    auto scale = [&](bool patched, std::uint64_t cost) {
        Record record = record_of_7("scale", patched);
        for (std::uint64_t beside : {0U, 1000U, 40000U}) {
            record.rows.push_back(attach_row("hash", 1, beside, "detach", 1, {cost + beside}));
        }
        return record;
    };
    auto blocks = headline_of(
        {attach(true, 1300), attach(false, 9750), scale(true, 10000), scale(false, 60000)});
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0].table->csv(),
              "x86_64,Linux 7.3.4,patched,ratio\n"
              "\"attach 40,000 functions\",\"9,750\",\"1,300\",7.50x\n"
              "\"detach one beside 40,000\",\"100,000\",\"50,000\",2.00x\n");
    expect_in(blocks[0].notes[0], "instructions for one function");
    Record kept = attach(false, 9750);
    kept.recorded = true;
    expect_in(headline_of({attach(true, 1300), kept})[0].table->csv(),
              "x86_64,Linux 7.3.4 (recorded),patched,ratio\n");
}

TEST(Report, ACommandRepeatsARecord) {
    Record record = record_of("scale", false);
    record.rows = {attach_row("multi", 10, 0, "attach", 10, {60000})};
    EXPECT_EQ(repeat_command(record), "make bench-scale BASE=6.12-stock ARCH=x86_64 COUNT=insn");
    record.benchmark = "attach";
    record.rows[0].unit = "ns";
    EXPECT_EQ(repeat_command(record), "make bench BASE=6.12-stock ARCH=x86_64 N=10 COUNT=ns");
    record.env.base = "/home/somebody/linux";
    EXPECT_EQ(repeat_command(record),
              "make bench KERNEL=/home/somebody/linux ARCH=x86_64 N=10 COUNT=ns");
}

TEST(Report, UnitsAreNotMixed) {
    auto records = attach_records();
    for (Row& row : records[1].rows) {
        row.unit = "ns";
    }
    auto text = report(records, Format::table);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code, ExitCode::usage);
    EXPECT_TRUE(report(records, Format::json).ok());
    records[1].benchmark = "scale";
    EXPECT_TRUE(report(records, Format::table).ok()) << "they are not compared";
}

TEST(Report, ThePageNeedsNothingElse) {
    auto records = attach_records();
    records[0].env.others["cpu"] = "<QEMU>";
    auto page = report(records, Format::html, {},
                       {{"cost over k", "<?xml version=\"1.0\"?>\n<svg id=\"k\"></svg>"}});
    ASSERT_TRUE(page.ok());
    expect_in(*page, "<td>attach 40,000 functions*</td><td class=\"number\">352 s</td>"
                     "<td class=\"number\">0.051 s</td><td class=\"number\">6,952x</td>");
    expect_in(*page, "<figure>\n<svg id=\"k\"></svg><figcaption>cost over k</figcaption>");
    expect_in(*page, "prefers-color-scheme: dark");
    expect_in(*page, "cpu: &lt;QEMU&gt;");
    expect_in(*page, "make bench BASE=6.12-stock ARCH=x86_64 N=40000 COUNT=insn\n");
    for (const char* other : {"<?xml", "<script", "http:", "https:", "src=", "url("}) {
        EXPECT_EQ(page->find(other), std::string::npos) << other;
    }
}

} // namespace
} // namespace fdirect
