// SPDX-License-Identifier: GPL-2.0
#pragma once

namespace fdirect {

/// The program's exit codes.
enum class ExitCode : int {
    ok = 0,
    failed = 1,        ///< it was tried and did not work, or a check did not hold
    usage = 2,         ///< the arguments make no sense
    cannot_run = 4,    ///< this kernel, user or machine cannot do it
    interrupted = 130, ///< Ctrl-C; what was attached has been detached
};

} // namespace fdirect
