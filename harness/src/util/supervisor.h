// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <functional>

#include "util/exit_code.h"

namespace fdirect {

/// How supervised work ended.
struct Ending {
    bool complete = false; ///< it ran to its end, with `code`
    int code = 0;
    int signal = 0; ///< else: the signal that ended it, or that came in meanwhile; 0: not known
};

/// Runs `work` in a child process, and `after` in this one when the child has ended. It may end
/// by returning, by Ctrl-C in the middle of a call into the kernel, or by crashing. The child has
/// the default signal handling, so that the kernel gives up its work for the child. SIGINT,
/// SIGTERM, SIGHUP and SIGQUIT to this process are passed on to the child. Further ones do not
/// disturb `after`. If this process is killed outright, the child goes on to its end.
///
/// Returns the exit code for the program: that of `work`, or 128 + the signal number (130 on
/// Ctrl-C), or 1 after a crash or an unknown end. If `after` returns something else than ok, it
/// returns that instead.
int supervise(const std::function<ExitCode()>& work,
              const std::function<ExitCode(const Ending&)>& after);

} // namespace fdirect
