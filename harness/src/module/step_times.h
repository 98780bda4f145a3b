// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace fdirect {

/// How long the kernel took for a step: attach, modify, detach, or what prepares them.
struct StepTime {
    std::string method; ///< "mixed" where several were
    std::uint64_t functions = 0;
    std::uint64_t elapsed = 0; ///< ns of the kernel's clock around it
    std::uint64_t running = 0; ///< ns of them that the caller was running; the rest it waited

    /// ns that the caller waited, for grace periods above all; 0 where the clocks disagree.
    [[nodiscard]] std::uint64_t waiting() const {
        return elapsed > running ? elapsed - running : 0;
    }
};

/// The last time of each step; nothing for a step that has not been taken.
struct StepTimes {
    std::optional<StepTime> prepare; ///< building the filter or the hash
    std::optional<StepTime> attach;
    std::optional<StepTime> modify;
    std::optional<StepTime> detach;
};

/// Reads the module's file `times`, "STEP METHOD FUNCTIONS ELAPSED_NS RUNNING_NS" per line; steps
/// that are not known are skipped. Errors: failed, with the line, for one that cannot be read.
Result<StepTimes> parse_times(std::string_view text);

} // namespace fdirect
