// SPDX-License-Identifier: GPL-2.0
#include "util/supervisor.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "util/blocked_signals.h"
#include "util/error.h"

namespace fdirect {
namespace {

Ending wait_for(pid_t child, const BlockedSignals& signals) {
    Ending ending;
    int state = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(child, &state, WNOHANG)) == 0) {
        int number = signals.wait();
        if (number != 0 && number != SIGCHLD) {
            ending.signal = number;
            ::kill(child, number);
        }
    }
    if (int late = signals.take_pending(); ending.signal == 0) {
        ending.signal = late;
    }
    if (ended < 0) {
        return ending;
    }
    if (WIFEXITED(state) && ending.signal == 0) {
        ending.complete = true;
        ending.code = WEXITSTATUS(state);
    } else if (WIFSIGNALED(state)) {
        ending.signal = WTERMSIG(state);
    }
    return ending;
}

} // namespace

int supervise(const std::function<ExitCode()>& work,
              const std::function<ExitCode(const Ending&)>& after) {
    BlockedSignals signals;
    std::fflush(nullptr);
    pid_t child = ::fork();
    if (child < 0) {
        print(failure("cannot start a process: " + system_message(errno)));
        return static_cast<int>(ExitCode::failed);
    }
    if (child == 0) {
        signals.restore();
        int code = static_cast<int>(work());
        std::fflush(nullptr);
        ::_exit(code);
    }

    Ending ending = wait_for(child, signals);
    int code = ending.code;
    if (!ending.complete) {
        code = 128 + ending.signal;
        if (!BlockedSignals::is_interruption(ending.signal) && ending.signal != SIGPIPE) {
            print(failure(ending.signal == 0 ? "it cannot be told how the work ended"
                                             : "the program was ended by signal " +
                                                   std::to_string(ending.signal)));
            code = static_cast<int>(ExitCode::failed);
        }
    }
    int cleaning = static_cast<int>(after(ending));
    (void)signals.take_pending();
    return cleaning != 0 ? cleaning : code;
}

} // namespace fdirect
