// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernel/function.h"
#include "kernel/kernel_paths.h"
#include "util/result.h"

namespace fdirect {

/// The functions that can be attached, in the order of the kernel's list.
struct FunctionList {
    std::vector<Function> functions;
    std::size_t left_out = 0; ///< names whose address could not be told

    /// Reads it from tracefs, with addresses where the kernel gives them (Linux 6.5). Else it
    /// takes names and /proc/kallsyms, and leaves out names that stand for several functions. The
    /// functions of the module fdirect itself and entries without a name are not in it. Errors:
    /// cannot_run when tracefs is not there, not readable, or lists nothing.
    static Result<FunctionList> load(const KernelPaths& paths);
};

/// Reads the text of available_filter_functions_addrs. Errors: failed for a line that is none.
Result<FunctionList> parse_functions_with_addresses(std::string_view text);

/// Reads the texts of available_filter_functions and of kallsyms. A name that occurs several times
/// in either is left out and counted, unless it can be attached as often as it exists.
FunctionList parse_functions_by_name(std::string_view functions, std::string_view symbols);

} // namespace fdirect
