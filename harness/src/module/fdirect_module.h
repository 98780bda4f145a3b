// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/kernel_paths.h"
#include "module/call_cost.h"
#include "module/call_spec.h"
#include "module/hit_counts.h"
#include "module/kprobe_cost.h"
#include "module/method.h"
#include "module/module_files.h"
#include "module/module_status.h"
#include "module/reach.h"
#include "module/step_times.h"
#include "util/result.h"

namespace fdirect {

/// A part of the selection.
struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// The kernel module fdirect. A command that it refuses becomes an Error with the module's own
/// reason in its message, the errno, and a hint.
class FdirectModule {
  public:
    explicit FdirectModule(std::unique_ptr<ModuleFiles> files) : files_(std::move(files)) {}

    /// The module of the running kernel.
    /// Errors: cannot_run when not root, debugfs is not mounted, or the module is not loaded.
    static Result<FdirectModule> open(const KernelPaths& paths);

    /// The methods this kernel has.
    Result<std::vector<Method>> methods();

    /// The method that attach, detach and modify use. Errors of set_method: cannot_run for one this
    /// kernel lacks.
    Result<Method> method();
    Result<> set_method(Method method);

    /// The copy of the stubs that attach and modify use. Errors of set_reach: cannot_run for one
    /// that this architecture or kernel lacks.
    Result<Reach> reach();
    Result<> set_reach(Reach reach);

    /// The shared ftrace_ops that multi and hash use, 0 to 3.
    Result<std::uint64_t> ops();
    Result<> set_ops(std::uint64_t slot);

    /// Replaces the selection by the functions in `text`, one name or address per line.
    Result<> select(std::string_view text);

    /// The selection as text that select() takes; empty where there is none.
    Result<std::string> selection();

    /// Attaches a part of the selection, or all of it, function FIRST + i to stub_of(method, stub,
    /// i). Without `stub`, FIRST is taken.
    Result<> attach(std::optional<Range> range = {}, std::optional<std::uint32_t> stub = {});

    /// Detaches what the current method and ops hold of a part of the selection, or everything of
    /// every method.
    Result<> detach(std::optional<Range> range = {});

    /// Gives attached functions other stubs.
    Result<> modify(Range range, std::uint32_t stub);

    Result<ModuleStatus> status();
    Result<std::vector<HitCount>> hits();
    Result<StepTimes> times();

    /// Sets all counters to 0.
    Result<> reset_hits();

    /// Measures `calls` calls of a traced function; nothing stays attached. Errors: cannot_run with
    /// EOPNOTSUPP for what this architecture or kernel lacks.
    Result<CallCost> measure_call(const CallSpec& spec, std::uint64_t calls);

    /// Measures a kprobe on a function of the selection, which comes and goes.
    Result<KprobeCost> measure_kprobe(std::uint32_t function);

  private:
    Result<> command(std::string_view file, std::string_view text, std::string_view what);
    Error explain(std::string_view what, const Error& refusal);

    std::unique_ptr<ModuleFiles> files_;
};

} // namespace fdirect
