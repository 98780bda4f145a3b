// SPDX-License-Identifier: GPL-2.0
#include "util/error.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Error, AnErrorLineFollowedByAHintLine) {
    EXPECT_EQ(describe(failure("it broke", "mend it")), "error: it broke\nhint: mend it\n");
}

TEST(Error, NoHintLineWithoutAHint) {
    EXPECT_EQ(describe(failure("it broke")), "error: it broke\n");
}

TEST(Error, EachKindHasItsExitCode) {
    EXPECT_EQ(failure("").code, ExitCode::failed);
    EXPECT_EQ(misuse("").code, ExitCode::usage);
    EXPECT_EQ(cannot_run("").code, ExitCode::cannot_run);
}

TEST(Error, SystemMessagesAreWords) {
    EXPECT_EQ(system_message(ENOENT), "No such file or directory");
    EXPECT_EQ(system_message(kernel_enotsupp), "Operation is not supported");
}

} // namespace
} // namespace fdirect
