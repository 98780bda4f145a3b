// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/function.h"
#include "kernel/kernel_paths.h"
#include "util/result.h"

namespace fdirect {

/// A function of the kernel that BPF programs can be attached to by its type or by its address.
struct BpfTarget {
    std::string name;
    std::uint64_t address = 0; ///< where the function begins
    std::uint32_t type = 0;    ///< its id in the BTF of the kernel

    bool operator==(const BpfTarget&) const = default;
};

/// The ids of functions in a BTF by their names.
using FunctionTypes = std::unordered_map<std::string, std::uint32_t>;

/// The functions that have a type, no module, and a name of their own among all symbols (the text
/// of kallsyms). A program is attached to a name; if several functions have it, the kernel
/// chooses. They are in the order of `functions`.
std::vector<BpfTarget> bpf_targets(const std::vector<Function>& functions,
                                   const FunctionTypes& types, std::string_view symbols);

/// The targets of the kernel that runs. Errors: cannot_run without BTF; of
/// FunctionList::load().
Result<std::vector<BpfTarget>> load_bpf_targets(const KernelPaths& paths);

} // namespace fdirect
