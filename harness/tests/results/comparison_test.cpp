// SPDX-License-Identifier: GPL-2.0
#include "results/comparison.h"

#include <gtest/gtest.h>

#include "records.h"

namespace fdirect {
namespace {

TEST(Comparison, RatioAndSpread) {
    Row reference = row_of({{"step", "attach"}}, 10, {1000, 1200, 1600});
    Row row = row_of({{"step", "attach"}}, 10, {40, 50, 100});
    Comparison comparison{&reference, &row};
    EXPECT_DOUBLE_EQ(comparison.ratio(), 24);
    EXPECT_DOUBLE_EQ(comparison.least(), 10);
    EXPECT_DOUBLE_EQ(comparison.most(), 40);
    row.running = Samples({0});
    EXPECT_DOUBLE_EQ(comparison.ratio(), 0) << "nothing is no measure";
}

TEST(Comparison, ARatioIsShownAsTimes) {
    EXPECT_EQ(times(6953.2), "6,953x");
    EXPECT_EQ(times(0.5), "0.500x");
    EXPECT_EQ(times(0), "");
}

TEST(RecordGroup, PatchedKernelsComeFirstAndTheStockOneIsTheReference) {
    auto records = attach_records();
    std::swap(records[0], records[1]);
    auto groups = groups_of(records);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].labels(), (std::vector<std::string>{"patched", "stock"}));
    EXPECT_FALSE(groups[0].reference().env.patched);
    EXPECT_TRUE(groups[0].subject().env.patched);
}

TEST(RecordGroup, BenchmarksAndArchitecturesAreApart) {
    std::vector<Record> records(3, record_of("attach", true));
    records[1].env.arch = "arm64";
    records[2].benchmark = "call";
    EXPECT_EQ(groups_of(records).size(), 3U);
}

TEST(RecordGroup, LabelsTellKernelsApartAndSayWhatIsRecorded) {
    std::vector<Record> records(4, record_of("attach", true));
    records[1].env.base = "7.3";
    records[2].env.kernel = "6.12.108";
    records[3] = record_of("attach", false);
    records[3].recorded = true;
    EXPECT_EQ(groups_of(records)[0].labels(),
              (std::vector<std::string>{"patched 6.12 6.12.107", "patched 7.3 6.12.107",
                                        "patched 6.12 6.12.108",
                                        "stock 6.12-stock 6.12.106 (recorded)"}));
    records = {records[0], records[0]};
    EXPECT_EQ(groups_of(records)[0].labels()[1], "patched 6.12 6.12.107 (2)");
}

TEST(RecordGroup, AStockKernelOfAnotherVersionIsNamedAndIsNoReference) {
    std::vector<Record> records(3, record_of("attach", true));
    records[0] = record_of("attach", false);
    records[0].env.base = "7.3-small-stock";
    records[2] = record_of("attach", false);
    auto group = groups_of(records)[0];
    EXPECT_EQ(group.labels(), (std::vector<std::string>{"patched", "Linux 7.3", "stock"}));
    EXPECT_EQ(&group.reference(), &records[2]);
    EXPECT_EQ(&group.subject(), &records[1]);
    records[0].recorded = true;
    records.pop_back();
    group = groups_of(records)[0];
    EXPECT_EQ(group.labels(), (std::vector<std::string>{"patched", "Linux 7.3 (recorded)"}));
    EXPECT_EQ(&group.reference(), &records[0]) << "there is no other stock kernel";
    records[1].env.base = "7.3";
    EXPECT_EQ(groups_of(records)[0].labels()[1], "stock (recorded)");
    records.pop_back();
    EXPECT_EQ(groups_of(records)[0].labels()[0], "stock (recorded)") << "it is alone";
}

TEST(RecordGroup, AKernelThatIsNoneOfTheProjectsIsCalledByItsRelease) {
    std::vector<Record> records = {record_of("attach", true), record_of("attach", false),
                                   record_of("attach", false)};
    records[2].env.base = "/home/somebody/linux";
    records[2].env.kernel = "7.3.0-rc1+";
    EXPECT_EQ(groups_of(records)[0].labels(),
              (std::vector<std::string>{"patched", "stock", "7.3.0-rc1+"}));
}

TEST(RecordGroup, OneForAllAgainstAnOpsForEach) {
    auto records = attach_records();
    auto groups = groups_of(records);
    auto comparisons = groups[0].shared_against_each();
    ASSERT_EQ(comparisons.size(), 2U);
    EXPECT_EQ(comparisons[0].row, &records[0].rows[0]);
    EXPECT_EQ(comparisons[0].reference, &records[1].rows[0]);
    EXPECT_EQ(comparisons[1].row->text("step"), "detach");
    EXPECT_NEAR(comparisons[0].ratio(), 8802527 / 1266.0, 0.01);
    auto same = groups[0].same();
    ASSERT_EQ(same.size(), 1U);
    EXPECT_EQ(same[0].row->text("method"), "each");
}

TEST(RecordGroup, AloneItIsComparedWithItself) {
    auto records = attach_records();
    records.pop_back();
    auto groups = groups_of(records);
    ASSERT_EQ(groups[0].shared_against_each().size(), 1U);
    EXPECT_EQ(groups[0].shared_against_each()[0].reference, &records[0].rows[3]);
    EXPECT_TRUE(groups[0].same().empty());
}

TEST(RecordGroup, CallsAreComparedWithThoseOfAnOpsForEach) {
    Record patched = record_of("call", true);
    patched.rows = {call_row("hash-near", 0, 0, 5), call_row("hash-far", 0, 0, 18)};
    Record stock = record_of("call", false);
    stock.rows = {call_row("direct-near", 0, 0, 6), call_row("direct-far", 0, 0, 19)};
    std::vector<Record> records = {patched, stock};
    auto comparisons = groups_of(records)[0].shared_against_each();
    ASSERT_EQ(comparisons.size(), 2U);
    EXPECT_EQ(comparisons[0].reference->text("kind"), "direct-near");
    EXPECT_EQ(comparisons[1].reference->text("kind"), "direct-far");
}

} // namespace
} // namespace fdirect
