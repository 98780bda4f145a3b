// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/bench_support.h"
#include "bench/bpf_bench.h"
#include "bpf/kernel_bpf_tracer.h"
#include "cli/command_support.h"
#include "cli/commands.h"
#include "kernel/enabled_functions.h"
#include "kernel/environment.h"
#include "kernel/function_list.h"
#include "kernel/kernel_paths.h"
#include "results/bpf_report.h"
#include "util/progress.h"
#include "util/supervisor.h"
#include "util/text.h"
#include "verify/system_calls.h"

namespace fdirect {
namespace {

struct BpfBenchOptions {
    BpfPlan plan;
    std::vector<std::string> parts = {"loops", "fentry", "kprobe.multi", "calls"};
    BenchOptions bench;
};

/// Takes out of the plan what is not among the parts.
Result<BpfPlan> plan_of(const BpfBenchOptions& options) {
    BpfPlan plan = options.plan;
    bool loops = false;
    bool calls = false;
    plan.kinds.clear();
    for (const std::string& part : options.parts) {
        if (part == "loops") {
            loops = true;
        } else if (part == "calls") {
            calls = true;
        } else if (part == "fentry") {
            plan.kinds.push_back(BpfKind::fentry);
        } else if (part == "kprobe.multi") {
            plan.kinds.push_back(BpfKind::kprobe_multi);
        } else {
            return misuse("there is no part '" + part + "'",
                          "the parts are loops, fentry, kprobe.multi and calls");
        }
    }
    plan.loops = loops ? plan.loops : 0;
    plan.calls = calls ? plan.calls : 0;
    return plan;
}

Result<ExitCode> measure(const BpfPlan& plan, const KernelPaths& paths,
                         const BpfBenchOptions& options) {
    auto targets = load_bpf_targets(paths);
    if (!targets) {
        return targets.error();
    }
    auto environment = Environment::collect(paths);
    BpfCallee quiet = quiet_callee(environment.machine);
    auto tracer = KernelBpfTracer::open(paths, quiet.function);
    if (!tracer) {
        return tracer.error();
    }
    SystemCalls calls(environment.machine);
    Progress progress;
    auto result =
        BpfBench(**tracer, calls, quiet, traced_callee(), progress).run(plan, std::move(*targets));
    progress.clear();
    if (!result) {
        return result.error();
    }
    result->header = options.bench.header(environment);
    if (Result<> done = write_result(*result, options.bench); !done) {
        return done.error();
    }
    if (!verified(*result)) {
        return failure("not everything did verify", "the warnings above say what was wrong");
    }
    return ExitCode::ok;
}

/// What others had in the kernel before.
struct Others {
    std::size_t in_use = 0; ///< functions that they have attached something to
    bool profiler = false;  ///< they use the function profiler, or there is none
};

/// Programs and links are gone with the process that holds them: whatever ends it, the kernel
/// detaches all of them before the process has ended. This makes sure of it.
Result<ExitCode> make_sure(const KernelPaths& paths, const Others& others, const Ending& ending) {
    if (!ending.complete && !others.profiler) {
        stop_function_profiler(paths);
    }
    auto left = count_enabled_functions(paths);
    if (!left) {
        return left.error();
    }
    if (*left > others.in_use) {
        return failure(
            fmt::format("{} still attached", counted(*left - others.in_use, "function")));
    }
    return ExitCode::ok;
}

int run(const BpfBenchOptions& options) {
    auto paths = KernelPaths::from_environment();
    BpfPlan plan;
    Others others;
    int code = run_command([&]() -> Result<> {
        auto wanted = plan_of(options);
        if (!wanted) {
            return wanted.error();
        }
        plan = *wanted;
        auto functions = FunctionList::load(paths);
        if (!functions) {
            return functions.error();
        }
        if (Result<> sense = BpfBench::check(plan, functions->functions.size()); !sense) {
            return sense;
        }
        auto enabled = count_enabled_functions(paths);
        if (!enabled) {
            return enabled.error();
        }
        others = {*enabled, !check_function_profiler(paths).ok()};
        return options.bench.check_output();
    });
    if (code != 0) {
        return code;
    }
    return supervise([&] { return run_work([&] { return measure(plan, paths, options); }); },
                     [&](const Ending& ending) {
                         return run_work([&] { return make_sure(paths, others, ending); });
                     });
}

} // namespace

void add_bench_bpf_command(CLI::App& bench, int& code) {
    auto* command = bench.add_subcommand(
        "bpf", "Measure loading, attaching, detaching and calling BPF programs");
    auto options = std::make_shared<BpfBenchOptions>();
    BpfPlan& plan = options->plan;
    command->add_option("--parts", options->parts, "loops, fentry, kprobe.multi, calls")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--loops", plan.loops, "Times to attach and detach one program")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command->add_option("--functions", plan.sizes, "Numbers of functions, e.g. 1,100,1000,5000")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--calls", plan.calls, "Calls per measurement")
        ->check(CLI::Range(1, 100000000))
        ->capture_default_str();
    command->add_option("--runs", plan.runs, "Runs that are measured, fewer with many functions")
        ->capture_default_str();
    command
        ->add_option("--settle", plan.settle,
                     "Milliseconds of rest before each step, for what the last one left to do")
        ->capture_default_str();
    options->bench.add_to(*command);
    command->callback([&code, options] { code = run(*options); });
}

} // namespace fdirect
