// SPDX-License-Identifier: GPL-2.0
#include "bench/bpf_bench.h"

#include <gtest/gtest.h>
#include <utility>

#include "simulated_bpf.h"

namespace fdirect {
namespace {

class BpfBenchTest : public testing::Test {
  protected:
    BpfBenchTest() {
        for (const char* name : {"known_0", "known_1", "busy", "quiet", "traced"}) {
            add(name);
        }
        for (int i = 0; i < 45; i++) {
            add("other_" + std::to_string(i));
        }
        plan_.loops = 7;
        plan_.kinds = {BpfKind::fentry, BpfKind::kprobe_multi};
        plan_.sizes = {1, 20};
        plan_.calls = 2500;
        plan_.runs = 2;
    }

    Result<Record> run() {
        testing::internal::CaptureStderr();
        Progress progress;
        SimulatedBpf& bpf = bpf_;
        BpfCallee quiet{"quiet", "", [&bpf] { bpf.call("quiet", 1); }, ""};
        BpfCallee traced{"traced", "point",
                         [&bpf] {
                             bpf.call("traced", 1);
                             bpf.call("point", 1);
                             bpf.call("other_3", 1);
                         },
                         "other_3"};
        auto result = BpfBench(bpf_, calls_, quiet, traced, progress).run(plan_, targets_);
        warnings_ = testing::internal::GetCapturedStderr();
        return result;
    }

    /// The rows of a step, or of a kind.
    static std::vector<Row> rows_of(const Record& record, const char* name,
                                    const std::string& value) {
        std::vector<Row> rows = record.rows;
        std::erase_if(rows, [&](const Row& row) { return row.text(name) != value; });
        return rows;
    }

    void add(const std::string& name) {
        targets_.push_back(
            {name, 0x1000 + 16 * targets_.size(), static_cast<std::uint32_t>(targets_.size() + 1)});
    }

    SimulatedBpf bpf_;
    SimulatedBpfCalls calls_{bpf_, 2};
    std::vector<BpfTarget> targets_;
    BpfPlan plan_;
    std::string warnings_;
};

TEST_F(BpfBenchTest, MeasuresEverything) {
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result));
    EXPECT_EQ(result->env.functions_available, 50U);
    auto loops = rows_of(*result, "step", "loop");
    ASSERT_EQ(loops.size(), 1U);
    EXPECT_EQ(loops[0].details["function"], "quiet");
    EXPECT_EQ(loops[0].running.values().size(), 7U);
    EXPECT_EQ(loops[0].measured, 1U);
    auto attach = rows_of(*result, "step", "attach");
    ASSERT_EQ(attach.size(), 4U);
    EXPECT_EQ(attach[1].key.dump(),
              R"({"kind":"fentry","functions":20,"beside":0,"step":"attach"})");
    EXPECT_EQ(attach[1].measured, 20U);
    EXPECT_EQ(attach[1].details["programs"], 20U);
    EXPECT_EQ(attach[1].running.values().size(), 2U);
    EXPECT_GE(attach[1].details["called"], 2U);
    EXPECT_EQ(attach[3].text("kind"), "kprobe.multi");
    EXPECT_EQ(attach[3].number("functions"), 20U);
    EXPECT_EQ(attach[3].details["programs"], 1U);
    EXPECT_EQ(rows_of(*result, "step", "load").size(), 4U);
    EXPECT_EQ(rows_of(*result, "step", "detach").size(), 4U);
    auto calls = rows_of(*result, "step", "call");
    ASSERT_EQ(calls.size(), bpf_kinds.size() + 3) << "three of them with the cookie, too";
    EXPECT_EQ(calls[0].measured, 1000U);
    EXPECT_EQ(calls[0].running.values().size(), 3U) << "2,500 in chunks of 1,000";
    EXPECT_EQ(calls[0].untraced.values().size(), 3U);
    EXPECT_TRUE(result->notes.empty());
    EXPECT_EQ(bpf_.functions_in_use().value(), 0U);
    EXPECT_EQ(warnings_, "");
}

TEST_F(BpfBenchTest, LeavesOutWhatThePlanDoesNotHave) {
    plan_.loops = 0;
    plan_.calls = 0;
    plan_.kinds = {BpfKind::kprobe_multi};
    plan_.sizes = {3};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->rows.size(), 3U) << "load, attach, detach";
}

TEST_F(BpfBenchTest, AFunctionThatIsRefusedIsReplacedAndNoted) {
    plan_.sizes = {48};
    bpf_.refused_to_load = {"other_7"};
    bpf_.refused_to_attach = {"other_9"};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result));
    EXPECT_EQ(rows_of(*result, "step", "attach")[0].number("functions"), 48U);
    EXPECT_EQ(result->notes,
              (std::vector<std::string>{
                  "1 function refused (Device or resource busy), others taken for them: other_9",
                  "1 function refused (Invalid argument), others taken for them: other_7"}));
}

