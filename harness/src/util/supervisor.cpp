// SPDX-License-Identifier: GPL-2.0
#include "util/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "util/error.h"

namespace fdirect {
namespace {

constexpr std::array interruptions = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// Blocks a set of signals for as long as it lives.
class BlockedSignals {
  public:
    BlockedSignals() {
        sigemptyset(&blocked_);
        sigaddset(&blocked_, SIGCHLD);
        for (int number : interruptions) {
            // A signal that the caller ignores, as a shell does for jobs in the background,
            // stays ignored.
            struct sigaction action {};
            if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
                sigaddset(&blocked_, number);
            }
        }
        ::sigprocmask(SIG_BLOCK, &blocked_, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    BlockedSignals(BlockedSignals&&) = delete;
    BlockedSignals& operator=(BlockedSignals&&) = delete;
    ~BlockedSignals() { restore(); }

    void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

    /// Waits for one of them and takes it; its number.
    [[nodiscard]] int wait() const {
        int number = ::sigwaitinfo(&blocked_, nullptr);
        return number < 0 ? 0 : number;
    }

    /// Takes all that are pending, so that they do not strike when they are no longer blocked.
    /// Returns the number of one that is no SIGCHLD, or 0.
    [[nodiscard]] int take_pending() const {
        timespec now{};
        int taken = 0;
        for (int number = 1; number > 0;) {
            number = ::sigtimedwait(&blocked_, nullptr, &now);
            taken = number > 0 && number != SIGCHLD ? number : taken;
        }
        return taken;
    }

  private:
    sigset_t blocked_{};
    sigset_t before_{};
};

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

bool is_interruption(int number) {
    return std::find(interruptions.begin(), interruptions.end(), number) != interruptions.end();
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
        if (!is_interruption(ending.signal) && ending.signal != SIGPIPE) {
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
