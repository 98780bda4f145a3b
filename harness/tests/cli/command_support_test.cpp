// SPDX-License-Identifier: GPL-2.0
#include "cli/command_support.h"

#include <gtest/gtest.h>
#include <vector>

namespace fdirect {
namespace {

TEST(CommandSupport, ErrorsArePrintedAndBecomeExitCodes) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_command([]() -> Result<> { return cannot_run("not here", "go there"); }), 4);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: not here\nhint: go there\n");
    EXPECT_EQ(run_command([] { return Result<>(); }), 0);
    EXPECT_EQ(run_work([]() -> Result<ExitCode> { return ExitCode::failed; }), ExitCode::failed);
}

TEST(CommandSupport, Ranges) {
    RangeOptions options;
    CLI::App command;
    options.add_to(command);
    command.parse("");
    EXPECT_FALSE(options.range());
    EXPECT_THROW(command.parse("--first 5"), CLI::RequiresError);
    command.parse("--first 5 --count 7");
    EXPECT_EQ(options.range()->first, 5U);
    EXPECT_EQ(options.range()->count, 7U);
    options.first.reset();
    EXPECT_EQ(options.range()->first, 0U);
}

TEST(CommandSupport, Formats) {
    FormatOptions options;
    EXPECT_EQ(options.format(), Format::table);
    options.csv = true;
    EXPECT_EQ(options.format(), Format::csv);
}

TEST(CommandSupport, Methods) {
    EXPECT_EQ(*parse_method("hash"), Method::hash);
    EXPECT_EQ(parse_method("trash").error().code, ExitCode::usage);
}

TEST(CommandSupport, Ways) {
    const Way far{Method::hash, Reach::far};
    const Way near{Method::each, Reach::near};
    EXPECT_EQ(*parse_ways({"hash-far", "each"}, {}), (std::vector<Way>{far, near}));
    EXPECT_EQ(*parse_ways({}, {far}), std::vector<Way>{far});
    EXPECT_EQ(parse_ways({"each", "hash-out"}, {}).error().code, ExitCode::usage);
}

} // namespace
} // namespace fdirect
