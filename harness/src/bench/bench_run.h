// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <functional>

#include "kernel/kernel_paths.h"
#include "module/fdirect_module.h"
#include "util/exit_code.h"
#include "util/result.h"

namespace fdirect {

/// Runs a benchmark that attaches functions: `check`, and if it has nothing to say `measure`, under
/// supervision. However that ends, nothing stays attached, and the module's selection, method,
/// reach and ops are what they were; only where there was no selection, the last one of the
/// benchmark stays, since the module takes none that is empty. Returns the exit code for the
/// program.
int run_bench(const KernelPaths& paths, const std::function<Result<>(FdirectModule&)>& check,
              const std::function<Result<ExitCode>(FdirectModule&)>& measure);

} // namespace fdirect
