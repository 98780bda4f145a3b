// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "results/comparison.h"

namespace fdirect {

/// The verdicts on the figures of `bench call`, in sentences; only of instruction counts, since
/// times are never the same twice:
/// - whether a direct call in reach costs what a call instruction and the stub cost;
/// - whether a direct call costs what it costs on the kernel that the others are compared with, by
///   register_ftrace_direct() there;
/// - whether the cost of one relevant ftrace_ops depends on the number of irrelevant ones.
std::vector<std::string> call_verdicts(const RecordGroup& group);

} // namespace fdirect
