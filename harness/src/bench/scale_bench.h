// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/attach_bench.h"
#include "kernel/function.h"
#include "kernel/memory_use.h"
#include "module/fdirect_module.h"
#include "results/record.h"
#include "util/progress.h"
#include "util/result.h"
#include "verify/verification.h"
#include "verify/workload.h"

namespace fdirect {

/// The plan of a benchmark of scale: each number of functions beside each number of others that
/// are attached already.
struct ScalePlan {
    std::vector<std::uint32_t> sizes = {1, 10, 100, 1000, 10000, 40000};
    std::vector<std::uint32_t> before = {0, 1000, 10000, 40000};
    std::vector<Way> ways;    ///< the first is what memory and kprobes are measured with
    std::uint32_t runs = 5;   ///< that are kept, see runs_of()
    std::uint32_t warmup = 1; ///< runs before them that are not

    /// Runs that are kept with so many functions in all. There are fewer with many functions,
    /// where they take long and each is an average, but at least two unless the plan has less.
    [[nodiscard]] std::uint32_t runs_of(std::uint64_t functions) const;
};

/// Measures how the cost of attaching, changing and detaching depends on the number of functions,
/// and on the number of those that are attached already. Also measures a kprobe beside them, and
/// the memory that attaching takes. Each step is verified with real hits.
class ScaleBench {
  public:
    ScaleBench(FdirectModule& module, Workload& workload, Verifier& verifier, MemoryGauge& gauge,
               Progress& progress)
        : module_(module)
        , workload_(workload)
        , verifier_(verifier)
        , gauge_(gauge)
        , progress_(progress) {}

    /// Runs the plan over the functions of a kernel, and fills in rows and functions of the record.
    /// A warning names each size that does not fit into these functions; it is left out. `each`
    /// is measured with one function only, beside others that have one ftrace_ops: that is what
    /// one more target costs there. Memory is measured first, with the largest number of
    /// functions: what the kernel keeps once it has allocated it would be missing later. Errors:
    /// of AttachBench::run(); usage for a plan that has no way but `each` or in which nothing
    /// fits. Functions may then still be attached.
    Result<Record> run(const ScalePlan& plan, const std::vector<Function>& functions);

    /// Whether a plan can be run with these functions and methods. Errors: as of run().
    static Result<> check(const ScalePlan& plan, std::size_t functions,
                          const std::vector<Method>& methods);

  private:
    /// Functions 0 and on that stay attached for a while, to stubs 0 and on.
    struct Attached {
        Way way;
        std::uint32_t count = 0;
    };

    Result<Row> measure_memory(const ScalePlan& plan, const std::vector<Function>& functions);
    Result<std::vector<Row>> measure_attach(const ScalePlan& plan,
                                            const std::vector<Function>& functions,
                                            std::uint32_t before, std::uint32_t size);
    Result<std::vector<Row>> measure_kprobe(const ScalePlan& plan,
                                            const std::vector<Function>& functions,
                                            std::uint32_t before);
    Result<> select(const std::vector<Function>& functions, std::uint32_t before,
                    std::uint32_t count);
    Result<> attach(const Attached& attached);
    Result<bool> verify(const Attached& attached, const std::string& label);

    FdirectModule& module_;
    Workload& workload_;
    Verifier& verifier_;
    MemoryGauge& gauge_;
    Progress& progress_;
};

} // namespace fdirect
