// SPDX-License-Identifier: GPL-2.0
#include "bench/call_bench.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "results/samples.h"

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

CallRow row_of(const CallCost& cost) {
    return {cost.spec, cost.calls, cost.total, rounded(cost.per_call()), rounded(cost.overhead())};
}

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

Result<std::vector<CallRow>> CallBench::run(const CallPlan& plan) {
    std::vector<CallSpec> specs;
    bool named = !plan.kinds.empty();
    for (CallKind kind :
         named ? plan.kinds : std::vector<CallKind>(call_kinds.begin(), call_kinds.end())) {
        auto more = call_specs(kind);
        specs.insert(specs.end(), more.begin(), more.end());
    }

    std::vector<CallRow> rows;
    std::vector<CallSpec> lacking;
    for (const CallSpec& spec : specs) {
        if (std::any_of(lacking.begin(), lacking.end(),
                        [&](const CallSpec& other) { return lacks(other, spec); })) {
            continue;
        }
        progress_.show(describe(spec));
        auto cost = module_.measure_call(spec, plan.calls);
        if (cost) {
            rows.push_back(row_of(*cost));
            continue;
        }
        if (cost.error().system != EOPNOTSUPP || (named && flags_of(spec).empty())) {
            return cost.error();
        }
        progress_.warn("left out: " + cost.error().message);
        lacking.push_back(spec);
    }
    progress_.clear();
    return rows;
}

} // namespace fdirect
