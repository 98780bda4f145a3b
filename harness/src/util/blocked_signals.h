// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <chrono>
#include <csignal>

namespace fdirect {

/// Blocks SIGCHLD, and SIGINT, SIGTERM, SIGHUP and SIGQUIT where the caller had not ignored them,
/// as a shell does for jobs in the background, for as long as it lives.
class BlockedSignals {
  public:
    BlockedSignals();
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    BlockedSignals(BlockedSignals&&) = delete;
    BlockedSignals& operator=(BlockedSignals&&) = delete;
    ~BlockedSignals() { restore(); }

    /// Blocks what was blocked before.
    void restore() const;

    /// Waits for one of them and takes it; its number, 0 where that fails.
    [[nodiscard]] int wait() const;

    /// As wait(), but no longer than that; 0 when the time is over.
    [[nodiscard]] int wait(std::chrono::nanoseconds time) const;

    /// Takes all that are pending, so that they do not strike when they are no longer blocked; the
    /// number of one that is no SIGCHLD, or 0.
    [[nodiscard]] int take_pending() const;

    /// Whether it is one of the signals that end a program from outside.
    static bool is_interruption(int number);

  private:
    sigset_t blocked_{};
    sigset_t before_{};
};

} // namespace fdirect
