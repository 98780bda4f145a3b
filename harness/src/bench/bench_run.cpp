// SPDX-License-Identifier: GPL-2.0
#include "bench/bench_run.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "bench/bench_support.h"
#include "cli/command_support.h"
#include "util/supervisor.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// What the module held before, to give it back.
struct ModuleState {
    std::string selection;
    Way way;
    std::uint64_t ops = 0;

    /// What it holds now. Errors: of idle_status().
    static Result<ModuleState> of(FdirectModule& module);

    /// Detaches everything and restores the rest.
    [[nodiscard]] ExitCode give_back(FdirectModule& module) const;
};

Result<ModuleState> ModuleState::of(FdirectModule& module) {
    auto status = idle_status(module);
    if (!status) {
        return status.error();
    }
    auto selection = module.selection();
    if (!selection) {
        return selection.error();
    }
    auto method = module.method();
    if (!method) {
        return method.error();
    }
    auto reach = module.reach();
    if (!reach) {
        return reach.error();
    }
    auto ops = module.ops();
    if (!ops) {
        return ops.error();
    }
    return ModuleState{*selection, {*method, *reach}, *ops};
}

ExitCode ModuleState::give_back(FdirectModule& module) const {
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
        if (!selection.empty()) {
            done = module.select(selection);
        }
        for (const Result<>& next : {done, module.set_method(way.method),
                                     module.set_reach(way.reach), module.set_ops(ops)}) {
            if (!next) {
                return next.error();
            }
        }
        return ExitCode::ok;
    });
}

} // namespace

int run_bench(const KernelPaths& paths, const std::function<Result<>(FdirectModule&)>& check,
              const std::function<Result<ExitCode>(FdirectModule&)>& measure) {
    auto module = FdirectModule::open(paths);
    if (!module) {
        return run_command([&]() -> Result<> { return module.error(); });
    }
    Result<> sense = check(*module);
    auto earlier = sense ? ModuleState::of(*module) : sense.error();
    if (!earlier) {
        return run_command([&]() -> Result<> { return earlier.error(); });
    }
    return supervise([&] { return run_work([&] { return measure(*module); }); },
                     [&](const Ending&) { return earlier->give_back(*module); });
}

} // namespace fdirect
