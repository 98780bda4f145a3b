// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_kind.h"

#include <gtest/gtest.h>

#include <set>

namespace fdirect {
namespace {

TEST(BpfKind, HasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (BpfKind kind : bpf_kinds) {
        names.insert(name_of(kind));
    }
    EXPECT_EQ(names.size(), bpf_kinds.size());
    EXPECT_EQ(names.count(""), 0U);
    EXPECT_EQ(name_of(BpfKind::kprobe_multi), "kprobe.multi");
}

TEST(BpfKind, MayTakeManyFunctions) {
    EXPECT_TRUE(takes_many(BpfKind::fentry_multi));
    EXPECT_TRUE(takes_many(BpfKind::kretprobe_multi));
    EXPECT_FALSE(takes_many(BpfKind::fentry));
    EXPECT_FALSE(takes_many(BpfKind::raw_tracepoint));
}

} // namespace
} // namespace fdirect
