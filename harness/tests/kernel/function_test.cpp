// SPDX-License-Identifier: GPL-2.0
#include "kernel/function.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Function, ALineOfTheKernelItself) {
    auto function = parse_function("ffffffff81001234 do_one_initcall");
    ASSERT_TRUE(function);
    EXPECT_EQ(*function, (Function{0xffffffff81001234, "do_one_initcall", ""}));
    EXPECT_EQ(display_name(*function), "do_one_initcall");
}

TEST(Function, ALineOfAModule) {
    auto function = parse_function("ffffffffc0201234 peer_a [fdirect_peer]");
    ASSERT_TRUE(function);
    EXPECT_EQ(*function, (Function{0xffffffffc0201234, "peer_a", "fdirect_peer"}));
    EXPECT_EQ(display_name(*function), "peer_a [fdirect_peer]");
}

TEST(Function, ATabBeforeTheModuleAsInKallsyms) {
    auto function = parse_function_name("peer_a\t[fdirect_peer]");
    ASSERT_TRUE(function);
    EXPECT_EQ(function->module, "fdirect_peer");
}

TEST(Function, GarbageIsNoFunction) {
    for (const char* line : {"", " ", "do_exit", "zzz do_exit", "ffffffff81001234 ",
                             "ffffffff81001234 [x]", "ffffffff81001234 a [x"}) {
        EXPECT_FALSE(parse_function(line)) << line;
    }
}

} // namespace
} // namespace fdirect
