// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bpf/bpf_target.h"
#include "util/file_descriptor.h"
#include "util/result.h"

namespace fdirect {

/// A function that the kernel does not attach a program to.
struct Refusal {
    BpfTarget target;
    int error = 0; ///< errno

    bool operator==(const Refusal&) const = default;
};

/// Functions that one link takes together, and those that it does not take.
struct Attachable {
    std::vector<BpfTarget> targets;   ///< in their order
    std::vector<Refusal> refused;     ///< alone
    std::vector<BpfTarget> undecided; ///< those that were left when there had been enough tries
};

/// Whether an errno tells of a function rather than of the system or the user.
bool is_refusal(int error);

/// Attaches a program to all of these functions or to none. Errors: the kernel's, with its errno.
using AttachAll = std::function<Result<FileDescriptor>(const std::vector<BpfTarget>&)>;

/// A hundred functions that are refused take about 2,000 tries of 40,000.
inline constexpr std::size_t most_attach_tries = 4000;

/// Finds the functions that a link takes, as one that it does not take is enough to have all of
/// them refused: by halves, since the kernel does not tell which one it was. Each link that it
/// makes is gone again. There are no more than `most` tries. Errors: those that tell of no
/// function.
Result<Attachable> find_attachable(const std::vector<BpfTarget>& targets, const AttachAll& attach,
                                   std::size_t most);

} // namespace fdirect
