// SPDX-License-Identifier: GPL-2.0
#include "util/file.h"

#include <cerrno>
#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

TEST(File, ReadsWhatWasWritten) {
    TemporaryDirectory directory;
    std::string large(200000, 'x');
    auto path = directory.write("a", large);
    auto text = read_file(path);
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(*text, large);
}

TEST(File, ReadsProcfsWhoseSizesAreZero) {
    auto text = read_file("/proc/self/status");
    ASSERT_TRUE(text.ok());
    EXPECT_NE(text->find("Pid:"), std::string::npos);
}

TEST(File, AMissingFileIsNamed) {
    auto text = read_file("/nonexistent/file");
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().system, ENOENT);
    EXPECT_EQ(text.error().message, "cannot open /nonexistent/file: No such file or directory");
}

TEST(File, ADirectoryIsNoFile) {
    TemporaryDirectory directory;
    EXPECT_EQ(read_file(directory.path()).error().system, EISDIR);
}

TEST(File, WriteOnceNeedsAnExistingFile) {
    TemporaryDirectory directory;
    EXPECT_EQ(write_once(directory.path() / "none", "x").error().system, ENOENT);
    auto path = directory.write("there", "");
    ASSERT_TRUE(write_once(path, "attach\n").ok());
    EXPECT_EQ(*read_file(path), "attach\n");
}

TEST(File, WriteErrorsCarryTheirErrno) {
    auto done = write_once("/dev/full", "x");
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().system, ENOSPC);
}

TEST(File, ReplacingMakesDirectoriesAndLeavesNothingBeside) {
    TemporaryDirectory directory;
    auto path = directory.path() / "a" / "b" / "c.json";
    ASSERT_TRUE(replace_file(path, "one").ok());
    ASSERT_TRUE(replace_file(path, "two").ok());
    EXPECT_EQ(*read_file(path), "two");
    auto entries = std::filesystem::directory_iterator(path.parent_path());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(File, OnlyARegularFileIsReplaced) {
    TemporaryDirectory directory;
    EXPECT_TRUE(check_writable(directory.write("plain", "")).ok());
    EXPECT_TRUE(check_writable(directory.path() / "none").ok());
    auto device = directory.path() / "device";
    std::filesystem::create_symlink("/dev/null", device);
    for (const auto& path : {device, directory.path()}) {
        auto done = check_writable(path);
        ASSERT_FALSE(done.ok());
        EXPECT_EQ(done.error().message,
                  "cannot write " + path.string() + ": it is no regular file");
        EXPECT_FALSE(replace_file(path, "x").ok());
    }
    EXPECT_TRUE(std::filesystem::is_symlink(device));
}

TEST(File, WhatCannotBeLookedAtIsAnError) {
    TemporaryDirectory directory;
    auto path = directory.path() / "loop";
    std::filesystem::create_symlink(path, path);
    EXPECT_EQ(check_writable(path).error().system, ELOOP);
}

TEST(File, ReplacingBelowAFileFails) {
    TemporaryDirectory directory;
    auto path = directory.write("plain", "");
    auto done = replace_file(path / "c.json", "x");
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().system, ENOTDIR);
}

} // namespace
} // namespace fdirect
