// SPDX-License-Identifier: GPL-2.0
#include "kernel/function_list.h"

#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

constexpr const char* with_addresses = "ffffffff81001234 do_one_initcall\n"
                                       "ffffffff81001300 __ftrace_invalid_address___64\n"
                                       "ffffffff81001400 twice\n"
                                       "ffffffff81001500 twice\n"
                                       "ffffffffc0000010 fdirect_attach [fdirect]\n"
                                       "ffffffffc0100010 peer_a [fdirect_peer]\n";

KernelPaths paths_in(const TemporaryDirectory& directory) {
    KernelPaths paths;
    paths.tracefs = directory.path() / "tracing";
    paths.procfs = directory.path() / "proc";
    return paths;
}

TEST(FunctionList, CarriesAddressesAndLeavesOutTheModuleItself) {
    auto list = parse_functions_with_addresses(with_addresses);
    ASSERT_TRUE(list.ok());
    ASSERT_EQ(list->functions.size(), 4U);
    EXPECT_EQ(list->functions[1].address, 0xffffffff81001400);
    EXPECT_EQ(list->functions[2].address, 0xffffffff81001500);
    EXPECT_EQ(list->functions[3].module, "fdirect_peer");
}

TEST(FunctionList, ALineThatIsNoneIsNamed) {
    auto list = parse_functions_with_addresses("ffffffff81001234 a\nnonsense\n");
    ASSERT_FALSE(list.ok());
    EXPECT_EQ(list.error().message, "available_filter_functions_addrs:2: cannot read 'nonsense'");
}

TEST(FunctionList, ByNameTakesOnlyWhatIsUnambiguous) {
    auto list = parse_functions_by_name("one\n"
                                        "two\n"
                                        "both\nboth\n"
                                        "gone\n"
                                        "one [peer]\n"
                                        "own [fdirect]\n",
                                        "ffffffff81001000 T one\n"
                                        "ffffffff81002000 t two\n"
                                        "ffffffff81002100 t two\n"
                                        "ffffffff81003000 t both\n"
                                        "ffffffff81003100 t both\n"
                                        "ffffffff81004000 D gone\n"
                                        "ffffffffc0001000 t one\t[peer]\n"
                                        "ffffffffc0002000 t own\t[fdirect]\n");
    ASSERT_EQ(list.functions.size(), 4U);
    EXPECT_EQ(list.functions[0], (Function{0xffffffff81001000, "one", ""}));
    EXPECT_EQ(list.functions[1], (Function{0xffffffff81003000, "both", ""}));
    EXPECT_EQ(list.functions[2], (Function{0xffffffff81003100, "both", ""}));
    EXPECT_EQ(list.functions[3], (Function{0xffffffffc0001000, "one", "peer"}));
    EXPECT_EQ(list.left_out, 2U);
}

TEST(FunctionList, LoadPrefersTheListWithAddresses) {
    TemporaryDirectory directory;
    directory.write("tracing/available_filter_functions_addrs", with_addresses);
    auto list = FunctionList::load(paths_in(directory));
    ASSERT_TRUE(list.ok());
    EXPECT_EQ(list->functions.size(), 4U);
}

TEST(FunctionList, LoadFallsBackToNamesAndKallsyms) {
    TemporaryDirectory directory;
    directory.write("tracing/available_filter_functions", "one\n");
    directory.write("proc/kallsyms", "ffffffff81001000 T one\n");
    auto list = FunctionList::load(paths_in(directory));
    ASSERT_TRUE(list.ok());
    EXPECT_EQ(list->functions.size(), 1U);
}

TEST(FunctionList, HiddenAddressesAreExplained) {
    TemporaryDirectory directory;
    directory.write("tracing/available_filter_functions", "one\n");
    directory.write("proc/kallsyms", "0000000000000000 T one\n");
    auto list = FunctionList::load(paths_in(directory));
    ASSERT_FALSE(list.ok());
    EXPECT_EQ(list.error().code, ExitCode::cannot_run);
    EXPECT_NE(list.error().hint.find("kptr_restrict"), std::string::npos);
}

TEST(FunctionList, NoTracefsIsNotOurFailure) {
    TemporaryDirectory directory;
    auto list = FunctionList::load(paths_in(directory));
    ASSERT_FALSE(list.ok());
    EXPECT_EQ(list.error().code, ExitCode::cannot_run);
    EXPECT_NE(list.error().hint.find("mount -t tracefs"), std::string::npos);
}

} // namespace
} // namespace fdirect
