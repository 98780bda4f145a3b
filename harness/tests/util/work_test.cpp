// SPDX-License-Identifier: GPL-2.0
#include "util/work.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Work, ErrorsArePrintedAndBecomeExitCodes) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_command([]() -> Result<> { return cannot_run("not here", "go there"); }), 4);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: not here\nhint: go there\n");
    EXPECT_EQ(run_command([] { return Result<>(); }), 0);
    EXPECT_EQ(run_work([]() -> Result<ExitCode> { return ExitCode::failed; }), ExitCode::failed);
}

} // namespace
} // namespace fdirect
