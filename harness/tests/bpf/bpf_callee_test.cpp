// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_callee.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <sys/prctl.h>
#include <thread>

namespace fdirect {
namespace {

TEST(BpfCallee, IsTheFunctionOfTheArchitecture) {
    EXPECT_EQ(quiet_callee("x86_64").function, "__x64_sys_getpgid");
    EXPECT_EQ(quiet_callee("aarch64").function, "__arm64_sys_getpgid");
    EXPECT_EQ(quiet_callee("ppc64le").function, "sys_getpgid");
}

TEST(BpfCallee, NamesItsThread) {
    std::array<char, 16> name{};
    std::thread([&] {
        traced_callee().call();
        (void)::prctl(PR_GET_NAME, name.data());
    }).join();
    EXPECT_EQ(std::string(name.data()), "fdirect");
}

} // namespace
} // namespace fdirect
