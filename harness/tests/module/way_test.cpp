// SPDX-License-Identifier: GPL-2.0
#include "module/way.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Way, NamesAndBack) {
    EXPECT_EQ(name_of(Way{Method::hash, Reach::near}), "hash");
    EXPECT_EQ(name_of(Way{Method::each, Reach::far}), "each-far");
    for (Method method : {Method::each, Method::multi, Method::hash}) {
        for (Reach reach : {Reach::near, Reach::far}) {
            EXPECT_EQ(way_named(name_of(Way{method, reach})), (Way{method, reach}));
        }
    }
    EXPECT_EQ(way_named("multi-near"), (Way{Method::multi, Reach::near}));
}

TEST(Way, WhatIsNone) {
    for (const char* name : {"", "far", "-far", "hash-", "hash-away", "hash-far-far", "slow"}) {
        EXPECT_EQ(way_named(name), std::nullopt) << name;
    }
}

} // namespace
} // namespace fdirect
