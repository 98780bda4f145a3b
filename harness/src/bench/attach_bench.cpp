// SPDX-License-Identifier: GPL-2.0
#include "bench/attach_bench.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <thread>
#include <utility>

#include "bench/module_benchmark.h"
#include "kernel/function_choice.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// As many functions as warm `each` up; more would only take time.
constexpr std::uint32_t each_warmup = 10;

/// The first stub after modify, for functions that have those from `range.first` on. It is so far
/// along that every function gets a target that nothing had before, if enough stubs are left.
std::uint32_t modified_stub(const Range& range) {
    std::uint32_t left = stub_count - range.first - range.count;
    std::uint32_t step = std::clamp(left, std::uint32_t{1}, range.count);
    return (range.first + step) % stub_count;
}

} // namespace

bool AttachBench::is_of(const Setting& setting, const std::optional<StepTime>& time) {
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

Row& AttachBench::Measured::row(std::string_view step) {
    auto found = std::find_if(rows.begin(), rows.end(),
                              [&](const Row& row) { return row.text("step") == step; });
    return *found;
}

Result<std::vector<Row>> AttachBench::run(const AttachPlan& plan,
                                          const std::vector<Function>& functions) {
    auto methods = TRY(module_.methods());
    TRY(check(plan, functions.size(), methods));
    std::size_t known = workload_.known_calls().size();
    if (plan.first_call != 0 && plan.first_call >= known) {
        return misuse(fmt::format("there is no known call {}", plan.first_call),
                      fmt::format("they are numbered from 0 to {}", known - 1));
    }
    // Before anything is measured.
    for (const Way& way : plan.ways) {
        TRY(module_.set_reach(way.reach));
    }

    std::map<std::pair<std::string, std::uint32_t>, std::vector<Row>> done;
    std::vector<Row> rows;
    for (std::uint32_t size : plan.sizes) {
        for (const Way& way : plan.ways) {
            bool each = way.method == Method::each;
            std::uint32_t count = each ? std::min(size, plan.each_limit) : size;
            auto& measured = done[{name_of(way), count}];
            if (measured.empty()) {
                measured = TRY(measure(plan, functions, way, count));
            }
            for (Row row : measured) {
                row.key["functions"] = size;
                row.details["targets"] = way.method == Method::multi ? 1 : size;
                rows.push_back(std::move(row));
            }
        }
    }
    progress_.clear();
    return rows;
}

Result<std::vector<Row>> AttachBench::measure(const AttachPlan& plan,
                                              const std::vector<Function>& functions,
                                              const Way& way, std::uint32_t count) {
    Measured measured;
    for (const char* step : {"attach", "modify", "detach", "prepare"}) {
        Row row;
        row.key = {{"method", name_of(way)},
                   {"functions", count},
                   {"beside", plan.attached_before},
                   {"step", step}};
        row.measured = count;
        if (plan.before_method) {
            row.details["beside_method"] = name_of(*plan.before_method);
        }
        measured.rows.push_back(std::move(row));
    }
    auto known = functions_of(workload_);
    std::rotate(known.begin(), known.begin() + plan.first_call, known.end());
    auto selection = choose_functions_beside(functions, plan.attached_before, count, known);
    TRY(module_.select(addresses_of(selection)));
    TRY(module_.set_reach(way.reach));
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
        TRY(module_.set_method(others.method));
        // An ops of its own where one ops has one target; else the same, which is how it grows in
        // use.
        TRY(module_.set_ops(others.method == Method::multi ? 1 : 0));
        TRY(module_.attach(setting.others, 0));
    }
    TRY(module_.set_method(way.method));
    TRY(module_.set_ops(0));
    for (std::uint32_t i = 1; i <= plan.warmup; i++) {
        TRY(cycle(warming, label("warmup", i, plan.warmup), false, measured));
    }
    bool limited = way.method == Method::each && count == plan.each_limit;
    std::uint32_t kept = limited ? plan.each_runs : plan.runs;
    for (std::uint32_t i = 1; i <= kept; i++) {
        TRY(cycle(setting, label("run", i, kept), true, measured));
    }
    if (setting.others.count != 0) {
        TRY(module_.detach());
        TRY(verify({}, false, "after detaching everything", measured));
    }
    // Not every method has something to prepare.
    std::erase_if(measured.rows, [](const Row& row) { return row.running.empty(); });
    for (Row& row : measured.rows) {
        row.verified = measured.verified;
        row.details["called"] = measured.called;
    }
    doubt(measured.rows, name_of(way));
    return measured.rows;
}

