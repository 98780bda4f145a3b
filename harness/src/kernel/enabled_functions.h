// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/kernel_paths.h"
#include "util/result.h"

namespace fdirect {

/// A function that something is attached to.
struct EnabledFunction {
    std::string name;      ///< "NAME" or "NAME [module]", which several functions may have
    bool direct = false;   ///< it has a direct call
    bool ipmodify = false; ///< a livepatch or a kprobe may send its calls elsewhere

    bool operator==(const EnabledFunction&) const = default;
};

/// The functions in a text of enabled_functions.
std::vector<EnabledFunction> parse_enabled_functions(std::string_view text);

/// The functions that are enabled in this kernel. Errors: of read_file().
Result<std::vector<EnabledFunction>> load_enabled_functions(const KernelPaths& paths);

/// How many functions are listed in a text of enabled_functions.
std::size_t count_enabled_functions(std::string_view text);

/// How many functions have something attached to them, whoever did it. Errors: of read_file().
Result<std::size_t> count_enabled_functions(const KernelPaths& paths);

} // namespace fdirect
