// SPDX-License-Identifier: GPL-2.0
#include "bench_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "table.h"
#include "text.h"

namespace fdirect {
namespace {

using Samples_of = CallSamples BenchRun::*;

constexpr double ns_per_ms = 1e6;

double per_function(double total, const BenchRun& run) {
    return total / static_cast<double>(run.measured);
}

double median_per_function(const BenchRun& run, Samples_of operation) {
    return per_function((run.*operation).running.median(), run);
}

/// What all functions that the run stands for would cost.
double total(double measured, const BenchRun& run) {
    return per_function(measured, run) * static_cast<double>(run.functions);
}

/// Milliseconds of waiting for all functions; one instruction is one nanosecond of the guest's
/// clock.
std::string waiting_ms(const BenchRun& run, Samples_of operation) {
    Samples waiting = (run.*operation).waiting();
    return waiting.empty() ? "" : readable(total(waiting.median(), run) / ns_per_ms);
}

std::string starred(const BenchRun& run) {
    return with_thousands(run.functions) + (run.extrapolated() ? "*" : "");
}

std::string unit_name(std::string_view unit) {
    return unit == "insn" ? "instructions" : std::string(unit);
}

std::string headline(const BenchResult& result) {
    return fmt::format("{}: Linux {}, {}, {}, {}, {} available", result.base, result.kernel,
                       result.arch, result.accel, counted(result.vcpus, "vCPU"),
                       counted(result.functions_available, "function"));
}

/// What the stars mean, for each number of functions they were measured with.
std::string footnotes(const std::vector<BenchResult>& results) {
    std::set<std::uint64_t> measured;
    for (const BenchResult& result : results) {
        for (const BenchRun& run : result.runs) {
            if (run.extrapolated()) {
                measured.insert(run.measured);
            }
        }
    }
    std::string notes;
    for (std::uint64_t count : measured) {
        notes += fmt::format("{} {}", notes.empty() ? "" : " and", with_thousands(count));
    }
    return notes.empty() ? ""
                         : fmt::format("* measured with{} functions and extrapolated\n", notes);
}

/// The run of `each` at the same size, to compare with.
const BenchRun* each_beside(const BenchResult& result, const BenchRun& run) {
    auto found = std::find_if(result.runs.begin(), result.runs.end(), [&](const BenchRun& other) {
        return other.method == Method::each && other.functions == run.functions &&
               other.attached_before == run.attached_before;
    });
    return run.method == Method::each || found == result.runs.end() ? nullptr : &*found;
}

std::string times_cheaper(const BenchResult& result, const BenchRun& run, Samples_of operation) {
    const BenchRun* each = each_beside(result, run);
    double own = median_per_function(run, operation);
    if (each == nullptr || own <= 0) {
        return "";
    }
    return readable(median_per_function(*each, operation) / own) + "x";
}

bool any_before(const std::vector<BenchResult>& results) {
    return std::any_of(results.begin(), results.end(), [](const BenchResult& result) {
        return std::any_of(result.runs.begin(), result.runs.end(),
                           [](const BenchRun& run) { return run.attached_before != 0; });
    });
}

Table plain_table(const BenchResult& result) {
    bool before = any_before({result});
    bool insn = result.unit == "insn";
    std::vector<Table::Column> columns = {
        {"method", false}, {"functions", true}, {"targets", true}};
    if (before) {
        columns.push_back({"beside", true});
    }
    for (const char* title : {"min", "median", "max", "stddev"}) {
        columns.push_back({title, true});
    }
    columns.insert(columns.begin() + (before ? 4 : 3), {"operation", false});
    columns.push_back({insn ? "total (M)" : "total (ms)", true});
    columns.push_back({"waiting (ms)", true});
    columns.push_back({"each / this", true});
    columns.push_back({"verified", false});

    Table table(columns);
    for (const BenchRun& run : result.runs) {
        for (const auto& [name, operation] : operations) {
            const Samples& samples = (run.*operation).running;
            std::vector<std::string> row = {std::string(name_of(run.method)), starred(run),
                                            with_thousands(run.targets)};
            if (before) {
                row.push_back(with_thousands(run.attached_before));
            }
            row.emplace_back(name);
            row.push_back(readable(per_function(static_cast<double>(samples.min()), run)));
            row.push_back(readable(median_per_function(run, operation)));
            row.push_back(readable(per_function(static_cast<double>(samples.max()), run)));
            row.push_back(readable(per_function(samples.stddev(), run)));
            row.push_back(readable(total(samples.median(), run) / ns_per_ms));
            row.push_back(waiting_ms(run, operation));
            row.push_back(times_cheaper(result, run, operation));
            row.emplace_back(run.verified ? "yes" : "NO");
            table.add(std::move(row));
        }
    }
    return table;
}

/// What tells the results apart, as short as it can be.
std::vector<std::string> labels_of(const std::vector<BenchResult>& results) {
    auto distinct = [](const std::vector<std::string>& labels) {
        return std::set<std::string>(labels.begin(), labels.end()).size() == labels.size();
    };
    std::vector<std::string> labels;
    labels.reserve(results.size());
    for (const BenchResult& result : results) {
        labels.push_back(result.base);
    }
    auto append = [&](auto&& part) {
        for (std::size_t i = 0; i < results.size() && i < labels.size(); i++) {
            labels[i] += part(i);
        }
    };
    if (!distinct(labels)) {
        append([&](std::size_t i) { return " " + results[i].arch; });
    }
    if (!distinct(labels)) {
        append([&](std::size_t i) { return " " + results[i].kernel; });
    }
    if (!distinct(labels)) {
        append([&](std::size_t i) { return fmt::format(" ({})", i + 1); });
    }
    return labels;
}

using Key = std::tuple<std::uint64_t, std::uint64_t, Method>;

Key key_of(const BenchRun& run) {
    return {run.functions, run.attached_before, run.method};
}

const BenchRun* find_run(const BenchResult& result, const Key& key) {
    auto found = std::find_if(result.runs.begin(), result.runs.end(),
                              [&](const BenchRun& run) { return key_of(run) == key; });
    return found == result.runs.end() ? nullptr : &*found;
}

/// The runs of all results, each kind once, in the order of sizes and methods.
std::vector<const BenchRun*> kinds_of(const std::vector<BenchResult>& results) {
    std::vector<const BenchRun*> kinds;
    std::set<Key> seen;
    for (const BenchResult& result : results) {
        for (const BenchRun& run : result.runs) {
            if (seen.insert(key_of(run)).second) {
                kinds.push_back(&run);
            }
        }
    }
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const BenchRun* a, const BenchRun* b) { return key_of(*a) < key_of(*b); });
    return kinds;
}

