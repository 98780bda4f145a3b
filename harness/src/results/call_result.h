// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "module/call_spec.h"
#include "results/bench_header.h"
#include "util/result.h"

namespace fdirect {

/// What a call costs, in the unit of the result.
struct CallRow {
    CallSpec spec;
    std::uint64_t calls = 0;
    std::uint64_t total = 0; ///< of all calls
    double per_call = 0;     ///< in the fastest chunk of them
    double overhead = 0;     ///< how much more that is than an untraced call

    bool operator==(const CallRow&) const = default;
};

/// A benchmark of calls: what a results file holds. docs/results.md describes the format.
struct CallResult {
    BenchHeader header;
    std::vector<CallRow> rows;

    bool operator==(const CallResult&) const = default;
};

/// The row of what is attached; nullptr where it was not measured.
const CallRow* find_row(const CallResult& result, const CallSpec& spec);

/// The result as JSON.
nlohmann::ordered_json to_json(const CallResult& result);

/// Reads what to_json() wrote; keys beyond the documented ones are skipped. Errors: failed, saying
/// where, for text that is no JSON, another schema, and missing or wrong values.
Result<CallResult> parse_call_result(std::string_view text);

} // namespace fdirect
