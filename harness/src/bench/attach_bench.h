// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/function.h"
#include "module/fdirect_module.h"
#include "module/way.h"
#include "results/record.h"
#include "util/progress.h"
#include "util/result.h"
#include "verify/verification.h"
#include "verify/workload.h"

namespace fdirect {

/// The plan of a benchmark of attaching.
struct AttachPlan {
    std::vector<std::uint32_t> sizes; ///< numbers of functions
    std::vector<Way> ways;            ///< in the order they are measured
    std::uint32_t each_limit = 200;   ///< the most functions that `each` really attaches
    std::uint32_t runs = 3;           ///< that are kept
    std::uint32_t each_runs =
        1;                    ///< kept instead for `each` at its limit, where one run is many calls
    std::uint32_t warmup = 1; ///< runs before them that are not; of `each` with few functions
    std::uint32_t attached_before = 0;   ///< other functions that are attached meanwhile
    std::uint32_t settle = 0;            ///< milliseconds of rest before each step that is measured
    std::optional<Method> before_method; ///< by which they are, instead of the one that is measured
    std::uint32_t first_call = 0;        ///< the known function that is chosen first, from 0
};

/// Measures attaching, changing and detaching, and verifies each step with real hits.
class AttachBench {
  public:
    AttachBench(FdirectModule& module, Workload& workload, Verifier& verifier, Progress& progress)
        : module_(module), workload_(workload), verifier_(verifier), progress_(progress) {}

    /// Runs the plan over the functions of a kernel; a row for each step. Each run attaches all
    /// functions to stubs 0 and on, gives them other stubs, and detaches them. The module's clock
    /// tells how long the kernel took. A plan of `each` for more functions than its limit is
    /// measured once, with as many as the limit, for all sizes. Warm-ups are verified at their
    /// end only. A verification that fails is warned about and noted in its run; the runs go on.
    /// Errors: usage for numbers that make no sense; cannot_run for a method or a reach that this
    /// kernel lacks, or more functions than it has; errors of the module. Functions may then
    /// still be attached.
    Result<std::vector<Row>> run(const AttachPlan& plan, const std::vector<Function>& functions);

    /// Whether a plan can be run with these functions and methods. Errors: as of run().
    static Result<> check(const AttachPlan& plan, std::size_t functions,
                          const std::vector<Method>& methods);

  private:
    struct Setting {
        Way way;
        Way others_way;
        Range others; ///< attached before
        Range measured;
        std::uint32_t settle = 0;
    };

    /// The figures so far.
    struct Measured {
        std::vector<Row> rows; ///< one for each step
        bool verified = true;
        std::uint64_t called = 0; ///< different targets that were called while it was verified

        [[nodiscard]] Row& row(std::string_view step);
    };

    Result<std::vector<Row>> measure(const AttachPlan& plan, const std::vector<Function>& functions,
                                     const Way& way, std::uint32_t count);
    Result<> cycle(const Setting& setting, const std::string& label, bool keep, Measured& measured);
    static bool is_of(const Setting& setting, const std::optional<StepTime>& time);
    static Result<> take_time(const Setting& setting, std::string_view step,
                              const std::optional<StepTime>& time, Measured* measured);
    Result<> verify(const std::vector<AttachedPart>& parts, bool prove, const std::string& label,
                    Measured& measured);
    void doubt(const std::vector<Row>& rows, std::string_view method);

    FdirectModule& module_;
    Workload& workload_;
    Verifier& verifier_;
    Progress& progress_;
};

} // namespace fdirect
