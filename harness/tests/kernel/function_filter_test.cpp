// SPDX-License-Identifier: GPL-2.0
#include "kernel/function_filter.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

const std::vector<Function> functions = {
    {0x1000, "ksys_read", ""},     {0x2000, "ksys_write", ""}, {0x3000, "vfs_read", ""},
    {0x4000, "peer_read", "peer"}, {0x5000, "peer_read", ""},
};

std::vector<std::uint64_t> chosen(const std::vector<std::string>& patterns) {
    auto filter = FunctionFilter::parse(patterns);
    EXPECT_TRUE(filter.ok());
    auto result = filter->choose(functions);
    EXPECT_TRUE(result.ok());
    std::vector<std::uint64_t> addresses;
    for (const Function& function : *result) {
        addresses.push_back(function.address);
    }
    return addresses;
}

using Addresses = std::vector<std::uint64_t>;

TEST(FunctionFilter, NoPatternLetsEverythingPass) {
    EXPECT_EQ(chosen({}).size(), functions.size());
}

TEST(FunctionFilter, NamesAndWildcards) {
    EXPECT_EQ(chosen({"ksys_*"}), (Addresses{0x1000, 0x2000}));
    EXPECT_EQ(chosen({"vfs_read"}), (Addresses{0x3000}));
    EXPECT_EQ(chosen({"?fs_[a-r]ead"}), (Addresses{0x3000}));
}

TEST(FunctionFilter, ModulesAndTheKernelItself) {
    EXPECT_EQ(chosen({"peer_read"}), (Addresses{0x4000, 0x5000}));
    EXPECT_EQ(chosen({"peer:*"}), (Addresses{0x4000}));
    EXPECT_EQ(chosen({"vmlinux:peer_*"}), (Addresses{0x5000}));
}

TEST(FunctionFilter, AColonInBracketsEndsNoModule) {
    EXPECT_EQ(chosen({"[[:lower:]]fs_read"}), (Addresses{0x3000}));
    EXPECT_EQ(chosen({"pee[[:alpha:]]:*_read"}), (Addresses{0x4000}));
    EXPECT_EQ(chosen({"vfs[_:]read"}), (Addresses{0x3000}));
}

TEST(FunctionFilter, OverlappingPatternsChooseAFunctionOnce) {
    EXPECT_EQ(chosen({"ksys_*", "*_read"}), (Addresses{0x1000, 0x2000, 0x3000, 0x4000, 0x5000}));
}

TEST(FunctionFilter, APatternThatFitsNothingIsNamed) {
    auto filter = FunctionFilter::parse({"ksys_*", "nothing_*"});
    auto result = filter->choose(functions);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message, "no traceable function matches 'nothing_*'");
    EXPECT_EQ(result.error().code, ExitCode::failed);
}

TEST(FunctionFilter, EmptyPartsAreMisuse) {
    for (const char* pattern : {"", ":", ":name", "module:"}) {
        auto filter = FunctionFilter::parse({pattern});
        ASSERT_FALSE(filter.ok()) << pattern;
        EXPECT_EQ(filter.error().code, ExitCode::usage);
    }
}

} // namespace
} // namespace fdirect
