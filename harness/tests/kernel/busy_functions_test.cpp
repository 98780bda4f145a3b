// SPDX-License-Identifier: GPL-2.0
#include "kernel/busy_functions.h"

#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

constexpr const char* profile =
    "  Function                               Hit    Time            Avg             s^2\n"
    "  --------                               ---    ----            ---             ---\n"
    "  schedule                                12    24.000 us       2.000 us        0.000 us\n"
    "  a_function_with_a_name_that_is           1    1.000 us        1.000 us        0.000 us\n";

TEST(BusyFunctions, AreThoseOfTheProfile) {
    FunctionNames names;
    add_profiled_functions(profile, names);
    EXPECT_TRUE(names.contains("schedule"));
    EXPECT_FALSE(names.contains("schedule_timeout"));
    EXPECT_TRUE(names.contains("a_function_with_a_name_that_is_long"));
    EXPECT_FALSE(names.contains("Function"));
    EXPECT_FALSE(names.contains("--------"));
}

class FunctionProfilerTest : public testing::Test {
  protected:
    FunctionProfilerTest() {
        paths_.tracefs = directory_.path();
        directory_.write("trace_stat/function0", profile);
        directory_.write("trace_stat/other", "  other  3\n");
    }

    std::string state() {
        return read_file(directory_.path() / "function_profile_enabled").value();
    }

    TemporaryDirectory directory_;
    KernelPaths paths_;
};

TEST_F(FunctionProfilerTest, IsOnWhileTheWorkIsDone) {
    directory_.write("function_profile_enabled", "0");
    std::string during;
    auto names = functions_run_by(paths_, [&]() -> Result<> {
        during = state();
        return {};
    });
    ASSERT_TRUE(names.ok()) << names.error().message;
    EXPECT_EQ(during, "1");
    EXPECT_EQ(state(), "0");
    EXPECT_TRUE(names->contains("schedule"));
    EXPECT_FALSE(names->contains("other"));
}

TEST_F(FunctionProfilerTest, IsSwitchedOffAfterAFailure) {
    directory_.write("function_profile_enabled", "0");
    auto names = functions_run_by(paths_, [] { return Result<>(failure("broken")); });
    ASSERT_FALSE(names.ok());
    EXPECT_EQ(names.error().message, "broken");
    EXPECT_EQ(state(), "0");
}

TEST_F(FunctionProfilerTest, MayTellNothing) {
    directory_.write("function_profile_enabled", "0");
    std::filesystem::remove_all(directory_.path() / "trace_stat");
    auto names = functions_run_by(paths_, [] { return Result<>(); });
    ASSERT_FALSE(names.ok());
    EXPECT_EQ(names.error().code, ExitCode::cannot_run);
}

TEST_F(FunctionProfilerTest, IsLeftToWhoeverUsesIt) {
    auto nothing = [] { return Result<>(); };
    EXPECT_FALSE(check_function_profiler(paths_).ok());
    EXPECT_EQ(functions_run_by(paths_, nothing).error().code, ExitCode::cannot_run);
    directory_.write("function_profile_enabled", "1");
    EXPECT_EQ(functions_run_by(paths_, nothing).error().code, ExitCode::cannot_run);
    EXPECT_FALSE(check_function_profiler(paths_).ok());
    EXPECT_EQ(state(), "1");
    directory_.write("function_profile_enabled", "0\n");
    EXPECT_TRUE(check_function_profiler(paths_).ok());
}

} // namespace
} // namespace fdirect
