// SPDX-License-Identifier: GPL-2.0
#include "util/command_output.h"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(CommandOutput, TakesWhatIsWritten) {
    auto text = command_output({"sh", "-c", "echo out; echo err >&2"});
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(*text, "out\n");
}

TEST(CommandOutput, MoreThanAPipeHolds) {
    auto text = command_output({"head", "-c", "300000", "/dev/zero"});
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(text->size(), 300000U);
}

TEST(CommandOutput, FailureAndAbsence) {
    EXPECT_EQ(command_output({"false"}).error().message, "false failed");
    EXPECT_EQ(command_output({"/nonexistent/program"}).error().system, ENOENT);
}

TEST(CommandOutput, AnEndThatCannotBeToldIsAFailure) {
    struct sigaction unseen {};
    struct sigaction before {};
    unseen.sa_handler = SIG_DFL;
    unseen.sa_flags = SA_NOCLDWAIT;
    ::sigaction(SIGCHLD, &unseen, &before);
    auto text = command_output({"true"});
    ::sigaction(SIGCHLD, &before, nullptr);
    EXPECT_FALSE(text.ok());
}

} // namespace
} // namespace fdirect
