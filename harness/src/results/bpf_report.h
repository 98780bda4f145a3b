// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "results/bpf_result.h"
#include "results/report_format.h"
#include "util/result.h"

namespace fdirect {

/// Benchmarks of BPF tracing for people: the loops, what programs on many functions cost, and what
/// calls cost, each in a table, those of one architecture side by side with the ratio to the
/// first of them, of calls the difference. With Format::csv a line per measurement with the plain
/// numbers, with Format::json the result itself or a list of them. Errors: usage when they do not
/// count in the same unit.
Result<std::string> report(const std::vector<BpfResult>& results, Format format);

} // namespace fdirect
