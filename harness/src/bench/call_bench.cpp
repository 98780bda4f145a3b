// SPDX-License-Identifier: GPL-2.0
#include "bench/call_bench.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

#include "bench/module_benchmark.h"

namespace fdirect {
namespace {

/// Numbers of relevant and irrelevant ftrace_ops.
using Counts = std::pair<std::uint32_t, std::uint32_t>;

constexpr std::array<Counts, 13> all_counts = {{{0, 0},
                                                {0, 1},
                                                {0, 2},
                                                {0, 10},
                                                {0, 100},
                                                {1, 0},
                                                {1, 1},
                                                {1, 2},
                                                {1, 10},
                                                {1, 100},
                                                {2, 0},
                                                {10, 0},
                                                {100, 0}}};

/// Enough to see what a flag adds to each of the ways a call can take.
constexpr std::array<Counts, 4> some_counts = {{{1, 0}, {1, 1}, {1, 10}, {10, 0}}};

/// Enough to see what a direct call costs alone, and what others do to it.
constexpr std::array<Counts, 3> direct_counts = {{{0, 0}, {0, 10}, {1, 0}}};

template<std::size_t count>
void add_specs(std::vector<CallSpec>& specs, CallSpec spec,
               const std::array<Counts, count>& counts) {
    for (const auto& [relevant, irrelevant] : counts) {
        spec.relevant = relevant;
        spec.irrelevant = irrelevant;
        specs.push_back(spec);
    }
}

std::vector<CallSpec> ops_specs() {
    CallSpec none;
    CallSpec save_regs;
    save_regs.save_regs = true;
    CallSpec recursion;
    recursion.recursion = true;
    CallSpec rcu;
    rcu.rcu = true;
    CallSpec both = recursion;
    both.rcu = true;
    CallSpec everything = both;
    everything.save_regs = true;
    CallSpec trampoline;
    trampoline.trampoline = true;

    std::vector<CallSpec> specs;
    add_specs(specs, none, all_counts);
    add_specs(specs, save_regs, all_counts);
    for (const CallSpec& assisted : {recursion, rcu, both, everything}) {
        add_specs(specs, assisted, some_counts);
    }
    add_specs(specs, trampoline, all_counts);
    return specs;
}

/// Whether a kernel that lacks `lacking` lacks `spec`, too: it asks for the same and maybe more.
bool lacks(const CallSpec& lacking, const CallSpec& spec) {
    return lacking.kind == spec.kind && (!lacking.save_regs || spec.save_regs) &&
           (!lacking.recursion || spec.recursion) && (!lacking.rcu || spec.rcu) &&
           (!lacking.trampoline || spec.trampoline);
}

Row row_of(const CallSpec& spec) {
    Row row;
    row.key = {{"kind", name_of(spec.kind)},    {"relevant", spec.relevant},
               {"irrelevant", spec.irrelevant}, {"save_regs", spec.save_regs},
               {"recursion", spec.recursion},   {"rcu", spec.rcu},
               {"trampoline", spec.trampoline}, {"step", "call"}};
    // The module makes sure that everything ran as often as it had to, or there are no figures.
    row.verified = true;
    return row;
}

/// All samples stand for so many calls. The module's chunks have fewer where a call takes long,
/// and not the same number in each run.
constexpr std::uint64_t calls_in_sample = 10000;

/// The time of so many calls, from that of a chunk.
std::uint64_t sample_of(std::uint64_t time, std::uint64_t chunk_calls) {
    return (time * calls_in_sample + chunk_calls / 2) / chunk_calls;
}

/// More ftrace_ops than that are many.
constexpr std::uint32_t few_ops = 10;

} // namespace

std::vector<CallSpec> call_specs(CallKind kind) {
    if (kind == CallKind::ops) {
        return ops_specs();
    }
    CallSpec direct{kind};
    if (kind == CallKind::plain) {
        return {direct};
    }
    std::vector<CallSpec> specs;
    add_specs(specs, direct, direct_counts);
    return specs;
}

std::uint32_t CallPlan::runs_of(const CallSpec& spec) const {
    return spec.relevant + spec.irrelevant > few_ops ? 1 : runs;
}

Result<> CallBench::measure(const CallPlan& plan, const CallSpec& spec, Row& row) {
    for (std::uint32_t i = 0; i < plan.warmup + plan.runs_of(spec); i++) {
        auto cost = TRY(module_.measure_call(spec, plan.calls));
        if (i < plan.warmup) {
            continue;
        }
        // The fastest chunk holds the least of what other CPUs and the hypervisor do.
        row.running.add(sample_of(cost.best, cost.chunk_calls));
        row.untraced.add(sample_of(cost.baseline_best, cost.chunk_calls));
    }
    row.measured = calls_in_sample;
    row.details["calls"] = plan.calls;
    return {};
}

Result<std::vector<Row>> CallBench::run(const CallPlan& plan) {
    std::vector<CallSpec> specs;
    bool named = !plan.kinds.empty();
    for (CallKind kind :
         named ? plan.kinds : std::vector<CallKind>(call_kinds.begin(), call_kinds.end())) {
        auto more = call_specs(kind);
        specs.insert(specs.end(), more.begin(), more.end());
    }

    std::vector<Row> rows;
    std::vector<CallSpec> lacking;
    for (const CallSpec& spec : specs) {
        if (std::any_of(lacking.begin(), lacking.end(),
                        [&](const CallSpec& other) { return lacks(other, spec); })) {
            continue;
        }
        progress_.show(describe(spec));
        Row row = row_of(spec);
        Result<> measured = measure(plan, spec, row);
        if (measured) {
            rows.push_back(std::move(row));
            continue;
        }
        if (measured.error().system != EOPNOTSUPP || (named && flags_of(spec).empty())) {
            return measured.error();
        }
        progress_.warn("left out: " + measured.error().message);
        lacking.push_back(spec);
    }
    progress_.clear();
    return rows;
}

namespace {

class CallBenchmark : public ModuleBenchmark {
  public:
    [[nodiscard]] std::string name() const override { return "call"; }
    [[nodiscard]] std::string help() const override {
        return "Measure what a call of a traced function costs, with ftrace_ops and direct calls";
    }