TEST_F(BpfBenchTest, RunsBeforeThoseThatAreMeasuredAreNotKept) {
    plan_.loops = 0;
    plan_.calls = 0;
    plan_.kinds = {BpfKind::fentry};
    plan_.sizes = {1};
    std::vector<int> loads;
    for (std::uint32_t warmup : {0U, 1U, 3U}) {
        plan_.warmup = warmup;
        bpf_.loads = 0;
        auto result = run();
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_EQ(result->rows.front().running.values().size(), plan_.runs);
        loads.push_back(bpf_.loads);
    }
    EXPECT_EQ(loads[1] - loads[0], 1);
    EXPECT_EQ(loads[2] - loads[0], 3);
}

TEST_F(BpfBenchTest, FunctionsThatAreRefusedAreFoundTogether) {
    plan_.loops = 0;
    plan_.calls = 0;
    plan_.kinds = {BpfKind::fentry};
    plan_.sizes = {47};
    plan_.runs = 1;
    ASSERT_TRUE(run().ok());
    int without = std::exchange(bpf_.loads, 0);
    bpf_.refused_to_attach = {"other_9", "other_11", "other_12"};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    ASSERT_EQ(result->notes.size(), 1U);
    EXPECT_NE(result->notes[0].find("3 functions refused"), std::string::npos);
    // Not once for each: only where what has been taken instead is refused as well.
    EXPECT_LT(bpf_.loads, without + 3 * 47);
}

TEST_F(BpfBenchTest, FunctionsThatAttachingRunsAreNotTaken) {
    bpf_.busy = {"other_7", "known_1", "other_44"};
    plan_.sizes = {48};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result));
    ASSERT_EQ(result->notes.size(), 1U);
    EXPECT_EQ(result->notes[0], "2 functions not taken, since attaching runs them itself")
        << "the known ones have to be taken";
    plan_.sizes = {49};
    EXPECT_EQ(run().error().code, ExitCode::cannot_run);
}

TEST_F(BpfBenchTest, WithoutAProfilerAllAreTaken) {
    bpf_.no_profiler = true;
    plan_.sizes = {50};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(result->notes.empty());
    EXPECT_NE(warnings_.find("no profiler"), std::string::npos);
}

TEST_F(BpfBenchTest, FunctionsCanRunOut) {
    plan_.sizes = {50};
    bpf_.refused_to_load = {"other_7"};
    auto result = run();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ExitCode::cannot_run);
    EXPECT_EQ(bpf_.functions_in_use().value(), 0U);
}

TEST_F(BpfBenchTest, AKindThatTheKernelDoesNotHaveIsLeftOut) {
    bpf_.lacking = {BpfKind::kprobe_multi};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result));
    EXPECT_EQ(result->notes, std::vector<std::string>{"this kernel does not have kprobe.multi"});
    EXPECT_EQ(rows_of(*result, "step", "attach").size(), 2U);
    EXPECT_EQ(rows_of(*result, "step", "call").size(), bpf_kinds.size() + 2);
    EXPECT_NE(warnings_.find("left out: no such kind"), std::string::npos);
}

TEST_F(BpfBenchTest, ThatMayBeToldWithTheKernelsOwnErrno) {
    bpf_.lacking = {BpfKind::fexit};
    bpf_.lacking_error = kernel_enotsupp;
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->notes, std::vector<std::string>{"this kernel does not have fexit"});
    EXPECT_EQ(rows_of(*result, "step", "call").size(), bpf_kinds.size() + 2);
}

TEST_F(BpfBenchTest, LinksForManyFunctionsThatTheKernelDoesNotHaveAreLeftOut) {
    plan_.kinds = {BpfKind::kprobe_multi, BpfKind::fentry_multi, BpfKind::fexit_multi};
    bpf_.lacking = {BpfKind::fentry_multi, BpfKind::fexit_multi};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result));
    EXPECT_EQ(result->notes, (std::vector<std::string>{"this kernel does not have fentry.multi",
                                                       "this kernel does not have fexit.multi"}));
    EXPECT_TRUE(rows_of(*result, "kind", "fentry.multi").empty());
    EXPECT_TRUE(rows_of(*result, "kind", "fexit.multi, cookie").empty());
    EXPECT_EQ(rows_of(*result, "step", "call").size(), bpf_kinds.size() - 1);
    EXPECT_NE(warnings_.find("fentry.multi left out: no such kind"), std::string::npos);
}

