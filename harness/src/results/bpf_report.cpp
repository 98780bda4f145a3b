// SPDX-License-Identifier: GPL-2.0
#include "results/bpf_report.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <utility>

#include "results/bench_report.h"
#include "results/table.h"
#include "util/error.h"
#include "util/text.h"

namespace fdirect {
namespace {

using Results = std::vector<BpfResult>;
using Samples_of = CallSamples BpfRun::*;

constexpr double ns_per_ms = 1e6;
constexpr double ns_per_s = 1e9;

/// Of the whole step; one instruction is one nanosecond of the guest's clock. Empty where a file
/// does not tell.
std::string waiting_ms(const Samples& waiting, double figure) {
    return waiting.empty() ? "" : readable(figure / ns_per_ms);
}

std::string yes(bool verified) {
    return verified ? "yes" : "NO";
}

/// "12.4x"; empty where there is nothing to compare.
std::string ratio(double own, double base) {
    return base > 0 ? readable(own / base) + "x" : "";
}

double sum_of(const Samples& samples) {
    return std::accumulate(samples.values().begin(), samples.values().end(), 0.0);
}

/// On the clock, or, where a file has it not, running.
const Samples& elapsed_of(const CallSamples& samples) {
    return samples.elapsed.empty() ? samples.running : samples.elapsed;
}

double mean_of(const Samples& samples) {
    return samples.empty() ? 0 : sum_of(samples) / static_cast<double>(samples.values().size());
}

/// What the results have, each once, in the order that it comes in, by what tells it apart.
template<class T, class Key>
std::vector<const T*> kinds_of(const Results& results, std::vector<T> BpfResult::*items, Key key) {
    std::vector<const T*> kinds;
    std::set<decltype(key(std::declval<T>()))> seen;
    for (const BpfResult& result : results) {
        for (const T& item : result.*items) {
            if (seen.insert(key(item)).second) {
                kinds.push_back(&item);
            }
        }
    }
    return kinds;
}

/// The one of a result that is like this; nullptr where there is none.
template<class T, class Key>
const T* like(const std::vector<T>& items, const T& item, Key key) {
    auto found = std::find_if(items.begin(), items.end(),
                              [&](const T& other) { return key(other) == key(item); });
    return found == items.end() ? nullptr : &*found;
}

std::pair<BpfKind, std::uint64_t> run_key(const BpfRun& run) {
    return {run.kind, run.functions};
}

BpfKind call_key(const BpfCall& call) {
    return call.kind;
}

/// A row for each result: there is little to tell of each.
Table loops_table(const Results& results) {
    auto labels = labels_of(headers_of(results));
    Table table({{"kernel", false},
                 {"loops", true},
                 {unit_name(results[0].header.unit) + " per loop", true},
                 {"waiting per loop (ms)", true},
                 {"longest (ms)", true},
                 {"all loops (s)", true},
                 {results.size() > 1 ? "/ " + labels[0] : "", true},
                 {"verified", false}});
    double base = results[0].loops.empty() ? 0 : mean_of(elapsed_of(results[0].loops[0].loop));
    for (std::size_t i = 0; i < results.size(); i++) {
        for (const BpfLoops& loops : results[i].loops) {
            Samples waiting = loops.loop.waiting();
            const Samples& elapsed = elapsed_of(loops.loop);
            table.add({labels[i], with_thousands(loops.loops),
                       readable(loops.loop.running.median()), waiting_ms(waiting, waiting.median()),
                       waiting_ms(waiting, static_cast<double>(waiting.max())),
                       readable(sum_of(elapsed) / ns_per_s),
                       i == 0 ? "" : ratio(mean_of(elapsed), base), yes(loops.verified)});
        }
    }
    return table;
}

double per_function(const BpfRun& run, Samples_of operation) {
    return (run.*operation).running.median() / static_cast<double>(run.functions);
}

Table runs_table(const Results& results) {
    auto labels = labels_of(headers_of(results));
    std::vector<Table::Column> columns = {
        {"kind", false}, {"functions", true}, {"operation", false}};
    for (std::size_t i = 0; i < results.size(); i++) {
        columns.push_back({labels[i], true});
        columns.push_back({"waiting (ms)", true});
        if (i != 0) {
            columns.push_back({"/ " + labels[0], true});
        }
    }
    columns.push_back({"verified", false});
    Table table(columns);
    for (const BpfRun* kind : kinds_of(results, &BpfResult::runs, run_key)) {
        for (const auto& [name, operation] : bpf_operations) {
            std::vector<std::string> cells = {std::string(name_of(kind->kind)),
                                              with_thousands(kind->functions), std::string(name)};
            const BpfRun* first = like(results[0].runs, *kind, run_key);
            bool verified = true;
            for (std::size_t i = 0; i < results.size(); i++) {
                const BpfRun* run = like(results[i].runs, *kind, run_key);
                double own = run == nullptr ? 0 : per_function(*run, operation);
                Samples waiting = run == nullptr ? Samples() : (run->*operation).waiting();
                cells.push_back(run == nullptr ? "-" : readable(own));
                cells.push_back(waiting_ms(waiting, waiting.median()));
                if (i != 0) {
                    double base = first == nullptr ? 0 : per_function(*first, operation);
                    cells.push_back(run == nullptr ? "" : ratio(own, base));
                }
                verified = verified && (run == nullptr || run->verified);
            }
            cells.push_back(yes(verified));
            table.add(std::move(cells));
        }
    }
    return table;
}

Table calls_table(const Results& results) {
    auto labels = labels_of(headers_of(results));
    std::vector<Table::Column> columns = {{"kind", false}};
    for (std::size_t i = 0; i < results.size(); i++) {
        columns.push_back({labels[i], true});
        columns.push_back({"calls/s", true});
        if (i != 0) {
            columns.push_back({"vs " + labels[0], true});
        }
    }
    columns.push_back({"verified", false});
    Table table(columns);
    for (const BpfCall* kind : kinds_of(results, &BpfResult::calls, call_key)) {
        std::vector<std::string> cells = {std::string(name_of(kind->kind))};
        const BpfCall* first = like(results[0].calls, *kind, call_key);
        bool verified = true;
        for (std::size_t i = 0; i < results.size(); i++) {
            const BpfCall* call = like(results[i].calls, *kind, call_key);
            cells.push_back(call == nullptr ? "-" : hundredths(call->overhead));
            cells.push_back(
                call == nullptr || call->per_call <= 0 ? "" : readable(ns_per_s / call->per_call));
            if (i != 0) {
                cells.push_back(call == nullptr || first == nullptr
                                    ? ""
                                    : hundredths(call->overhead - first->overhead));
            }
            verified = verified && (call == nullptr || call->verified);
        }
        cells.push_back(yes(verified));
        table.add(std::move(cells));
    }
    return table;
}

/// What was refused or could not be measured.
std::vector<std::string> notes_of(const Results& results) {
    auto labels = labels_of(headers_of(results));
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < results.size(); i++) {
        const auto& refused = results[i].refused;
        std::set<std::string> reasons;
        for (const BpfRefusal& refusal : refused) {
            reasons.insert(system_message(refusal.error));
        }
        if (results[i].functions_busy && !results[i].runs.empty()) {
            notes.push_back(fmt::format("{}: {} not taken, since attaching runs them itself",
                                        labels[i],
                                        counted(*results[i].functions_busy, "function")));
        }
        notes.push_back(fmt::format("{}: {} refused{}", labels[i],
                                    counted(refused.size(), "function"),
                                    refused.empty() ? ""
                                                    : fmt::format(" ({}), others taken for them",
                                                                  fmt::join(reasons, ", "))));
        for (BpfKind kind : results[i].unsupported) {
            notes.push_back(
                fmt::format("{}: this kernel does not have {}", labels[i], name_of(kind)));
        }
    }
    return notes;
}

/// The results of one architecture.
std::string tables_of(const Results& results, Format format) {
    bool markdown = format == Format::markdown;
    std::string unit = unit_name(results[0].header.unit);
    std::string text;
    for (const BpfResult& result : results) {
        text += headline(result.header) + "\n";
    }
    auto add = [&](const std::string& title, const Table& table) {
        text += fmt::format("\n{}\n\n{}", markdown ? "**" + title + "**" : title,
                            markdown ? table.markdown() : table.text());
    };
    auto any = [&](auto items) {
        return std::any_of(results.begin(), results.end(),
                           [&](const BpfResult& result) { return !(result.*items).empty(); });
    };
    if (any(&BpfResult::loops)) {
        add("one fentry program, attached, called and detached", loops_table(results));
    }
    if (any(&BpfResult::runs)) {
        add(fmt::format("median {} per function; a program for each, with kprobe.multi one for all",
                        unit),
            runs_table(results));
    }
    if (any(&BpfResult::calls)) {
        add(fmt::format("{} per call that an untraced call does not cost, the program's own among "
                        "them",
                        unit),
            calls_table(results));
    }
    text += "\n";
    for (const std::string& note : notes_of(results)) {
        text += fmt::format("{}{}\n", markdown ? "- " : "", note);
    }
    return text;
}

/// What a line of CSV is about.
struct CsvLine {
    const BenchHeader* header;
    BpfKind kind;
    std::uint64_t functions;
    std::string_view operation;
    bool verified;
};

Table plain_numbers(const Results& results) {
    Table table({{"base"},
                 {"kernel"},
                 {"arch"},
                 {"accel"},
                 {"unit"},
                 {"kind"},
                 {"functions"},
                 {"operation"},
                 {"verified"},
                 {"samples"},
                 {"min"},
                 {"median"},
                 {"max"},
                 {"median_per_function"},
                 {"waiting_median"},
                 {"waiting_max"},
                 {"overhead"}});
    using Cells = std::vector<std::string>;
    auto add = [&](const CsvLine& row, Cells figures) {
        const BenchHeader& header = *row.header;
        Cells cells = {header.base,
                       header.kernel,
                       header.arch,
                       header.accel,
                       header.unit,
                       std::string(name_of(row.kind)),
                       fmt::format("{}", row.functions),
                       std::string(row.operation),
                       row.verified ? "true" : "false"};
        cells.insert(cells.end(), figures.begin(), figures.end());
        table.add(std::move(cells));
    };
    auto figures_of = [](const CallSamples& samples, std::uint64_t functions) -> Cells {
        const Samples& running = samples.running;
        Samples waiting = samples.waiting();
        return {fmt::format("{}", running.values().size()),
                fmt::format("{}", running.min()),
                fmt::format("{}", running.median()),
                fmt::format("{}", running.max()),
                fmt::format("{:.3f}", running.median() / static_cast<double>(functions)),
                waiting.empty() ? "" : fmt::format("{}", waiting.median()),
                waiting.empty() ? "" : fmt::format("{}", waiting.max())};
    };
    for (const BpfResult& result : results) {
        for (const BpfLoops& loops : result.loops) {
            add({&result.header, loops.kind, 1, "loop", loops.verified}, figures_of(loops.loop, 1));
        }
        for (const BpfRun& run : result.runs) {
            for (const auto& [name, operation] : bpf_operations) {
                add({&result.header, run.kind, run.functions, name, run.verified},
                    figures_of(run.*operation, run.functions));
            }
        }
        for (const BpfCall& call : result.calls) {
            add({&result.header, call.kind, 1, "call", call.verified},
                {fmt::format("{}", call.calls), fmt::format("{:.4f}", call.per_call), "", "", "",
                 "", "", fmt::format("{:.4f}", call.overhead)});
        }
    }
    return table;
}

} // namespace

Result<std::string> report(const Results& results, Format format) {
    return report_of(results, format, plain_numbers, tables_of);
}

} // namespace fdirect
