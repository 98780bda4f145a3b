// SPDX-License-Identifier: GPL-2.0
#include "kernel/function_choice.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace fdirect {
namespace {

std::vector<Function> many(std::size_t count) {
    std::vector<Function> functions;
    for (std::size_t i = 0; i < count; i++) {
        functions.push_back({0x1000 + 16 * i, "f" + std::to_string(i), ""});
    }
    return functions;
}

TEST(FunctionChoice, ExactlyAsManyAsAskedAndAllDistinct) {
    auto functions = many(43175);
    for (std::size_t count : {0U, 1U, 2U, 1000U, 40000U, 43174U, 43175U}) {
        auto chosen = choose_functions(functions, count, {"f77", "f43174", "f0"});
        std::set<std::uint64_t> addresses;
        for (const Function& function : chosen) {
            addresses.insert(function.address);
        }
        EXPECT_EQ(chosen.size(), count);
        EXPECT_EQ(addresses.size(), count);
    }
}

TEST(FunctionChoice, WantedFunctionsComeFirst) {
    auto functions = many(1000);
    EXPECT_EQ(choose_functions(functions, 1, {"f500", "f2"})[0].name, "f500");
    auto two = choose_functions(functions, 2, {"f500", "f2"});
    EXPECT_EQ(two[0].name, "f2");
    EXPECT_EQ(two[1].name, "f500");
}

TEST(FunctionChoice, UnknownAndRepeatedWishesCostNothing) {
    auto chosen = choose_functions(many(10), 3, {"none", "f5", "f5"});
    EXPECT_EQ(chosen.size(), 3U);
}

TEST(FunctionChoice, SpreadsOverTheWholeList) {
    auto chosen = choose_functions(many(1000), 10, {});
    EXPECT_EQ(chosen.front().name, "f0");
    EXPECT_EQ(chosen.back().name, "f900");
}

TEST(FunctionChoice, TheSameArgumentsGiveTheSameFunctions) {
    auto functions = many(5000);
    EXPECT_EQ(choose_functions(functions, 777, {"f1"}), choose_functions(functions, 777, {"f1"}));
}

TEST(FunctionChoice, MoreThanThereAreGivesAll) {
    EXPECT_EQ(choose_functions(many(5), 9, {"f4"}).size(), 5U);
    EXPECT_TRUE(choose_functions({}, 9, {"f4"}).empty());
}

TEST(FunctionChoice, OthersComeFirstAndTheWantedAreBehindThem) {
    auto chosen = choose_functions_beside(many(100), 50, 10, {"f7", "f90"});
    ASSERT_EQ(chosen.size(), 60U);
    auto is_wanted = [](const Function& function) {
        return function.name == "f7" || function.name == "f90";
    };
    EXPECT_EQ(std::count_if(chosen.begin(), chosen.begin() + 50, is_wanted), 0);
    EXPECT_EQ(std::count_if(chosen.begin() + 50, chosen.end(), is_wanted), 2);
    EXPECT_EQ(choose_functions_beside(many(100), 0, 10, {"f7"}),
              choose_functions(many(100), 10, {"f7"}));
}

TEST(FunctionChoice, AddressesAreWrittenOnePerLine) {
    EXPECT_EQ(addresses_of(many(2)), "0x1000\n0x1010\n");
}

} // namespace
} // namespace fdirect
