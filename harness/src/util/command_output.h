// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "util/result.h"

namespace fdirect {

/// What a program found in PATH writes to stdout; its stderr is dropped.
/// Errors: failed when it cannot be started or does not end with 0.
Result<std::string> command_output(const std::vector<std::string>& command);

} // namespace fdirect
