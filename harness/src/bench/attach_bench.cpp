// SPDX-License-Identifier: GPL-2.0
#include "bench/attach_bench.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "kernel/function_choice.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// As many functions as warm `each` up; more would only take time.
constexpr std::uint32_t each_warmup = 10;

/// The first stub after modify, for functions that have those from `range.first` on: so far along
/// that every function gets a target that nothing had before, as far as there are stubs left.
std::uint32_t modified_stub(const Range& range) {
    std::uint32_t left = stub_count - range.first - range.count;
    std::uint32_t step = std::clamp(left, std::uint32_t{1}, range.count);
    return (range.first + step) % stub_count;
}

} // namespace

bool AttachBench::is_of(const Setting& setting, const std::optional<CallTime>& time) {
    return time && time->method == name_of(setting.way.method) &&
           time->functions == setting.measured.count;
}

Result<> AttachBench::check(const AttachPlan& plan, std::size_t functions,
                            const std::vector<Method>& methods) {
    if (plan.sizes.empty() || plan.ways.empty() || plan.runs == 0 || plan.each_limit == 0 ||
        plan.each_runs == 0) {
        return misuse("there is nothing to measure",
                      "give at least one size, one method, one run, and an --each-limit above 0");
    }
    for (const Way& way : plan.ways) {
        if (std::find(methods.begin(), methods.end(), way.method) == methods.end()) {
            return missing_method(way.method, methods);
        }
    }
    for (std::uint32_t size : plan.sizes) {
        std::uint64_t all = std::uint64_t{size} + plan.attached_before;
        if (size == 0) {
            return misuse("0 functions cannot be measured");
        }
        if (all > stub_count || (all == stub_count && plan.attached_before != 0)) {
            return misuse(
                fmt::format("{} are more than the module has stubs for", counted(all, "function")),
                fmt::format("it has {}, and changing the targets beside others needs one more",
                            with_thousands(stub_count)));
        }
        if (all > functions) {
            return cannot_run(fmt::format("this kernel has only {} that can be attached, not {}",
                                          counted(functions, "function"), with_thousands(all)),
                              "ask for fewer with --functions");
        }
    }
    return {};
}

Result<std::vector<AttachRun>> AttachBench::run(const AttachPlan& plan,
                                                const std::vector<Function>& functions) {
    auto methods = module_.methods();
    if (!methods) {
        return methods.error();
    }
    if (Result<> sense = check(plan, functions.size(), *methods); !sense) {
        return sense.error();
    }
    // Before anything is measured.
    for (const Way& way : plan.ways) {
        if (Result<> done = module_.set_reach(way.reach); !done) {
            return done.error();
        }
    }

    std::vector<AttachRun> runs;
    for (std::uint32_t size : plan.sizes) {
        for (const Way& way : plan.ways) {
            bool each = way.method == Method::each;
            std::uint32_t count = each ? std::min(size, plan.each_limit) : size;
            auto same = std::find_if(runs.begin(), runs.end(), [&](const AttachRun& done) {
                return done.way == way && done.measured == count;
            });
            Result<AttachRun> run =
                same != runs.end() ? *same : measure(plan, functions, way, count);
            if (!run) {
                return run.error();
            }
            run->functions = size;
            run->targets = way.method == Method::multi ? 1 : size;
            runs.push_back(std::move(*run));
        }
    }
    progress_.clear();
    return runs;
}

Result<AttachRun> AttachBench::measure(const AttachPlan& plan,
                                       const std::vector<Function>& functions, const Way& way,
                                       std::uint32_t count) {
    AttachRun run;
    run.way = way;
    run.measured = count;
    run.attached_before = plan.attached_before;
    run.verified = true;

    run.before_method = plan.before_method;
    auto selection =
        choose_functions_beside(functions, plan.attached_before, count, functions_of(workload_));
    if (Result<> done = module_.select(addresses_of(selection)); !done) {
        return done.error();
    }
    if (Result<> done = module_.set_reach(way.reach); !done) {
        return done.error();
    }
    Way others{plan.before_method.value_or(way.method), way.reach};
    Setting setting{
        way, others, {0, plan.attached_before}, {plan.attached_before, count}, plan.settle};
    Setting warming = setting;
    if (way.method == Method::each) {
        warming.measured.count = std::min(count, each_warmup);
    }
    auto label = [&](std::string_view kind, std::uint32_t i, std::uint32_t of) {
        return fmt::format("{}, {}: {} {} of {}", name_of(way), counted(count, "function"), kind, i,
                           of);
    };

    if (setting.others.count != 0) {
        if (Result<> done = module_.set_method(others.method); !done) {
            return done.error();
        }
        // An ops of its own where one ops has one target; else the same, which is how it grows in
        // use.
        if (Result<> done = module_.set_ops(others.method == Method::multi ? 1 : 0); !done) {
            return done.error();
        }
        if (Result<> done = module_.attach(setting.others, 0); !done) {
            return done.error();
        }
    }
    if (Result<> done = module_.set_method(way.method); !done) {
        return done.error();
    }
    if (Result<> done = module_.set_ops(0); !done) {
        return done.error();
    }
    for (std::uint32_t i = 1; i <= plan.warmup; i++) {
        if (Result<> done = cycle(warming, label("warmup", i, plan.warmup), false, run); !done) {
            return done.error();
        }
    }
    bool limited = way.method == Method::each && count == plan.each_limit;
    std::uint32_t kept = limited ? plan.each_runs : plan.runs;
    for (std::uint32_t i = 1; i <= kept; i++) {
        if (Result<> done = cycle(setting, label("run", i, kept), true, run); !done) {
            return done.error();
        }
    }
    if (setting.others.count != 0) {
        if (Result<> done = module_.detach(); !done) {
            return done.error();
        }
        if (Result<> done = verify({}, false, "after detaching everything", run); !done) {
            return done.error();
        }
    }
    doubt(run);
    return run;
}

