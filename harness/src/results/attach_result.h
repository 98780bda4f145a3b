// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "module/way.h"
#include "results/bench_header.h"
#include "results/json_reader.h"
#include "results/samples.h"
#include "util/result.h"

namespace fdirect {

/// Measurements of one kind of call into the kernel.
struct CallSamples {
    Samples
        running; ///< of the caller; totals for all measured functions, in the unit of the result
    Samples elapsed; ///< on the clock around the call, in the same unit; may be missing in a file

    /// Elapsed minus running of each run: what the caller waited.
    [[nodiscard]] Samples waiting() const;

    bool operator==(const CallSamples&) const = default;
};

/// A way to attach, at a number of functions.
struct AttachRun {
    Way way;
    std::uint64_t functions = 0;       ///< it stands for
    std::uint64_t targets = 0;         ///< different ones
    std::uint64_t measured = 0;        ///< functions that were really attached; fewer: extrapolated
    std::uint64_t attached_before = 0; ///< other functions that were attached meanwhile
    std::optional<Method> before_method; ///< that attached those; without it, the way's own
    bool verified = false;
    std::uint64_t called = 0; ///< different targets that were called while it was verified
    CallSamples attach;
    CallSamples detach;
    CallSamples modify;
    CallSamples prepare; ///< building the filter or the hash before the attach

    [[nodiscard]] bool extrapolated() const { return measured < functions; }

    bool operator==(const AttachRun&) const = default;
};

/// What can be done with functions, in the order that it is done and shown.
inline constexpr std::array<std::pair<std::string_view, CallSamples AttachRun::*>, 3> operations = {
    {
        {"attach", &AttachRun::attach},
        {"modify", &AttachRun::modify},
        {"detach", &AttachRun::detach},
    }};

/// A benchmark of attaching: what a results file holds. docs/results.md describes the format.
struct AttachResult {
    BenchHeader header;
    std::uint64_t functions_available = 0;
    std::vector<AttachRun> runs;

    bool operator==(const AttachResult&) const = default;
};

/// The way that the keys "method" and "reach" of an object name; near without "reach".
Way read_way(JsonReader& reader, const nlohmann::ordered_json& json, const std::string& where);

/// The result as JSON.
nlohmann::ordered_json to_json(const AttachResult& result);

/// Reads what to_json() wrote; keys beyond the documented ones are skipped, those marked as extra
/// may be missing. Errors: failed, saying where, for text that is no JSON, another schema, and
/// missing or wrong values.
Result<AttachResult> parse_attach_result(std::string_view text);

} // namespace fdirect
