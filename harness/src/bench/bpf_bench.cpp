// SPDX-License-Identifier: GPL-2.0
#include "bench/bpf_bench.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "bench/benchmark.h"
#include "bpf/kernel_bpf_tracer.h"
#include "kernel/busy_functions.h"
#include "kernel/enabled_functions.h"
#include "kernel/environment.h"
#include "kernel/function_choice.h"
#include "kernel/function_list.h"
#include "util/stopwatch.h"
#include "util/text.h"
#include "verify/system_calls.h"

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
/// So many functions are enough to tell what one takes.
constexpr std::uint32_t least_for_memory = 1000;

void rest(std::uint32_t milliseconds) {
    if (milliseconds != 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
}

void add(Row& row, const WorkTime& time) {
    row.running.add(time.running);
    row.elapsed.add(time.elapsed);
}

Row row_of(std::string_view kind, std::size_t functions, std::size_t beside, const char* step) {
    Row row;
    row.key = {{"kind", kind}, {"functions", functions}, {"beside", beside}, {"step", step}};
    return row;
}

std::vector<Function> as_functions(const std::vector<BpfTarget>& targets) {
    std::vector<Function> functions;
    functions.reserve(targets.size());
    for (const BpfTarget& target : targets) {
        functions.push_back({target.address, target.name, ""});
    }
    return functions;
}

/// The time of `calls` calls, in ns: a sample for each chunk of them.
Samples time_calls(const std::function<void()>& call, std::uint32_t calls) {
    using Clock = std::chrono::steady_clock;
    Samples chunks;
    for (std::uint32_t done = 0; done < calls; done += calls_in_chunk) {
        auto start = Clock::now();
        for (std::uint32_t i = 0; i < calls_in_chunk; i++) {
            call();
        }
        chunks.add(static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count()));
    }
    return chunks;
}

} // namespace

/// Programs and their links; what is destroyed is detached, and then unloaded.
struct BpfBench::Attached {
    std::vector<FileDescriptor> programs;
    std::vector<FileDescriptor> links;
};

