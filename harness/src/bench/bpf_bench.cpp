// SPDX-License-Identifier: GPL-2.0
#include "bench/bpf_bench.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "kernel/function_choice.h"
#include "util/stopwatch.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// Functions that are attached in all runs of a size together, if there is more than one.
constexpr std::uint32_t enough_functions = 300;
/// From so many on the first run is like the others.
constexpr std::uint32_t warm_size = 1000;
constexpr int profiled_loops = 3;
constexpr std::uint32_t calls_in_chunk = 1000;
/// Others call the traced function, too, but seldom.
constexpr int tries = 3;
/// More functions that are refused only when they are attached, or more attempts to attach only
/// such that are not, and something is wrong.
constexpr int most_refused = 50;

/// Whether an errno tells of the function rather than of the system or the user.
bool is_refusal(int error) {
    return error != 0 && error != EPERM && error != EACCES && error != ENOMEM && error != EMFILE &&
           error != ENFILE && error != EAGAIN && error != EINTR && error != EOPNOTSUPP;
}

void rest(std::uint32_t milliseconds) {
    if (milliseconds != 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
}

void add(CallSamples& samples, const WorkTime& time) {
    samples.running.add(time.running);
    samples.elapsed.add(time.elapsed);
}

std::vector<Function> as_functions(const std::vector<BpfTarget>& targets) {
    std::vector<Function> functions;
    functions.reserve(targets.size());
    for (const BpfTarget& target : targets) {
        functions.push_back({target.address, target.name, ""});
    }
    return functions;
}

/// What many calls took, in ns.
struct CallTotals {
    std::uint64_t total = 0;
    double best = 0; ///< of one call, in the fastest chunk
};

CallTotals time_calls(const std::function<void()>& call, std::uint32_t calls) {
    using Clock = std::chrono::steady_clock;
    CallTotals totals;
    totals.best = std::numeric_limits<double>::max();
    for (std::uint32_t done = 0; done < calls;) {
        std::uint32_t chunk = std::min(calls_in_chunk, calls - done);
        auto start = Clock::now();
        for (std::uint32_t i = 0; i < chunk; i++) {
            call();
        }
        auto took = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
        totals.total += took;
        totals.best = std::min(totals.best, static_cast<double>(took) / chunk);
        done += chunk;
    }
    return totals;
}

} // namespace

/// Programs and their links; what is destroyed is detached, and then unloaded.
struct BpfBench::Attached {
    std::vector<FileDescriptor> programs;
    std::vector<FileDescriptor> links;
};

std::uint32_t BpfPlan::runs_of(std::uint32_t size) const {
    return std::min(runs, std::max(1U, enough_functions / std::max(1U, size)));
}

Result<> BpfBench::check(const BpfPlan& plan, std::size_t targets) {
    bool sizes = !plan.sizes.empty() && !plan.kinds.empty();
    if ((!sizes && plan.loops == 0 && plan.calls == 0) || plan.runs == 0) {
        return misuse("there is nothing to measure",
                      "give at least one of --functions, --loops and --calls, and one run");
    }
    for (std::uint32_t size : plan.sizes) {
        if (size == 0) {
            return misuse("0 functions cannot be measured");
        }
        if (size > targets || size > BpfTracer::slots) {
            return cannot_run(fmt::format("this kernel has only {} that BPF programs can be "
                                          "attached to",
                                          counted(std::min(targets, BpfTracer::slots), "function")),
                              "ask for fewer with --functions");
        }
    }
    return {};
}

Result<BpfResult> BpfBench::run(const BpfPlan& plan, std::vector<BpfTarget> targets) {
    if (Result<> sense = check(plan, targets.size()); !sense) {
        return sense.error();
    }
    result_ = {};
    targets_ = std::move(targets);
    result_.functions_available = targets_.size();
    auto in_use = tracer_.functions_in_use();
    if (!in_use) {
        return in_use.error();
    }
    in_use_ = *in_use;

    if (plan.loops != 0) {
        auto loops = measure_loops(plan);
        if (!loops) {
            return loops.error();
        }
        result_.loops.push_back(std::move(*loops));
    }
    if (!plan.kinds.empty() && !plan.sizes.empty()) {
        if (Result<> done = find_busy(); !done) {
            return done.error();
        }
    }
    for (BpfKind kind : plan.kinds) {
        for (std::uint32_t size : plan.sizes) {
            if (Result<> done = measure_size(plan, kind, size); !done) {
                return done.error();
            }
        }
    }
    if (plan.calls != 0) {
        if (Result<> done = measure_calls(plan); !done) {
            return done.error();
        }
    }
    progress_.clear();
    return result_;
}