Result<> AttachBench::cycle(const Setting& setting, const std::string& label, bool keep,
                            AttachRun& run) {
    std::vector<AttachedPart> before;
    if (setting.others.count != 0) {
        before.push_back({setting.others_way, setting.others, 0});
    }
    auto with = [&](std::uint32_t stub) {
        auto parts = before;
        parts.push_back({setting.way, setting.measured, stub});
        return parts;
    };
    std::uint32_t first_stub = setting.measured.first;
    std::uint32_t second_stub = modified_stub(setting.measured);

    // The kernel frees some of what a step left behind only after a grace period.
    auto settle = [&] { std::this_thread::sleep_for(std::chrono::milliseconds(setting.settle)); };

    progress_.show(label + ": attaching");
    settle();
    if (Result<> done = module_.attach(setting.measured, first_stub); !done) {
        return done;
    }
    auto times = module_.times();
    if (!times) {
        return times.error();
    }
    if (Result<> done = take_time(setting, times->attach, "attach", keep ? &run.attach : nullptr);
        !done) {
        return done;
    }
    // Not every method has something to prepare; what is there may then be another one's.
    if (keep && is_of(setting, times->prepare)) {
        run.prepare.running.add(times->prepare->running);
        run.prepare.elapsed.add(times->prepare->elapsed);
    }
    auto check = [&](std::uint32_t stub, std::string_view step) {
        return keep ? verify(with(stub), true, fmt::format("{}, {}", label, step), run)
                    : Result<>();
    };
    if (Result<> done = check(first_stub, "attached"); !done) {
        return done;
    }

    progress_.show(label + ": changing targets");
    settle();
    if (Result<> done = module_.modify(setting.measured, second_stub); !done) {
        return done;
    }
    times = module_.times();
    if (!times) {
        return times.error();
    }
    if (Result<> done = take_time(setting, times->modify, "modify", keep ? &run.modify : nullptr);
        !done) {
        return done;
    }
    if (Result<> done = check(second_stub, "changed"); !done) {
        return done;
    }

    progress_.show(label + ": detaching");
    settle();
    if (Result<> done = module_.detach(setting.measured); !done) {
        return done;
    }
    times = module_.times();
    if (!times) {
        return times.error();
    }
    if (Result<> done = take_time(setting, times->detach, "detach", keep ? &run.detach : nullptr);
        !done) {
        return done;
    }
    // Also after a warm-up: until then, memory that was freed behind RCU is back.
    return verify(before, false, label + ", detached", run);
}

Result<> AttachBench::take_time(const Setting& setting, const std::optional<CallTime>& time,
                                std::string_view kind, CallSamples* samples) {
    if (!is_of(setting, time)) {
        return failure(fmt::format("the module's times have no {} of {} with {}", kind,
                                   counted(setting.measured.count, "function"),
                                   name_of(setting.way)),
                       "something else uses the module at the same time");
    }
    if (samples != nullptr) {
        samples->running.add(time->running);
        samples->elapsed.add(time->elapsed);
    }
    return {};
}

Result<> AttachBench::verify(const std::vector<AttachedPart>& parts, bool prove,
                             const std::string& label, AttachRun& run) {
    auto verification = verifier_.verify(parts);
    if (!verification) {
        return verification.error();
    }
    bool proven = !prove || verification->known != 0;
    if (!verification->passed()) {
        progress_.warn(fmt::format("{}: {}", label, verification->first_failure()));
    } else if (!proven) {
        progress_.warn(label + ": no known call is attached, so its hits prove nothing");
    }
    run.verified = run.verified && proven && verification->passed();
    run.called = std::max(run.called, verification->called);
    return {};
}

void AttachBench::doubt(const AttachRun& run) {
    for (const auto& [name, samples] : operations) {
        if (auto doubt = (run.*samples).running.doubt()) {
            progress_.warn(fmt::format("{} of {} with {}: {}", name,
                                       counted(run.measured, "function"), name_of(run.way),
                                       *doubt));
        }
    }
}

} // namespace fdirect