std::uint32_t BpfPlan::runs_of(std::size_t size) const {
    return std::min(runs, std::max(1U, enough_functions / static_cast<std::uint32_t>(
                                                              std::max<std::size_t>(1, size))));
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
        if (size == BpfPlan::all && targets != 0) {
            continue;
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

Result<Record> BpfBench::run(const BpfPlan& plan, std::vector<BpfTarget> targets) {
    TRY(check(plan, targets.size()));
    record_ = {};
    targets_ = std::move(targets);
    record_.env.functions_available = targets_.size();
    in_use_ = TRY(tracer_.functions_in_use());

    if (plan.loops != 0) {
        record_.rows.push_back(TRY(measure_loops(plan)));
    }
    bool many = std::any_of(plan.kinds.begin(), plan.kinds.end(), takes_many);
    if (many || plan.calls != 0) {
        TRY(find_lacking());
    }
    if (!plan.kinds.empty() && !plan.sizes.empty()) {
        TRY(many ? find_refused() : Result<>());
        TRY(find_busy());
    }
    for (BpfKind kind : plan.kinds) {
        for (std::uint32_t size : plan.sizes) {
            if (!takes_many(kind) && size > plan.most_programs) {
                continue;
            }
            TRY(measure_size(plan, kind, size));
        }
    }
    if (plan.calls != 0) {
        TRY(measure_calls(plan));
    }
    progress_.clear();
    note_all();
    if (record_.rows.empty()) {
        return cannot_run("this kernel has nothing of what was to be measured",
                          "--parts and --functions choose something else", EOPNOTSUPP);
    }
    return record_;
}

Result<BpfTarget> BpfBench::target_of(const std::string& function) const {
    auto found = std::find_if(targets_.begin(), targets_.end(),
                              [&](const BpfTarget& target) { return target.name == function; });
    if (found == targets_.end()) {
        return cannot_run(
            fmt::format("BPF programs cannot be attached to {} in this kernel", function),
            "the benchmark calls that function");
    }
    return *found;
}

/// Notes the kinds of links for many functions that this kernel does not have, before functions
/// are chosen for them. Linux 7.3 loads the programs on every architecture, and refuses all links
/// on some.
Result<> BpfBench::find_lacking() {
    auto target = TRY(target_of(quiet_.function));
    for (BpfKind kind : {BpfKind::fentry_multi, BpfKind::fexit_multi, BpfKind::fmod_ret_multi}) {
        auto link = tracer_.load(kind, BpfCounter::first, target);
        // Not every function takes programs that change its result.
        if (link && kind != BpfKind::fmod_ret_multi) {
            link = tracer_.attach(kind, *link, {target}, BpfTracer::slots);
        }
        if (link) {
            continue;
        }
        if (link.error().system != EOPNOTSUPP) {
            return link.error();
        }
        progress_.warn(fmt::format("{} left out: {}", name_of(kind), link.error().message));
        unsupported_.push_back(kind);
    }
    return {};
}

/// Finds the functions that one link does not take, where there are such links: otherwise each
/// function that is to be chosen is tried by itself.
Result<> BpfBench::find_refused() {
    // It takes fewer functions than fentry.multi.
    BpfKind kind = BpfKind::fexit_multi;
    if (lacks(kind)) {
        return {};
    }
    progress_.show("looking for functions that a link does not take");
    auto program = TRY(tracer_.load(kind, BpfCounter::slot, targets_.front()));
    auto found = TRY(find_attachable(
        targets_,
        [&](const std::vector<BpfTarget>& functions) {
            return tracer_.attach(kind, program, functions, BpfTracer::slots);
        },
        most_attach_tries));
    for (const BpfTarget& target : found.targets) {
        accepted_[target.name] = true;
    }
    for (const Refusal& refusal : found.refused) {
        refuse(refusal.target, refusal.error);
    }
    for (const BpfTarget& target : found.undecided) {
        refuse(target, EAGAIN);
    }
    return {};
}

/// Sorts out the functions that run while programs are loaded, attached and detached.
Result<> BpfBench::find_busy() {
    progress_.show("looking for functions that attaching runs itself");
    quiet_targets_ = targets_;
    auto target = TRY(target_of(quiet_.function));
    std::vector<BpfTarget> accepted;
    std::copy_if(targets_.begin(), targets_.end(), std::back_inserter(accepted),
                 [&](const BpfTarget& function) {
                     auto known = accepted_.find(function.name);
                     return known != accepted_.end() && known->second;
                 });
    auto attach_once = [&](BpfKind kind, const std::vector<BpfTarget>& functions) -> Result<> {
        auto program = TRY(tracer_.load(kind, BpfCounter::slot, functions.front()));
        auto link = TRY(tracer_.attach(kind, program, functions, 0));
        workload_.settle();
        return {};
    };
    auto busy = tracer_.functions_run_by([&]() -> Result<> {
        for (int i = 0; i < profiled_loops; i++) {
            TRY(attach_once(BpfKind::fentry, {target}));
        }
        return accepted.empty() ? Result<>() : attach_once(BpfKind::fexit_multi, accepted);
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
    busy_ = targets_.size() - quiet_targets_.size();
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
    refused_.push_back({target, error});
}

/// Functions spread over the kernel with the known ones among them; in the place of one that is
/// refused stands the next one that is not.
Result<std::vector<BpfTarget>> BpfBench::choose(std::uint32_t size) {
    if (size == BpfPlan::all) {
        return choose_all();
    }
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
            if (TRY(accepts(quiet_targets_[next]))) {
                taken[next] = true;
                functions.push_back(quiet_targets_[next]);
                break;
            }
        }
    }
    return functions;
}

/// All functions that are not refused, up to the greatest number.
Result<std::vector<BpfTarget>> BpfBench::choose_all() {
    std::vector<BpfTarget> functions;
    for (const BpfTarget& target : quiet_targets_) {
        if (TRY(accepts(target))) {
            functions.push_back(target);
        }
    }
    quiet_targets_ = std::move(functions);
    auto size = std::min<std::size_t>(BpfPlan::most_functions, quiet_targets_.size());
    return choose(static_cast<std::uint32_t>(size));
}

Result<Row> BpfBench::measure_loops(const BpfPlan& plan) {
    progress_.show(fmt::format("attaching and detaching {} times", with_thousands(plan.loops)));
    auto target = TRY(target_of(quiet_.function));
    Row row = row_of(name_of(BpfKind::fentry), 1, 0, "loop");
    row.details["function"] = target.name;
    auto program = TRY(tracer_.load(BpfKind::fentry, BpfCounter::slot, target));
    tracer_.clear_hits();
    rest(plan.settle);
    bool exact = true;
    for (std::uint32_t i = 1; i <= plan.loops && exact; i++) {
        Stopwatch watch;
        auto link = TRY(tracer_.attach(BpfKind::fentry, program, {target}, 0));
        quiet_.call();
        link.reset();
        add(row, watch.time());
        quiet_.call();
        // The one while it was attached, and not the one after that
        exact = tracer_.hits(1)[0] == i || warn("loops: a call was not counted once");
    }
    std::size_t in_use = TRY(tracer_.functions_in_use());
    row.verified = exact && (in_use == in_use_ || warn("loops: something is still attached"));
    return row;
}

Result<> BpfBench::measure_size(const BpfPlan& plan, BpfKind kind, std::uint32_t size) {
    for (int i = 0; i < most_refused; i++) {
        if (lacks(kind)) {
            return {};
        }
        progress_.show(fmt::format("{}: choosing functions", name_of(kind)));
        auto targets = TRY(choose(size));
        std::size_t refused = refused_.size();
        bool last = size == *std::max_element(plan.sizes.begin(), plan.sizes.end());
        Result<> done = measure_targets(plan, kind, last, targets);
        if (done) {
            return {};
        }
        if (done.error().system == EOPNOTSUPP) {
            progress_.warn("left out: " + done.error().message);
            unsupported_.push_back(kind);
        } else if (refused_.size() == refused) {
            return done.error();
        }
    }
    return failure(fmt::format("the kernel refuses to attach too many functions, such as {}",
                               refused_.back().target.name));
}

/// All that is measured of a kind on these functions; `last` is the greatest number of them.
Result<> BpfBench::measure_targets(const BpfPlan& plan, BpfKind kind, bool last,
                                   const std::vector<BpfTarget>& targets) {
    Measured measured;
    measured.kind = kind;
    auto rows = measure_runs(plan, measured, targets);
    if (rows && is_tracing_multi(kind)) {
        auto beside = TRY(measure_beside(plan, kind, targets));
        std::move(beside.begin(), beside.end(), std::back_inserter(*rows));
    }
    if (rows && last && takes_many(kind) && targets.size() >= least_for_memory) {
        auto memory = measure_memory(kind, targets);
        if (memory) {
            rows->push_back(std::move(*memory));
        } else {
            progress_.warn(
                fmt::format("memory of {} left out: {}", name_of(kind), memory.error().message));
        }
    }
    if (!rows) {
        return rows.error();
    }
    if (last && is_tracing_multi(kind)) {
        record_.notes.push_back(fmt::format("{}: {} by {}", name_of(kind),
                                            counted(targets.size(), "function"),
                                            counted(measured.images, "image")));
    }
    std::move(rows->begin(), rows->end(), std::back_inserter(record_.rows));
    return {};
}

Result<std::vector<Row>> BpfBench::measure_runs(const BpfPlan& plan, Measured& measured,
                                                const std::vector<BpfTarget>& targets) {
    BpfKind kind = measured.kind;
    measured.programs = takes_many(kind) ? 1 : targets.size();
    for (const char* step : {"load", "attach", "detach"}) {
        measured.rows.push_back(
            row_of(name_of(kind), targets.size(), measured.beside ? targets.size() : 0, step));
        measured.rows.back().measured = targets.size();
        measured.rows.back().details["programs"] = measured.programs;
    }
    for (std::uint32_t i = 0; i < plan.warmup && targets.size() < warm_size; i++) {
        Measured warmup = measured;
        TRY(measure_run(plan, targets, warmup));
        measured.verified = warmup.verified;
    }
    for (std::uint32_t i = 0; i < plan.runs_of(targets.size()); i++) {
        TRY(measure_run(plan, targets, measured));
    }
    for (Row& row : measured.rows) {
        row.verified = measured.verified;
        row.details["called"] = measured.called;
        row.details["hits_meanwhile"] = measured.meanwhile;
    }
    // Others may have the name of one that is not freed yet.
    if (is_tracing_multi(kind)) {
        measured.rows[1].details["images"] = measured.images;
    }
    return measured.rows;
}

/// The same while another link has the same functions. Its program counts nothing.
Result<std::vector<Row>> BpfBench::measure_beside(const BpfPlan& plan, BpfKind kind,
                                                  const std::vector<BpfTarget>& targets) {
    auto program = TRY(tracer_.load(kind, BpfCounter::slot, targets.front()));
    auto link = TRY(tracer_.attach(kind, program, targets, BpfTracer::slots));
    Measured measured;
    measured.kind = kind;
    measured.beside = true;
    auto rows = TRY(measure_runs(plan, measured, targets));
    // Loading does not depend on it.
    rows.erase(rows.begin());
    return rows;
}

/// The memory that a link needs for a function, its program among it.
Result<Row> BpfBench::measure_memory(BpfKind kind, const std::vector<BpfTarget>& targets) {
    progress_.show(
        fmt::format("{}: memory of {}", name_of(kind), counted(targets.size(), "function")));
    auto before = TRY(tracer_.memory());
    Attached attached;
    attached.programs.push_back(TRY(tracer_.load(kind, BpfCounter::slot, targets.front())));
    tracer_.clear_hits();
    TRY(attach(kind, targets, attached));
    auto after = TRY(tracer_.memory());
    Row row = row_of(name_of(kind), targets.size(), 0, "memory");
    row.measured = targets.size();
    row.unit = "bytes";
    std::uint64_t called = 0;
    row.verified = TRY(verify(targets, Expected::all, called));
    auto slab = static_cast<std::int64_t>(after.slab - before.slab);
    auto vmalloc = static_cast<std::int64_t>(after.vmalloc - before.vmalloc);
    // Less than nothing where the kernel gave back more.
    row.running.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, slab + vmalloc)));
    row.details = {{"slab", slab}, {"vmalloc", vmalloc}};
    return row;
}

