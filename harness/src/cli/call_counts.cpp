// SPDX-License-Identifier: GPL-2.0
#include "cli/call_counts.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "results/record.h"
#include "util/text.h"

namespace fdirect {
namespace {

using Reason = std::pair<std::string, std::size_t>;

/// Each reason and how many functions it is for, most first.
std::vector<Reason> reasons_of(const std::vector<LeftOut>& left_out) {
    std::map<std::string, std::size_t> numbers;
    for (const LeftOut& function : left_out) {
        numbers[function.reason]++;
    }
    std::vector<Reason> reasons(numbers.begin(), numbers.end());
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const Reason& a, const Reason& b) { return a.second > b.second; });
    return reasons;
}

std::uint64_t all_calls(const CallCounts& counts) {
    std::uint64_t sum = 0;
    for (const CallCount& function : counts.functions) {
        sum += function.calls;
    }
    return sum;
}

Table table_of(const std::vector<CallCount>& functions, bool plain) {
    Table table({{"function", false}, {"calls", true}});
    for (const CallCount& function : functions) {
        table.add({function.function,
                   plain ? std::to_string(function.calls) : with_thousands(function.calls)});
    }
    return table;
}

std::string summary_of(const CallCounts& counts, bool verbose) {
    std::string text =
        fmt::format("{} attached, {} of them called {} times in {} s\n",
                    counted(counts.attached, "function"), with_thousands(counts.functions.size()),
                    with_thousands(all_calls(counts)), readable(counts.seconds));
    if (counts.missed != 0) {
        text += fmt::format("{} not counted, made while the program ran on their CPU\n",
                            counted(counts.missed, "call"));
    }
    if (!counts.left_out.empty()) {
        text += sum_of(counts.left_out) + "\n";
    }
    for (const LeftOut& function : verbose ? counts.left_out : std::vector<LeftOut>()) {
        text += fmt::format("left out: {}: {}\n", function.function, function.reason);
    }
    return text;
}

Json json_of(const CallCounts& counts, const std::vector<CallCount>& shown, bool verbose) {
    Json json = {{"at", counts.returns ? "return" : "entry"},
                 {"seconds", counts.seconds},
                 {"attached", counts.attached},
                 {"called", counts.functions.size()},
                 {"calls", all_calls(counts)},
                 {"missed", counts.missed},
                 {"functions", Json::array()},
                 {"reasons", Json::object()}};
    for (const CallCount& function : shown) {
        json["functions"].push_back({{"function", function.function}, {"calls", function.calls}});
    }
    for (const auto& [reason, number] : reasons_of(counts.left_out)) {
        json["reasons"][reason] = number;
    }
    if (verbose) {
        json["left_out"] = Json::array();
        for (const LeftOut& function : counts.left_out) {
            json["left_out"].push_back(
                {{"function", function.function}, {"reason", function.reason}});
        }
    }
    return json;
}

} // namespace

std::vector<CallCount> ranked(const std::vector<BpfTarget>& functions,
                              const std::vector<std::uint64_t>& before,
                              const std::vector<std::uint64_t>& after) {
    std::vector<CallCount> called;
    for (std::size_t i = 0; i < functions.size(); i++) {
        if (after[i] != before[i]) {
            called.push_back({display_name(functions[i]), after[i] - before[i]});
        }
    }
    std::sort(called.begin(), called.end(), [](const CallCount& a, const CallCount& b) {
        return a.calls != b.calls ? a.calls > b.calls : a.function < b.function;
    });
    return called;
}

std::string sum_of(const std::vector<LeftOut>& left_out) {
    std::vector<std::string> parts;
    for (const auto& [reason, number] : reasons_of(left_out)) {
        parts.push_back(fmt::format("{} {}", with_thousands(number), reason));
    }
    return fmt::format("{} left out: {}", counted(left_out.size(), "function"),
                       fmt::join(parts, ", "));
}

std::string report(const CallCounts& counts, Format format, std::size_t top, bool verbose) {
    std::vector<CallCount> shown = counts.functions;
    if (top != 0 && top < shown.size()) {
        shown.resize(top);
    }
    switch (format) {
    case Format::json:
        return json_text(json_of(counts, shown, verbose));
    case Format::csv:
        return table_of(shown, true).csv();
    case Format::markdown:
        return table_of(shown, false).markdown() + "\n" + summary_of(counts, verbose);
    default:
        return table_of(shown, false).text() + "\n" + summary_of(counts, verbose);
    }
}

} // namespace fdirect
