// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "module/kprobe_cost.h"
#include "module/way.h"
#include "results/attach_result.h"
#include "util/result.h"

namespace fdirect {

/// A kprobe that came and went beside functions that were attached.
struct KprobeRun {
    Way way; ///< that they were attached by
    std::uint64_t attached_before = 0;
    bool ftrace = false; ///< it went by way of ftrace
    bool verified = false;
    std::array<CallSamples, kprobe_steps.size()> steps;

    bool operator==(const KprobeRun&) const = default;
};

/// What the kernel allocated to attach functions, in bytes. Less than nothing where it gave back
/// more.
struct MemoryGrowth {
    Way way;
    std::uint64_t functions = 0;
    std::int64_t slab = 0;
    std::int64_t vmalloc = 0;

    /// A part or the sum, of each function.
    [[nodiscard]] double per_function(std::int64_t bytes) const {
        return static_cast<double>(bytes) / static_cast<double>(functions);
    }

    bool operator==(const MemoryGrowth&) const = default;
};

/// How the cost of attaching grows with what is attached at once and what is attached already: what
/// a results file holds. docs/results.md describes the format.
struct ScaleResult : AttachResult {
    std::vector<KprobeRun> kprobe;
    std::optional<MemoryGrowth> memory;

    bool operator==(const ScaleResult&) const = default;
};

/// The result as JSON.
nlohmann::ordered_json to_json(const ScaleResult& result);

/// Whether an object in a results file is such a result.
bool is_scale_result(const nlohmann::ordered_json& json);

/// Reads what to_json() wrote; keys beyond the documented ones are skipped, those marked as extra
/// may be missing. Errors: failed, saying where, for text that is no JSON, another schema, and
/// missing or wrong values.
Result<ScaleResult> parse_scale_result(std::string_view text);

} // namespace fdirect
