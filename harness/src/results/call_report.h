// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "results/call_result.h"
#include "results/report_format.h"
#include "util/result.h"

namespace fdirect {

/// Benchmarks of calls for people: for each set of flags a table of the ftrace_ops, a table of the
/// direct calls, and what the figures say. One alone has the cost and how much more it is than an
/// untraced call, and direct calls how much more than a plain one. Several of one architecture
/// stand side by side, with the differences from that of the kernel without the patches. Those of
/// another architecture follow. With Format::csv a line per row with the plain numbers, with
/// Format::json the result itself or a list of them. Errors: usage when they do not count in the
/// same unit.
Result<std::string> report(const std::vector<CallResult>& results, Format format);

} // namespace fdirect
