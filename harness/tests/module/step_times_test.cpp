// SPDX-License-Identifier: GPL-2.0
#include "module/step_times.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(StepTimes, EachStepOnce) {
    auto times = parse_times("prepare hash 40000 5000 4000\n"
                             "attach hash 39999 260 100\n"
                             "modify multi 7 31 30\n"
                             "detach each 1 120000000 1000\n"
                             "later hash 1 1 1\n");
    ASSERT_TRUE(times.ok());
    ASSERT_TRUE(times->prepare && times->attach && times->modify && times->detach);
    EXPECT_EQ(times->prepare->elapsed, 5000U);
    EXPECT_EQ(times->attach->method, "hash");
    EXPECT_EQ(times->attach->functions, 39999U);
    EXPECT_EQ(times->attach->elapsed, 260U);
    EXPECT_EQ(times->attach->running, 100U);
    EXPECT_EQ(times->attach->waiting(), 160U);
    EXPECT_EQ(times->modify->method, "multi");
    EXPECT_EQ(times->modify->functions, 7U);
    EXPECT_EQ(times->detach->waiting(), 119999000U);
}

TEST(StepTimes, AStepThatWasNotTakenIsMissing) {
    auto times = parse_times("attach hash 1 2 1\n");
    ASSERT_TRUE(times.ok());
    EXPECT_FALSE(times->prepare || times->modify || times->detach);
}

TEST(StepTimes, WaitingIsNeverNegative) {
    EXPECT_EQ((StepTime{"hash", 1, 10, 11}).waiting(), 0U);
}

TEST(StepTimes, GarbageIsNamed) {
    for (const char* line :
         {"attach hash 1 2", "attach hash x 2 3", "attach hash 1 -2 3", "attach hash 1 2 3 4"}) {
        auto times = parse_times(line);
        ASSERT_FALSE(times.ok()) << line;
        EXPECT_NE(times.error().message.find(line), std::string::npos);
    }
}

} // namespace
} // namespace fdirect
