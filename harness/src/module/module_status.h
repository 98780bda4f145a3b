// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "util/result.h"

namespace fdirect {

/// The module's file `status`.
struct ModuleStatus {
    std::uint64_t functions = 0;   ///< in the selection
    std::uint64_t attached = 0;    ///< of them
    std::string method;            ///< that the next attach uses
    std::string reach;             ///< of the stubs that it uses
    std::uint64_t ops = 0;         ///< slot that the next attach uses
    std::uint64_t stubs = 0;       ///< that the module has
    std::uint64_t hits_total = 0;  ///< since the last reset
    std::uint64_t stray_hits = 0;  ///< on stubs that are no function's target
    std::uint64_t patched = 0;     ///< call sites that call their own stub
    std::uint64_t misdirected = 0; ///< call sites that call another stub than their own
};

/// Reads "KEY VALUE" lines; keys that are not known are skipped.
/// Errors: failed for a missing key or a value that is no number.
Result<ModuleStatus> parse_status(std::string_view text);

} // namespace fdirect
