// SPDX-License-Identifier: GPL-2.0
#include "module/reach.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Reach, NamesAndBack) {
    for (Reach reach : {Reach::near, Reach::far}) {
        EXPECT_EQ(reach_named(name_of(reach)), reach);
    }
    EXPECT_EQ(reach_named("Far"), std::nullopt);
    EXPECT_EQ(reach_named(""), std::nullopt);
}

} // namespace
} // namespace fdirect
