// SPDX-License-Identifier: GPL-2.0
#include "results/call_report.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "results/bench_report.h"
#include "results/call_verdict.h"
#include "results/table.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// What is shown in one table.
struct Block {
    std::string title;
    bool direct = false;
    std::vector<CallSpec> specs;
};

Block block_of(const CallSpec& spec) {
    if (spec.kind != CallKind::ops) {
        return {"direct calls", true, {spec}};
    }
    std::string flags = flags_of(spec);
    return {"ftrace_ops" + (flags.empty() ? "" : ", " + flags), false, {spec}};
}

/// Everything that any of the results has, each once, in the order that it comes in.
std::vector<Block> blocks_of(const std::vector<CallResult>& results) {
    std::vector<Block> blocks;
    for (const CallResult& result : results) {
        for (const CallRow& row : result.rows) {
            Block block = block_of(row.spec);
            auto same = std::find_if(blocks.begin(), blocks.end(), [&](const Block& other) {
                return other.title == block.title;
            });
            if (same == blocks.end()) {
                blocks.push_back(std::move(block));
            } else if (std::find(same->specs.begin(), same->specs.end(), row.spec) ==
                       same->specs.end()) {
                same->specs.push_back(row.spec);
            }
        }
    }
    return blocks;
}

/// "+3.00" for what is more, "0.00" for what is the same; empty where one of the two is missing.
std::string difference(const CallRow* row, const CallRow* other) {
    if (row == nullptr || other == nullptr) {
        return "";
    }
    std::string text = hundredths(row->overhead - other->overhead);
    return text.starts_with('-') || text == "0.00" ? text : "+" + text;
}

/// The columns that say what was measured.
std::vector<Table::Column> spec_columns(const Block& block) {
    std::vector<Table::Column> columns;
    if (block.direct) {
        columns.push_back({"kind", false});
    }
    columns.push_back({"relevant", true});
    columns.push_back({"irrelevant", true});
    return columns;
}

std::vector<std::string> spec_cells(const Block& block, const CallSpec& spec) {
    std::vector<std::string> cells;
    if (block.direct) {
        cells.emplace_back(name_of(spec.kind));
    }
    cells.push_back(std::to_string(spec.relevant));
    cells.push_back(std::to_string(spec.irrelevant));
    return cells;
}

Table table_alone(const CallResult& result, const Block& block) {
    auto columns = spec_columns(block);
    columns.push_back({"per call", true});
    columns.push_back({"overhead", true});
    const CallRow* plain = block.direct ? find_row(result, {CallKind::plain}) : nullptr;
    if (plain != nullptr) {
        columns.push_back({"vs plain", true});
    }
    Table table(columns);
    for (const CallSpec& spec : block.specs) {
        const CallRow* row = find_row(result, spec);
        auto cells = spec_cells(block, spec);
        cells.push_back(row == nullptr ? "-" : hundredths(row->per_call));
        cells.push_back(row == nullptr ? "-" : hundredths(row->overhead));
        cells.push_back(difference(row, plain));
        table.add(std::move(cells));
    }
    return table;
}

Table table_side_by_side(const std::vector<CallResult>& results, const Block& block) {
    auto columns = spec_columns(block);
    auto labels = labels_of(headers_of(results));
    std::size_t reference = reference_of(results);
    for (std::size_t i = 0; i < results.size(); i++) {
        columns.push_back({labels[i], true});
        if (i != reference) {
            columns.push_back({"vs " + labels[reference], true});
        }
    }
    Table table(columns);
    for (const CallSpec& spec : block.specs) {
        auto cells = spec_cells(block, spec);
        for (std::size_t i = 0; i < results.size(); i++) {
            const CallRow* row = find_row(results[i], spec);
            cells.push_back(row == nullptr ? "-" : hundredths(row->overhead));
            if (i != reference) {
                cells.push_back(difference(row, find_row(results[reference], spec)));
            }
        }
        table.add(std::move(cells));
    }
    return table;
}

/// The results of one architecture.
std::string tables_of(const std::vector<CallResult>& results, Format format) {
    bool alone = results.size() == 1;
    bool markdown = format == Format::markdown;
    std::string text;
    for (const CallResult& result : results) {
        text += headline(result.header) + "\n";
    }
    text += unit_name(results[0].header.unit);
    text += alone ? " per call; overhead is what an untraced call does not cost\n"
                  : " per call that an untraced call does not cost\n";
    text += "relevant: ftrace_ops of the function that is called; irrelevant: of another one\n";
    for (const Block& block : blocks_of(results)) {
        Table table = alone ? table_alone(results[0], block) : table_side_by_side(results, block);
        text += fmt::format("\n{0}{1}{0}\n\n{2}", markdown ? "**" : "", block.title,
                            markdown ? table.markdown() : table.text());
    }
    auto verdicts = call_verdicts(results);
    text += verdicts.empty() ? "" : "\n";
    for (const std::string& verdict : verdicts) {
        text += fmt::format("{}{}\n", markdown ? "- " : "", verdict);
    }
    return text;
}

Table plain_numbers(const std::vector<CallResult>& results) {
    Table table({{"base"},
                 {"kernel"},
                 {"arch"},
                 {"accel"},
                 {"unit"},
                 {"kind"},
                 {"relevant"},
                 {"irrelevant"},
                 {"save_regs"},
                 {"recursion"},
                 {"rcu"},
                 {"trampoline"},
                 {"calls"},
                 {"total"},
                 {"per_call"},
                 {"overhead"}});
    for (const auto& [header, rows] : results) {
        for (const CallRow& row : rows) {
            table.add({header.base, header.kernel, header.arch, header.accel, header.unit,
                       std::string(name_of(row.spec.kind)), fmt::format("{}", row.spec.relevant),
                       fmt::format("{}", row.spec.irrelevant),
                       fmt::format("{}", row.spec.save_regs), fmt::format("{}", row.spec.recursion),
                       fmt::format("{}", row.spec.rcu), fmt::format("{}", row.spec.trampoline),
                       fmt::format("{}", row.calls), fmt::format("{}", row.total),
                       fmt::format("{:.4f}", row.per_call), fmt::format("{:.4f}", row.overhead)});
        }
    }
    return table;
}

} // namespace

Result<std::string> report(const std::vector<CallResult>& results, Format format) {
    return report_of(results, format, plain_numbers, tables_of);
}

} // namespace fdirect
