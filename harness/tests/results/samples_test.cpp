// SPDX-License-Identifier: GPL-2.0
#include "results/samples.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(Samples, Figures) {
    Samples samples({5, 1, 3, 11});
    EXPECT_EQ(samples.min(), 1U);
    EXPECT_EQ(samples.max(), 11U);
    EXPECT_DOUBLE_EQ(samples.median(), 4);
    EXPECT_NEAR(samples.stddev(), 4.3205, 0.0001);
}

TEST(Samples, OddNumbersHaveAMiddle) {
    EXPECT_DOUBLE_EQ(Samples({9, 2, 4}).median(), 4);
}

TEST(Samples, NoneAndOne) {
    EXPECT_EQ(Samples().min(), 0U);
    EXPECT_EQ(Samples().max(), 0U);
    EXPECT_DOUBLE_EQ(Samples().median(), 0);
    EXPECT_DOUBLE_EQ(Samples().stddev(), 0);
    EXPECT_DOUBLE_EQ(Samples({7}).stddev(), 0);
    EXPECT_DOUBLE_EQ(Samples({7}).median(), 7);
}

TEST(Samples, LargeValuesKeepTheirSpread) {
    EXPECT_NEAR(Samples({1000000000000001, 1000000000000003}).stddev(), 1.4142, 0.001);
}

TEST(Samples, CalmSamplesAreNotDoubted) {
    EXPECT_FALSE(Samples({100, 101, 99, 102, 100}).doubt());
    EXPECT_FALSE(Samples({100, 200}).doubt());
    EXPECT_FALSE(Samples({100, 100, 101}).doubt());
    EXPECT_FALSE(Samples({100, 150, 101}).doubt()) << "too few to tell outliers";
    EXPECT_FALSE(Samples().doubt());
}

TEST(Samples, ASlowFirstRunIsNoticed) {
    auto doubt = Samples({200, 100, 101, 99, 100}).doubt();
    ASSERT_TRUE(doubt);
    EXPECT_TRUE(doubt->starts_with("the first run was 98 % slower than any other")) << *doubt;
}

TEST(Samples, OutliersAreNoticed) {
    auto doubt = Samples({100, 101, 300, 99, 100}).doubt();
    ASSERT_TRUE(doubt);
    EXPECT_TRUE(doubt->starts_with("1 of 5 runs")) << *doubt;
    EXPECT_TRUE(Samples({50, 100, 101, 99, 100}).doubt()->starts_with("1 of 5 runs"));
}

} // namespace
} // namespace fdirect
