// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <functional>

#include "util/exit_code.h"
#include "util/result.h"

namespace fdirect {

/// Runs a command and prints its error, if any; the exit code.
int run_command(const std::function<Result<>()>& command);

/// As run_command(), for work that has a code of its own where it comes to its end.
ExitCode run_work(const std::function<Result<ExitCode>()>& work);

} // namespace fdirect
