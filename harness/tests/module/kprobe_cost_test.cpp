// SPDX-License-Identifier: GPL-2.0
#include "module/kprobe_cost.h"

#include <gtest/gtest.h>
#include <string>

namespace fdirect {
namespace {

const std::string answer_of_probe = "function 12\naddress 0xffffffff81000000\nftrace 1\n"
                                    "register_elapsed_ns 110\nregister_running_ns 100\n"
                                    "disable_elapsed_ns 210\ndisable_running_ns 200\n"
                                    "enable_elapsed_ns 310\nenable_running_ns 300\n"
                                    "unregister_elapsed_ns 410\nunregister_running_ns 400\n"
                                    "something_new 1\n";

TEST(KprobeCost, ReadsEveryStep) {
    auto cost = parse_kprobe_cost(answer_of_probe);
    ASSERT_TRUE(cost.ok()) << cost.error().message;
    EXPECT_EQ(cost->function, 12U);
    EXPECT_TRUE(cost->ftrace);
    for (std::size_t i = 0; i < kprobe_steps.size(); i++) {
        EXPECT_EQ(cost->steps[i].running, 100 * (i + 1));
        EXPECT_EQ(cost->steps[i].elapsed, 100 * (i + 1) + 10);
    }
}

TEST(KprobeCost, NothingMeasuredIsAnError) {
    EXPECT_FALSE(parse_kprobe_cost("").ok());
}

TEST(KprobeCost, EveryKeyIsNeeded) {
    for (const char* key : {"function", "ftrace", "register_elapsed_ns", "unregister_running_ns"}) {
        std::string text = answer_of_probe;
        text.insert(text.find(std::string(key) + " "), "no_");
        auto cost = parse_kprobe_cost(text);
        ASSERT_FALSE(cost.ok()) << key;
        EXPECT_NE(cost.error().message.find(std::string("no '") + key + "'"), std::string::npos)
            << cost.error().message;
    }
}

TEST(KprobeCost, ValuesAreNumbers) {
    std::string text = answer_of_probe;
    text.replace(text.find("ftrace 1"), 8, "ftrace y");
    EXPECT_FALSE(parse_kprobe_cost(text).ok());
}

} // namespace
} // namespace fdirect
