// SPDX-License-Identifier: GPL-2.0
#include "kernel/enabled_functions.h"

#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

TEST(EnabledFunctions, HaveALineEachAndSomeMore) {
    EXPECT_EQ(count_enabled_functions(""), 0U);
    EXPECT_EQ(count_enabled_functions("one (1)           \ttramp: 0x1 (f+0x0/0x10)\n"
                                      "two (1)    D\tcall_direct_funcs\n"
                                      "\tdirect-->bpf_trampoline_1\n"),
              2U);
}

TEST(EnabledFunctions, TellWhatHoldsTheirCallSites) {
    using List = std::vector<EnabledFunction>;
    EXPECT_EQ(parse_enabled_functions("one (1)             \ttramp: 0x1 (D+0x0/0x10)\n"
                                      "two (2) R I D   M \tcall_direct_funcs\n"
                                      "\tdirect-->bpf_trampoline_1\n"
                                      "three [mine] (1)     D O   \n"
                                      "not a function\n"),
              List({{"one", false, false}, {"two", true, true}, {"three [mine]", true, false}}));
}

TEST(EnabledFunctions, AreReadFromTracefs) {
    TemporaryDirectory directory;
    KernelPaths paths;
    paths.tracefs = directory.path();
    EXPECT_FALSE(count_enabled_functions(paths));
    directory.write("enabled_functions", "one (1)\n");
    EXPECT_EQ(count_enabled_functions(paths).value(), 1U);
    EXPECT_EQ(load_enabled_functions(paths).value().size(), 1U);
}

} // namespace
} // namespace fdirect
