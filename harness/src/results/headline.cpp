// SPDX-License-Identifier: GPL-2.0
#include "results/headline.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <set>

#include "results/comparison.h"
#include "results/version_headline.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// The lines for one architecture.
struct Headline {
    struct Line {
        std::string what;
        Comparison comparison;
        const Row* other = nullptr; ///< the row of another version, or nullptr
        bool loops = false;         ///< it is about all runs together
    };

    std::string arch;
    std::string unit;
    std::string reference_label;
    std::string subject_label;
    std::string other_label; ///< of another version
    std::vector<Line> lines;
    std::set<std::uint64_t> measured; ///< numbers that stand for more
    bool shared = false;              ///< its stock kernel has one ops for all, too
};

/// The one of an architecture, which is added where there is none.
Headline& headline_for(const std::string& arch, std::vector<Headline>& headlines) {
    auto found = std::find_if(headlines.begin(), headlines.end(),
                              [&](const Headline& headline) { return headline.arch == arch; });
    if (found != headlines.end()) {
        return *found;
    }
    Headline& added = headlines.emplace_back();
    added.arch = arch;
    return added;
}

std::string label_of(const Record& record) {
    return record.env.kind() + (record.recorded ? " (recorded)" : "");
}

/// The unit and the names of the kernels; one that was recorded in any group is called so.
void note_kernels(const RecordGroup& group, Headline& headline) {
    const Record& reference = group.reference();
    const Record& subject = group.subject();
    headline.unit = subject.unit();
    headline.shared = headline.shared || has_one_for_all(group);
    if (reference.recorded || headline.reference_label.empty()) {
        headline.reference_label = label_of(reference);
    }
    if (subject.recorded || headline.subject_label.empty()) {
        headline.subject_label = label_of(subject);
    }
    if (const Record* other = group.other_version()) {
        auto position = std::find(group.records.begin(), group.records.end(), other);
        headline.other_label =
            group.labels()[static_cast<std::size_t>(position - group.records.begin())];
    }
}

const Row* row_of_other_version(const RecordGroup& group, const Comparison& comparison) {
    const Record* other = group.other_version();
    return other == nullptr ? nullptr : find_row(*other, comparison.row->key);
}

/// The steps of most functions.
void add_attach_lines(const RecordGroup& group, Headline& headline) {
    if (group.subject().benchmark != "attach") {
        return;
    }
    const auto comparisons = group.shared_against_each();
    std::uint64_t most = 0;
    for (const Comparison& comparison : comparisons) {
        most = std::max(most, comparison.row->number("functions"));
    }
    for (const Comparison& comparison : comparisons) {
        const Row& row = *comparison.row;
        if (row.text("method") != "hash" || row.number("functions") != most) {
            continue;
        }
        bool star = comparison.reference->extrapolated();
        if (star) {
            headline.measured.insert(comparison.reference->measured);
        }
        std::string step = row.text("step");
        headline.lines.push_back({fmt::format("{} {}{}", step == "modify" ? "change" : step,
                                              counted(most, "function"), star ? "*" : ""),
                                  comparison, row_of_other_version(group, comparison), false});
    }
}

void add_loop_lines(const RecordGroup& group, Headline& headline) {
    for (const Comparison& comparison : group.same()) {
        const Row& row = *comparison.row;
        if (row.text("step") == "loop") {
            headline.lines.push_back(
                {fmt::format("{} of one {} program", counted(row.running.values().size(), "loop"),
                             row.text("kind")),
                 comparison, row_of_other_version(group, comparison), true});
        }
    }
}

bool has_other_version(const Headline& headline) {
    return std::any_of(headline.lines.begin(), headline.lines.end(),
                       [](const Headline::Line& line) { return line.other != nullptr; });
}

double seconds_of(const Headline::Line& line, const Row& row) {
    return line.loops ? row.seconds_of_all_runs() : row.seconds();
}

Table table_of(const Headline& headline) {
    bool others = has_other_version(headline);
    std::vector<Table::Column> columns = {{headline.arch, false}, {headline.reference_label, true}};
    if (others) {
        columns.push_back({headline.other_label, true});
    }
    columns.push_back({headline.subject_label, true});
    columns.push_back({"ratio", true});
    Table table(columns);
    for (const Headline::Line& line : headline.lines) {
        double before = seconds_of(line, *line.comparison.reference);
        double after = seconds_of(line, *line.comparison.row);
        std::vector<std::string> cells = {line.what, readable(before) + " s"};
        if (others) {
            cells.push_back(line.other == nullptr ? "-"
                                                  : readable(seconds_of(line, *line.other)) + " s");
        }
        cells.push_back(readable(after) + " s");
        cells.push_back(times(after > 0 ? before / after : 0));
        table.add(std::move(cells));
    }
    return table;
}

std::vector<std::string> notes_of(const Headline& headline) {
    std::vector<std::string> notes = footnotes(headline.measured);
    notes.push_back(
        fmt::format("stock: an ops for each function, patched: one for all; {} with waiting",
                    headline.unit == "insn" ? "guest time, 1 ns for an instruction," : "time"));
    if (has_other_version(headline)) {
        notes.push_back(fmt::format("{}: one ops for all; the ratio is that of stock and patched",
                                    headline.other_label));
    }
    return notes;
}

/// The notes below the table of a version whose stock kernel has one ops for all.
std::vector<std::string> version_notes_of(const Headline& headline) {
    return {fmt::format("{} for one function, one change or one loop; both kernels have one ops "
                        "for all",
                        unit_name(headline.unit))};
}

} // namespace

std::vector<Block> headline_of(const std::vector<Record>& records) {
    const auto groups = groups_of(records);
    std::vector<Headline> headlines; // in the order of the records
    for (const RecordGroup& group : groups) {
        Headline& headline = headline_for(group.subject().env.arch, headlines);
        note_kernels(group, headline);
        add_attach_lines(group, headline);
        add_loop_lines(group, headline);
    }
    std::vector<Block> blocks;
    for (const Headline& headline : headlines) {
        if (headline.shared) {
            blocks.push_back({"",
                              {},
                              version_headline(groups, headline.arch),
                              version_notes_of(headline),
                              false});
        } else if (!headline.lines.empty()) {
            blocks.push_back({"", {}, table_of(headline), notes_of(headline), false});
        }
    }
    return blocks;
}

} // namespace fdirect
