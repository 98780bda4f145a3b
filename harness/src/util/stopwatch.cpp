// SPDX-License-Identifier: GPL-2.0
#include "util/stopwatch.h"

#include <ctime>

namespace fdirect {
namespace {

std::uint64_t read_clock(clockid_t clock) {
    constexpr std::uint64_t ns_per_second = 1000000000;
    timespec now{};
    (void)::clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * ns_per_second +
           static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

// Running is read inside of elapsed, so that it is never more.
Stopwatch::Stopwatch() {
    start_.elapsed = read_clock(CLOCK_MONOTONIC);
    start_.running = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

WorkTime Stopwatch::time() const {
    std::uint64_t running = read_clock(CLOCK_THREAD_CPUTIME_ID) - start_.running;
    return {running, read_clock(CLOCK_MONOTONIC) - start_.elapsed};
}

} // namespace fdirect
