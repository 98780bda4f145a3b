// SPDX-License-Identifier: GPL-2.0
#include "bench_support.h"

#include <gtest/gtest.h>

#include "simulated_module.h"

namespace fdirect {
namespace {

TEST(BenchSupport, TheHeaderSaysWhatWasAskedAndWhereItRan) {
    BenchOptions options;
    options.base = "6.12-stock";
    options.unit = "insn";
    options.accel = "tcg";
    Environment environment;
    environment.kernel = "6.12.107";
    environment.machine = "aarch64";
    environment.arch = "arm64";
    environment.vcpus = 2;
    environment.details = {{"cpu", "QEMU"}};
    EXPECT_EQ(
        options.header(environment),
        (BenchHeader{"6.12-stock", "6.12.107", "arm64", "tcg", "insn", 2, {{"cpu", "QEMU"}}}));
}

TEST(BenchSupport, WithoutAFileThereIsNothingToCheck) {
    BenchOptions options;
    EXPECT_TRUE(options.check_output().ok());
    options.output = "/proc/nonexistent/call.json";
    EXPECT_FALSE(options.check_output().ok());
}

TEST(BenchSupport, WhatIsAttachedIsInTheWay) {
    SimulatedKernel kernel(simulated_functions(3, 2));
    FdirectModule module(std::make_unique<SimulatedFiles>(kernel));
    EXPECT_TRUE(idle_status(module).ok());
    ASSERT_TRUE(module.select("known_0\nknown_1\n").ok());
    ASSERT_TRUE(module.attach(Range{0, 1}).ok());
    EXPECT_EQ(idle_status(module).error().message, "1 function is attached");
    ASSERT_TRUE(module.attach(Range{1, 1}).ok());
    auto status = idle_status(module);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "2 functions are attached");
    EXPECT_EQ(status.error().hint, "fdirect detach removes them");
}

} // namespace
} // namespace fdirect
