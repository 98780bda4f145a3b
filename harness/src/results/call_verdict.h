// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/call_result.h"

namespace fdirect {

/// Which of several results the others are compared with: that of the kernel without the patches,
/// whose base ends in "-stock", else the first.
std::size_t reference_of(const std::vector<CallResult>& results);

/// What the figures of one architecture say, in sentences; only of instruction counts, since times
/// are never the same twice:
/// - whether a direct call in reach costs what a call instruction and the stub cost;
/// - whether a direct call costs what it costs in the result that the others are compared with, by
///   register_ftrace_direct() there;
/// - whether the cost of one relevant ftrace_ops depends on the number of irrelevant ones.
std::vector<std::string> call_verdicts(const std::vector<CallResult>& results);

} // namespace fdirect
