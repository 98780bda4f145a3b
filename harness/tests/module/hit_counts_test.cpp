// SPDX-License-Identifier: GPL-2.0
#include "module/hit_counts.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(HitCounts, AttachedAndNot) {
    auto counts = parse_hits("0 0xffffffff81001234 7 42 do_exit\n"
                             "1 0xffffffffc0001234 - 0 peer_a [fdirect_peer]\n");
    ASSERT_TRUE(counts.ok());
    ASSERT_EQ(counts->size(), 2U);
    EXPECT_EQ((*counts)[0].index, 0U);
    EXPECT_EQ((*counts)[0].address, 0xffffffff81001234);
    EXPECT_EQ((*counts)[0].stub, 7U);
    EXPECT_EQ((*counts)[0].hits, 42U);
    EXPECT_EQ((*counts)[0].name, "do_exit");
    EXPECT_EQ((*counts)[1].stub, std::nullopt);
    EXPECT_EQ((*counts)[1].name, "peer_a [fdirect_peer]");
}

TEST(HitCounts, NothingSelected) {
    auto counts = parse_hits("");
    ASSERT_TRUE(counts.ok());
    EXPECT_TRUE(counts->empty());
}

TEST(HitCounts, GarbageIsNamedWithItsLine) {
    for (const char* line : {"x", "0 0x10", "0 0x10 7 42", "0 0x10 7 42 ", "0 0x10 + 42 f",
                             "0 0x10 7 -1 f", "5000000000 0x10 7 1 f", "0 zz 7 1 f"}) {
        auto counts = parse_hits(std::string("0 0x10 1 1 f\n") + line + "\n");
        ASSERT_FALSE(counts.ok()) << line;
        EXPECT_TRUE(counts.error().message.starts_with("the module's hits:2: ")) << line;
    }
}

} // namespace
} // namespace fdirect
