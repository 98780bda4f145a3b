// SPDX-License-Identifier: GPL-2.0
#include "kernel/environment.h"

#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

TEST(Environment, ProjectNamesOfArchitectures) {
    EXPECT_EQ(arch_of("aarch64"), "arm64");
    EXPECT_EQ(arch_of("x86_64"), "x86_64");
    EXPECT_EQ(arch_of("s390x"), "s390x");
}

TEST(Environment, ValuesOfLines) {
    EXPECT_EQ(
        value_in("processor\t: 0\nmodel name\t: One : Two\nmodel name\t: Three\n", "model name"),
        "One : Two");
    EXPECT_EQ(value_in("MemTotal:  5 kB\n", "MemTotal"), "5 kB");
    EXPECT_EQ(value_in("", "MemTotal"), "");
}

TEST(Environment, CollectsWhatIsThere) {
    TemporaryDirectory directory;
    directory.write("cmdline", "ftrace=nop\n");
    directory.write("meminfo", "MemTotal:        1024 kB\n");
    KernelPaths paths;
    paths.procfs = directory.path();
    auto environment = Environment::collect(paths);
    EXPECT_FALSE(environment.kernel.empty());
    EXPECT_FALSE(environment.arch.empty());
    EXPECT_GE(environment.vcpus, 1U);
    EXPECT_EQ(environment.details.at("cmdline"), "ftrace=nop");
    EXPECT_EQ(environment.details.at("memory_kib"), "1024");
    EXPECT_EQ(environment.details.count("cpu"), 0U);
    EXPECT_EQ(environment.details.at("time").size(), 20U);
}

} // namespace
} // namespace fdirect
