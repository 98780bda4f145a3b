// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_kind.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(BpfKind, IsFoundByItsName) {
    for (BpfKind kind : bpf_kinds) {
        EXPECT_EQ(bpf_kind_named(name_of(kind)), kind);
    }
    EXPECT_EQ(bpf_kind_named("kprobe.multi"), BpfKind::kprobe_multi);
    EXPECT_FALSE(bpf_kind_named("uprobe"));
}

TEST(BpfKind, MayTakeManyFunctions) {
    EXPECT_TRUE(takes_many(BpfKind::fentry_multi));
    EXPECT_TRUE(takes_many(BpfKind::kretprobe_multi));
    EXPECT_FALSE(takes_many(BpfKind::fentry));
    EXPECT_FALSE(takes_many(BpfKind::raw_tracepoint));
}

} // namespace
} // namespace fdirect
