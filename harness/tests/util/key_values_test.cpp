// SPDX-License-Identifier: GPL-2.0
#include "util/key_values.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(KeyValues, WordsAndNumbers) {
    KeyValues values("status", "attached 2\nmethod hash\nlast line of all\n");
    EXPECT_EQ(*values.number("attached"), 2U);
    EXPECT_EQ(*values.number("attached", 2), 2U);
    EXPECT_EQ(*values.word("method"), "hash");
}

TEST(KeyValues, WhatIsWrongIsNamed) {
    KeyValues values("status", "attached many\nlast line of all\n");
    EXPECT_EQ(values.word("last").error().message, "the module's status has no 'last'");
    EXPECT_EQ(values.number("functions").error().message, "the module's status has no 'functions'");
    EXPECT_EQ(values.number("attached").error().message,
              "the module's status says attached 'many'");
    EXPECT_EQ(KeyValues("call", "calls 3\n").number("calls", 2).error().message,
              "the module's call says calls '3'");
}

} // namespace
} // namespace fdirect
