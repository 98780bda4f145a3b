// SPDX-License-Identifier: GPL-2.0
#include "cli/command_support.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

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

TEST(CommandSupport, Methods) {
    EXPECT_EQ(*parse_method("hash"), Method::hash);
    EXPECT_EQ(parse_method("trash").error().code, ExitCode::usage);
}

} // namespace
} // namespace fdirect
