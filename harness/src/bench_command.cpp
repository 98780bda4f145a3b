// SPDX-License-Identifier: GPL-2.0
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "attach_bench.h"
#include "bench_report.h"
#include "command_support.h"
#include "commands.h"
#include "environment.h"
#include "file.h"
#include "function_list.h"
#include "output.h"
#include "supervisor.h"
#include "system_calls.h"
#include "text.h"

namespace fdirect {
namespace {

struct BenchOptions {
    AttachPlan plan;
    std::vector<std::string> methods;
    std::string unit;
    std::string base;
    std::string accel;
    std::string output;
    FormatOptions format;
};

/// What the module held before, to give it back.
struct Earlier {
    std::string selection;
    Method method = Method::hash;
    std::uint64_t ops = 0;
};

std::string variable(const char* name, const char* otherwise) {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr || *value == '\0' ? otherwise : value;
}

Result<Earlier> earlier_state(FdirectModule& module) {
    auto status = module.status();
    if (!status) {
        return status.error();
    }
    if (status->attached != 0) {
        return failure(
            fmt::format("{} attached", status->attached == 1
                                           ? "1 function is"
                                           : with_thousands(status->attached) + " functions are"),
            "fdirect detach removes them");
    }
    auto selection = module.selection();
    auto method = module.method();
    auto ops = module.ops();
    if (!selection || !method || !ops) {
        return !selection ? selection.error() : !method ? method.error() : ops.error();
    }
    return Earlier{*selection, *method, *ops};
}

ExitCode give_back(FdirectModule& module, const Earlier& earlier) {
    return run_work([&]() -> Result<ExitCode> {
        auto status = module.status();
        if (!status) {
            return status.error();
        }
        if (status->attached != 0) {
            fmt::print(stderr, "detaching {}\n", counted(status->attached, "function"));
            if (Result<> done = module.detach(); !done) {
                return done.error();
            }
        }
        Result<> done;
        if (!earlier.selection.empty()) {
            done = module.select(earlier.selection);
        }
        for (const Result<>& next :
             {done, module.set_method(earlier.method), module.set_ops(earlier.ops)}) {
            if (!next) {
                return next.error();
            }
        }
        return ExitCode::ok;
    });
}

Result<ExitCode> measure(FdirectModule& module, const KernelPaths& paths,
                         const BenchOptions& options) {
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

    BenchResult result;
    result.base = options.base;
    result.kernel = environment.kernel;
    result.arch = environment.arch;
    result.accel = options.accel;
    result.unit = options.unit;
    result.vcpus = environment.vcpus;
    result.functions_available = functions->functions.size();
    result.env = environment.details;
    result.runs = std::move(*runs);

    Result<> written = write_out(report(result, options.format.format()));
    Result<> kept;
    if (!options.output.empty()) {
        kept = replace_file(options.output, to_json(result).dump(2) + "\n");
    }
    if (!written || !kept) {
        return written ? kept.error() : written.error();
    }
    for (const BenchRun& run : result.runs) {
        if (!run.verified) {
            return failure(fmt::format("{} with {} did not verify",
                                       counted(run.functions, "function"), name_of(run.method)),
                           "the warnings above say what was wrong");
        }
    }
    return ExitCode::ok;
}

/// Fills in what the options left open and checks what can be checked before anything is attached.
Result<> complete(FdirectModule& module, const KernelPaths& paths, BenchOptions& options) {
    auto available = module.methods();
    if (!available) {
        return available.error();
    }
    for (const std::string& name : options.methods) {
        auto method = parse_method(name);
        if (!method) {
            return method.error();
        }
        options.plan.methods.push_back(*method);
    }
    if (options.methods.empty()) {
        options.plan.methods = *available;
    }
    auto functions = FunctionList::load(paths);
    if (!functions) {
        return functions.error();
    }
    if (Result<> sense = AttachBench::check(options.plan, functions->functions.size(), *available);
        !sense) {
        return sense;
    }
    return options.output.empty() ? Result<>() : check_writable(options.output);
}

int run(BenchOptions& options) {
    auto paths = KernelPaths::from_environment();
    auto module = FdirectModule::open(paths);
    if (!module) {
        return run_command([&]() -> Result<> { return module.error(); });
    }
    Result<> complete_options = complete(*module, paths, options);
    auto earlier = complete_options ? earlier_state(*module) : complete_options.error();
    if (!earlier) {
        return run_command([&]() -> Result<> { return earlier.error(); });
    }
    return supervise([&] { return run_work([&] { return measure(*module, paths, options); }); },
                     [&](const Ending&) { return give_back(*module, *earlier); });
}

} // namespace

void add_bench_command(CLI::App& program, int& code) {
    auto* bench = program.add_subcommand("bench", "Measure");
    bench->require_subcommand(1);
    auto* command = bench->add_subcommand(
        "attach", "Measure attaching, changing and detaching, and verify each with real hits");

    auto options = std::make_shared<BenchOptions>();
    AttachPlan& plan = options->plan;
    plan.sizes = {1, 1000, 40000};
    options->unit = variable("FDIRECT_UNIT", "ns");
    options->base = variable("FDIRECT_BASE", "unknown");
    options->accel = variable("FDIRECT_ACCEL", "none");

    command->add_option("--functions", plan.sizes, "Numbers of functions, e.g. 1,1000,40000")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--methods", options->methods, "each, multi, hash (default: all there are)")
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
    command->add_option("--unit", options->unit, "What a nanosecond of this clock is: ns or insn")
        ->check(CLI::IsMember({"ns", "insn"}))
        ->capture_default_str();
    command->add_option("--base", options->base, "Name of the kernel tree, for the result")
        ->capture_default_str();
    command->add_option("--accel", options->accel, "tcg, kvm or none, for the result")
        ->capture_default_str();
    command->add_option("--output", options->output, "File to write the result to, as JSON");
    options->format.add_to(*command);
    command->callback([&code, options] { code = run(*options); });
}

} // namespace fdirect
