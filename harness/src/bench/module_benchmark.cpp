// SPDX-License-Identifier: GPL-2.0
#include "bench/module_benchmark.h"

#include <fmt/format.h>
#include <utility>

#include "kernel/environment.h"
#include "kernel/function_list.h"
#include "util/text.h"
#include "verify/system_calls.h"

namespace fdirect {

Result<> ModuleBenchmark::check(const KernelPaths& paths) {
    auto module = TRY(FdirectModule::open(paths));
    TRY(check_plan(module, paths));
    TRY(idle_status(module));
    selection_ = TRY(module.selection());
    way_ = {TRY(module.method()), TRY(module.reach())};
    ops_ = TRY(module.ops());
    return {};
}

Result<> ModuleBenchmark::run(const KernelPaths& paths, Record& record) {
    auto module = TRY(FdirectModule::open(paths));
    return measure(module, paths, record);
}

Result<> ModuleBenchmark::restore(const KernelPaths& paths, const Ending& /*ending*/) {
    auto module = TRY(FdirectModule::open(paths));
    auto status = TRY(module.status());
    if (status.attached != 0) {
        fmt::print(stderr, "detaching {}\n", counted(status.attached, "function"));
        TRY(module.detach());
    }
    if (!selection_.empty()) {
        // A module with functions of it may have gone since.
        if (auto done = module.select(selection_); !done) {
            fmt::print(stderr, "the module's selection is not what it was: {}\n",
                       done.error().message);
        }
    }
    for (const Result<>& next :
         {module.set_method(way_.method), module.set_reach(way_.reach), module.set_ops(ops_)}) {
        if (!next) {
            return next;
        }
    }
    return {};
}

void FunctionBenchmark::add_methods(CLI::App& command, const std::string& help) {
    command.add_option("--methods", methods_, help)->delimiter(',');
}

Result<> FunctionBenchmark::check_plan(FdirectModule& module, const KernelPaths& paths) {
    auto available = TRY(module.methods());
    auto ways = TRY(parse_ways(methods_, default_ways(available)));
    auto functions = TRY(FunctionList::load(paths));
    return check_ways(std::move(ways), functions.functions.size(), available);
}

Result<> FunctionBenchmark::measure(FdirectModule& module, const KernelPaths& paths,
                                    Record& record) {
    auto functions = TRY(FunctionList::load(paths));
    auto machine = Environment::collect(paths).machine;
    SystemCalls calls(machine);
    Verifier verifier(module, calls, paths.tracefs, machine);
    Progress progress;
    return measure_with({paths, module, calls, verifier, progress, functions.functions}, record);
}

Result<ModuleStatus> idle_status(FdirectModule& module) {
    auto status = module.status();
    if (status && status->attached != 0) {
        return failure(
            fmt::format("{} attached", status->attached == 1
                                           ? "1 function is"
                                           : with_thousands(status->attached) + " functions are"),
            "fdirect detach removes them");
    }
    return status;
}

} // namespace fdirect
