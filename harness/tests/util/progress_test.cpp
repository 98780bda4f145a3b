// SPDX-License-Identifier: GPL-2.0
#include "util/progress.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Progress, SaysNothingWhereThereIsNoTerminal) {
    testing::internal::CaptureStderr();
    {
        Progress progress;
        progress.show("attaching");
        progress.clear();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, WarningsAreAlwaysWritten) {
    testing::internal::CaptureStderr();
    Progress().warn("odd");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: odd\n");
}

} // namespace
} // namespace fdirect
