// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "util/blocked_signals.h"
#include "util/file_descriptor.h"
#include "util/result.h"

namespace fdirect {

/// The exit code for a command that cannot be run, as a shell has it.
inline constexpr int command_not_run = 127;

/// An exit code is this plus the number of the signal that ended something.
inline constexpr int after_signal = 128;

/// A command in a process of its own, which waits until it is released. So what is prepared for it
/// comes after the process and before the command, and the command inherits nothing of it.
class CommandProcess {
  public:
    /// Starts the process. `signals` are unblocked in it. Errors: failed.
    static Result<CommandProcess> prepare(const std::vector<std::string>& command,
                                          const BlockedSignals& signals);

    CommandProcess(const CommandProcess&) = delete;
    CommandProcess& operator=(const CommandProcess&) = delete;
    CommandProcess(CommandProcess&& other) noexcept;
    CommandProcess& operator=(CommandProcess&&) = delete;

    /// Ends the process if it has not been released.
    ~CommandProcess();

    /// Runs the command. Errors: failed where it cannot be run, with the errno.
    Result<> release();

    /// Passes a signal on to it.
    void signal(int number) const;

    /// The exit code once it has ended, 128 and the number for a signal; does not wait.
    [[nodiscard]] std::optional<int> ended();

  private:
    CommandProcess(pid_t child, FileDescriptor channel, std::string name);

    pid_t child_;
    FileDescriptor
        channel_; ///< a byte releases it; it answers with an errno or, running, closes it
    std::string name_;
};

/// How something ended.
struct Ended {
    int code = 0;   ///< of the command; 0 where it has not ended
    int signal = 0; ///< that came meanwhile; 0: none
};

/// Waits for the end of the command, if there is one, for a time, if there is one, or for a signal.
/// A command gets the signal, and is waited for.
Ended wait_for_end(CommandProcess* command, const BlockedSignals& signals,
                   std::optional<std::chrono::steady_clock::time_point> deadline);

} // namespace fdirect
