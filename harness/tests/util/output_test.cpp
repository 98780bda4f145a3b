// SPDX-License-Identifier: GPL-2.0
#include "util/output.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Output, WritesToStdout) {
    testing::internal::CaptureStdout();
    EXPECT_TRUE(write_out("a\n").ok());
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "a\n");
}

} // namespace
} // namespace fdirect
