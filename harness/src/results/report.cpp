// SPDX-License-Identifier: GPL-2.0
#include "results/report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <set>

#include "results/call_verdict.h"
#include "results/comparison.h"
#include "results/headline.h"
#include "util/text.h"

namespace fdirect {
namespace {

constexpr double ns_per_ms = 1e6;
constexpr double ns_per_s = 1e9;

/// The content of one table.
struct Kind {
    const char* name;
    const char* title; ///< with {} for the unit
    std::array<const char*, 4> steps;
};

constexpr std::array kinds = {
    Kind{"loops",
         "one program, attached, called and detached again and again: {} per loop",
         {"loop"}},
    Kind{"functions", "{} per function", {"load", "attach", "modify", "detach"}},
    Kind{"kprobe",
         "a kprobe on another function: {}",
         {"register", "disable", "enable", "unregister"}},
    Kind{"calls", "{} per call more than an untraced call", {"call"}},
    Kind{"memory", "memory: {} per attached function", {"memory"}},
};

const Kind* kind_of(const Row& row) {
    for (const Kind& kind : kinds) {
        for (const char* step : kind.steps) {
            if (step != nullptr && row.text("step") == step) {
                return &kind;
            }
        }
    }
    return nullptr;
}

std::string shown(const Json& value) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_boolean()) {
        return value.get<bool>() ? "yes" : "";
    }
    return with_thousands(value.get<std::uint64_t>());
}

/// The least and the greatest ratio, or nothing where one of the costs is nothing.
std::string spread_of(const Comparison& comparison) {
    std::string least = times(comparison.least());
    std::string most = times(comparison.most());
    return least.empty() || most.empty() ? "" : fmt::format("{} to {}", least, most);
}

std::string yes(bool verified) {
    return verified ? "yes" : "NO";
}

/// The cost of one, as fine as it is worth.
std::string cost_of(const Row* row) {
    if (row == nullptr) {
        return "-";
    }
    return row->untraced.empty() ? readable(row->cost()) : hundredths(row->cost());
}

/// Milliseconds of waiting for all that the row stands for; an instruction is a nanosecond of the
/// guest's clock.
std::string waiting_of(const Row* row) {
    if (row == nullptr || row->elapsed.empty()) {
        return "";
    }
    double one = row->waiting().median() / static_cast<double>(row->measured);
    return readable(one * row->stands_for() / ns_per_ms);
}

/// The rows of one table: those of all records, by key.
class Rows {
  public:
    Rows(const RecordGroup& group, const Kind& kind) : group_(group), kind_(kind) {
        for (const Record* record : group.records) {
            for (const Row& row : record->rows) {
                if (kind_of(row) == &kind && !has(row.key)) {
                    keys_.push_back(row.key);
                }
                if (kind_of(row) == &kind) {
                    note(row);
                }
            }
        }
    }

    [[nodiscard]] bool empty() const { return keys_.empty(); }
    /// Beside programs are others of the same functions, so there are two numbers for each.
    [[nodiscard]] bool pivots() const {
        return count("beside") > 1 && group_.records.front()->benchmark != "bpf";
    }
    [[nodiscard]] std::string unit() const { return unit_; }
    [[nodiscard]] const std::set<std::uint64_t>& measured() const { return measured_; }

    /// A row for each key; the figures of each record beside each other.
    [[nodiscard]] Table side_by_side(const std::vector<std::string>& labels) const;

    /// A row for each key but "beside" and each record, a column for each number beside it.
    template<class Figure>
    [[nodiscard]] Table pivot(const std::vector<std::string>& labels, const Figure& figure) const;

    [[nodiscard]] bool any_elapsed() const { return elapsed_; }

  private:
    [[nodiscard]] bool has(const Json& key) const {
        return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
    }

    [[nodiscard]] std::size_t count(const std::string& name) const {
        auto found = values_.find(name);
        return found == values_.end() ? 0 : found->second.size();
    }

    void note(const Row& row) {
        unit_ = row.unit;
        elapsed_ = elapsed_ || !row.elapsed.empty();
        if (row.extrapolated()) {
            measured_.insert(row.measured);
        }
        for (const auto& [name, value] : row.key.items()) {
            if (values_.find(name) == values_.end()) {
                names_.push_back(name);
            }
            values_[name].insert(value);
        }
    }

