// SPDX-License-Identifier: GPL-2.0
#include "results/version_headline.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "util/text.h"

namespace fdirect {
namespace {

/// A line of the table, which shows the row with most functions, or with most beside one.
struct HeadlineLine {
    std::string_view benchmark, name, value, step;
    const char* words; ///< with {} for that number
    bool beside;
};

constexpr std::array headline_lines = {
    HeadlineLine{"attach", "method", "hash", "attach", "attach {} functions", false},
    HeadlineLine{"attach", "method", "hash", "modify", "change {} functions", false},
    HeadlineLine{"attach", "method", "hash", "detach", "detach {} functions", false},
    HeadlineLine{"scale", "method", "hash", "attach", "attach one more beside {}", true},
    HeadlineLine{"scale", "method", "hash", "detach", "detach one beside {}", true},
    HeadlineLine{"bpf", "kind", "fentry", "loop", "attach, call and detach {} fentry program",
                 false},
    HeadlineLine{"bpf", "kind", "fentry.multi", "attach", "attach {} functions by one BPF link",
                 false},
    HeadlineLine{"bpf", "kind", "fentry.multi", "detach", "detach {} functions of one BPF link",
                 false},
    HeadlineLine{"bpf", "kind", "fentry.multi", "memory", "memory of that link, each (bytes)",
                 false},
};

/// The number that a row has for a line; 0 where it is none of its rows.
std::uint64_t number_for(const Row& row, const HeadlineLine& line) {
    if (row.text(line.name.data()) != line.value || row.text("step") != line.step) {
        return 0;
    }
    if (line.beside) {
        return row.number("functions") == 1 ? row.number("beside") : 0;
    }
    return row.number("beside") == 0 ? row.number("functions") : 0;
}

/// The row of the subject for a line, beside that of the reference; nothing where both have none.
Comparison comparison_for(const RecordGroup& group, const HeadlineLine& line) {
    Comparison found;
    std::uint64_t most = 0;
    for (const Row& row : group.subject().rows) {
        const Row* reference = find_row(group.reference(), row.key);
        if (reference != nullptr && number_for(row, line) > most) {
            most = number_for(row, line);
            found = {reference, &row};
        }
    }
    return found;
}

/// "Linux 7.3.4" of "7.3.4-fdirect-stock".
std::string release_of(const Record& record) {
    return "Linux " + record.env.kernel.substr(0, record.env.kernel.find('-')) +
           (record.recorded ? " (recorded)" : "");
}

} // namespace

bool has_one_for_all(const RecordGroup& group) {
    const Record& reference = group.reference();
    return &reference != &group.subject() && !reference.env.patched &&
           std::any_of(reference.rows.begin(), reference.rows.end(),
                       [](const Row& row) { return row.text("method") == "hash"; });
}

Table version_headline(const std::vector<RecordGroup>& groups, const std::string& arch) {
    std::vector<std::array<std::string, 4>> cells;
    std::string stock;
    for (const HeadlineLine& line : headline_lines) {
        for (const RecordGroup& group : groups) {
            if (group.subject().env.arch != arch || group.subject().benchmark != line.benchmark) {
                continue;
            }
            auto comparison = comparison_for(group, line);
            if (comparison.row == nullptr) {
                continue;
            }
            stock = release_of(group.reference());
            cells.push_back({fmt::format(fmt::runtime(line.words),
                                         with_thousands(number_for(*comparison.row, line))),
                             readable(comparison.reference->cost()),
                             readable(comparison.row->cost()), times(comparison.ratio())});
        }
    }
    Table table({{arch, false}, {stock, true}, {"patched", true}, {"ratio", true}});
    for (auto& row : cells) {
        table.add({row.begin(), row.end()});
    }
    return table;
}

} // namespace fdirect
