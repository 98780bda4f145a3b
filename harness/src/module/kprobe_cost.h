// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "util/result.h"

namespace fdirect {

/// The steps of a kprobe, in this order.
inline constexpr std::array<std::string_view, 4> kprobe_steps = {"register", "disable", "enable",
                                                                 "unregister"};

/// The cost of a kprobe that came and went, as the module's file `kprobe` has
/// it.
struct KprobeCost {
    struct Step {
        std::uint64_t elapsed = 0; ///< ns of the kernel's clock around the call
        std::uint64_t running = 0; ///< ns of them that the caller was running
    };

    std::uint32_t function = 0; ///< index in the selection
    bool ftrace = false;        ///< it went by way of ftrace
    std::array<Step, kprobe_steps.size()> steps;
};

/// Reads "KEY VALUE" lines; keys that are not known are skipped.
/// Errors: failed for a missing key or a value that cannot be read.
Result<KprobeCost> parse_kprobe_cost(std::string_view text);

} // namespace fdirect
