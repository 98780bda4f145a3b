// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "kernel/kernel_paths.h"
#include "util/result.h"

namespace fdirect {

/// How many functions are listed in a text of enabled_functions.
std::size_t count_enabled_functions(std::string_view text);

/// How many functions have something attached to them, whoever did it. Errors: of read_file().
Result<std::size_t> count_enabled_functions(const KernelPaths& paths);

} // namespace fdirect
