// SPDX-License-Identifier: GPL-2.0
#include "verify/system_calls.h"

#include <gtest/gtest.h>
#include <set>

namespace fdirect {
namespace {

TEST(SystemCalls, NamesFollowTheArchitecture) {
    SystemCalls x86("x86_64");
    EXPECT_EQ(x86.known_calls()[0].function, "__do_sys_getppid");
    EXPECT_EQ(x86.known_calls()[1].function, "__x64_sys_getppid");
    EXPECT_EQ(x86.known_calls()[2].function, "__x64_sys_getpgid");
    EXPECT_EQ(SystemCalls("aarch64").known_calls()[0].function, "__arm64_sys_getppid");
    EXPECT_EQ(SystemCalls("riscv64").known_calls()[0].function, "__riscv_sys_getppid");
    EXPECT_EQ(SystemCalls("s390x").known_calls()[0].function, "__s390x_sys_getppid");
    EXPECT_EQ(SystemCalls("other").known_calls()[0].function, "sys_getppid");
}

TEST(SystemCalls, EveryCountIsDifferent) {
    SystemCalls calls("aarch64");
    std::set<std::uint64_t> counts;
    for (const KnownCall& call : calls.known_calls()) {
        counts.insert(call.count);
    }
    EXPECT_EQ(counts.size(), calls.known_calls().size());
    EXPECT_EQ(functions_of(calls).size(), calls.known_calls().size());
}

TEST(SystemCalls, RunningThemLeavesTheProcessAlive) {
    SystemCalls calls("x86_64");
    calls.run_known_calls();
    calls.exercise();
    calls.settle();
}

} // namespace
} // namespace fdirect
