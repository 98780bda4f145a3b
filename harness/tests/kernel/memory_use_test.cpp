// SPDX-License-Identifier: GPL-2.0
#include "kernel/memory_use.h"

#include <gtest/gtest.h>
#include <vector>

namespace fdirect {
namespace {

const char* const example = "MemTotal:        2011744 kB\nSlab:              12496 kB\n"
                            "SReclaimable:       4000 kB\nVmallocTotal:   34359738367 kB\n"
                            "VmallocUsed:        5396 kB\nHugePages_Total:       0\n";

TEST(MemoryUse, ReadsBytes) {
    auto use = parse_memory_use(example);
    ASSERT_TRUE(use.ok()) << use.error().message;
    EXPECT_EQ(use->slab, 12496U * 1024);
    EXPECT_EQ(use->vmalloc, 5396U * 1024);
}

TEST(MemoryUse, BothLinesAreNeeded) {
    EXPECT_FALSE(parse_memory_use("").ok());
    EXPECT_FALSE(parse_memory_use("Slab: 12 kB\n").ok());
    EXPECT_FALSE(parse_memory_use("Slab: 12 kB\nVmallocUsed: many kB\n").ok());
    EXPECT_FALSE(parse_memory_use("Slab: 18014398509481984 kB\nVmallocUsed: 12 kB\n").ok())
        << "more bytes than there are";
}

class MemoryGaugeTest : public testing::Test {
  protected:
    /// A gauge of these readings, the last of them again and again.
    Result<MemoryUse> settled(std::vector<MemoryUse> readings) {
        MemoryGauge gauge(
            [&]() -> Result<MemoryUse> {
                reads_++;
                MemoryUse next = readings.front();
                if (readings.size() > 1) {
                    readings.erase(readings.begin());
                }
                return next;
            },
            [&] { pauses_++; });
        return gauge.settled();
    }

    int reads_ = 0;
    int pauses_ = 0;
};

TEST_F(MemoryGaugeTest, WaitsUntilNothingChangesAnyMore) {
    auto use = settled({{900000, 5}, {500000, 5}, {500000, 800000}, {400000, 100}, {400000, 100}});
    ASSERT_TRUE(use.ok());
    EXPECT_EQ(*use, (MemoryUse{400000, 100}));
    EXPECT_EQ(reads_, 3 + 8);
    EXPECT_EQ(pauses_, reads_ - 1);
}

TEST_F(MemoryGaugeTest, AFewPagesDoNotMatter) {
    auto use = settled({{400000, 0}, {404096, 0}, {400000, 4096}, {412288, 0}});
    ASSERT_TRUE(use.ok());
    EXPECT_EQ(reads_, 8);
}

TEST_F(MemoryGaugeTest, GivesUpOnWhatNeverSettles) {
    std::vector<MemoryUse> growing;
    for (std::uint64_t i = 0; i < 200; i++) {
        growing.push_back({i * 65536, 0});
    }
    auto use = settled(growing);
    ASSERT_FALSE(use.ok());
    EXPECT_EQ(reads_, 100);
}

TEST_F(MemoryGaugeTest, ErrorsOfReadingAreHandedOn) {
    MemoryGauge gauge([]() -> Result<MemoryUse> { return failure("no meminfo"); }, [] {});
    EXPECT_EQ(gauge.settled().error().message, "no meminfo");
}

} // namespace
} // namespace fdirect