Result<> AttachBench::cycle(const Setting& setting, const std::string& label, bool keep,
                            Measured& measured) {
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

    auto measure = [&](const char* step, const auto& call,
                       std::optional<StepTime> StepTimes::*time) -> Result<> {
        progress_.show(fmt::format("{}: {}", label, step));
        // The kernel frees some of what a step left behind only after a grace period.
        std::this_thread::sleep_for(std::chrono::milliseconds(setting.settle));
        TRY(call());
        return take_time(setting, step, TRY(module_.times()).*time, keep ? &measured : nullptr);
    };
    auto check = [&](std::uint32_t stub, std::string_view step) {
        return keep ? verify(with(stub), true, fmt::format("{}, {}", label, step), measured)
                    : Result<>();
    };
    TRY(measure(
        "attach", [&] { return module_.attach(setting.measured, first_stub); },
        &StepTimes::attach));
    // Not every method has something to prepare; what is there may then be another one's.
    auto prepare = TRY(module_.times()).prepare;
    if (is_of(setting, prepare)) {
        TRY(take_time(setting, "prepare", prepare, keep ? &measured : nullptr));
    }
    TRY(check(first_stub, "attached"));
    TRY(measure(
        "modify", [&] { return module_.modify(setting.measured, second_stub); },
        &StepTimes::modify));
    TRY(check(second_stub, "changed"));
    TRY(measure(
        "detach", [&] { return module_.detach(setting.measured); }, &StepTimes::detach));
    // Also after a warm-up: until then, memory that was freed behind RCU is back.
    return verify(before, false, label + ", detached", measured);
}

Result<> AttachBench::take_time(const Setting& setting, std::string_view step,
                                const std::optional<StepTime>& time, Measured* measured) {
    if (!is_of(setting, time)) {
        return failure(fmt::format("the module's times have no {} of {} with {}", step,
                                   counted(setting.measured.count, "function"),
                                   name_of(setting.way)),
                       "something else uses the module at the same time");
    }
    if (measured != nullptr) {
        measured->row(step).running.add(time->running);
        measured->row(step).elapsed.add(time->elapsed);
    }
    return {};
}

Result<> AttachBench::verify(const std::vector<AttachedPart>& parts, bool prove,
                             const std::string& label, Measured& measured) {
    auto verification = TRY(verifier_.verify(parts));
    bool proven = !prove || verification.known != 0;
    if (!verification.passed()) {
        progress_.warn(fmt::format("{}: {}", label, verification.first_failure()));
    } else if (!proven) {
        progress_.warn(label + ": no known call is attached, so its hits prove nothing");
    }
    measured.verified = measured.verified && proven && verification.passed();
    measured.called = std::max(measured.called, verification.called);
    return {};
}

void AttachBench::doubt(const std::vector<Row>& rows, std::string_view method) {
    for (const Row& row : rows) {
        auto doubt = row.running.doubt();
        if (doubt && row.text("step") != "prepare") {
            progress_.warn(fmt::format("{} of {} with {}: {}", row.text("step"),
                                       counted(row.measured, "function"), method, *doubt));
        }
    }
}

namespace {

class AttachBenchmark : public FunctionBenchmark {
  public:
    [[nodiscard]] std::string name() const override { return "attach"; }
    [[nodiscard]] std::string help() const override {
        return "Measure attaching, changing and detaching, and verify each with real hits";
    }

    void add_options(CLI::App& command) override {
        plan_.sizes = {1, 1000, 40000};
        command.add_option("--functions", plan_.sizes, "Numbers of functions, e.g. 1,1000,40000")
            ->delimiter(',')
            ->capture_default_str();
        add_methods(command, "each, multi, hash (default: all there are); each-far, multi-far, "
                             "hash-far attach to stubs out of a call's reach, on arm64");
        command
            .add_option("--each-limit", plan_.each_limit,
                        "Most functions that 'each' really attaches; beyond it is extrapolated")
            ->capture_default_str();
        command.add_option("--each-runs", plan_.each_runs, "Runs of 'each' at its limit")
            ->capture_default_str();
        command.add_option("--runs", plan_.runs, "Runs that are measured")->capture_default_str();
        command
            .add_option("--warmup", plan_.warmup, "Runs before them ('each': with 10 functions)")
            ->capture_default_str();
        command
            .add_option("--attached-before", plan_.attached_before,
                        "Other functions that are attached meanwhile")
            ->capture_default_str();
        command
            .add_option("--first-call", plan_.first_call,
                        "The known function of a system call that is chosen first, from 0")
            ->capture_default_str();
        command
            .add_option("--settle", plan_.settle,
                        "Milliseconds of rest before each step, for what the last one left to do")
            ->capture_default_str();
    }

  protected:
    [[nodiscard]] std::vector<Way>
    default_ways(const std::vector<Method>& available) const override {
        std::vector<Way> near;
        near.reserve(available.size());
        for (Method method : available) {
            near.push_back({method, Reach::near});
        }
        return near;
    }

    Result<> check_ways(std::vector<Way> ways, std::size_t functions,
                        const std::vector<Method>& available) override {
        plan_.ways = std::move(ways);
        return AttachBench::check(plan_, functions, available);
    }

    Result<> measure_with(const Bench& bench, Record& record) override {
        record.env.functions_available = bench.functions.size();
        record.rows = TRY(AttachBench(bench.module, bench.workload, bench.verifier, bench.progress)
                              .run(plan_, bench.functions));
        return {};
    }

  private:
    AttachPlan plan_;
};

} // namespace

/// The entry of the registry.
std::unique_ptr<Benchmark> attach_benchmark(); // NOLINT(readability-redundant-declaration)

std::unique_ptr<Benchmark> attach_benchmark() {
    return std::make_unique<AttachBenchmark>();
}

} // namespace fdirect
