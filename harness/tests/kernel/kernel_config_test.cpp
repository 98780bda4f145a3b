// SPDX-License-Identifier: GPL-2.0
#include "kernel/kernel_config.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

constexpr const char* text = "# comment\nCONFIG_KPROBES=y\nCONFIG_SAMPLES=m\nCONFIG_NAME=\"x\"\n"
                             "# CONFIG_FPROBE is not set\n";

TEST(KernelConfig, OptionsThatAreSet) {
    auto config = KernelConfig::parse(text);
    EXPECT_EQ(config.has("CONFIG_KPROBES"), Answer::yes);
    EXPECT_EQ(config.has("CONFIG_SAMPLES"), Answer::yes);
    EXPECT_EQ(config.has("CONFIG_FPROBE"), Answer::no);
    EXPECT_EQ(config.has("CONFIG_NAME"), Answer::no);
}

TEST(KernelConfig, WithoutAConfigurationNothingIsGuessed) {
    EXPECT_EQ(KernelConfig().has("CONFIG_KPROBES"), Answer::unknown);
    EXPECT_EQ(KernelConfig::parse("nonsense").has("CONFIG_KPROBES"), Answer::unknown);
}

/// Writes `text` as the file config.gz.
void write_packed(const TemporaryDirectory& directory) {
    directory.write("config", text);
    auto pack = "gzip '" + (directory.path() / "config").string() + "'";
    ASSERT_EQ(std::system(pack.c_str()), 0); // NOLINT(cert-env33-c,concurrency-mt-unsafe)
}

TEST(KernelConfig, PackedInProcfs) {
    TemporaryDirectory directory;
    write_packed(directory);
    KernelPaths paths;
    paths.procfs = directory.path();
    paths.boot = directory.path();
    EXPECT_EQ(KernelConfig::load(paths, "6.12").has("CONFIG_KPROBES"), Answer::yes);
}

TEST(KernelConfig, PlainInBootWhenThePackedOneIsDamaged) {
    TemporaryDirectory directory;
    directory.write("config.gz", "damaged");
    directory.write("config-6.12", text);
    KernelPaths paths;
    paths.procfs = directory.path();
    paths.boot = directory.path();
    EXPECT_EQ(KernelConfig::load(paths, "6.12").has("CONFIG_KPROBES"), Answer::yes);
    EXPECT_FALSE(KernelConfig::load(paths, "6.13").known());
}

TEST(KernelConfig, NothingIsTakenFromHalfAFile) {
    TemporaryDirectory directory;
    write_packed(directory);
    auto packed = directory.path() / "config.gz";
    std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 8);
    KernelPaths paths;
    paths.procfs = directory.path();
    paths.boot = directory.path();
    EXPECT_FALSE(KernelConfig::load(paths, "6.12").known());
}

TEST(KernelConfig, AnswersHaveNames) {
    EXPECT_EQ(name_of(Answer::yes), "yes");
    EXPECT_EQ(name_of(Answer::no), "no");
    EXPECT_EQ(name_of(Answer::unknown), "unknown");
}

} // namespace
} // namespace fdirect
