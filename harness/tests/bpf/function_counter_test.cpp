// SPDX-License-Identifier: GPL-2.0
#include "bpf/function_counter.h"

#include <gtest/gtest.h>

namespace fdirect {
namespace {

TEST(FunctionCounter, DoesNotCountItsOwnHelpers) {
    EXPECT_FALSE(counting_obstacle("bpf_get_attach_cookie_tracing").empty());
    EXPECT_FALSE(counting_obstacle("bpf_get_smp_processor_id").empty());
    EXPECT_TRUE(counting_obstacle("bpf_map_lookup_elem").empty());
    EXPECT_TRUE(counting_obstacle("").empty());
}

} // namespace
} // namespace fdirect