Result<BpfTarget> BpfBench::target_of(const BpfCallee& callee) const {
    auto found = std::find_if(targets_.begin(), targets_.end(), [&](const BpfTarget& target) {
        return target.name == callee.function;
    });
    if (found == targets_.end()) {
        return cannot_run(
            fmt::format("BPF programs cannot be attached to {} in this kernel", callee.function),
            "the benchmark calls that function");
    }
    return *found;
}

/// Sorts out the functions that run while a program is loaded, attached and detached.
Result<> BpfBench::find_busy() {
    progress_.show("looking for functions that attaching runs itself");
    quiet_targets_ = targets_;
    auto target = target_of(quiet_);
    if (!target) {
        return target.error();
    }
    auto busy = tracer_.functions_run_by([&]() -> Result<> {
        for (int i = 0; i < profiled_loops; i++) {
            auto program = tracer_.load(BpfKind::fentry, BpfCounter::slot, *target);
            if (!program) {
                return program.error();
            }
            auto link = tracer_.attach(BpfKind::fentry, *program, {*target}, 0);
            if (!link) {
                return link.error();
            }
            workload_.settle();
        }
        return {};
    });
    if (!busy && busy.error().code == ExitCode::cannot_run) {
        progress_.warn(busy.error().message + ", so functions that attaching runs itself may be "
                                              "among those that are attached");
        return {};
    }
    if (!busy) {
        return busy.error();
    }
    auto known = functions_of(workload_);
    std::erase_if(quiet_targets_, [&](const BpfTarget& function) {
        return busy->contains(function.name) &&
               std::find(known.begin(), known.end(), function.name) == known.end();
    });
    result_.functions_busy = targets_.size() - quiet_targets_.size();
    return {};
}

/// Whether the kernel loads a program for this function. It is asked once only.
Result<bool> BpfBench::accepts(const BpfTarget& target) {
    auto known = accepted_.find(target.name);
    if (known != accepted_.end()) {
        return known->second;
    }
    auto program = tracer_.load(BpfKind::fentry, BpfCounter::slot, target);
    if (!program && !is_refusal(program.error().system)) {
        return program.error();
    }
    if (!program) {
        refuse(target, program.error().system);
        return false;
    }
    accepted_[target.name] = true;
    return true;
}

void BpfBench::refuse(const BpfTarget& target, int error) {
    accepted_[target.name] = false;
    result_.refused.push_back({target.name, error});
}

/// Functions spread over the kernel with the known ones among them; in the place of one that is
/// refused stands the next one that is not.
Result<std::vector<BpfTarget>> BpfBench::choose(std::size_t size) {
    if (size > quiet_targets_.size()) {
        return cannot_run(fmt::format("only {} do not run while something is attached",
                                      counted(quiet_targets_.size(), "function")),
                          "ask for fewer with --functions");
    }
    std::unordered_map<std::uint64_t, std::size_t> places;
    for (std::size_t i = 0; i < quiet_targets_.size(); i++) {
        places[quiet_targets_[i].address] = i;
    }
    std::vector<bool> taken(quiet_targets_.size(), false);
    std::vector<std::size_t> chosen;
    for (const Function& function :
         choose_functions(as_functions(quiet_targets_), size, functions_of(workload_))) {
        chosen.push_back(places[function.address]);
        taken[chosen.back()] = true;
    }
    std::vector<BpfTarget> functions;
    for (std::size_t place : chosen) {
        for (std::size_t step = 0;; step++) {
            std::size_t next = (place + step) % quiet_targets_.size();
            if (step == quiet_targets_.size()) {
                return cannot_run(fmt::format("the kernel refuses too many functions: {} are left",
                                              functions.size()),
                                  "ask for fewer with --functions");
            }
            if (step != 0 && taken[next]) {
                continue;
            }
            auto accepted = accepts(quiet_targets_[next]);
            if (!accepted) {
                return accepted.error();
            }
            if (*accepted) {
                taken[next] = true;
                functions.push_back(quiet_targets_[next]);
                break;
            }
        }
    }
    return functions;
}