Table side_by_side(const std::vector<BenchResult>& results) {
    bool before = any_before(results);
    auto labels = labels_of(results);
    std::vector<Table::Column> columns = {{"method", false}, {"functions", true}};
    if (before) {
        columns.push_back({"beside", true});
    }
    columns.push_back({"operation", false});
    for (std::size_t i = 0; i < results.size(); i++) {
        columns.push_back({labels[i], true});
        columns.push_back({"waiting (ms)", true});
        if (i != 0) {
            columns.push_back({fmt::format("/ {}", labels[0]), true});
        }
    }
    columns.push_back({"verified", false});

    Table table(columns);
    for (const BenchRun* kind : kinds_of(results)) {
        for (const auto& [name, operation] : operations) {
            std::vector<std::string> row = {std::string(name_of(kind->method)), ""};
            if (before) {
                row.push_back(with_thousands(kind->attached_before));
            }
            row.emplace_back(name);
            const BenchRun* first = find_run(results[0], key_of(*kind));
            bool verified = true;
            bool extrapolated = false;
            for (std::size_t i = 0; i < results.size(); i++) {
                const BenchRun* run = find_run(results[i], key_of(*kind));
                if (run != nullptr) {
                    verified = verified && run->verified;
                    extrapolated = extrapolated || run->extrapolated();
                }
                double own = run == nullptr ? 0 : median_per_function(*run, operation);
                row.push_back(run == nullptr ? "-" : readable(own));
                row.push_back(run == nullptr ? "" : waiting_ms(*run, operation));
                if (i != 0) {
                    double base = first == nullptr ? 0 : median_per_function(*first, operation);
                    row.push_back(run == nullptr || base <= 0 ? "" : readable(own / base) + "x");
                }
            }
            row[1] = with_thousands(kind->functions) + (extrapolated ? "*" : "");
            row.emplace_back(verified ? "yes" : "NO");
            table.add(std::move(row));
        }
    }
    return table;
}

