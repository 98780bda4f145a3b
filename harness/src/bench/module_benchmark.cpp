// SPDX-License-Identifier: GPL-2.0
#include "bench/module_benchmark.h"

#include <fmt/format.h>

#include "util/text.h"

namespace fdirect {

Result<> ModuleBenchmark::check(const KernelPaths& paths) {
    auto module = FdirectModule::open(paths);
    if (!module) {
        return module.error();
    }
    if (Result<> sense = check_plan(*module, paths); !sense) {
        return sense;
    }
    auto status = idle_status(*module);
    if (!status) {
        return status.error();
    }
    auto selection = module->selection();
    if (!selection) {
        return selection.error();
    }
    auto method = module->method();
    if (!method) {
        return method.error();
    }
    auto reach = module->reach();
    if (!reach) {
        return reach.error();
    }
    auto ops = module->ops();
    if (!ops) {
        return ops.error();
    }
    selection_ = *selection;
    way_ = {*method, *reach};
    ops_ = *ops;
    return {};
}

Result<> ModuleBenchmark::run(const KernelPaths& paths, Record& record) {
    auto module = FdirectModule::open(paths);
    if (!module) {
        return module.error();
    }
    return measure(*module, paths, record);
}

Result<> ModuleBenchmark::restore(const KernelPaths& paths, const Ending& /*ending*/) {
    auto module = FdirectModule::open(paths);
    if (!module) {
        return module.error();
    }
    auto status = module->status();
    if (!status) {
        return status.error();
    }
    if (status->attached != 0) {
        fmt::print(stderr, "detaching {}\n", counted(status->attached, "function"));
        if (Result<> done = module->detach(); !done) {
            return done;
        }
    }
    Result<> done;
    if (!selection_.empty()) {
        done = module->select(selection_);
    }
    for (const Result<>& next : {done, module->set_method(way_.method),
                                 module->set_reach(way_.reach), module->set_ops(ops_)}) {
        if (!next) {
            return next;
        }
    }
    return {};
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