Result<BpfLoops> BpfBench::measure_loops(const BpfPlan& plan) {
    progress_.show(fmt::format("attaching and detaching {} times", with_thousands(plan.loops)));
    auto target = target_of(quiet_);
    if (!target) {
        return target.error();
    }
    BpfLoops loops{BpfKind::fentry, target->name, 0, false, {}};
    auto program = tracer_.load(loops.kind, BpfCounter::slot, *target);
    if (!program) {
        return program.error();
    }
    tracer_.clear_hits();
    rest(plan.settle);
    bool exact = true;
    for (std::uint32_t i = 1; i <= plan.loops && exact; i++) {
        Stopwatch watch;
        auto link = tracer_.attach(loops.kind, *program, {*target}, 0);
        if (!link) {
            return link.error();
        }
        quiet_.call();
        link->reset();
        add(loops.loop, watch.time());
        quiet_.call();
        // The one while it was attached, and not the one after that
        exact = tracer_.hits(1)[0] == i || warn("loops: a call was not counted once");
    }
    auto in_use = tracer_.functions_in_use();
    if (!in_use) {
        return in_use.error();
    }
    loops.loops = loops.loop.running.values().size();
    loops.verified = exact && (*in_use == in_use_ || warn("loops: something is still attached"));
    return loops;
}

Result<> BpfBench::measure_size(const BpfPlan& plan, BpfKind kind, std::uint32_t size) {
    const auto& lacking = result_.unsupported;
    for (int i = 0; i < most_refused; i++) {
        if (std::find(lacking.begin(), lacking.end(), kind) != lacking.end()) {
            return {};
        }
        progress_.show(fmt::format("{}: {}, choosing", name_of(kind), counted(size, "function")));
        auto targets = choose(size);
        if (!targets) {
            return targets.error();
        }
        std::size_t refused = result_.refused.size();
        auto run = measure_runs(plan, kind, *targets);
        if (run) {
            result_.runs.push_back(std::move(*run));
            return {};
        }
        if (run.error().system == EOPNOTSUPP) {
            progress_.warn("left out: " + run.error().message);
            result_.unsupported.push_back(kind);
        } else if (result_.refused.size() == refused) {
            return run.error();
        }
    }
    return failure(fmt::format("the kernel refuses to attach too many functions, such as {}",
                               result_.refused.back().function));
}

Result<BpfRun> BpfBench::measure_runs(const BpfPlan& plan, BpfKind kind,
                                      const std::vector<BpfTarget>& targets) {
    BpfRun run;
    run.kind = kind;
    run.functions = targets.size();
    run.programs = kind == BpfKind::kprobe_multi ? 1 : targets.size();
    auto size = static_cast<std::uint32_t>(targets.size());
    run.verified = true;
    if (size < warm_size) {
        BpfRun warmup = run;
        if (Result<> done = measure_run(plan, targets, warmup); !done) {
            return done.error();
        }
        run.verified = warmup.verified;
    }
    for (std::uint32_t i = 0; i < plan.runs_of(size); i++) {
        if (Result<> done = measure_run(plan, targets, run); !done) {
            return done.error();
        }
    }
    return run;
}

Result<> BpfBench::measure_run(const BpfPlan& plan, const std::vector<BpfTarget>& targets,
                               BpfRun& run) {
    const std::string label =
        fmt::format("{}: {}", name_of(run.kind), counted(targets.size(), "function"));
    Attached attached;
    progress_.show(label + ", loading");
    rest(plan.settle);
    Stopwatch load;
    for (std::size_t i = 0; i < run.programs; i++) {
        auto program = tracer_.load(run.kind, BpfCounter::slot, targets[i]);
        if (!program) {
            return program.error();
        }
        attached.programs.push_back(std::move(*program));
    }
    WorkTime loaded = load.time();

    progress_.show(label + ", attaching");
    tracer_.clear_hits();
    rest(plan.settle);
    Stopwatch attaching;
    if (Result<> done = attach(run.kind, targets, attached); !done) {
        return done;
    }
    WorkTime attach_time = attaching.time();
    run.meanwhile += all_hits(targets.size());
    auto right = verify(targets, true, run.called);
    if (!right) {
        return right.error();
    }

    progress_.show(label + ", detaching");
    tracer_.clear_hits();
    rest(plan.settle);
    Stopwatch detaching;
    for (FileDescriptor& link : attached.links) {
        link.reset();
    }
    WorkTime detach_time = detaching.time();
    run.meanwhile += all_hits(targets.size());
    std::uint64_t nobody = 0;
    auto left = verify(targets, false, nobody);
    if (!left) {
        return left.error();
    }
    run.verified = run.verified && *right && *left;
    add(run.load, loaded);
    add(run.attach, attach_time);
    add(run.detach, detach_time);
    return {};
}

Result<> BpfBench::attach(BpfKind kind, const std::vector<BpfTarget>& targets, Attached& attached) {
    if (kind == BpfKind::kprobe_multi) {
        auto link = tracer_.attach(kind, attached.programs[0], targets, 0);
        if (!link) {
            return link.error();
        }
        attached.links.push_back(std::move(*link));
        return {};
    }
    // Where attaching takes long, starting over for each function that is refused would take
    // hours: all of them are found before that.
    Result<> done;
    int refused = 0;
    for (std::size_t i = 0; i < targets.size() && refused < most_refused; i++) {
        auto link = tracer_.attach(kind, attached.programs[i], {targets[i]}, i);
        if (link) {
            attached.links.push_back(std::move(*link));
            continue;
        }
        if (!is_refusal(link.error().system)) {
            return link.error();
        }
        refuse(targets[i], link.error().system);
        refused++;
        done = link.error();
    }
    return done;
}