Table plain_numbers(const std::vector<BenchResult>& results) {
    Table table({{"base"},           {"kernel"},
                 {"arch"},           {"accel"},
                 {"unit"},           {"method"},
                 {"functions"},      {"targets"},
                 {"measured"},       {"attached_before"},
                 {"verified"},       {"operation"},
                 {"runs"},           {"min"},
                 {"median"},         {"max"},
                 {"stddev"},         {"median_per_function"},
                 {"waiting_median"}, {"ratio_to_first"}});
    for (const BenchResult& result : results) {
        for (const BenchRun& run : result.runs) {
            for (const auto& [name, operation] : operations) {
                const Samples& samples = (run.*operation).running;
                Samples waiting = (run.*operation).waiting();
                const BenchRun* first = find_run(results[0], key_of(run));
                double base = first == nullptr ? 0 : median_per_function(*first, operation);
                bool comparable = &result != results.data() && base > 0;
                table.add({result.base,
                           result.kernel,
                           result.arch,
                           result.accel,
                           result.unit,
                           std::string(name_of(run.method)),
                           fmt::format("{}", run.functions),
                           fmt::format("{}", run.targets),
                           fmt::format("{}", run.measured),
                           fmt::format("{}", run.attached_before),
                           run.verified ? "true" : "false",
                           std::string(name),
                           fmt::format("{}", samples.values().size()),
                           fmt::format("{}", samples.min()),
                           fmt::format("{}", samples.median()),
                           fmt::format("{}", samples.max()),
                           fmt::format("{:.3f}", samples.stddev()),
                           fmt::format("{:.3f}", median_per_function(run, operation)),
                           waiting.empty() ? "" : fmt::format("{}", waiting.median()),
                           comparable
                               ? fmt::format("{:.6f}", median_per_function(run, operation) / base)
                               : ""});
            }
        }
    }
    return table;
}

std::string with_title(const std::string& title, const Table& table, const std::string& notes,
                       Format format) {
    if (format == Format::markdown) {
        std::string escaped = notes.empty() ? "" : "\n\\" + notes;
        return title + "\n\n" + table.markdown() + escaped;
    }
    return title + "\n\n" + table.text() + (notes.empty() ? "" : "\n" + notes);
}

} // namespace

std::string report(const BenchResult& result, Format format) {
    if (format == Format::json) {
        return to_json(result).dump(2) + "\n";
    }
    if (format == Format::csv) {
        return plain_numbers({result}).csv();
    }
    std::string title =
        fmt::format("{}\n{} per function", headline(result), unit_name(result.unit));
    return with_title(title, plain_table(result), footnotes({result}), format);
}

Result<std::string> report(const std::vector<BenchResult>& results, Format format) {
    if (results.size() == 1) {
        return report(results[0], format);
    }
    if (format == Format::json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const BenchResult& result : results) {
            list.push_back(to_json(result));
        }
        return list.dump(2) + "\n";
    }
    for (const BenchResult& result : results) {
        if (result.unit != results[0].unit) {
            return misuse(fmt::format("results in {} and in {} cannot be compared",
                                      unit_name(results[0].unit), unit_name(result.unit)),
                          "give files that were measured in the same unit");
        }
    }
    if (format == Format::csv) {
        return plain_numbers(results).csv();
    }
    std::string title;
    for (const BenchResult& result : results) {
        title += headline(result) + "\n";
    }
    title += fmt::format("median {} per function", unit_name(results[0].unit));
    return with_title(title, side_by_side(results), footnotes(results), format);
}

} // namespace fdirect
