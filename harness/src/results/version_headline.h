// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "results/comparison.h"
#include "results/table.h"

namespace fdirect {

/// Whether the group's stock kernel has one ops for all functions itself, as Linux 7.0 and later
/// have on x86_64.
bool has_one_for_all(const RecordGroup& group);

/// The costs that the series changes on such a kernel, in instructions or nanoseconds for one
/// function, one loop or one change. The groups are those of all benchmarks; others than @arch are
/// skipped.
Table version_headline(const std::vector<RecordGroup>& groups, const std::string& arch);

} // namespace fdirect
