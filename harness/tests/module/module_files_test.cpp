// SPDX-License-Identifier: GPL-2.0
#include "module/module_files.h"

#include <cerrno>
#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

KernelPaths paths_in(const TemporaryDirectory& directory) {
    KernelPaths paths;
    paths.debugfs = directory.path();
    return paths;
}

TEST(DebugfsFiles, ReadAndWrite) {
    TemporaryDirectory directory;
    directory.write("fdirect/method", "hash\n");
    ASSERT_TRUE(DebugfsFiles::check(paths_in(directory)).ok());
    DebugfsFiles files(paths_in(directory).module());
    ASSERT_TRUE(files.write("method", "each\n").ok());
    EXPECT_EQ(*files.read("method"), "each\n");
    EXPECT_EQ(files.read("status").error().system, ENOENT);
}

TEST(DebugfsFiles, AnEmptyMountPointMeansNotMounted) {
    TemporaryDirectory directory;
    auto check = DebugfsFiles::check(paths_in(directory));
    ASSERT_FALSE(check.ok());
    EXPECT_EQ(check.error().code, ExitCode::cannot_run);
    EXPECT_NE(check.error().message.find("debugfs is not mounted"), std::string::npos);
}

TEST(DebugfsFiles, NoMountPointMeansNotMounted) {
    KernelPaths paths;
    paths.debugfs = "/nonexistent";
    EXPECT_NE(DebugfsFiles::check(paths).error().hint.find("mount -t debugfs"), std::string::npos);
}

TEST(DebugfsFiles, OtherFilesButNotOursMeansNotLoaded) {
    TemporaryDirectory directory;
    directory.write("kprobes/list", "");
    auto check = DebugfsFiles::check(paths_in(directory));
    ASSERT_FALSE(check.ok());
    EXPECT_EQ(check.error().message, "the module fdirect is not loaded");
    EXPECT_EQ(check.error().code, ExitCode::cannot_run);
}

} // namespace
} // namespace fdirect
