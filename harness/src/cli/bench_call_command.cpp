// SPDX-License-Identifier: GPL-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/bench_support.h"
#include "bench/call_bench.h"
#include "cli/commands.h"
#include "kernel/environment.h"
#include "kernel/kernel_paths.h"
#include "results/call_report.h"
#include "util/progress.h"

namespace fdirect {
namespace {

struct CallBenchOptions {
    CallPlan plan;
    std::vector<std::string> kinds;
    BenchOptions bench;
};

Result<CallKind> parse_kind(const std::string& name) {
    auto kind = call_kind_named(name);
    if (!kind) {
        std::string known;
        for (CallKind other : call_kinds) {
            known.append(known.empty() ? "" : ", ").append(name_of(other));
        }
        return misuse("there is no kind '" + name + "'", "the kinds are " + known);
    }
    return *kind;
}

Result<> measure(CallBenchOptions& options) {
    for (const std::string& name : options.kinds) {
        auto kind = parse_kind(name);
        if (!kind) {
            return kind.error();
        }
        options.plan.kinds.push_back(*kind);
    }
    auto paths = KernelPaths::from_environment();
    auto module = FdirectModule::open(paths);
    if (!module) {
        return module.error();
    }
    // What is attached is in the list of ftrace_ops that a call may have to walk.
    if (auto status = idle_status(*module); !status) {
        return status.error();
    }
    if (Result<> done = options.bench.check_output(); !done) {
        return done;
    }
    Progress progress;
    auto rows = CallBench(*module, progress).run(options.plan);
    if (!rows) {
        return rows.error();
    }
    CallResult result{options.bench.header(Environment::collect(paths)), std::move(*rows)};
    return write_result(result, options.bench);
}

} // namespace

void add_bench_call_command(CLI::App& bench, int& code) {
    auto* command = bench.add_subcommand(
        "call", "Measure what a call of a traced function costs, with ftrace_ops and direct calls");
    auto options = std::make_shared<CallBenchOptions>();
    command->add_option("--calls", options->plan.calls, "Calls per measurement")
        ->check(CLI::Range(1, 100000000))
        ->capture_default_str();
    command
        ->add_option("--kinds", options->kinds,
                     "ops, plain, direct-near, direct-far, hash-near, hash-far (default: all there "
                     "are)")
        ->delimiter(',');
    options->bench.add_to(*command);
    command->callback([&code, options] { code = run_command([&] { return measure(*options); }); });
}

} // namespace fdirect
