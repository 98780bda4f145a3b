// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "results/json_reader.h"
#include "util/result.h"

namespace fdirect {

/// Where and how a benchmark ran: what every results file begins with. docs/results.md describes
/// the format.
struct BenchHeader {
    std::string base;   ///< which kernel tree, e.g. "6.12" or "6.12-stock"
    std::string kernel; ///< its release
    std::string arch;
    std::string accel; ///< "tcg", "kvm" or "none"
    std::string unit;  ///< "ns" or "insn"
    std::uint64_t vcpus = 0;
    std::map<std::string, std::string> env;

    bool operator==(const BenchHeader&) const = default;
};

/// An object with the header's keys, "schema": 1 first.
nlohmann::ordered_json to_json(const BenchHeader& header);

/// The object in a results file. Errors: failed, for text that is no JSON object or has another
/// schema.
Result<nlohmann::ordered_json> parse_bench_json(std::string_view text);

/// Takes the header's keys out of such an object; "env" may be missing.
BenchHeader read_bench_header(JsonReader& reader, const nlohmann::ordered_json& json);

/// The error of a results file that the reader complained about.
Error bench_complaint(const JsonReader& reader);

/// "6.12: Linux 6.12.107, x86_64, tcg, 2 vCPUs".
std::string headline(const BenchHeader& header);

/// "instructions" or "ns".
std::string unit_name(std::string_view unit);

/// What tells results apart, as short as it can be: the base, with the architecture and the release
/// where that is not enough.
std::vector<std::string> labels_of(const std::vector<BenchHeader>& headers);

/// Errors: usage when they do not count in the same unit.
Result<> check_same_unit(const std::vector<BenchHeader>& headers);

/// The headers of results that have one.
template<class BenchResult>
std::vector<BenchHeader> headers_of(const std::vector<BenchResult>& results) {
    std::vector<BenchHeader> headers;
    headers.reserve(results.size());
    for (const BenchResult& result : results) {
        headers.push_back(result.header);
    }
    return headers;
}

/// The results of each architecture, in the order that they come in.
template<class BenchResult>
std::vector<std::vector<BenchResult>> by_arch(const std::vector<BenchResult>& results) {
    std::vector<std::vector<BenchResult>> groups;
    for (const BenchResult& result : results) {
        auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return group.front().header.arch == result.header.arch;
        });
        if (same == groups.end()) {
            same = groups.emplace(same);
        }
        same->push_back(result);
    }
    return groups;
}

} // namespace fdirect
