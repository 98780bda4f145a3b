// SPDX-License-Identifier: GPL-2.0
#include "bpf/tracing_multi.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(TracingMulti, HasTheNumbersOfTheKernel) {
    EXPECT_EQ(static_cast<int>(multi_attach_type(BpfKind::fentry_multi)), 59);
    EXPECT_EQ(static_cast<int>(multi_attach_type(BpfKind::fexit_multi)), 60);
    EXPECT_EQ(static_cast<int>(multi_attach_type(BpfKind::fmod_ret_multi)), 128);
}

TEST(TracingMulti, ALinkOfNothingIsRefused) {
    EXPECT_FALSE(link_tracing_multi(FileDescriptor(), BpfKind::fentry_multi, {}, {}).valid());
    EXPECT_NE(errno, 0);
}

} // namespace
} // namespace fdirect
