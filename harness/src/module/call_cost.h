// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "module/call_spec.h"
#include "util/result.h"

namespace fdirect {

/// A measurement of calls in the module's file `call`, in nanoseconds of the kernel's clock.
struct CallCost {
    CallSpec spec;
    std::uint64_t calls = 0;
    std::uint64_t total = 0;         ///< of all calls
    std::uint64_t chunk_calls = 0;   ///< calls at a time, with interrupts off
    std::uint64_t best = 0;          ///< of the fastest chunk
    std::uint64_t baseline_best = 0; ///< the same with nothing attached
};

/// Reads "KEY VALUE" lines; keys that are not known are skipped.
/// Errors: failed for a missing key or a value that cannot be read.
Result<CallCost> parse_call_cost(std::string_view text);

} // namespace fdirect