/// Whether known calls were counted by the programs of their functions exactly, and all functions
/// have theirs; or, with nothing attached, whether nothing is counted and nothing left.
Result<bool> BpfBench::verify(const std::vector<BpfTarget>& targets, bool attached,
                              std::uint64_t& called) {
    tracer_.clear_hits();
    workload_.run_known_calls();
    workload_.exercise();
    workload_.settle();
    auto hits = tracer_.hits(targets.size());
    called = targets.size() - static_cast<std::size_t>(std::count(hits.begin(), hits.end(), 0U));
    auto in_use = tracer_.functions_in_use();
    if (!in_use) {
        return in_use.error();
    }
    if (!attached) {
        return (called == 0 || warn("calls are still counted after detaching")) &&
               (*in_use == in_use_ || warn("functions are still attached after detaching"));
    }
    std::size_t known = 0;
    for (const KnownCall& call : workload_.known_calls()) {
        for (std::size_t i = 0; i < targets.size(); i++) {
            if (targets[i].name != call.function) {
                continue;
            }
            known++;
            if (hits[i] != call.count) {
                return warn(fmt::format("{} was called {} and counted {} times", call.function,
                                        call.count, hits[i]));
            }
        }
    }
    // Where others have attached something, it may be to the same functions.
    bool all = *in_use >= std::max(in_use_, targets.size()) && *in_use <= in_use_ + targets.size();
    return (known != 0 || warn("no known call is among the functions")) &&
           (all || warn(fmt::format("{} {} attached, not {} beside {} of others",
                                    counted(*in_use, "function"), *in_use == 1 ? "is" : "are",
                                    with_thousands(targets.size()), with_thousands(in_use_))));
}

Result<> BpfBench::measure_calls(const BpfPlan& plan) {
    auto target = target_of(traced_);
    if (!target) {
        return target.error();
    }
    rest(plan.settle);
    double untraced = time_calls(traced_.call, plan.calls).best;
    for (BpfKind kind : bpf_kinds) {
        progress_.show(fmt::format("calls: {}", name_of(kind)));
        auto call = measure_kind(plan, kind, *target, untraced);
        if (call) {
            result_.calls.push_back(*call);
            continue;
        }
        int error = call.error().system;
        if (error != EOPNOTSUPP && error != kernel_enotsupp) {
            return call.error();
        }
        progress_.warn("left out: " + call.error().message);
        if (std::find(result_.unsupported.begin(), result_.unsupported.end(), kind) ==
            result_.unsupported.end()) {
            result_.unsupported.push_back(kind);
        }
    }
    return {};
}

Result<BpfCall> BpfBench::measure_kind(const BpfPlan& plan, BpfKind kind, const BpfTarget& target,
                                       double untraced) {
    BpfTarget place = target;
    if (kind == BpfKind::raw_tracepoint) {
        place.name = traced_.tracepoint;
    }
    BpfCall result{kind, plan.calls, 0, 0, 0, false};
    for (int i = 0; i < tries && !result.verified; i++) {
        auto program = tracer_.load(kind, BpfCounter::first, place);
        if (!program) {
            return program.error();
        }
        auto link = tracer_.attach(kind, *program, {place}, 0);
        if (!link) {
            return link.error();
        }
        rest(plan.settle);
        tracer_.clear_hits();
        CallTotals totals = time_calls(traced_.call, plan.calls);
        std::uint64_t hits = tracer_.hits(1)[0];
        link->reset();
        tracer_.clear_hits();
        traced_.call();
        result.total = totals.total;
        result.per_call = rounded(totals.best);
        result.overhead = rounded(totals.best - untraced);
        result.verified =
            (hits == plan.calls || warn(fmt::format("{}: {} calls were counted as {}",
                                                    name_of(kind), plan.calls, hits))) &&
            (tracer_.hits(1)[0] == 0 || warn("a call was counted after detaching"));
    }
    return result;
}

std::uint64_t BpfBench::all_hits(std::size_t count) const {
    auto hits = tracer_.hits(count);
    return std::accumulate(hits.begin(), hits.end(), std::uint64_t{0});
}

/// Says what is wrong, and is false.
bool BpfBench::warn(const std::string& text) {
    progress_.warn(text);
    return false;
}

} // namespace fdirect
