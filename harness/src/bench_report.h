// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "bench_result.h"
#include "result.h"

namespace fdirect {

/// How results are written.
enum class Format { table, json, markdown, csv };

/// A benchmark for people: figures per function, what was waited, and how many times cheaper each
/// method is than `each`. A star marks figures that were extrapolated from fewer functions. With
/// Format::csv a line per run and operation with the plain numbers, with Format::json the result
/// itself.
std::string report(const BenchResult& result, Format format);

/// Several benchmarks side by side: the figures per function of each, and the ratio of each to the
/// first. With Format::csv the lines of all, with Format::json a list of the results. Errors: usage
/// when they do not count in the same unit.
Result<std::string> report(const std::vector<BenchResult>& results, Format format);

} // namespace fdirect
