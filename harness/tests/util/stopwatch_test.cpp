// SPDX-License-Identifier: GPL-2.0
#include "util/stopwatch.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace fdirect {
namespace {

TEST(Stopwatch, TellsWaitingFromRunning) {
    Stopwatch watch;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    WorkTime slept = watch.time();
    EXPECT_GE(slept.elapsed, 20000000U);
    EXPECT_LT(slept.running, slept.elapsed / 2);

    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 1000000; i++) {
        sum = sum + i;
    }
    EXPECT_GT(watch.time().running, slept.running);
}

} // namespace
} // namespace fdirect
