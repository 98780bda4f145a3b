// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpf/attachable.h"
#include "bpf/bpf_callee.h"
#include "bpf/bpf_target.h"
#include "bpf/bpf_tracer.h"
#include "results/record.h"
#include "util/progress.h"
#include "util/result.h"
#include "verify/workload.h"

namespace fdirect {

/// The plan of a benchmark of BPF tracing. A part that is 0 or empty is left
/// out.
struct BpfPlan {
    std::uint32_t loops = 300; ///< attaching and detaching one program
    std::vector<std::uint32_t> sizes = {1, 100, 1000, 5000, 10000, all}; ///< numbers of functions
    std::uint32_t most_programs = 5000; ///< greater sizes are for kinds that take many functions
    std::vector<BpfKind> kinds = {BpfKind::fentry, BpfKind::kprobe_multi, BpfKind::fentry_multi,
                                  BpfKind::fexit_multi}; ///< on those: a program each, or for all
    std::uint32_t calls = 100000;                        ///< of a function, with each kind
    std::uint32_t runs = 5;                              ///< of each size, see runs_of()
    std::uint32_t warmup = 1;                            ///< before them, with few functions
    std::uint32_t settle = 0;                            ///< ms of rest before each step

    /// The size that stands for all functions, up to most_functions.
    static constexpr std::uint32_t all = UINT32_MAX;
    static constexpr std::uint32_t most_functions = 40000;

    /// Runs with so many functions: fewer with many, where each is an average over many.
    [[nodiscard]] std::uint32_t runs_of(std::size_t size) const;
};

/// Measures what loading, attaching, detaching and calling BPF programs costs. All of it is
/// verified with the programs' own counts.
class BpfBench {
  public:
    /// `quiet` is called between attaching and detaching, `traced` to see what a call costs; both
    /// have to be among the targets.
    BpfBench(BpfTracer& tracer, Workload& workload, BpfCallee quiet, BpfCallee traced,
             Progress& progress)
        : tracer_(tracer)
        , workload_(workload)
        , quiet_(std::move(quiet))
        , traced_(std::move(traced))
        , progress_(progress) {}

    /// Runs the plan over the functions of a kernel, and fills in rows, notes and functions of the
    /// record. Functions that the kernel runs while it attaches something are not taken, as far as
    /// that can be told: their programs would run, too, and be measured with it. A function that
    /// the kernel refuses is noted and another one taken for it; a kind that the kernel does not
    /// have is noted and left out. Errors: of check(); failed where the kernel does not do
    /// something. Nothing is left attached, also after an error.
    Result<Record> run(const BpfPlan& plan, std::vector<BpfTarget> targets);

    /// Whether a plan can be run with so many functions. Errors: usage, cannot_run.
    static Result<> check(const BpfPlan& plan, std::size_t targets);

  private:
    struct Attached;

    /// The figures of some functions so far.
    struct Measured {
        BpfKind kind = BpfKind::fentry;
        bool beside = false; ///< another link of the kind has the same functions
        std::size_t programs = 0;
        std::vector<Row> rows; ///< one for each step: load, attach, detach
        bool verified = true;
        std::uint64_t called = 0;    ///< different functions that were called while it was verified
        std::uint64_t meanwhile = 0; ///< hits while attaching and detaching, of all runs together
        std::size_t images = 0;      ///< of the trampolines that are attached
    };

    /// How many functions have something attached beside what others have.
    enum class Expected { all, all_of_others, nothing };

    [[nodiscard]] Result<BpfTarget> target_of(const std::string& function) const;
    Result<> find_lacking();
    Result<> find_refused();
    Result<> find_busy();
    Result<bool> accepts(const BpfTarget& target);
    Result<std::vector<BpfTarget>> choose(std::uint32_t size);
    Result<std::vector<BpfTarget>> choose_all();
    void refuse(const BpfTarget& target, int error);
    Result<Row> measure_loops(const BpfPlan& plan);
    Result<> measure_size(const BpfPlan& plan, BpfKind kind, std::uint32_t size);
    Result<> measure_targets(const BpfPlan& plan, BpfKind kind, bool last,
                             const std::vector<BpfTarget>& targets);
    Result<std::vector<Row>> measure_runs(const BpfPlan& plan, Measured& measured,
                                          const std::vector<BpfTarget>& targets);
    Result<std::vector<Row>> measure_beside(const BpfPlan& plan, BpfKind kind,
                                            const std::vector<BpfTarget>& targets);
    Result<Row> measure_memory(BpfKind kind, const std::vector<BpfTarget>& targets);
    Result<> measure_run(const BpfPlan& plan, const std::vector<BpfTarget>& targets,
                         Measured& measured);
    Result<> attach(BpfKind kind, const std::vector<BpfTarget>& targets, Attached& attached);
    Result<bool> verify(const std::vector<BpfTarget>& targets, Expected expected,
                        std::uint64_t& called);
    Result<> measure_calls(const BpfPlan& plan);
    Result<> measure_call(const BpfPlan& plan, BpfKind kind, BpfCounter counter,
                          const std::vector<BpfTarget>& targets, const Samples& untraced);
    Result<Row> call_row(const BpfPlan& plan, BpfKind kind, BpfCounter counter,
                         const std::vector<BpfTarget>& targets, const Samples& untraced);
    Result<std::vector<BpfTarget>> call_targets(BpfKind kind);
    Result<std::vector<BpfTarget>> modifiable_targets();
    [[nodiscard]] bool lacks(BpfKind kind) const;
    void note_all();
    [[nodiscard]] std::uint64_t all_hits(std::size_t count) const;
    bool warn(const std::string& text);

    BpfTracer& tracer_;
    Workload& workload_;
    BpfCallee quiet_;
    BpfCallee traced_;
    Progress& progress_;
    std::vector<BpfTarget> targets_;
    std::vector<BpfTarget> quiet_targets_; ///< those that do not run while something is attached
    std::unordered_map<std::string, bool> accepted_; ///< those that have been tried
    std::size_t in_use_ = 0;                         ///< functions that others have attached
    std::vector<Refusal> refused_;
    std::vector<BpfKind> unsupported_; ///< kinds that this kernel does not have
    std::size_t busy_ = 0;             ///< functions not taken, since attaching runs them itself
    Record record_;
};

} // namespace fdirect