TEST_F(BpfBenchTest, LinksThatAreRefusedAlthoughTheirProgramIsLoadedAreLeftOut) {
    plan_.kinds = {BpfKind::fentry_multi, BpfKind::fexit_multi};
    bpf_.lacking = {BpfKind::fentry_multi, BpfKind::fexit_multi};
    bpf_.loads_lacking = true;
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(rows_of(*result, "kind", "fentry.multi").empty());
    EXPECT_TRUE(rows_of(*result, "kind", "fexit.multi, cookie").empty());
    EXPECT_NE(warnings_.find("fexit.multi left out: no such kind"), std::string::npos);
}

TEST_F(BpfBenchTest, ALinkIsMeasuredAloneAndBesideAnother) {
    plan_.loops = plan_.calls = 0;
    plan_.kinds = {BpfKind::fentry_multi, BpfKind::fexit_multi};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result)) << warnings_;
    auto rows = rows_of(*result, "kind", "fexit.multi");
    ASSERT_EQ(rows.size(), 10U) << "load, and attach and detach twice, for each size";
    EXPECT_EQ(rows[8].key.dump(),
              R"({"kind":"fexit.multi","functions":20,"beside":20,"step":"attach"})");
    EXPECT_EQ(rows[6].details["images"], 2U) << "its own";
    EXPECT_EQ(rows[8].details["images"], 2U) << "not those of the other one";
    EXPECT_EQ(rows[6].details["programs"], 1U);
    EXPECT_EQ(result->notes, (std::vector<std::string>{"fentry.multi: 20 functions by 2 images",
                                                       "fexit.multi: 20 functions by 2 images"}));
    EXPECT_EQ(bpf_.functions_in_use().value(), 0U);
}

TEST_F(BpfBenchTest, WhatStaysBesideAnotherDoesNotVerify) {
    plan_.loops = plan_.calls = 0;
    plan_.kinds = {BpfKind::fentry_multi};
    bpf_.keep_counting = true;
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    for (const Row& row : result->rows) {
        EXPECT_FALSE(row.verified) << row.key.dump();
    }
}

TEST_F(BpfBenchTest, KprobesAreMeasuredWithoutSuchLinks) {
    plan_.loops = plan_.calls = 0;
    plan_.kinds = {BpfKind::kprobe_multi};
    plan_.sizes = {BpfPlan::all};
    bpf_.lacking = {BpfKind::fentry_multi, BpfKind::fexit_multi};
    bpf_.refused_to_load = {"other_7"};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(rows_of(*result, "step", "attach")[0].number("functions"), 49U);
}

TEST_F(BpfBenchTest, AllFunctionsAreThoseThatALinkTakes) {
    plan_.loops = 0;
    plan_.kinds = {BpfKind::kprobe_multi, BpfKind::fentry_multi};
    plan_.sizes = {BpfPlan::all};
    bpf_.refused_by_links = {"other_7", "other_8", "other_40"};
    bpf_.busy = {"other_9", "other_3"};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result)) << warnings_;
    for (const Row& row : rows_of(*result, "step", "attach")) {
        EXPECT_EQ(row.number("functions"), 45U);
    }
    // The one that is called, and all but those that run then
    auto calls = rows_of(*result, "kind", "fentry.multi, cookie");
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].number("functions"), 1U);
    EXPECT_EQ(calls[1].number("functions"), 45U);
    EXPECT_EQ(rows_of(*result, "kind", "fexit.multi").size(), 1U) << "a call, no other part";
}

TEST_F(BpfBenchTest, GreatSizesAreForOneProgramAlone) {
    plan_.loops = plan_.calls = 0;
    plan_.most_programs = 10;
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    auto attach = rows_of(*result, "step", "attach");
    ASSERT_EQ(attach.size(), 3U);
    EXPECT_EQ(attach[0].text("kind"), "fentry");
    EXPECT_EQ(attach[2].number("functions"), 20U);
}

TEST_F(BpfBenchTest, ManyFunctionsShowWhatALinkTakesOfMemory) {
    for (int i = 45; i < 1000; i++) {
        add("other_" + std::to_string(i));
    }
    plan_.loops = plan_.calls = 0;
    plan_.kinds = {BpfKind::fentry_multi};
    plan_.sizes = {1, 1000};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    auto memory = rows_of(*result, "step", "memory");
    ASSERT_EQ(memory.size(), 1U);
    EXPECT_TRUE(memory[0].verified) << warnings_;
    EXPECT_EQ(memory[0].unit, "bytes");
    EXPECT_EQ(memory[0].cost(), 100);
    EXPECT_EQ(memory[0].details["slab"], 60000);
    bpf_.unsettled = true;
    result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(rows_of(*result, "step", "memory").empty());
    EXPECT_NE(warnings_.find("memory of fentry.multi left out: it does not settle"),
              std::string::npos);
}

