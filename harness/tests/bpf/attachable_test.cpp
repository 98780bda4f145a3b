// SPDX-License-Identifier: GPL-2.0
#include "bpf/attachable.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "util/error.h"

namespace fdirect {
namespace {

class AttachableTest : public testing::Test {
  protected:
    AttachableTest() {
        for (std::uint32_t i = 0; i < 100; i++) {
            targets_.push_back({"function_" + std::to_string(i), i, i});
        }
    }

    /// A link takes all functions that have no errno.
    Result<Attachable> find(std::size_t most) {
        tries_ = 0;
        return find_attachable(
            targets_,
            [&](const std::vector<BpfTarget>& functions) -> Result<FileDescriptor> {
                tries_++;
                for (const BpfTarget& function : functions) {
                    if (auto error = errors_.find(function.type); error != errors_.end()) {
                        return failure("no", {}, error->second);
                    }
                }
                return FileDescriptor();
            },
            most);
    }

    std::vector<BpfTarget> targets_;
    std::map<std::uint32_t, int> errors_;
    std::size_t tries_ = 0;
};

TEST_F(AttachableTest, OneTryIsEnoughWhereNothingIsRefused) {
    auto found = find(1);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->targets, targets_);
    EXPECT_TRUE(found->refused.empty());
    EXPECT_TRUE(found->undecided.empty());
    EXPECT_EQ(tries_, 1U);
}

TEST_F(AttachableTest, EachFunctionThatIsRefusedIsFoundWithItsErrno) {
    errors_ = {{0, EINVAL}, {41, ENOENT}, {42, EINVAL}, {99, EBUSY}};
    auto found = find(1000);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->refused, (std::vector<Refusal>{{targets_[0], EINVAL},
                                                    {targets_[41], ENOENT},
                                                    {targets_[42], EINVAL},
                                                    {targets_[99], EBUSY}}));
    std::erase_if(targets_, [&](const BpfTarget& target) { return errors_.contains(target.type); });
    EXPECT_EQ(found->targets, targets_);
    EXPECT_LT(tries_, 60U);
}

TEST_F(AttachableTest, AllMayBeRefused) {
    for (const BpfTarget& target : targets_) {
        errors_[target.type] = EINVAL;
    }
    auto found = find(1000);
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(found->targets.empty());
    EXPECT_EQ(found->refused.size(), 100U);
}

TEST_F(AttachableTest, WhatIsLeftAfterEnoughTriesIsUndecided) {
    errors_ = {{0, EINVAL}, {99, EINVAL}};
    auto found = find(12);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(tries_, 12U);
    EXPECT_EQ(found->refused, (std::vector<Refusal>{{targets_[0], EINVAL}}));
    EXPECT_FALSE(found->undecided.empty());
    EXPECT_EQ(found->targets.size() + found->refused.size() + found->undecided.size(), 100U);
}

TEST_F(AttachableTest, WhatIsWrongWithoutAFunctionEndsIt) {
    for (int error : {EPERM, ENOMEM, EINTR, EOPNOTSUPP}) {
        errors_ = {{50, error}};
        auto found = find(1000);
        ASSERT_FALSE(found.ok());
        EXPECT_EQ(found.error().system, error);
        EXPECT_EQ(tries_, 1U);
    }
}

TEST_F(AttachableTest, NothingNeedsNoTry) {
    targets_.clear();
    ASSERT_TRUE(find(10).ok());
    EXPECT_EQ(tries_, 0U);
}

} // namespace
} // namespace fdirect
