// SPDX-License-Identifier: GPL-2.0
#include "results/attach_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

#include "results/bench_report.h"
#include "results/table.h"
#include "util/text.h"

namespace fdirect {
namespace {

using Samples_of = CallSamples AttachRun::*;

constexpr double ns_per_ms = 1e6;

double per_function(double total, const AttachRun& run) {
    return total / static_cast<double>(run.measured);
}

double median_per_function(const AttachRun& run, Samples_of operation) {
    return per_function((run.*operation).running.median(), run);
}

/// What all functions that the run stands for would cost.
double total(double measured, const AttachRun& run) {
    return per_function(measured, run) * static_cast<double>(run.functions);
}

/// Milliseconds of waiting for all functions; one instruction is one nanosecond of the guest's
/// clock.
std::string waiting_ms(const AttachRun& run, Samples_of operation) {
    Samples waiting = (run.*operation).waiting();
    return waiting.empty() ? "" : readable(total(waiting.median(), run) / ns_per_ms);
}

std::string starred(const AttachRun& run) {
    return with_thousands(run.functions) + (run.extrapolated() ? "*" : "");
}

std::string headline(const AttachResult& result) {
    return fmt::format("{}, {} available", headline(result.header),
                       counted(result.functions_available, "function"));
}

/// What the stars mean, for each number of functions they were measured with.
std::string footnotes(const std::vector<AttachResult>& results) {
    std::set<std::uint64_t> measured;
    for (const AttachResult& result : results) {
        for (const AttachRun& run : result.runs) {
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
const AttachRun* each_beside(const AttachResult& result, const AttachRun& run) {
    const AttachRun* near = nullptr;
    for (const AttachRun& other : result.runs) {
        if (other.way.method != Method::each || other.functions != run.functions ||
            other.attached_before != run.attached_before) {
            continue;
        }
        if (other.way.reach == run.way.reach) {
            return &other;
        }
        near = other.way.reach == Reach::near ? &other : near;
    }
    return near;
}

std::string times_cheaper(const AttachResult& result, const AttachRun& run, Samples_of operation) {
    const AttachRun* each = run.way.method == Method::each ? nullptr : each_beside(result, run);
    double own = median_per_function(run, operation);
    if (each == nullptr || own <= 0) {
        return "";
    }
    return readable(median_per_function(*each, operation) / own) +
           (each->extrapolated() ? "x*" : "x");
}

bool any_before(const std::vector<AttachResult>& results) {
    return std::any_of(results.begin(), results.end(), [](const AttachResult& result) {
        return std::any_of(result.runs.begin(), result.runs.end(),
                           [](const AttachRun& run) { return run.attached_before != 0; });
    });
}

Table plain_table(const AttachResult& result) {
    bool before = any_before({result});
    bool insn = result.header.unit == "insn";
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
    for (const AttachRun& run : result.runs) {
        for (const auto& [name, operation] : operations) {
            const Samples& samples = (run.*operation).running;
            std::vector<std::string> row = {name_of(run.way), starred(run),
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

using Key = std::tuple<std::uint64_t, std::uint64_t, Method, Reach>;

Key key_of(const AttachRun& run) {
    return {run.functions, run.attached_before, run.way.method, run.way.reach};
}

const AttachRun* find_run(const AttachResult& result, const Key& key) {
    auto found = std::find_if(result.runs.begin(), result.runs.end(),
                              [&](const AttachRun& run) { return key_of(run) == key; });
    return found == result.runs.end() ? nullptr : &*found;
}

/// The runs of all results, each kind once, in the order of sizes and ways.
std::vector<const AttachRun*> kinds_of(const std::vector<AttachResult>& results) {
    std::vector<const AttachRun*> kinds;
    std::set<Key> seen;
    for (const AttachResult& result : results) {
        for (const AttachRun& run : result.runs) {
            if (seen.insert(key_of(run)).second) {
                kinds.push_back(&run);
            }
        }
    }
    std::stable_sort(kinds.begin(), kinds.end(), [](const AttachRun* a, const AttachRun* b) {
        return key_of(*a) < key_of(*b);
    });
    return kinds;
}

Table side_by_side(const std::vector<AttachResult>& results) {
    bool before = any_before(results);
    auto labels = labels_of(headers_of(results));
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
    for (const AttachRun* kind : kinds_of(results)) {
        for (const auto& [name, operation] : operations) {
            std::vector<std::string> row = {name_of(kind->way), ""};
            if (before) {
                row.push_back(with_thousands(kind->attached_before));
            }
            row.emplace_back(name);
            const AttachRun* first = find_run(results[0], key_of(*kind));
            bool verified = true;
            bool extrapolated = false;
            for (std::size_t i = 0; i < results.size(); i++) {
                const AttachRun* run = find_run(results[i], key_of(*kind));
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

Table plain_numbers(const std::vector<std::vector<AttachResult>>& groups) {
    Table table({{"base"},
                 {"kernel"},
                 {"arch"},
                 {"accel"},
                 {"unit"},
                 {"method"},
                 {"reach"},
                 {"functions"},
                 {"targets"},
                 {"measured"},
                 {"attached_before"},
                 {"verified"},
                 {"operation"},
                 {"runs"},
                 {"min"},
                 {"median"},
                 {"max"},
                 {"stddev"},
                 {"median_per_function"},
                 {"waiting_median"},
                 {"ratio_to_first"}});
    auto add = [&](const AttachResult& result, const AttachRun& run, std::string_view name,
                   Samples_of operation, const AttachRun* first) {
        const Samples& samples = (run.*operation).running;
        Samples waiting = (run.*operation).waiting();
        double own = median_per_function(run, operation);
        double base = first == nullptr ? 0 : median_per_function(*first, operation);
        table.add({result.header.base,
                   result.header.kernel,
                   result.header.arch,
                   result.header.accel,
                   result.header.unit,
                   std::string(name_of(run.way.method)),
                   std::string(name_of(run.way.reach)),
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
                   fmt::format("{:.3f}", own),
                   waiting.empty() ? "" : fmt::format("{}", waiting.median()),
                   base > 0 ? fmt::format("{:.6f}", own / base) : ""});
    };
    for (const auto& results : groups) {
        for (const AttachResult& result : results) {
            for (const AttachRun& run : result.runs) {
                bool compared = &result != results.data();
                const AttachRun* first = compared ? find_run(results[0], key_of(run)) : nullptr;
                for (const auto& [name, operation] : operations) {
                    add(result, run, name, operation, first);
                }
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

/// The results of one architecture.
std::string tables_of(const std::vector<AttachResult>& results, Format format) {
    std::string title;
    for (const AttachResult& result : results) {
        title += headline(result) + "\n";
    }
    bool alone = results.size() == 1;
    title +=
        fmt::format("{}{} per function", alone ? "" : "median ", unit_name(results[0].header.unit));
    return with_title(title, alone ? plain_table(results[0]) : side_by_side(results),
                      footnotes(results), format);
}

} // namespace

Result<std::string> report(const std::vector<AttachResult>& results, Format format) {
    return report_of(
        results, format, [](const auto& all) { return plain_numbers(by_arch(all)); }, tables_of);
}

} // namespace fdirect
