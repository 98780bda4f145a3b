// SPDX-License-Identifier: GPL-2.0
#include "bench/scale_bench.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "bench/module_benchmark.h"
#include "kernel/function_choice.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// Functions in all, of all runs together, from which on there are fewer runs.
constexpr std::uint64_t many_functions = 40000;

/// Whether there are functions for it, and stubs: changing the targets takes one more.
bool fits(std::uint64_t before, std::uint64_t size, std::size_t functions) {
    return before + size <= functions && before + size < stub_count;
}

std::uint32_t largest_alone(const ScalePlan& plan, std::size_t functions) {
    std::uint32_t largest = 0;
    for (std::uint32_t size : plan.sizes) {
        largest = fits(0, size, functions) ? std::max(largest, size) : largest;
    }
    return largest;
}

std::int64_t growth(std::uint64_t before, std::uint64_t after) {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
}

} // namespace

std::uint32_t ScalePlan::runs_of(std::uint64_t functions) const {
    std::uint64_t few =
        std::max<std::uint64_t>(2, many_functions / std::max<std::uint64_t>(1, functions));
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(runs, few));
}

Result<> ScaleBench::check(const ScalePlan& plan, std::size_t functions,
                           const std::vector<Method>& methods) {
    if (plan.sizes.empty() || plan.before.empty() || plan.runs == 0) {
        return misuse("there is nothing to measure",
                      "give at least one of --sizes and --before, and one run");
    }
    if (plan.ways.empty() || plan.ways.front().method == Method::each) {
        return misuse("the first method is not for many functions at once",
                      "name hash or multi before each");
    }
    if (std::find(plan.sizes.begin(), plan.sizes.end(), 0U) != plan.sizes.end()) {
        return misuse("0 functions cannot be measured");
    }
    if (largest_alone(plan, functions) == 0) {
        return cannot_run(fmt::format("this kernel has only {} that can be attached",
                                      counted(functions, "function")),
                          "ask for fewer with --sizes");
    }
    AttachPlan one;
    one.sizes = {1};
    one.ways = plan.ways;
    return AttachBench::check(one, functions, methods);
}

Result<Record> ScaleBench::run(const ScalePlan& plan, const std::vector<Function>& functions) {
    auto methods = TRY(module_.methods());
    TRY(check(plan, functions.size(), methods));

    for (const Way& way : plan.ways) {
        if (way.method == Method::each &&
            std::find(plan.sizes.begin(), plan.sizes.end(), 1U) == plan.sizes.end()) {
            progress_.warn(
                fmt::format("left out: {}, which is measured with 1 function only", name_of(way)));
        }
    }
    Record record;
    record.env.functions_available = functions.size();
    record.rows.push_back(TRY(measure_memory(plan, functions)));

    for (std::uint32_t before : plan.before) {
        for (std::uint32_t size : plan.sizes) {
            if (!fits(before, size, functions.size())) {
                progress_.warn(fmt::format("left out: {} beside {}, which is more than there are",
                                           counted(size, "function"), with_thousands(before)));
                continue;
            }
            auto runs = TRY(measure_attach(plan, functions, before, size));
            std::move(runs.begin(), runs.end(), std::back_inserter(record.rows));
        }
    }
    for (std::uint32_t before : plan.before) {
        if (!fits(before, 1, functions.size())) {
            continue;
        }
        auto rows = TRY(measure_kprobe(plan, functions, before));
        std::move(rows.begin(), rows.end(), std::back_inserter(record.rows));
    }
    progress_.clear();
    return record;
}

Result<std::vector<Row>> ScaleBench::measure_attach(const ScalePlan& plan,
                                                    const std::vector<Function>& functions,
                                                    std::uint32_t before, std::uint32_t size) {
    std::vector<Row> all;
    for (const Way& way : plan.ways) {
        AttachPlan part;
        part.sizes = {size};
        part.ways = {way};
        part.runs = plan.runs_of(std::uint64_t{before} + size);
        part.warmup = plan.warmup;
        part.attached_before = before;
        if (way.method == Method::each) {
            if (size != 1) {
                continue;
            }
            if (before != 0) {
                part.before_method = Method::multi;
            }
        }
        auto runs = TRY(AttachBench(module_, workload_, verifier_, progress_).run(part, functions));
        std::move(runs.begin(), runs.end(), std::back_inserter(all));
    }
    return all;
}

Result<Row> ScaleBench::measure_memory(const ScalePlan& plan,
                                       const std::vector<Function>& functions) {
    Attached all{plan.ways.front(), largest_alone(plan, functions.size())};
    const std::string label = fmt::format("memory of {}", counted(all.count, "function"));
    progress_.show(label);
    TRY(select(functions, 0, all.count));
    // Far stubs take memory when they are first asked for.
    TRY(module_.set_reach(all.way.reach));
    auto before = TRY(gauge_.settled());
    TRY(attach(all));
    auto after = TRY(gauge_.settled());
    auto verified = TRY(verify(all, label));
    if (!verified) {
        return failure(label + " was measured with functions that did not verify",
                       "the warnings above say what was wrong");
    }
    TRY(module_.detach());
    std::int64_t slab = growth(before.slab, after.slab);
    std::int64_t vmalloc = growth(before.vmalloc, after.vmalloc);
    Row row;
    row.key = {
        {"method", name_of(all.way)}, {"functions", all.count}, {"beside", 0U}, {"step", "memory"}};
    row.measured = all.count;
    row.verified = true;
    row.unit = "bytes";
    // Less than nothing where the kernel gave back more.
    row.running.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, slab + vmalloc)));
    row.details = {{"slab", slab}, {"vmalloc", vmalloc}};
    return row;
}

