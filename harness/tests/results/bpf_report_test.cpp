// SPDX-License-Identifier: GPL-2.0
#include "results/bpf_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

BpfRun run_of(std::uint64_t functions, std::uint64_t per_function, std::uint64_t waited) {
    BpfRun run;
    run.functions = run.programs = functions;
    run.verified = true;
    std::uint64_t total = functions * per_function;
    for (const auto& [name, operation] : bpf_operations) {
        run.*operation = {Samples({total}), Samples({total + waited})};
    }
    return run;
}

BpfResult result_of(const std::string& base, std::uint64_t cost, std::uint64_t waited) {
    BpfResult result;
    result.header = {base, "6.12.107", "x86_64", "tcg", "insn", 2, {}};
    result.functions_available = 40000;
    result.functions_busy = 3;
    result.loops = {{BpfKind::fentry,
                     "getpgid",
                     2,
                     true,
                     {Samples({cost, cost}), Samples({cost + waited, cost + waited})}}};
    result.runs = {run_of(100, cost, waited)};
    result.calls = {{BpfKind::fentry, 1000, 500000, 500, 137, true}};
    return result;
}

BpfResult patched() {
    return result_of("6.12", 20000, 0);
}

BpfResult stock() {
    BpfResult result = result_of("6.12-stock", 8000000, 100000000);
    result.refused = {{"dynamic_dname", 22}, {"many_arguments", 524}};
    result.unsupported = {BpfKind::kprobe_multi};
    result.runs[0].verified = false;
    result.calls[0].overhead = 140;
    return result;
}

std::string text_of(const std::vector<BpfResult>& results, Format format) {
    auto text = report(results, format);
    EXPECT_TRUE(text.ok());
    return text.ok() ? *text : "";
}

TEST(BpfReport, SideBySide) {
    std::string text = text_of({patched(), stock()}, Format::markdown);
    EXPECT_NE(text.find("| 6.12-stock | 2 | 8,000,000 | 100 | 100 | 0.216 | 5,400x | yes |"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("| fentry | 100 | attach | 20,000 | 0 | 8,000,000 | 100 | 400x | NO |"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("| fentry | 137.00 | 2,000,000 | 140.00 | 2,000,000 | 3.00 | yes |"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("6.12: 3 functions not taken, since attaching runs them itself"),
              std::string::npos);
    EXPECT_NE(text.find("6.12: 0 functions refused"), std::string::npos);
    EXPECT_NE(text.find("6.12-stock: 2 functions refused (Invalid argument, Operation is not "
                        "supported), others taken for them"),
              std::string::npos);
    EXPECT_NE(text.find("6.12-stock: this kernel does not have kprobe.multi"), std::string::npos);
}

TEST(BpfReport, Alone) {
    std::string text = text_of({patched()}, Format::table);
    EXPECT_NE(text.find("6.12: Linux 6.12.107, x86_64, tcg, 2 vCPUs"), std::string::npos);
    EXPECT_EQ(text.find("/ 6.12"), std::string::npos);
}

TEST(BpfReport, LoopsAreComparedByTheirMean) {
    BpfResult longer = stock();
    longer.loops[0].loop = {Samples({40000, 40000, 40000, 40000}),
                            Samples({40000, 40000, 40000, 40000})};
    std::string text = text_of({patched(), longer}, Format::markdown);
    EXPECT_NE(text.find("| 2.00x | yes |"), std::string::npos) << text;
}

TEST(BpfReport, WaitingThatAFileDoesNotTellIsEmpty) {
    BpfResult result = patched();
    result.loops[0].loop.elapsed = Samples();
    result.runs[0].attach.elapsed = Samples();
    std::string text = text_of({result}, Format::markdown);
    EXPECT_NE(text.find("| 6.12 | 2 | 20,000 |  |  |"), std::string::npos) << text;
    EXPECT_NE(text.find("| fentry | 100 | attach | 20,000 |  | yes |"), std::string::npos) << text;
}

TEST(BpfReport, WhatIsNotKnownOfBusyFunctionsIsNotTold) {
    BpfResult without_profiler = patched();
    without_profiler.functions_busy.reset();
    BpfResult loops_alone = patched();
    loops_alone.runs.clear();
    for (const BpfResult& result : {without_profiler, loops_alone}) {
        EXPECT_EQ(text_of({result}, Format::table).find("not taken"), std::string::npos);
    }
}

TEST(BpfReport, PlainNumbers) {
    std::string text = text_of({patched()}, Format::csv);
    EXPECT_NE(text.find("6.12,6.12.107,x86_64,tcg,insn,fentry,100,detach,true,1,2000000,2000000,"
                        "2000000,20000.000,0,0"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("fentry,1,call,true,1000,500.0000,,,,,,137.0000"), std::string::npos)
        << text;
}

TEST(BpfReport, Json) {
    EXPECT_EQ(text_of({patched()}, Format::json), to_json(patched()).dump(2) + "\n");
}

TEST(BpfReport, UnitsAreNotMixed) {
    BpfResult other = stock();
    other.header.unit = "ns";
    EXPECT_EQ(report({patched(), other}, Format::table).error().code, ExitCode::usage);
}

} // namespace
} // namespace fdirect