Result<> BpfBench::measure_run(const BpfPlan& plan, const std::vector<BpfTarget>& targets,
                               Measured& measured) {
    const std::string label =
        fmt::format("{}: {}", name_of(measured.kind), counted(targets.size(), "function"));
    Attached attached;
    progress_.show(label + ", loading");
    rest(plan.settle);
    Stopwatch load;
    for (std::size_t i = 0; i < measured.programs; i++) {
        auto program = tracer_.load(measured.kind, BpfCounter::slot, targets[i]);
        if (!program) {
            if (!takes_many(measured.kind) && is_refusal(program.error().system)) {
                refuse(targets[i], program.error().system);
            }
            return program.error();
        }
        attached.programs.push_back(std::move(*program));
    }
    WorkTime loaded = load.time();

    progress_.show(label + ", attaching");
    tracer_.clear_hits();
    rest(plan.settle);
    auto had = TRY(tracer_.images());
    Stopwatch attaching;
    TRY(attach(measured.kind, targets, attached));
    WorkTime attach_time = attaching.time();
    measured.meanwhile += all_hits(targets.size());
    bool right = TRY(verify(targets, Expected::all, measured.called));
    auto images = TRY(tracer_.images());
    measured.images = static_cast<std::size_t>(std::count_if(
        images.begin(), images.end(), [&](const auto& name) { return !had.contains(name); }));

    progress_.show(label + ", detaching");
    tracer_.clear_hits();
    rest(plan.settle);
    Stopwatch detaching;
    for (FileDescriptor& link : attached.links) {
        link.reset();
    }
    WorkTime detach_time = detaching.time();
    measured.meanwhile += all_hits(targets.size());
    std::uint64_t nobody = 0;
    bool left =
        TRY(verify(targets, measured.beside ? Expected::all_of_others : Expected::nothing, nobody));
    measured.verified = measured.verified && right && left;
    add(measured.rows[0], loaded);
    add(measured.rows[1], attach_time);
    add(measured.rows[2], detach_time);
    return {};
}

