// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/function.h"
#include "kernel/kernel_paths.h"
#include "util/result.h"

struct btf;

namespace fdirect {

/// A function of the kernel that BPF programs can be attached to by its type or by its address.
struct BpfTarget {
    std::string name;
    std::uint64_t address = 0; ///< where the function begins
    std::uint32_t type = 0;    ///< its id in the BTF of the kernel, or of its module
    std::string module = {};   ///< empty for the kernel itself

    bool operator==(const BpfTarget&) const = default;
};

/// "NAME" or "NAME [module]".
std::string display_name(const BpfTarget& target);

/// A function in a BTF.
struct FunctionType {
    std::uint32_t id = 0;
    std::string obstacle;        ///< why no program can be attached to it; empty if one can
    std::string return_obstacle; ///< why no program can be attached to its return
};

/// The types of functions by their names.
using FunctionTypes = std::unordered_map<std::string, FunctionType>;

/// The types of the kernel, by an empty name, and of modules.
using TypesByModule = std::map<std::string, FunctionTypes>;

/// Reads them from a BTF; of a name that occurs several times the first one. The BTF of a module
/// goes on where the kernel's ends, with the id `first`.
FunctionTypes function_types(const btf* types, std::uint32_t first = 1);

/// A function that no program is attached to, and why.
struct LeftOut {
    std::string function;
    std::string reason;

    bool operator==(const LeftOut&) const = default;
};

/// Functions, sorted out.
struct BpfTargets {
    std::vector<BpfTarget> targets; ///< in their order
    std::vector<LeftOut> left_out;
};

/// The functions that are asked for.
using Wanted = std::function<bool(const Function&)>;

/// Takes those of the wanted functions that have a type, in a module whose types are there, and a
/// name of their own among the symbols of the kernel or the module (the text of kallsyms): a
/// program is attached to a name, and which of several it means is the kernel's choice. `functions`
/// are those that can be traced; others that have a type are left out. With `returns`, a program is
/// to be attached to their return. The kernel's come first, and then those of one module after the
/// other.
BpfTargets bpf_targets(const std::vector<Function>& functions, const Wanted& wanted,
                       const TypesByModule& types, std::string_view symbols, bool returns);

/// The functions of modules are taken, or left out.
enum class Modules { taken, left_out };

/// With the types and the symbols of the kernel that runs. Errors: cannot_run without BTF; of
/// read_file().
Result<BpfTargets> load_bpf_targets(const KernelPaths& paths,
                                    const std::vector<Function>& functions, const Wanted& wanted,
                                    bool returns, Modules modules);

} // namespace fdirect
