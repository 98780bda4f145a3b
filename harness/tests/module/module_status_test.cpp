// SPDX-License-Identifier: GPL-2.0
#include "module/module_status.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

constexpr const char* text =
    "functions 40000\nattached 2\nmethod hash\nops 1\nstubs 65536\n"
    "hits_total 77\nstray_hits 3\npatched 5\nmisdirected 4\nreach far\nlater 9\n";

TEST(ModuleStatus, EveryKey) {
    auto status = parse_status(text);
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(status->functions, 40000U);
    EXPECT_EQ(status->attached, 2U);
    EXPECT_EQ(status->method, "hash");
    EXPECT_EQ(status->ops, 1U);
    EXPECT_EQ(status->stubs, 65536U);
    EXPECT_EQ(status->hits_total, 77U);
    EXPECT_EQ(status->stray_hits, 3U);
    EXPECT_EQ(status->patched, 5U);
    EXPECT_EQ(status->misdirected, 4U);
    EXPECT_EQ(status->reach, "far");
}

TEST(ModuleStatus, AMissingKeyIsNamed) {
    auto status = parse_status("functions 1\n");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "the module's status has no 'attached'");
}

TEST(ModuleStatus, AValueThatIsNoNumberIsNamed) {
    auto status = parse_status("functions many\n");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "the module's status says functions 'many'");
}

} // namespace
} // namespace fdirect