    /// The parts of a key that are worth a column: those that differ, and what is done with how
    /// many.
    [[nodiscard]] std::vector<std::string> columns() const {
        std::vector<std::string> columns;
        std::copy_if(names_.begin(), names_.end(), std::back_inserter(columns),
                     [&](const std::string& name) {
                         return count(name) > 1 || name == "method" || name == "kind" ||
                                (name == "functions" && kind_.name != kinds[3].name) ||
                                name == "step";
                     });
        return columns;
    }

    [[nodiscard]] std::vector<Table::Column> table_columns() const {
        std::vector<Table::Column> titles;
        for (const std::string& name : columns()) {
            titles.push_back({name, values_.at(name).begin()->is_number()});
        }
        return titles;
    }

    [[nodiscard]] std::vector<std::string> cells_of(const Json& key, bool extrapolated) const {
        std::vector<std::string> cells;
        for (const std::string& name : columns()) {
            cells.push_back(key.contains(name) ? shown(key[name]) : "");
            if (name == "functions" && extrapolated) {
                cells.back() += "*";
            }
        }
        return cells;
    }

    const RecordGroup& group_;
    const Kind& kind_;
    std::vector<Json> keys_;
    std::vector<std::string> names_;
    std::map<std::string, std::set<Json>> values_;
    std::set<std::uint64_t> measured_; ///< numbers that stand for more
    std::string unit_;
    bool elapsed_ = false;
};

Table Rows::side_by_side(const std::vector<std::string>& labels) const {
    const auto& records = group_.records;
    bool alone = records.size() == 1;
    bool calls = std::string_view(kind_.name) == "calls";
    bool loops = std::string_view(kind_.name) == "loops";
    bool rates = calls && records.front()->benchmark == "bpf";
    auto columns = table_columns();
    for (std::size_t i = 0; i < records.size(); i++) {
        if (alone && !calls) {
            columns.push_back({"min", true});
        }
        columns.push_back({alone && !calls ? "median" : labels[i], true});
        if (alone && !calls) {
            columns.push_back({"max", true});
        }
        if (elapsed_) {
            columns.push_back({"waiting (ms)", true});
        }
        if (loops) {
            columns.push_back({"longest (ms)", true});
            columns.push_back({"all (s)", true});
        }
        if (rates) {
            columns.push_back({"calls/s", true});
        }
        if (i != 0) {
            columns.push_back({(calls ? "vs " : "/ ") + labels[0], true});
        }
    }
    columns.push_back({"verified", false});
    Table table(columns);
    for (const Json& key : keys_) {
        std::vector<std::string> figures;
        bool verified = true;
        bool extrapolated = false;
        const Row* first = find_row(*records[0], key);
        for (std::size_t i = 0; i < records.size(); i++) {
            const Row* row = find_row(*records[i], key);
            if (alone && !calls) {
                figures.push_back(readable(row->least()));
            }
            figures.push_back(cost_of(row));
            if (alone && !calls) {
                figures.push_back(readable(row->most()));
            }
            if (elapsed_) {
                figures.push_back(waiting_of(row));
            }
            if (loops) {
                figures.push_back(
                    row == nullptr
                        ? ""
                        : readable(static_cast<double>(row->waiting().max()) / ns_per_ms));
                figures.push_back(row == nullptr ? "" : readable(row->seconds_of_all_runs()));
            }
            if (rates) {
                figures.push_back(row == nullptr || row->running.min() == 0
                                      ? ""
                                      : readable(ns_per_s * static_cast<double>(row->measured) /
                                                 static_cast<double>(row->running.min())));
            }
            if (i != 0) {
                bool both = row != nullptr && first != nullptr;
                figures.push_back(!both   ? ""
                                  : calls ? hundredths(row->cost() - first->cost())
                                          : times(Comparison{row, first}.ratio()));
            }
            verified = verified && (row == nullptr || row->verified);
            extrapolated = extrapolated || (row != nullptr && row->extrapolated());
        }
        auto cells = cells_of(key, extrapolated);
        cells.insert(cells.end(), figures.begin(), figures.end());
        cells.push_back(yes(verified));
        table.add(std::move(cells));
    }
    return table;
}