TEST_F(BpfBenchTest, AResultThatNoProgramMayChangeIsLeftOut) {
    bpf_.refused_to_load = {"other_3"};
    plan_.sizes = {1};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(rows_of(*result, "kind", "fmod_ret").empty());
    EXPECT_EQ(result->notes.back(), "this kernel does not have fmod_ret");
}

TEST_F(BpfBenchTest, ALinkChangesTheResultsOfAllHooksThatItTakes) {
    for (const char* hook : {"security_a", "security_b", "security_c"}) {
        add(hook);
    }
    bpf_.unmodifiable = {"security_b"};
    plan_.loops = 0;
    plan_.kinds = {BpfKind::fexit_multi};
    plan_.sizes = {BpfPlan::all};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result)) << warnings_;
    for (const char* kind : {"fmod_ret.multi", "fmod_ret.multi, cookie"}) {
        auto calls = rows_of(*result, "kind", kind);
        ASSERT_EQ(calls.size(), 2U) << kind;
        EXPECT_EQ(calls[0].number("functions"), 1U);
        EXPECT_EQ(calls[1].number("functions"), 3U) << "the one that is called, and two hooks";
    }
}

TEST_F(BpfBenchTest, CallsThatAreMiscountedDoNotVerify) {
    calls_.extra = 1;
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_FALSE(rows_of(*result, "step", "attach")[0].verified);
    EXPECT_NE(warnings_.find("known_0 was called 5 and counted 6 times"), std::string::npos);
}

TEST_F(BpfBenchTest, TheWarmUpIsVerifiedToo) {
    calls_.extra = 1;
    calls_.extra_once = true;
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_FALSE(rows_of(*result, "step", "attach")[0].verified);
    EXPECT_TRUE(rows_of(*result, "step", "attach")[1].verified);
}

TEST_F(BpfBenchTest, WhatIsCountedAfterDetachingDoesNotVerify) {
    bpf_.keep_counting = true;
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    auto loops = rows_of(*result, "step", "loop");
    EXPECT_FALSE(loops[0].verified);
    EXPECT_EQ(loops[0].running.values().size(), 1U) << "that was the end of them";
    EXPECT_FALSE(rows_of(*result, "step", "attach")[0].verified);
    EXPECT_FALSE(rows_of(*result, "step", "call")[0].verified);
}

TEST_F(BpfBenchTest, OthersMayHaveFunctionsAttached) {
    bpf_.others = {"other_1", "other_2"};
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(verified(*result)) << warnings_;
}

TEST_F(BpfBenchTest, WhatOthersHaveAttachedIsNotTakenForItsOwn) {
    bpf_.others = {"other_1", "other_2"};
    bpf_.others_pause = true;
    auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_FALSE(rows_of(*result, "step", "attach")[0].verified);
    EXPECT_NE(warnings_.find("1 function is attached, not 1 beside 2 of others"), std::string::npos)
        << warnings_;
}

TEST_F(BpfBenchTest, TheFunctionsThatAreCalledMustBeThere) {
    targets_.erase(targets_.begin() + 3);
    auto result = run();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ExitCode::cannot_run);
    EXPECT_NE(result.error().message.find("quiet"), std::string::npos);
}

TEST(BpfPlan, HasSense) {
    BpfPlan plan;
    plan.sizes = {51};
    EXPECT_EQ(BpfBench::check(plan, 50).error().code, ExitCode::cannot_run);
    plan.sizes = {0};
    EXPECT_EQ(BpfBench::check(plan, 50).error().code, ExitCode::usage);
    plan.sizes = {BpfPlan::all};
    EXPECT_TRUE(BpfBench::check(plan, 50));
    EXPECT_EQ(BpfBench::check(plan, 0).error().code, ExitCode::cannot_run);
    plan.sizes = {50};
    EXPECT_TRUE(BpfBench::check(plan, 50));
    plan.runs = 0;
    EXPECT_EQ(BpfBench::check(plan, 50).error().code, ExitCode::usage);
    plan.runs = 1;
    plan.kinds.clear();
    plan.loops = plan.calls = 0;
    EXPECT_EQ(BpfBench::check(plan, 50).error().code, ExitCode::usage);
}

TEST(BpfPlan, HasFewerRunsOfManyFunctions) {
    BpfPlan plan;
    EXPECT_EQ(plan.runs_of(1), 5U);
    EXPECT_EQ(plan.runs_of(100), 3U);
    EXPECT_EQ(plan.runs_of(5000), 1U);
    plan.runs = 1;
    EXPECT_EQ(plan.runs_of(1), 1U);
}

} // namespace
} // namespace fdirect
