// SPDX-License-Identifier: GPL-2.0
#include "module/step_times.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(StepTimes, EachKindOnce) {
    auto times = parse_times("prepare hash 40000 5000 4000\n"
                             "attach hash 40000 200 100\n"
                             "detach each 1 120000000 1000\n"
                             "later hash 1 1 1\n");
    ASSERT_TRUE(times.ok());
    ASSERT_TRUE(times->prepare && times->attach && times->detach);
    EXPECT_FALSE(times->modify);
    EXPECT_EQ(times->attach->method, "hash");
    EXPECT_EQ(times->attach->functions, 40000U);
    EXPECT_EQ(times->attach->waiting(), 100U);
    EXPECT_EQ(times->detach->waiting(), 119999000U);
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