    void add_options(CLI::App& command) override {
        for (CallKind kind : call_kinds) {
            kinds_.emplace(name_of(kind), kind);
        }
        command.add_option("--calls", plan_.calls, "Calls per run")
            ->check(CLI::Range(1, 100000000))
            ->capture_default_str();
        command.add_option("--runs", plan_.runs, "Runs; one with more than 10 ftrace_ops")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        command.add_option("--warmup", plan_.warmup, "Runs before them")
            ->check(CLI::Range(0, 1000))
            ->capture_default_str();
        command
            .add_option("--kinds", plan_.kinds,
                        "ops, plain, direct-near, direct-far, hash-near, hash-far (default: all "
                        "there are)")
            ->delimiter(',')
            ->transform(CLI::CheckedTransformer(kinds_));
    }

  protected:
    Result<> check_plan(FdirectModule& /*module*/, const KernelPaths& /*paths*/) override {
        return {};
    }

    Result<> measure(FdirectModule& module, const KernelPaths& /*paths*/, Record& record) override {
        Progress progress;
        record.rows = TRY(CallBench(module, progress).run(plan_));
        return {};
    }

  private:
    CallPlan plan_;
    std::map<std::string, CallKind> kinds_;
};

} // namespace

/// The entry of the registry.
std::unique_ptr<Benchmark> call_benchmark(); // NOLINT(readability-redundant-declaration)

std::unique_ptr<Benchmark> call_benchmark() {
    return std::make_unique<CallBenchmark>();
}

} // namespace fdirect
