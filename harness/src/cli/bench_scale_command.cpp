// SPDX-License-Identifier: GPL-2.0
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/bench_run.h"
#include "bench/bench_support.h"
#include "bench/scale_bench.h"
#include "cli/command_support.h"
#include "cli/commands.h"
#include "kernel/environment.h"
#include "kernel/function_list.h"
#include "results/scale_report.h"
#include "util/text.h"
#include "verify/system_calls.h"

namespace fdirect {
namespace {

struct ScaleBenchOptions {
    ScalePlan plan;
    std::vector<std::string> methods;
    BenchOptions bench;
};

Result<> check_verified(const ScaleResult& result) {
    for (const AttachRun& run : result.runs) {
        if (!run.verified) {
            return failure(fmt::format("{} with {} beside {} did not verify",
                                       counted(run.functions, "function"), name_of(run.way),
                                       with_thousands(run.attached_before)),
                           "the warnings above say what was wrong");
        }
    }
    for (const KprobeRun& run : result.kprobe) {
        if (!run.verified) {
            return failure(fmt::format("a kprobe beside {} did not leave them as they were",
                                       counted(run.attached_before, "function")),
                           "the warnings above say what was wrong");
        }
    }
    return {};
}

Result<ExitCode> measure(FdirectModule& module, const KernelPaths& paths,
                         const ScaleBenchOptions& options) {
    auto functions = FunctionList::load(paths);
    if (!functions) {
        return functions.error();
    }
    auto environment = Environment::collect(paths);
    SystemCalls calls(environment.machine);
    Verifier verifier(module, calls, paths.tracefs, environment.machine);
    MemoryGauge gauge(paths);
    Progress progress;
    auto result = ScaleBench(module, calls, verifier, gauge, progress)
                      .run(options.plan, functions->functions);
    progress.clear();
    if (!result) {
        return result.error();
    }
    result->header = options.bench.header(environment);
    if (Result<> done = write_result(*result, options.bench); !done) {
        return done.error();
    }
    if (Result<> verified = check_verified(*result); !verified) {
        return verified.error();
    }
    return ExitCode::ok;
}

/// The kernel's best way, and where many targets take many ftrace_ops, that of one more.
std::vector<Way> best_ways(const std::vector<Method>& available) {
    if (std::find(available.begin(), available.end(), Method::hash) != available.end()) {
        return {{Method::hash, Reach::near}};
    }
    return {{Method::multi, Reach::near}, {Method::each, Reach::near}};
}

/// Fills in what the options left open and checks what can be checked before anything is attached.
Result<> complete(FdirectModule& module, const KernelPaths& paths, ScaleBenchOptions& options) {
    auto available = module.methods();
    if (!available) {
        return available.error();
    }
    auto ways = parse_ways(options.methods, best_ways(*available));
    if (!ways) {
        return ways.error();
    }
    options.plan.ways = std::move(*ways);
    auto functions = FunctionList::load(paths);
    if (!functions) {
        return functions.error();
    }
    if (Result<> sense = ScaleBench::check(options.plan, functions->functions.size(), *available);
        !sense) {
        return sense;
    }
    return options.bench.check_output();
}

int run(ScaleBenchOptions& options) {
    auto paths = KernelPaths::from_environment();
    return run_bench(
        paths, [&](FdirectModule& module) { return complete(module, paths, options); },
        [&](FdirectModule& module) { return measure(module, paths, options); });
}

} // namespace

void add_bench_scale_command(CLI::App& bench, int& code) {
    auto* command = bench.add_subcommand(
        "scale", "Measure how attaching, kprobes and memory scale with what is attached");

    auto options = std::make_shared<ScaleBenchOptions>();
    ScalePlan& plan = options->plan;
    command->add_option("--sizes", plan.sizes, "Numbers of functions to attach, e.g. 1,40000")
        ->delimiter(',')
        ->capture_default_str();
    command
        ->add_option("--before", plan.before,
                     "Numbers of functions that are attached already, e.g. 0,40000")
        ->delimiter(',')
        ->capture_default_str();
    command
        ->add_option("--methods", options->methods,
                     "each, multi, hash, and with -far (default: hash, or multi,each without it)")
        ->delimiter(',');
    command->add_option("--runs", plan.runs, "Runs that are measured; fewer with many functions")
        ->capture_default_str();
    command->add_option("--warmup", plan.warmup, "Runs before them")->capture_default_str();
    options->bench.add_to(*command);
    command->callback([&code, options] { code = run(*options); });
}

} // namespace fdirect
