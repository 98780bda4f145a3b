// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bpf/bpf_target.h"
#include "results/table.h"

namespace fdirect {

/// How often a function was called.
struct CallCount {
    std::string function;
    std::uint64_t calls = 0;

    bool operator==(const CallCount&) const = default;
};

/// The result of fdirect count.
struct CallCounts {
    bool returns = false;             ///< counted at the return, not at the entry
    double seconds = 0;               ///< that it counted
    std::size_t attached = 0;         ///< functions
    std::vector<CallCount> functions; ///< those that were called, most calls first
    std::uint64_t missed = 0;         ///< calls that were not counted
    std::vector<LeftOut> left_out;
};

/// The functions that were called between two counts, most calls first, and of as many in the order
/// of their names.
std::vector<CallCount> ranked(const std::vector<BpfTarget>& functions,
                              const std::vector<std::uint64_t>& before,
                              const std::vector<std::uint64_t>& after);

/// "7 functions left out: 4 no type in BTF, 3 not traceable", most frequent first.
std::string sum_of(const std::vector<LeftOut>& left_out);

/// The first `top` functions, or all for 0, and beside CSV what there is to say about them. With
/// `verbose` each function that is left out, too; JSON has them then.
std::string report(const CallCounts& counts, Format format, std::size_t top, bool verbose);

} // namespace fdirect
