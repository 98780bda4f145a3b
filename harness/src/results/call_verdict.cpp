// SPDX-License-Identifier: GPL-2.0
#include "results/call_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>

#include "util/text.h"

namespace fdirect {
namespace {

/// A kind of direct call, and the one that it is compared with on another kernel.
struct DirectCall {
    const char* kind;
    const char* reference;
    bool near;
};

constexpr std::array direct_calls = {
    DirectCall{"direct-near", "direct-near", true},
    DirectCall{"direct-far", "direct-far", false},
    DirectCall{"hash-near", "direct-near", true},
    DirectCall{"hash-far", "direct-far", false},
};

/// One instruction more in every hundredth call would show.
bool same(double a, double b) {
    return std::fabs(a - b) < 0.01;
}

/// The row of a kind of call with no ftrace_ops beside it; nullptr where there is none.
const Row* row_of(const Record& record, std::string_view kind) {
    auto found = std::find_if(record.rows.begin(), record.rows.end(), [&](const Row& row) {
        return row.text("kind") == kind && row.number("relevant") == 0 &&
               row.number("irrelevant") == 0;
    });
    return found == record.rows.end() ? nullptr : &*found;
}

/// "exactly what WHAT costs: 5.00", or how much more or less that is.
std::string compared(double own, double other, const std::string& what) {
    if (same(own, other)) {
        return fmt::format("exactly what {} costs: {}", what, hundredths(own));
    }
    return fmt::format("{}, {} {} than what {} costs", hundredths(own),
                       hundredths(std::fabs(own - other)), own > other ? "more" : "less", what);
}

void judge_plain(const Record& record, const std::string& label,
                 std::vector<std::string>& verdicts) {
    const Row* plain = row_of(record, "plain");
    for (const DirectCall& call : direct_calls) {
        const Row* row = row_of(record, call.kind);
        if (plain != nullptr && row != nullptr && call.near) {
            verdicts.push_back(
                fmt::format("{}: {} costs {}", label, call.kind,
                            compared(row->cost(), plain->cost(), "a plain call of the stub")));
        }
    }
}

void judge_reference(const Record& record, const std::string& label, const Record& reference,
                     const std::string& reference_label, std::vector<std::string>& verdicts) {
    for (const DirectCall& call : direct_calls) {
        const Row* row = row_of(record, call.kind);
        const Row* other = row_of(reference, call.reference);
        if (row != nullptr && other != nullptr) {
            auto what = fmt::format("{} on {}", call.reference, reference_label);
            verdicts.push_back(fmt::format("{}: {} costs {}", label, call.kind,
                                           compared(row->cost(), other->cost(), what)));
        }
    }
}

/// One relevant ftrace_ops with the flags of `alone`, beside different numbers of irrelevant ones.
void judge_irrelevant(const Record& record, const std::string& label, const Row& alone,
                      std::vector<std::string>& verdicts) {
    std::vector<const Row*> rows;
    for (const Row& row : record.rows) {
        Json key = row.key;
        key["irrelevant"] = alone.number("irrelevant");
        if (key == alone.key) {
            rows.push_back(&row);
        }
    }
    if (rows.size() < 2) {
        return;
    }
    auto fewer = [](const Row* a, const Row* b) {
        return a->number("irrelevant") < b->number("irrelevant");
    };
    auto [fewest, most] = std::minmax_element(rows.begin(), rows.end(), fewer);
    bool constant = std::all_of(rows.begin(), rows.end(), [&](const Row* row) {
        return same(row->cost(), rows.front()->cost());
    });
    std::string what = label + ": 1 relevant ftrace_ops";
    for (const char* flag : {"save_regs", "recursion", "rcu", "trampoline"}) {
        what +=
            alone.key.contains(flag) && alone.key[flag] == true ? fmt::format(", {}", flag) : "";
    }
    if (constant) {
        verdicts.push_back(fmt::format("{} costs {}, whether {} or {} irrelevant ones are there",
                                       what, hundredths((*fewest)->cost()),
                                       (*fewest)->number("irrelevant"),
                                       (*most)->number("irrelevant")));
    } else {
        verdicts.push_back(fmt::format("{} costs {} beside {} irrelevant ones, {} beside {}", what,
                                       hundredths((*fewest)->cost()),
                                       (*fewest)->number("irrelevant"), hundredths((*most)->cost()),
                                       (*most)->number("irrelevant")));
    }
}

} // namespace

std::vector<std::string> call_verdicts(const RecordGroup& group) {
    std::vector<std::string> verdicts;
    auto labels = group.labels();
    const Record& reference = group.reference();
    auto at = std::find(group.records.begin(), group.records.end(), &reference);
    const std::string& reference_label =
        labels[static_cast<std::size_t>(at - group.records.begin())];
    for (std::size_t i = 0; i < labels.size(); i++) {
        const Record& record = *group.records[i];
        if (record.benchmark != "call" || record.unit() != "insn") {
            continue;
        }
        judge_plain(record, labels[i], verdicts);
        if (&record != &reference) {
            judge_reference(record, labels[i], reference, reference_label, verdicts);
        }
        for (const Row& row : record.rows) {
            if (row.text("kind") == "ops" && row.number("relevant") == 1 &&
                row.number("irrelevant") == 0) {
                judge_irrelevant(record, labels[i], row, verdicts);
            }
        }
    }
    return verdicts;
}

} // namespace fdirect
