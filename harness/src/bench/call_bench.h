// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "module/fdirect_module.h"
#include "results/record.h"
#include "util/progress.h"
#include "util/result.h"

namespace fdirect {

/// The plan of a benchmark of calls.
struct CallPlan {
    std::vector<CallKind> kinds;  ///< in the order they are measured; none: all that there are here
    std::uint64_t calls = 100000; ///< per run
    std::uint32_t runs = 3;       ///< of each measurement, see runs_of()
    std::uint32_t warmup = 0;     ///< runs before them that are not kept

    /// Runs with that attached: one with many ftrace_ops, which take long to attach and to detach.
    [[nodiscard]] std::uint32_t runs_of(const CallSpec& spec) const;
};

/// The measurements of a kind. Direct calls are measured alone, beside ftrace_ops of
/// another function, and beside one of the same function.
std::vector<CallSpec> call_specs(CallKind kind);

/// Measures what calls of a traced function cost.
class CallBench {
  public:
    CallBench(FdirectModule& module, Progress& progress) : module_(module), progress_(progress) {}

    /// Measures each of the plan's kinds in turn. A warning names each kind that this
    /// architecture or kernel lacks; it is left out. Errors: cannot_run for a kind that it lacks
    /// altogether and that the plan names; those of the module.
    Result<std::vector<Row>> run(const CallPlan& plan);

  private:
    Result<> measure(const CallPlan& plan, const CallSpec& spec, Row& row);

    FdirectModule& module_;
    Progress& progress_;
};

} // namespace fdirect