template<class Figure>
Table Rows::pivot(const std::vector<std::string>& labels, const Figure& figure) const {
    struct Line {
        std::vector<std::string> head;
        std::map<Json, std::string> cells;
        bool verified = true;
    };
    std::map<std::string, Line> lines;
    std::vector<std::pair<std::tuple<std::size_t, std::uint64_t, std::size_t>, std::string>> order;
    for (std::size_t i = 0; i < group_.records.size(); i++) {
        for (const Json& key : keys_) {
            const Row* row = find_row(*group_.records[i], key);
            if (row == nullptr) {
                continue;
            }
            Json rest = key;
            rest.erase("beside");
            auto [line, added] = lines.try_emplace(std::to_string(i) + rest.dump());
            if (added) {
                line->second.head = cells_of(rest, row->extrapolated());
                if (group_.records.size() > 1) {
                    line->second.head.push_back(labels[i]);
                }
                const auto* step =
                    std::find(kind_.steps.begin(), kind_.steps.end(), row->text("step"));
                order.push_back({{static_cast<std::size_t>(step - kind_.steps.begin()),
                                  row->number("functions"), i},
                                 line->first});
            }
            line->second.cells[Json(row->number("beside"))] = figure(row);
            line->second.verified = line->second.verified && row->verified;
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    auto columns = table_columns();
    auto besides = std::find_if(columns.begin(), columns.end(), [](const Table::Column& column) {
        return column.title == "beside";
    });
    auto at = besides - columns.begin();
    columns.erase(besides);
    if (group_.records.size() > 1) {
        columns.push_back({"kernel", false});
    }
    for (const Json& beside : values_.at("beside")) {
        columns.push_back({"beside " + shown(beside), true});
    }
    columns.push_back({"verified", false});
    Table table(columns);
    for (const auto& [place, name] : order) {
        const Line& line = lines.at(name);
        auto cells = line.head;
        cells.erase(cells.begin() + at);
        for (const Json& beside : values_.at("beside")) {
            auto cell = line.cells.find(beside);
            cells.push_back(cell == line.cells.end() ? "-" : cell->second);
        }
        cells.push_back(yes(line.verified));
        table.add(std::move(cells));
    }
    return table;
}

void add_tables(const RecordGroup& group, std::vector<Block>& blocks) {
    auto labels = group.labels();
    for (const Kind& kind : kinds) {
        Rows rows(group, kind);
        if (rows.empty()) {
            continue;
        }
        std::string title = fmt::format(fmt::runtime(kind.title), unit_name(rows.unit()));
        if (!rows.pivots()) {
            blocks.push_back(
                {title, {}, rows.side_by_side(labels), footnotes(rows.measured()), false});
            continue;
        }
        blocks.push_back(
            {title, {}, rows.pivot(labels, cost_of), footnotes(rows.measured()), false});
        if (rows.any_elapsed()) {
            blocks.push_back({"waiting of the whole call (ms)",
                              {},
                              rows.pivot(labels, waiting_of),
                              footnotes(rows.measured()),
                              false});
        }
    }
}

/// A table of comparisons of one kernel with another one, or of an ops for each function with one
/// for all on the same kernel.
void add_ratios(const std::string& title, const std::string& reference, const std::string& subject,
                const std::vector<Comparison>& comparisons, std::vector<Block>& blocks) {
    if (comparisons.empty()) {
        return;
    }
    bool same = reference == subject;
    Table table({{"with", false},
                 {"functions", true},
                 {"beside", true},
                 {"step", false},
                 {same ? "each" : reference, true},
                 {same ? "for all" : subject, true},
                 {"ratio", true},
                 {"spread", false}});
    std::set<std::uint64_t> measured;
    for (const Comparison& comparison : comparisons) {
        const Row& row = *comparison.row;
        std::string with = row.text("method") + row.text("kind");
        for (const char* flag : {"save_regs", "recursion", "rcu", "trampoline"}) {
            with +=
                row.key.contains(flag) && row.key[flag] == true ? fmt::format(", {}", flag) : "";
        }
        for (const char* number : {"relevant", "irrelevant"}) {
            with +=
                row.number(number) != 0 ? fmt::format(", {} {}", row.number(number), number) : "";
        }
        auto starred = [&](const Row* cell) {
            if (!cell->extrapolated()) {
                return cost_of(cell);
            }
            measured.insert(cell->measured);
            return cost_of(cell) + "*";
        };
        table.add({with, with_thousands(row.number("functions")),
                   with_thousands(row.number("beside")), row.text("step"),
                   starred(comparison.reference), starred(&row), times(comparison.ratio()),
                   spread_of(comparison)});
    }
    blocks.push_back({title, {}, table, footnotes(measured), false});
}

std::string heading_of(const Record& record) {
    return fmt::format("bench {}, {}", record.benchmark, record.env.arch);
}

void add_group(const RecordGroup& group, const ReportParts& parts, std::vector<Block>& blocks) {
    auto labels = group.labels();
    Block head{heading_of(*group.records[0]), {}, {}, {}, true};
    for (std::size_t i = 0; i < labels.size(); i++) {
        const Record& record = *group.records[i];
        head.lines.push_back(
            fmt::format("{}: {}{}", labels[i], describe(record.env),
                        record.recorded ? "; repeat it with: " + repeat_command(record) : ""));
        for (const std::string& note : group.records[i]->notes) {
            head.notes.push_back(fmt::format("{}: {}", labels[i], note));
        }
    }
    blocks.push_back(std::move(head));
    if (parts.tables) {
        add_tables(group, blocks);
        if (auto verdicts = call_verdicts(group); !verdicts.empty()) {
            blocks.push_back({"what the figures of calls say", {}, {}, verdicts, false});
        }
    }
    if (parts.ratios) {
        auto position = [&](const Record& record) {
            return labels[static_cast<std::size_t>(
                std::find(group.records.begin(), group.records.end(), &record) -
                group.records.begin())];
        };
        std::string reference = position(group.reference());
        std::string subject = position(group.subject());
        add_ratios(fmt::format("an ops for each function, as today ({}), against one for all ({})",
                               reference, subject),
                   reference, subject, group.shared_against_each(), blocks);
        add_ratios("the same on both kernels", reference, subject, group.same(), blocks);
    }
}

std::string text_of(const std::vector<Block>& blocks, Format format) {
    bool markdown = format == Format::markdown;
    std::string text;
    for (const Block& block : blocks) {
        text += text.empty() ? "" : "\n";
        const char* mark = markdown ? "**" : "";
        if (!block.title.empty()) {
            text += block.heading && markdown ? fmt::format("### {}\n", block.title)
                                              : fmt::format("{}{}{}\n", mark, block.title, mark);
        }
        if (!block.lines.empty()) {
            text += "\n";
        }
        for (const std::string& line : block.lines) {
            text += fmt::format("{}{}\n", markdown ? "- " : "", line);
        }
        if (block.table) {
            text += block.title.empty() ? "" : "\n";
            text += markdown ? block.table->markdown() : block.table->text();
        }
        if (!block.notes.empty()) {
            text += "\n";
        }
        for (const std::string& note : block.notes) {
            bool star = note.starts_with('*');
            text += fmt::format("{}{}\n", !markdown ? "" : star ? "\\" : "- ", note);
        }
    }
    return text;
}

Table plain_numbers(const std::vector<Record>& records) {
    std::vector<std::string> names;
    for (const Record& record : records) {
        for (const Row& row : record.rows) {
            for (const auto& item : row.key.items()) {
                if (std::find(names.begin(), names.end(), item.key()) == names.end()) {
                    names.push_back(item.key());
                }
            }
        }
    }
    std::vector<Table::Column> columns;
    for (const char* name :
         {"benchmark", "base", "kernel", "patched", "recorded", "arch", "accel"}) {
        columns.push_back({name});
    }
    for (const std::string& name : names) {
        columns.push_back({name});
    }
    for (const char* name : {"measured", "verified", "unit", "samples", "min", "median", "max",
                             "stddev", "cost", "waiting_median", "waiting_max"}) {
        columns.push_back({name});
    }
    Table table(columns);
    for (const Record& record : records) {
        for (const Row& row : record.rows) {
            const auto& env = record.env;
            std::vector<std::string> cells = {record.benchmark,
                                              env.base,
                                              env.kernel,
                                              fmt::format("{}", env.patched),
                                              fmt::format("{}", record.recorded),
                                              env.arch,
                                              env.accel};
            for (const std::string& name : names) {
                const Json& value = row.key.contains(name) ? row.key[name] : Json("");
                cells.push_back(value.is_string() ? value.get<std::string>() : value.dump());
            }
            Samples waiting = row.waiting();
            for (const std::string& cell :
                 {fmt::format("{}", row.measured), fmt::format("{}", row.verified), row.unit,
                  fmt::format("{}", row.running.values().size()),
                  fmt::format("{}", row.running.min()), fmt::format("{}", row.running.median()),
                  fmt::format("{}", row.running.max()), fmt::format("{:.3f}", row.running.stddev()),
                  fmt::format("{:.4f}", row.cost()),
                  waiting.empty() ? "" : fmt::format("{}", waiting.median()),
                  waiting.empty() ? "" : fmt::format("{}", waiting.max())}) {
                cells.push_back(cell);
            }
            table.add(std::move(cells));
        }
    }
    return table;
}

} // namespace

std::string unit_name(const std::string& unit) {
    return unit == "insn" ? "instructions" : unit;
}

std::vector<std::string> footnotes(const std::set<std::uint64_t>& measured) {
    if (measured.empty()) {
        return {};
    }
    std::vector<std::string> numbers;
    numbers.reserve(measured.size());
    for (std::uint64_t number : measured) {
        numbers.push_back(with_thousands(number));
    }
    return {
        fmt::format("* measured with {} functions and extrapolated", fmt::join(numbers, " or "))};
}

std::string describe(const RecordEnvironment& env) {
    return fmt::format(
        "Linux {} ({}), {}, {}, {}{}", env.kernel, env.base, env.arch, env.accel,
        counted(env.vcpus, "vCPU"),
        env.functions_available == 0
            ? ""
            : fmt::format(", {} available", counted(env.functions_available, "function")));
}

std::string repeat_command(const Record& record) {
    bool attach = record.benchmark == "attach";
    std::uint64_t functions = 0;
    for (const Row& row : record.rows) {
        functions = std::max(functions, row.number("functions"));
    }
    return fmt::format("make bench{} {}={} ARCH={}{} COUNT={}",
                       attach ? "" : "-" + record.benchmark,
                       record.env.is_own() ? "KERNEL" : "BASE", record.env.base, record.env.arch,
                       attach ? fmt::format(" N={}", functions) : "", record.unit());
}

std::vector<Block> blocks_of(const std::vector<Record>& records, const ReportParts& parts) {
    std::vector<Block> blocks;
    for (const RecordGroup& group : groups_of(records)) {
        add_group(group, parts, blocks);
    }
    return blocks;
}

Result<std::string> report(const std::vector<Record>& records, Format format,
                           const ReportParts& parts, const std::vector<Figure>& figures) {
    if (format == Format::json) {
        if (records.size() == 1) {
            return json_text(to_json(records[0]));
        }
        auto list = Json::array();
        for (const Record& record : records) {
            list.push_back(to_json(record));
        }
        return json_text(list);
    }
    if (format == Format::csv) {
        return plain_numbers(records).csv();
    }
    for (const RecordGroup& group : groups_of(records)) {
        std::string first;
        for (const Record* record : group.records) {
            // One without rows, e.g. since --where leaves none, has none.
            std::string unit = record->unit();
            first = first.empty() ? unit : first;
            if (!unit.empty() && unit != first) {
                return misuse(fmt::format("results in {} and in {} cannot be compared",
                                          unit_name(first), unit_name(unit)),
                              "give files that were measured in the same unit");
            }
        }
    }
    auto headline = headline_of(records);
    if (format == Format::html) {
        return html_page(records, headline, blocks_of(records, parts), figures);
    }
    std::vector<Block> blocks;
    if (parts.headline) {
        blocks = headline;
    }
    if (parts.tables || parts.ratios) {
        auto rest = blocks_of(records, parts);
        blocks.insert(blocks.end(), rest.begin(), rest.end());
    }
    return text_of(blocks, format);
}

} // namespace fdirect
