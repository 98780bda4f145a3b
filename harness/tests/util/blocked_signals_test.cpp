// SPDX-License-Identifier: GPL-2.0
#include "util/blocked_signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace fdirect {
namespace {

/// All tests may raise signals. A shell ignores SIGINT and SIGQUIT for a job in the background, and
/// nohup SIGHUP.
class DefaultSignals : public ::testing::Environment {
    void SetUp() override {
        for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
            ::signal(number, SIG_DFL);
        }
    }
};

[[maybe_unused]] const auto* const default_signals =
    ::testing::AddGlobalTestEnvironment(new DefaultSignals);

TEST(BlockedSignals, WaitForASignalOrSomeTime) {
    BlockedSignals signals;
    EXPECT_EQ(signals.wait(std::chrono::milliseconds(1)), 0);
    ::raise(SIGTERM);
    EXPECT_EQ(signals.wait(std::chrono::seconds(60)), SIGTERM);
    ::raise(SIGINT);
    EXPECT_EQ(signals.wait(), SIGINT);
}

TEST(BlockedSignals, AreTakenWithoutWaiting) {
    BlockedSignals signals;
    EXPECT_EQ(signals.take_pending(), 0);
    ::raise(SIGCHLD);
    EXPECT_EQ(signals.take_pending(), 0);
    ::raise(SIGHUP);
    ::raise(SIGCHLD);
    EXPECT_EQ(signals.take_pending(), SIGHUP);
    EXPECT_EQ(signals.take_pending(), 0);
}

TEST(BlockedSignals, AreNotThoseThatAreIgnored) {
    auto before = ::signal(SIGQUIT, SIG_IGN);
    {
        BlockedSignals signals;
        ::raise(SIGQUIT);
        EXPECT_EQ(signals.take_pending(), 0);
    }
    ::signal(SIGQUIT, before);
}

TEST(BlockedSignals, AreInterruptionsOrNot) {
    EXPECT_TRUE(BlockedSignals::is_interruption(SIGINT));
    EXPECT_FALSE(BlockedSignals::is_interruption(SIGCHLD));
    EXPECT_FALSE(BlockedSignals::is_interruption(0));
}

} // namespace
} // namespace fdirect
