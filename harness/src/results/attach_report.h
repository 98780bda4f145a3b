// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "results/attach_result.h"
#include "results/report_format.h"
#include "util/result.h"

namespace fdirect {

/// Benchmarks of attaching for people. One alone: figures per function, what was waited, and how
/// many times cheaper each way is than the method `each` (with the same stubs where that was
/// measured, else with near ones). Several of one architecture side by side: the figures per
/// function of each, and the ratio of each to the first. Those of another architecture follow in a
/// table of their own. A star marks figures that were extrapolated from fewer functions. With
/// Format::csv a line per run and operation with the plain numbers, with Format::json the result
/// itself or a list of them. Errors: usage when they do not count in the same unit.
Result<std::string> report(const std::vector<AttachResult>& results, Format format);

} // namespace fdirect
