// SPDX-License-Identifier: GPL-2.0
#include "kernel/kernel_paths.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

class KernelPathsTest : public testing::Test {
  protected:
    void TearDown() override {
        ::unsetenv("FDIRECT_DEBUGFS");
        ::unsetenv("FDIRECT_TRACEFS");
    }
};

TEST_F(KernelPathsTest, TheEnvironmentMovesThem) {
    ::setenv("FDIRECT_DEBUGFS", "/a", 1);
    ::setenv("FDIRECT_TRACEFS", "/b", 1);
    auto paths = KernelPaths::from_environment();
    EXPECT_EQ(paths.module(), "/a/fdirect");
    EXPECT_EQ(paths.tracefs, "/b");
}

TEST_F(KernelPathsTest, AnEmptyVariableIsNoPlace) {
    ::setenv("FDIRECT_DEBUGFS", "", 1);
    EXPECT_EQ(KernelPaths::from_environment().debugfs, "/sys/kernel/debug");
}

} // namespace
} // namespace fdirect