Result<> BpfBench::attach(BpfKind kind, const std::vector<BpfTarget>& targets, Attached& attached) {
    if (takes_many(kind)) {
        attached.links.push_back(TRY(tracer_.attach(kind, attached.programs[0], targets, 0)));
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
/// have theirs; or, after detaching, whether nothing is counted and only what others have is left.
Result<bool> BpfBench::verify(const std::vector<BpfTarget>& targets, Expected expected,
                              std::uint64_t& called) {
    tracer_.clear_hits();
    workload_.run_known_calls();
    workload_.exercise();
    workload_.settle();
    auto hits = tracer_.hits(targets.size());
    called = targets.size() - static_cast<std::size_t>(std::count(hits.begin(), hits.end(), 0U));
    auto in_use = TRY(tracer_.functions_in_use());
    // Where others have attached something, it may be to the same functions.
    bool all = in_use >= std::max(in_use_, targets.size()) && in_use <= in_use_ + targets.size();
    if (expected != Expected::all) {
        bool left = expected == Expected::nothing ? in_use != in_use_ : !all;
        return (called == 0 || warn("calls are still counted after detaching")) &&
               (!left || warn("after detaching, other functions are attached than before"));
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
    return (known != 0 || warn("no known call is among the functions")) &&
           (all || warn(fmt::format("{} {} attached, not {} beside {} of others",
                                    counted(in_use, "function"), in_use == 1 ? "is" : "are",
                                    with_thousands(targets.size()), with_thousands(in_use_))));
}

/// All functions that are attached while a call is measured: those that it runs itself are not
/// among them, but for the one that is called.
Result<std::vector<BpfTarget>> BpfBench::call_targets(BpfKind kind) {
    auto run = TRY(tracer_.functions_run_by([&]() -> Result<> {
        traced_.call();
        return {};
    }));
    auto target = TRY(target_of(modifies_result(kind) ? traced_.modifiable : traced_.function));
    auto all = TRY(modifies_result(kind) ? modifiable_targets() : choose(BpfPlan::all));
    std::erase_if(all, [&](const BpfTarget& function) {
        return run.contains(function.name) || function.name == target.name;
    });
    all.insert(all.begin(), target);
    return all;
}

/// The functions whose results a program may change. The kernel does not list them; all hooks for
/// security modules are such functions, and few others are.
Result<std::vector<BpfTarget>> BpfBench::modifiable_targets() {
    BpfKind kind = BpfKind::fmod_ret_multi;
    std::vector<BpfTarget> hooks;
    std::copy_if(targets_.begin(), targets_.end(), std::back_inserter(hooks),
                 [](const BpfTarget& function) { return function.name.starts_with("security_"); });
    auto program = TRY(tracer_.load(kind, BpfCounter::slot, targets_.front()));
    auto found = TRY(find_attachable(
        hooks,
        [&](const std::vector<BpfTarget>& functions) {
            return tracer_.attach(kind, program, functions, BpfTracer::slots);
        },
        most_attach_tries));
    return std::move(found.targets);
}

Result<> BpfBench::measure_calls(const BpfPlan& plan) {
    auto target = TRY(target_of(traced_.function));
    rest(plan.settle);
    Samples untraced = time_calls(traced_.call, plan.calls);
    for (BpfKind kind : bpf_kinds) {
        BpfTarget place = target;
        if (kind == BpfKind::raw_tracepoint || kind == BpfKind::tracepoint) {
            place.name = traced_.tracepoint;
        } else if (modifies_result(kind)) {
            auto modifiable = target_of(traced_.modifiable);
            place = modifiable ? *modifiable : BpfTarget{traced_.modifiable, 0, 0};
        }
        TRY(measure_call(plan, kind, BpfCounter::first, {place}, untraced));
        if (!is_tracing_multi(kind)) {
            continue;
        }
        TRY(measure_call(plan, kind, BpfCounter::slot, {place}, untraced));
    }
    if (std::find(plan.sizes.begin(), plan.sizes.end(), BpfPlan::all) == plan.sizes.end()) {
        return {};
    }
    std::vector<BpfKind> kinds;
    std::copy_if(plan.kinds.begin(), plan.kinds.end(), std::back_inserter(kinds), is_tracing_multi);
    if (!kinds.empty()) {
        kinds.push_back(BpfKind::fmod_ret_multi);
    }
    for (BpfKind kind : kinds) {
        if (lacks(kind)) {
            continue;
        }
        auto targets = call_targets(kind);
        if (!targets && targets.error().code == ExitCode::cannot_run) {
            progress_.warn("calls with all functions attached are left out: " +
                           targets.error().message);
            return {};
        }
        if (!targets) {
            return targets.error();
        }
        for (BpfCounter counter : {BpfCounter::first, BpfCounter::slot}) {
            TRY(measure_call(plan, kind, counter, *targets, untraced));
        }
    }
    return {};
}

/// A row of what a call of the first function costs while all are attached, or a note that the
/// kernel does not have the kind.
Result<> BpfBench::measure_call(const BpfPlan& plan, BpfKind kind, BpfCounter counter,
                                const std::vector<BpfTarget>& targets, const Samples& untraced) {
    progress_.show(fmt::format("calls: {}", name_of(kind)));
    if (lacks(kind)) {
        return {};
    }
    auto row = call_row(plan, kind, counter, targets, untraced);
    if (row) {
        record_.rows.push_back(std::move(*row));
        return {};
    }
    int error = row.error().system;
    // No function that is called is one whose result a program may change.
    bool unmodifiable = modifies_result(kind) && error == EINVAL;
    if (error != EOPNOTSUPP && error != kernel_enotsupp && !unmodifiable) {
        return row.error();
    }
    progress_.warn("left out: " + row.error().message);
    unsupported_.push_back(kind);
    return {};
}

Result<Row> BpfBench::call_row(const BpfPlan& plan, BpfKind kind, BpfCounter counter,
                               const std::vector<BpfTarget>& targets, const Samples& untraced) {
    std::string name(name_of(kind));
    Row row =
        row_of(counter == BpfCounter::slot ? name + ", cookie" : name, targets.size(), 0, "call");
    row.measured = calls_in_chunk;
    row.untraced = untraced;
    for (int i = 0; i < tries && !row.verified; i++) {
        auto program = TRY(tracer_.load(kind, counter, targets.front()));
        auto link = TRY(tracer_.attach(kind, program, targets, 0));
        rest(plan.settle);
        tracer_.clear_hits();
        row.running = time_calls(traced_.call, plan.calls);
        std::uint64_t calls = row.running.values().size() * calls_in_chunk;
        std::uint64_t hits = tracer_.hits(1)[0];
        // All functions count in the first slot where it is not that of the first function alone.
        bool alone = counter == BpfCounter::slot || targets.size() == 1;
        link.reset();
        tracer_.clear_hits();
        traced_.call();
        row.verified = (hits == calls || (!alone && hits > calls) ||
                        warn(fmt::format("{}: {} calls were counted as {}", name, calls, hits))) &&
                       (tracer_.hits(1)[0] == 0 || warn("a call was counted after detaching"));
    }
    return row;
}

bool BpfBench::lacks(BpfKind kind) const {
    return std::find(unsupported_.begin(), unsupported_.end(), kind) != unsupported_.end();
}

/// The functions and kinds that were left out or refused.
void BpfBench::note_all() {
    if (busy_ != 0) {
        record_.notes.push_back(fmt::format("{} not taken, since attaching runs them itself",
                                            counted(busy_, "function")));
    }
    std::map<int, std::vector<std::string>> by_error;
    for (const Refusal& refusal : refused_) {
        by_error[refusal.error].push_back(refusal.target.name);
    }
    for (const auto& [error, functions] : by_error) {
        record_.notes.push_back(fmt::format("{} refused ({}), others taken for them: {}",
                                            counted(functions.size(), "function"),
                                            system_message(error), fmt::join(functions, ", ")));
    }
    for (BpfKind kind : unsupported_) {
        record_.notes.push_back(fmt::format("this kernel does not have {}", name_of(kind)));
    }
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

namespace {

class BpfBenchmark : public Benchmark {
  public:
    [[nodiscard]] std::string name() const override { return "bpf"; }
    [[nodiscard]] std::string help() const override {
        return "Measure loading, attaching, detaching and calling BPF programs";
    }

    void add_options(CLI::App& command) override {
        command
            .add_option("--parts", parts_,
                        "loops, fentry, kprobe.multi, fentry.multi, fexit.multi, calls")
            ->delimiter(',')
            ->check(CLI::IsMember(
                {"loops", "fentry", "kprobe.multi", "fentry.multi", "fexit.multi", "calls"}))
            ->capture_default_str();
        command.add_option("--loops", plan_.loops, "Times to attach and detach one program")
            ->check(CLI::Range(1, 1000000))
            ->capture_default_str();
        command
            .add_option("--functions", sizes_,
                        "Numbers of functions, e.g. 1,100,1000; all: as many as there are, up to "
                        "40,000")
            ->delimiter(',')
            ->check(CLI::IsMember({"all"}) | CLI::Range(0U, UINT32_MAX - 1))
            ->capture_default_str();
        command
            .add_option("--most-programs", plan_.most_programs,
                        "Greater numbers are for kinds with one program for all functions")
            ->capture_default_str();
        command.add_option("--calls", plan_.calls, "Calls per measurement, in chunks of 1,000")
            ->check(CLI::Range(1, 100000000))
            ->capture_default_str();
        command
            .add_option("--runs", plan_.runs, "Runs that are measured, fewer with many functions")
            ->capture_default_str();
        command.add_option("--warmup", plan_.warmup, "Runs before them; none with many functions")
            ->capture_default_str();
        command
            .add_option("--settle", plan_.settle,
                        "Milliseconds of rest before each step, for what the last one left to do")
            ->capture_default_str();
    }

    Result<> check(const KernelPaths& paths) override {
        auto asked = [&](const char* part) {
            return std::find(parts_.begin(), parts_.end(), part) != parts_.end();
        };
        plan_.kinds.clear();
        for (BpfKind kind : {BpfKind::fentry, BpfKind::kprobe_multi, BpfKind::fentry_multi,
                             BpfKind::fexit_multi}) {
            if (asked(std::string(name_of(kind)).c_str())) {
                plan_.kinds.push_back(kind);
            }
        }
        plan_.sizes.clear();
        for (const std::string& size : sizes_) {
            auto number = parse_number(size);
            if (!number && size != "all") {
                return misuse(fmt::format("--functions: '{}' is no number", size),
                              "give decimal digits, or all");
            }
            plan_.sizes.push_back(static_cast<std::uint32_t>(number.value_or(BpfPlan::all)));
        }
        plan_.loops = asked("loops") ? plan_.loops : 0;
        plan_.calls = asked("calls") ? plan_.calls : 0;
        auto functions = TRY(FunctionList::load(paths));
        TRY(BpfBench::check(plan_, functions.functions.size()));
        in_use_ = TRY(count_enabled_functions(paths));
        profiler_ = !check_function_profiler(paths).ok();
        return {};
    }

    Result<> run(const KernelPaths& paths, Record& record) override {
        auto functions = TRY(FunctionList::load(paths));
        auto targets = TRY(load_bpf_targets(
            paths, functions.functions, [](const Function& /*function*/) { return true; }, false,
            Modules::left_out));
        auto machine = Environment::collect(paths).machine;
        BpfCallee quiet = quiet_callee(machine);
        auto tracer = TRY(KernelBpfTracer::open(paths, quiet.function));
        SystemCalls calls(machine);
        Progress progress;
        auto measured = TRY(BpfBench(*tracer, calls, quiet, traced_callee(), progress)
                                .run(plan_, std::move(targets.targets)));
        record.env.functions_available = measured.env.functions_available;
        record.notes = std::move(measured.notes);
        record.rows = std::move(measured.rows);
        return {};
    }

    /// Programs and links are gone with the process that holds them: whatever ends it, the kernel
    /// detaches all of them before the process has ended. This makes sure of it.
    Result<> restore(const KernelPaths& paths, const Ending& ending) override {
        if (!ending.complete && !profiler_) {
            stop_function_profiler(paths);
        }
        auto left = TRY(count_enabled_functions(paths));
        if (left > in_use_) {
            return failure(fmt::format("{} still attached", counted(left - in_use_, "function")));
        }
        return {};
    }

  private:
    BpfPlan plan_;
    std::vector<std::string> parts_ = {"loops",        "fentry",      "kprobe.multi",
                                       "fentry.multi", "fexit.multi", "calls"};
    std::vector<std::string> sizes_ = {"1", "100", "1000", "5000", "10000", "all"};
    std::size_t in_use_ = 0; ///< functions that others have attached something to
    bool profiler_ = false;  ///< others use the function profiler, or there is none
};

} // namespace

/// The entry of the registry.
std::unique_ptr<Benchmark> bpf_benchmark(); // NOLINT(readability-redundant-declaration)

std::unique_ptr<Benchmark> bpf_benchmark() {
    return std::make_unique<BpfBenchmark>();
}

} // namespace fdirect
