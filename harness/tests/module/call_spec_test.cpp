// SPDX-License-Identifier: GPL-2.0
#include "module/call_spec.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(CallSpec, KindsByNameAndBack) {
    for (CallKind kind : call_kinds) {
        EXPECT_EQ(call_kind_named(name_of(kind)), kind);
    }
    EXPECT_EQ(call_kind_named("direct"), std::nullopt);
}

TEST(CallSpec, CommandsAsTheModuleTakesThem) {
    EXPECT_EQ(call_command({CallKind::direct_far}, 100), "direct-far 100 0 0");
    CallSpec spec{CallKind::ops, 1, 10, true, true, true, true};
    EXPECT_EQ(call_command(spec, 7), "ops 7 1 10 regs recursion rcu trampoline");
    spec.save_regs = spec.rcu = false;
    EXPECT_EQ(call_command(spec, 7), "ops 7 1 10 recursion trampoline");
}

TEST(CallSpec, Descriptions) {
    CallSpec spec{CallKind::ops, 1, 10};
    EXPECT_EQ(flags_of(spec), "");
    EXPECT_EQ(describe(spec), "ops, 1 relevant, 10 irrelevant");
    spec.save_regs = spec.rcu = true;
    EXPECT_EQ(flags_of(spec), "save_regs, rcu");
    EXPECT_EQ(describe(spec), "ops, 1 relevant, 10 irrelevant, save_regs, rcu");
}

} // namespace
} // namespace fdirect
