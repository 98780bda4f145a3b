// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <vector>

#include "results/report.h"

namespace fdirect {

/// The cost of all functions that were attached, changed and detached, and of the loops of a BPF
/// program, on the stock and the patched kernel: a block for each architecture.
std::vector<Block> headline_of(const std::vector<Record>& records);

} // namespace fdirect
