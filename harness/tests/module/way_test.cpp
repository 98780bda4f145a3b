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

TEST(Way, Names) {
    const Way far{Method::hash, Reach::far};
    const Way near{Method::each, Reach::near};
    EXPECT_EQ(*parse_ways({"hash-far", "each"}, {}), (std::vector<Way>{far, near}));
    EXPECT_EQ(*parse_ways({}, {far}), std::vector<Way>{far});
    EXPECT_EQ(parse_ways({"each", "hash-out"}, {}).error().code, ExitCode::usage);
}

} // namespace
} // namespace fdirect
