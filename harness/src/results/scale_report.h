// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "results/report_format.h"
#include "results/scale_result.h"
#include "util/result.h"

namespace fdirect {

/// Benchmarks of scale for people: tables with a row for each operation and number of functions and
/// a column for each number of functions that were attached already: the cost per function, what
/// was waited, and the same of kprobes; and what memory was taken. Several of one architecture have
/// their rows one below the other, those of another architecture follow in tables of their own.
/// With Format::csv a line per measurement with the plain numbers, with Format::json the result
/// itself or a list of them. Errors: usage when they do not count in the same unit.
Result<std::string> report(const std::vector<ScaleResult>& results, Format format);

} // namespace fdirect