Result<std::vector<Row>> ScaleBench::measure_kprobe(const ScalePlan& plan,
                                                    const std::vector<Function>& functions,
                                                    std::uint32_t before) {
    const Way& way = plan.ways.front();
    std::vector<Row> rows;
    for (std::string_view step : kprobe_steps) {
        Row row;
        row.key = {{"method", name_of(way)}, {"functions", 1U}, {"beside", before}, {"step", step}};
        rows.push_back(std::move(row));
    }
    const std::string label = fmt::format("kprobe beside {}", counted(before, "attached function"));
    progress_.show(label);
    TRY(select(functions, before, 1));
    Attached others{way, before};
    TRY(attach(others));
    for (std::uint32_t i = 0; i < plan.warmup + plan.runs; i++) {
        // It is on a function that is not attached, the last one.
        auto cost = TRY(module_.measure_kprobe(before));
        for (std::size_t step = 0; step < kprobe_steps.size() && i >= plan.warmup; step++) {
            rows[step].running.add(cost.steps[step].running);
            rows[step].elapsed.add(cost.steps[step].elapsed);
            rows[step].details["ftrace"] = cost.ftrace;
        }
    }
    auto verified = TRY(verify(others, label));
    TRY(module_.detach());
    auto left = TRY(verify({way, 0}, label + ", after detaching everything"));
    for (Row& row : rows) {
        row.verified = verified && left;
    }
    return rows;
}

Result<> ScaleBench::select(const std::vector<Function>& functions, std::uint32_t before,
                            std::uint32_t count) {
    return module_.select(
        addresses_of(choose_functions_beside(functions, before, count, functions_of(workload_))));
}

Result<> ScaleBench::attach(const Attached& attached) {
    if (attached.count == 0) {
        return {};
    }
    TRY(module_.set_method(attached.way.method));
    TRY(module_.set_reach(attached.way.reach));
    TRY(module_.set_ops(0));
    return module_.attach(Range{0, attached.count}, 0);
}

/// Whether exactly these functions are attached and their calls land where they should.
Result<bool> ScaleBench::verify(const Attached& attached, const std::string& label) {
    std::vector<AttachedPart> parts;
    if (attached.count != 0) {
        parts.push_back({attached.way, {0, attached.count}, 0});
    }
    auto verification = TRY(verifier_.verify(parts));
    if (!verification.passed()) {
        progress_.warn(fmt::format("{}: {}", label, verification.first_failure()));
    }
    return verification.passed();
}

namespace {

class ScaleBenchmark : public FunctionBenchmark {
  public:
    [[nodiscard]] std::string name() const override { return "scale"; }
    [[nodiscard]] std::string help() const override {
        return "Measure how attaching, kprobes and memory scale with what is attached";
    }

    void add_options(CLI::App& command) override {
        command.add_option("--sizes", plan_.sizes, "Numbers of functions to attach, e.g. 1,40000")
            ->delimiter(',')
            ->capture_default_str();
        command
            .add_option("--before", plan_.before,
                        "Numbers of functions that are attached already, e.g. 0,40000")
            ->delimiter(',')
            ->capture_default_str();
        add_methods(command,
                    "each, multi, hash, and with -far (default: hash, or multi,each without it)");
        command
            .add_option("--runs", plan_.runs, "Runs that are measured; fewer with many functions")
            ->capture_default_str();
        command.add_option("--warmup", plan_.warmup, "Runs before them")->capture_default_str();
    }

  protected:
    /// The kernel's best, and where many targets take many ftrace_ops, that of one more.
    [[nodiscard]] std::vector<Way>
    default_ways(const std::vector<Method>& available) const override {
        if (std::find(available.begin(), available.end(), Method::hash) != available.end()) {
            return {{Method::hash, Reach::near}};
        }
        return {{Method::multi, Reach::near}, {Method::each, Reach::near}};
    }

    Result<> check_ways(std::vector<Way> ways, std::size_t functions,
                        const std::vector<Method>& available) override {
        plan_.ways = std::move(ways);
        return ScaleBench::check(plan_, functions, available);
    }

    Result<> measure_with(const Bench& bench, Record& record) override {
        MemoryGauge gauge(bench.paths);
        record.env.functions_available = bench.functions.size();
        record.rows =
            TRY(ScaleBench(bench.module, bench.workload, bench.verifier, gauge, bench.progress)
                    .run(plan_, bench.functions))
                .rows;
        return {};
    }

  private:
    ScalePlan plan_;
};

} // namespace

/// The entry of the registry.
std::unique_ptr<Benchmark> scale_benchmark(); // NOLINT(readability-redundant-declaration)

std::unique_ptr<Benchmark> scale_benchmark() {
    return std::make_unique<ScaleBenchmark>();
}

} // namespace fdirect
