// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/attach_bench.h"
#include "bench/bench_run.h"
#include "bench/bench_support.h"
#include "cli/command_support.h"
#include "cli/commands.h"
#include "kernel/environment.h"
#include "kernel/function_list.h"
#include "results/attach_report.h"
#include "util/text.h"
#include "verify/system_calls.h"

namespace fdirect {
namespace {

struct AttachBenchOptions {
    AttachPlan plan;
    std::vector<std::string> methods;
    BenchOptions bench;
};

Result<ExitCode> measure(FdirectModule& module, const KernelPaths& paths,
                         const AttachBenchOptions& options) {
    auto functions = FunctionList::load(paths);
    if (!functions) {
        return functions.error();
    }
    auto environment = Environment::collect(paths);
    SystemCalls calls(environment.machine);
    Verifier verifier(module, calls, paths.tracefs, environment.machine);
    Progress progress;
    auto runs =
        AttachBench(module, calls, verifier, progress).run(options.plan, functions->functions);
    progress.clear();
    if (!runs) {
        return runs.error();
    }

    AttachResult result{options.bench.header(environment), functions->functions.size(),
                        std::move(*runs)};
    if (Result<> done = write_result(result, options.bench); !done) {
        return done.error();
    }
    for (const AttachRun& run : result.runs) {
        if (!run.verified) {
            return failure(fmt::format("{} with {} did not verify",
                                       counted(run.functions, "function"), name_of(run.way)),
                           "the warnings above say what was wrong");
        }
    }
    return ExitCode::ok;
}

/// Fills in what the options left open and checks what can be checked before anything is attached.
Result<> complete(FdirectModule& module, const KernelPaths& paths, AttachBenchOptions& options) {
    auto available = module.methods();
    if (!available) {
        return available.error();
    }
    std::vector<Way> near;
    for (Method method : *available) {
        near.push_back({method, Reach::near});
    }
    auto ways = parse_ways(options.methods, std::move(near));
    if (!ways) {
        return ways.error();
    }
    options.plan.ways = std::move(*ways);
    auto functions = FunctionList::load(paths);
    if (!functions) {
        return functions.error();
    }
    if (Result<> sense = AttachBench::check(options.plan, functions->functions.size(), *available);
        !sense) {
        return sense;
    }
    return options.bench.check_output();
}

int run(AttachBenchOptions& options) {
    auto paths = KernelPaths::from_environment();
    return run_bench(
        paths, [&](FdirectModule& module) { return complete(module, paths, options); },
        [&](FdirectModule& module) { return measure(module, paths, options); });
}

} // namespace

void add_bench_attach_command(CLI::App& bench, int& code) {
    auto* command = bench.add_subcommand(
        "attach", "Measure attaching, changing and detaching, and verify each with real hits");

    auto options = std::make_shared<AttachBenchOptions>();
    AttachPlan& plan = options->plan;
    plan.sizes = {1, 1000, 40000};
    command->add_option("--functions", plan.sizes, "Numbers of functions, e.g. 1,1000,40000")
        ->delimiter(',')
        ->capture_default_str();
    command
        ->add_option(
            "--methods", options->methods,
            "each, multi, hash (default: all there are); each-far, multi-far, hash-far attach "
            "to stubs out of a call's reach, on arm64")
        ->delimiter(',');
    command
        ->add_option("--each-limit", plan.each_limit,
                     "Most functions that 'each' really attaches; beyond it is extrapolated")
        ->capture_default_str();
    command->add_option("--each-runs", plan.each_runs, "Runs of 'each' at its limit")
        ->capture_default_str();
    command->add_option("--runs", plan.runs, "Runs that are measured")->capture_default_str();
    command->add_option("--warmup", plan.warmup, "Runs before them ('each': with 10 functions)")
        ->capture_default_str();
    command
        ->add_option("--attached-before", plan.attached_before,
                     "Other functions that are attached meanwhile")
        ->capture_default_str();
    command
        ->add_option("--settle", plan.settle,
                     "Milliseconds of rest before each step, for what the last one left to do")
        ->capture_default_str();
    options->bench.add_to(*command);
    command->callback([&code, options] { code = run(*options); });
}

} // namespace fdirect
