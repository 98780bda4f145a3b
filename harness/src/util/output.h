// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string_view>

#include "util/result.h"

namespace fdirect {

/// Writes text to stdout and makes sure that it got there. Errors: failed, e.g. when a disk is
/// full.
Result<> write_out(std::string_view text);

} // namespace fdirect
