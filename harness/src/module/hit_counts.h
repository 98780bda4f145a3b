// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace fdirect {

/// One function of the module's selection, and how often its stub was called.
struct HitCount {
    std::uint32_t index = 0;
    std::uint64_t address = 0;
    std::optional<std::uint32_t> stub; ///< nothing while the function is not attached
    std::uint64_t hits = 0;
    std::string name; ///< with " [module]" where it is one's
};

/// Reads the module's file `hits`, "INDEX 0xCALLSITE STUB HITS NAME" per line.
/// Errors: failed, with the line, for one that cannot be read.
Result<std::vector<HitCount>> parse_hits(std::string_view text);

} // namespace fdirect
