// SPDX-License-Identifier: GPL-2.0
#include "bench/bench_support.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/call_report.h"
#include "simulated_module.h"
#include "temporary_directory.h"

namespace fdirect {
namespace {

/// A program with a command that has the options, and another one.
class BenchOptionsTest : public testing::Test {
  protected:
    BenchOptionsTest() {
        options_.add_to(*program_.add_subcommand("bench"));
        program_.add_subcommand("other");
    }
    ~BenchOptionsTest() override { ::unsetenv("FDIRECT_UNIT"); } // NOLINT(concurrency-mt-unsafe)

    static void set_unit(const char* unit) {
        ::setenv("FDIRECT_UNIT", unit, 1); // NOLINT(concurrency-mt-unsafe)
    }

    CLI::App program_;
    BenchOptions options_;
};

TEST_F(BenchOptionsTest, TheEnvironmentSaysWhatIsNotGiven) {
    set_unit("insn");
    program_.parse("bench --accel tcg");
    EXPECT_EQ(options_.unit, "insn");
    EXPECT_EQ(options_.accel, "tcg");
    EXPECT_EQ(options_.base, "unknown");
    program_.parse("bench --unit ns");
    EXPECT_EQ(options_.unit, "ns");
}

TEST_F(BenchOptionsTest, WhatIsGivenAndTheEnvironmentAreChecked) {
    EXPECT_THROW(program_.parse("bench --accel xen"), CLI::ValidationError);
    set_unit("miles");
    EXPECT_THROW(program_.parse("bench"), CLI::ValidationError);
    EXPECT_NO_THROW(program_.parse("bench --unit ns"));
}

TEST_F(BenchOptionsTest, TheEnvironmentDoesNotMatterToOtherCommands) {
    set_unit("miles");
    EXPECT_NO_THROW(program_.parse("other"));
}

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

TEST(BenchSupport, AByteThatIsNoTextDoesNotCostTheResult) {
    TemporaryDirectory directory;
    BenchOptions options;
    options.output = directory.path() / "call.json";
    options.format.json = true;
    CallResult result;
    result.header.env = {{"cmdline", "quiet \xff"}};
    testing::internal::CaptureStdout();
    Result<> written = write_result(result, options);
    std::string shown = testing::internal::GetCapturedStdout();
    ASSERT_TRUE(written.ok());
    EXPECT_NE(shown.find("\"cmdline\": \"quiet \uFFFD\""), std::string::npos) << shown;
    EXPECT_EQ(read_file(options.output).value(), shown);
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
