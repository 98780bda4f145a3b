// SPDX-License-Identifier: GPL-2.0
#include "results/call_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "util/text.h"

namespace fdirect {
namespace {

/// A kind of direct call, and the one that it is compared with on another kernel.
struct DirectCall {
    CallKind kind;
    CallKind reference;
    bool near;
};

constexpr std::array direct_calls = {
    DirectCall{CallKind::direct_near, CallKind::direct_near, true},
    DirectCall{CallKind::direct_far, CallKind::direct_far, false},
    DirectCall{CallKind::hash_near, CallKind::direct_near, true},
    DirectCall{CallKind::hash_far, CallKind::direct_far, false},
};

/// One instruction more in every hundredth call would show.
bool same(double a, double b) {
    return std::fabs(a - b) < 0.01;
}

/// "exactly what WHAT costs: 5.00", or how much more or less that is.
std::string compared(double own, double other, const std::string& what) {
    if (same(own, other)) {
        return fmt::format("exactly what {} costs: {}", what, hundredths(own));
    }
    return fmt::format("{}, {} {} than what {} costs", hundredths(own),
                       hundredths(std::fabs(own - other)), own > other ? "more" : "less", what);
}

void judge_plain(const CallResult& result, const std::string& label,
                 std::vector<std::string>& verdicts) {
    const CallRow* plain = find_row(result, {CallKind::plain});
    for (const DirectCall& call : direct_calls) {
        const CallRow* row = find_row(result, {call.kind});
        if (plain != nullptr && row != nullptr && call.near) {
            verdicts.push_back(
                fmt::format("{}: {} costs {}", label, name_of(call.kind),
                            compared(row->overhead, plain->overhead, "a plain call of the stub")));
        }
    }
}

void judge_reference(const CallResult& result, const std::string& label,
                     const CallResult& reference, const std::string& reference_label,
                     std::vector<std::string>& verdicts) {
    for (const DirectCall& call : direct_calls) {
        const CallRow* row = find_row(result, {call.kind});
        const CallRow* other = find_row(reference, {call.reference});
        if (row != nullptr && other != nullptr) {
            auto what = fmt::format("{} on {}", name_of(call.reference), reference_label);
            verdicts.push_back(fmt::format("{}: {} costs {}", label, name_of(call.kind),
                                           compared(row->overhead, other->overhead, what)));
        }
    }
}

/// One relevant ftrace_ops with the flags of `spec`, beside different numbers of irrelevant ones.
void judge_irrelevant(const CallResult& result, const std::string& label, const CallSpec& spec,
                      std::vector<std::string>& verdicts) {
    std::vector<const CallRow*> rows;
    for (const CallRow& row : result.rows) {
        CallSpec alone = row.spec;
        alone.irrelevant = 0;
        if (alone == spec) {
            rows.push_back(&row);
        }
    }
    auto [fewest, most] =
        std::minmax_element(rows.begin(), rows.end(), [](const CallRow* a, const CallRow* b) {
            return a->spec.irrelevant < b->spec.irrelevant;
        });
    if (rows.size() < 2) {
        return;
    }
    bool constant = std::all_of(rows.begin(), rows.end(), [&](const CallRow* row) {
        return same(row->overhead, rows.front()->overhead);
    });
    std::string flags = flags_of(spec);
    std::string what =
        fmt::format("{}: 1 relevant ftrace_ops{}{} costs", label, flags.empty() ? "" : ", ", flags);
    if (constant) {
        verdicts.push_back(fmt::format("{} {}, whether {} or {} irrelevant ones are there", what,
                                       hundredths((*fewest)->overhead), (*fewest)->spec.irrelevant,
                                       (*most)->spec.irrelevant));
    } else {
        verdicts.push_back(fmt::format("{} {} beside {} irrelevant ones, {} beside {}", what,
                                       hundredths((*fewest)->overhead), (*fewest)->spec.irrelevant,
                                       hundredths((*most)->overhead), (*most)->spec.irrelevant));
    }
}

} // namespace

std::size_t reference_of(const std::vector<CallResult>& results) {
    auto stock = std::find_if(results.begin(), results.end(), [](const CallResult& result) {
        return result.header.base.ends_with("-stock");
    });
    return stock == results.end() ? 0 : static_cast<std::size_t>(stock - results.begin());
}

std::vector<std::string> call_verdicts(const std::vector<CallResult>& results) {
    std::vector<std::string> verdicts;
    auto labels = labels_of(headers_of(results));
    std::size_t reference = reference_of(results);
    for (std::size_t i = 0; i < results.size(); i++) {
        const CallResult& result = results[i];
        if (result.header.unit != "insn") {
            continue;
        }
        judge_plain(result, labels[i], verdicts);
        if (i != reference) {
            judge_reference(result, labels[i], results[reference], labels[reference], verdicts);
        }
        for (const CallRow& row : result.rows) {
            if (row.spec.kind == CallKind::ops && row.spec.relevant == 1 &&
                row.spec.irrelevant == 0) {
                judge_irrelevant(result, labels[i], row.spec, verdicts);
            }
        }
    }
    return verdicts;
}

} // namespace fdirect
