// SPDX-License-Identifier: GPL-2.0
#include "util/blocked_signals.h"

#include <algorithm>
#include <array>

namespace fdirect {
namespace {

constexpr std::array interruptions = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

} // namespace

BlockedSignals::BlockedSignals() {
    sigemptyset(&blocked_);
    sigaddset(&blocked_, SIGCHLD);
    for (int number : interruptions) {
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&blocked_, number);
        }
    }
    ::sigprocmask(SIG_BLOCK, &blocked_, &before_);
}

void BlockedSignals::restore() const {
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int BlockedSignals::wait() const {
    int number = ::sigwaitinfo(&blocked_, nullptr);
    return number < 0 ? 0 : number;
}

int BlockedSignals::wait(std::chrono::nanoseconds time) const {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    timespec limit{seconds.count(), (time - seconds).count()};
    int number = ::sigtimedwait(&blocked_, nullptr, &limit);
    return number < 0 ? 0 : number;
}

int BlockedSignals::take_pending() const {
    int taken = 0;
    for (int number = 1; number > 0;) {
        number = wait(std::chrono::nanoseconds(0));
        taken = number > 0 && number != SIGCHLD ? number : taken;
    }
    return taken;
}

bool BlockedSignals::is_interruption(int number) {
    return std::find(interruptions.begin(), interruptions.end(), number) != interruptions.end();
}

} // namespace fdirect
