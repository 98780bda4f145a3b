// SPDX-License-Identifier: GPL-2.0
#include "results/scale_report.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "results/bench_report.h"
#include "results/table.h"
#include "util/text.h"

namespace fdirect {
namespace {

constexpr double ns_per_ms = 1e6;

/// What is shown of a measurement, e.g. its median.
using Figure = std::function<std::string(const CallSamples& samples, std::uint64_t functions)>;

std::string per_function(const CallSamples& samples, std::uint64_t functions) {
    return readable(samples.running.median() / static_cast<double>(functions));
}

/// Of the whole call; one instruction is one nanosecond of the guest's clock.
std::string waiting_ms(const CallSamples& samples, std::uint64_t /*functions*/) {
    Samples waiting = samples.waiting();
    return waiting.empty() ? "" : readable(waiting.median() / ns_per_ms);
}

/// A row of a table: what was done, with how many functions at once, in which result, how.
struct RowKey {
    std::size_t operation = 0;
    std::uint64_t functions = 0;
    std::size_t result = 0;
    std::string way;

    bool operator<(const RowKey& other) const {
        return std::tie(operation, functions, result, way) <
               std::tie(other.operation, other.functions, other.result, other.way);
    }
};

/// The cells of a row, by how many functions were attached already.
struct Row {
    std::map<std::uint64_t, std::string> cells;
    bool verified = true;
};

/// Rows in the order that they are shown.
using Rows = std::map<RowKey, Row>;

/// The numbers of functions that were attached already, in any of the results.
std::set<std::uint64_t> columns_of(const std::vector<ScaleResult>& results) {
    std::set<std::uint64_t> columns;
    for (const ScaleResult& result : results) {
        for (const AttachRun& run : result.runs) {
            columns.insert(run.attached_before);
        }
        for (const KprobeRun& run : result.kprobe) {
            columns.insert(run.attached_before);
        }
    }
    return columns;
}

Rows attach_rows(const std::vector<ScaleResult>& results, const Figure& figure) {
    Rows rows;
    for (std::size_t i = 0; i < results.size(); i++) {
        for (const AttachRun& run : results[i].runs) {
            for (std::size_t j = 0; j < operations.size(); j++) {
                Row& row = rows[{j, run.functions, i, name_of(run.way)}];
                row.cells[run.attached_before] = figure(run.*operations[j].second, run.measured);
                row.verified = row.verified && run.verified;
            }
        }
    }
    return rows;
}

Rows kprobe_rows(const std::vector<ScaleResult>& results, const Figure& figure) {
    Rows rows;
    for (std::size_t i = 0; i < results.size(); i++) {
        for (const KprobeRun& run : results[i].kprobe) {
            for (std::size_t j = 0; j < kprobe_steps.size(); j++) {
                Row& row = rows[{j, 1, i, run.ftrace ? "kprobe, by ftrace" : "kprobe"}];
                row.cells[run.attached_before] = figure(run.steps[j], 1);
                row.verified = row.verified && run.verified;
            }
        }
    }
    return rows;
}

template<class Names>
Table table_of(const std::vector<ScaleResult>& results, const Rows& rows, const Names& name) {
    auto labels = labels_of(headers_of(results));
    bool alone = results.size() == 1;
    std::vector<Table::Column> columns = {{"operation", false}, {"functions", true}};
    if (!alone) {
        columns.push_back({"kernel", false});
    }
    columns.push_back({"method", false});
    for (std::uint64_t before : columns_of(results)) {
        columns.push_back({"beside " + with_thousands(before), true});
    }
    columns.push_back({"verified", false});

    Table table(columns);
    for (const auto& [key, row] : rows) {
        std::vector<std::string> cells = {std::string(name(key.operation)),
                                          with_thousands(key.functions)};
        if (!alone) {
            cells.push_back(labels[key.result]);
        }
        cells.push_back(key.way);
        for (std::uint64_t before : columns_of(results)) {
            auto cell = row.cells.find(before);
            cells.push_back(cell == row.cells.end() ? "-" : cell->second);
        }
        cells.emplace_back(row.verified ? "yes" : "NO");
        table.add(std::move(cells));
    }
    return table;
}

std::string memory_line(const MemoryGrowth& memory) {
    return fmt::format("memory per attached function: {} bytes, {} of slab and {} of vmalloc "
                       "({} with {})\n",
                       readable(memory.per_function(memory.slab + memory.vmalloc)),
                       readable(memory.per_function(memory.slab)),
                       readable(memory.per_function(memory.vmalloc)),
                       counted(memory.functions, "function"), name_of(memory.way));
}

/// The results of one architecture.
std::string tables_of(const std::vector<ScaleResult>& results, Format format) {
    bool markdown = format == Format::markdown;
    std::string text;
    std::uint64_t available = results[0].functions_available;
    for (const ScaleResult& result : results) {
        text += fmt::format("{}, {} available\n", headline(result.header),
                            counted(result.functions_available, "function"));
        available = std::min(available, result.functions_available);
    }
    text += fmt::format("beside: other functions that were attached already; -: more together than "
                        "the {} functions, or not measured\n",
                        with_thousands(available));
    auto add = [&](const std::string& title, const Table& table) {
        text += fmt::format("\n{0}{1}{0}\n\n{2}", markdown ? "**" : "", title,
                            markdown ? table.markdown() : table.text());
    };
    std::string unit = unit_name(results[0].header.unit);
    auto operation = [](std::size_t i) { return operations[i].first; };
    auto step = [](std::size_t i) { return kprobe_steps[i]; };
    add(fmt::format("median {} per function", unit),
        table_of(results, attach_rows(results, per_function), operation));
    add("waiting of the whole call (ms)",
        table_of(results, attach_rows(results, waiting_ms), operation));
    if (auto rows = kprobe_rows(results, per_function); !rows.empty()) {
        add(fmt::format("a kprobe on another function, median {}", unit),
            table_of(results, rows, step));
        add("waiting for a kprobe (ms)", table_of(results, kprobe_rows(results, waiting_ms), step));
    }
    text += "\n";
    auto labels = labels_of(headers_of(results));
    for (std::size_t i = 0; i < results.size(); i++) {
        if (results[i].memory) {
            text += fmt::format("{}{}{}", markdown ? "- " : "",
                                results.size() == 1 ? "" : labels[i] + ": ",
                                memory_line(*results[i].memory));
        }
    }
    return text;
}

Table plain_numbers(const std::vector<ScaleResult>& results) {
    Table table({{"base"},
                 {"kernel"},
                 {"arch"},
                 {"accel"},
                 {"unit"},
                 {"method"},
                 {"reach"},
                 {"functions"},
                 {"attached_before"},
                 {"verified"},
                 {"operation"},
                 {"runs"},
                 {"min"},
                 {"median"},
                 {"max"},
                 {"median_per_function"},
                 {"waiting_median"}});
    auto add = [&](const BenchHeader& header, std::string_view unit, const Way& way,
                   std::string_view method, std::uint64_t functions, std::uint64_t before,
                   bool verified, std::string_view operation,
                   const std::vector<std::string>& figures) {
        std::vector<std::string> cells = {header.base,
                                          header.kernel,
                                          header.arch,
                                          header.accel,
                                          std::string(unit),
                                          std::string(method),
                                          std::string(name_of(way.reach)),
                                          fmt::format("{}", functions),
                                          fmt::format("{}", before),
                                          verified ? "true" : "false",
                                          std::string(operation)};
        cells.insert(cells.end(), figures.begin(), figures.end());
        table.add(std::move(cells));
    };
    auto figures_of = [](const CallSamples& samples, std::uint64_t functions) {
        Samples waiting = samples.waiting();
        return std::vector<std::string>{
            fmt::format("{}", samples.running.values().size()),
            fmt::format("{}", samples.running.min()),
            fmt::format("{}", samples.running.median()),
            fmt::format("{}", samples.running.max()),
            fmt::format("{:.3f}", samples.running.median() / static_cast<double>(functions)),
            waiting.empty() ? "" : fmt::format("{}", waiting.median())};
    };
    for (const ScaleResult& result : results) {
        const BenchHeader& header = result.header;
        for (const AttachRun& run : result.runs) {
            for (const auto& [name, operation] : operations) {
                add(header, header.unit, run.way, name_of(run.way.method), run.functions,
                    run.attached_before, run.verified, name,
                    figures_of(run.*operation, run.measured));
            }
        }
        for (const KprobeRun& run : result.kprobe) {
            for (std::size_t i = 0; i < kprobe_steps.size(); i++) {
                add(header, header.unit, run.way, "kprobe", 1, run.attached_before, run.verified,
                    kprobe_steps[i], figures_of(run.steps[i], 1));
            }
        }
        if (!result.memory) {
            continue;
        }
        const MemoryGrowth& memory = *result.memory;
        for (const auto& [name, bytes] :
             {std::pair{"slab", memory.slab}, std::pair{"vmalloc", memory.vmalloc}}) {
            std::string all = fmt::format("{}", bytes);
            add(header, "bytes", memory.way, name_of(memory.way.method), memory.functions, 0, true,
                name, {"1", all, all, all, fmt::format("{:.3f}", memory.per_function(bytes)), ""});
        }
    }
    return table;
}

} // namespace

Result<std::string> report(const std::vector<ScaleResult>& results, Format format) {
    return report_of(results, format, plain_numbers, tables_of);
}

} // namespace fdirect
