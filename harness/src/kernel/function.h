// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fdirect {

/// A traceable kernel function.
struct Function {
    std::uint64_t address = 0; ///< of the call site that ftrace patches
    std::string name;
    std::string module; ///< empty for the kernel itself

    bool operator==(const Function&) const = default;
};

/// Reads "NAME" or "NAME [module]" into name and module; nothing for an empty text.
std::optional<Function> parse_function_name(std::string_view text);

/// Reads a line of available_filter_functions_addrs, "ffffffff81000000 NAME [module]"; nothing for
/// anything else.
std::optional<Function> parse_function(std::string_view line);

/// "NAME" or "NAME [module]".
std::string display_name(const Function& function);

} // namespace fdirect
