// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace fdirect {

/// How functions get their direct-call targets.
enum class Method {
    each,  ///< register_ftrace_direct(), one ftrace_ops and one target per function
    multi, ///< register_ftrace_direct(), one ftrace_ops and one target for all functions
    hash,  ///< register_ftrace_direct_hash(), one ftrace_ops, a target per function
};

/// "each", "multi" or "hash".
std::string_view name_of(Method method);

/// The method of that name, or nothing.
std::optional<Method> method_named(std::string_view name);

/// The methods in a list of names such as "each multi hash"; names that are not known are skipped.
std::vector<Method> methods_in(std::string_view text);

/// "each multi hash" for a list of methods.
std::string names_of(const std::vector<Method>& methods);

/// Why a method that is not among those of this kernel cannot be used: cannot_run, EOPNOTSUPP.
Error missing_method(Method method, const std::vector<Method>& available);

/// The target of function FIRST + `index` when `stub` is given for FIRST. It is one for all with
/// multi. Else it is counted on from `stub` and around the end of the module's 65,536 stubs.
std::uint32_t stub_of(Method method, std::uint32_t stub, std::uint32_t index);

/// How many stubs the module has, and so how many functions it takes.
constexpr std::uint32_t stub_count = 65536;

} // namespace fdirect
