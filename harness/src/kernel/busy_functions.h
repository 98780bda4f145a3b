// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "kernel/kernel_paths.h"
#include "util/result.h"

namespace fdirect {

/// Functions of the kernel by the beginning of their names, which is all that it tells of long
/// ones.
class FunctionNames {
  public:
    /// How much of a name is kept.
    static constexpr std::size_t length = 30;

    void add(std::string_view name) { names_.emplace(name.substr(0, length)); }

    /// Whether it may be one of them.
    [[nodiscard]] bool contains(std::string_view name) const {
        return names_.contains(std::string(name.substr(0, length)));
    }

    [[nodiscard]] bool empty() const { return names_.empty(); }

  private:
    std::set<std::string> names_;
};

/// Adds the functions in the text of a file in tracefs' trace_stat.
void add_profiled_functions(std::string_view text, FunctionNames& names);

/// Whether there is a profiler that nobody uses. Errors: cannot_run.
Result<> check_function_profiler(const KernelPaths& paths);

/// The functions that run while `work` does, on any CPU, as the kernel's function profiler tells.
/// Errors: of check_function_profiler(); cannot_run where it tells nothing; of `work`.
Result<FunctionNames> functions_run_by(const KernelPaths& paths,
                                       const std::function<Result<>()>& work);

/// Switches the profiler off, whatever it does.
void stop_function_profiler(const KernelPaths& paths);

} // namespace fdirect
