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

#include "bpf/bpf_kind.h"
#include "results/attach_result.h"
#include "results/bench_header.h"
#include "util/result.h"

namespace fdirect {

/// One program that was attached and detached again and again.
struct BpfLoops {
    BpfKind kind = BpfKind::fentry;
    std::string function;
    std::uint64_t loops = 0;
    bool verified = false;
    CallSamples loop; ///< a sample for each

    bool operator==(const BpfLoops&) const = default;
};

/// Functions that had programs attached: each its own, or one program all of them.
struct BpfRun {
    BpfKind kind = BpfKind::fentry;
    std::uint64_t functions = 0;
    std::uint64_t programs = 0;
    bool verified = false;
    std::uint64_t called = 0;    ///< different functions that were called while it was verified
    std::uint64_t meanwhile = 0; ///< hits while attaching and detaching, of all runs together
    CallSamples load;
    CallSamples attach;
    CallSamples detach;

    bool operator==(const BpfRun&) const = default;
};

/// What is done with programs, in the order that it is done and shown.
inline constexpr std::array<std::pair<std::string_view, CallSamples BpfRun::*>, 3> bpf_operations =
    {{
        {"load", &BpfRun::load},
        {"attach", &BpfRun::attach},
        {"detach", &BpfRun::detach},
    }};

/// What a call costs with a program attached.
struct BpfCall {
    BpfKind kind = BpfKind::fentry;
    std::uint64_t calls = 0;
    std::uint64_t total = 0; ///< elapsed, of all calls
    double per_call = 0;     ///< in the fastest chunk of them
    double overhead = 0;     ///< how much more that is than with nothing attached
    bool verified = false;

    bool operator==(const BpfCall&) const = default;
};

/// A function that the kernel did not take.
struct BpfRefusal {
    std::string function;
    int error = 0; ///< errno

    bool operator==(const BpfRefusal&) const = default;
};

/// A benchmark of BPF tracing: what a results file holds. docs/results.md describes the format.
struct BpfResult {
    BenchHeader header;
    std::uint64_t functions_available = 0;
    /// Of them; attaching runs them itself, so they were not taken. Nothing where it is not known.
    std::optional<std::uint64_t> functions_busy;
    std::vector<BpfRefusal> refused;
    std::vector<BpfLoops> loops;
    std::vector<BpfRun> runs;
    std::vector<BpfCall> calls;
    std::vector<BpfKind> unsupported; ///< kinds that this kernel does not have

    bool operator==(const BpfResult&) const = default;
};

/// Whether all of it was verified.
bool verified(const BpfResult& result);

/// The result as JSON.
nlohmann::ordered_json to_json(const BpfResult& result);

/// Whether an object in a results file is such a result.
bool is_bpf_result(const nlohmann::ordered_json& json);

/// Reads what to_json() wrote; keys beyond the documented ones are skipped, those marked as extra
/// may be missing. Errors: failed, saying where, for text that is no JSON, another schema, and
/// missing or wrong values.
Result<BpfResult> parse_bpf_result(std::string_view text);

} // namespace fdirect
