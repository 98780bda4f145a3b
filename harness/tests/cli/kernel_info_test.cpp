// SPDX-License-Identifier: GPL-2.0
#include "cli/kernel_info.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "temporary_directory.h"

namespace fdirect {
namespace {

class KernelInfoTest : public testing::Test {
  protected:
    KernelInfoTest() {
        paths_.debugfs = directory_.path() / "debug";
        paths_.tracefs = directory_.path() / "tracing";
        paths_.procfs = directory_.path() / "proc";
        paths_.sysfs = directory_.path() / "sys";
        paths_.boot = directory_.path() / "boot";
    }

    void config(const char* text) {
        directory_.write("boot/config-" + Environment::collect(paths_).kernel, text);
    }

    TemporaryDirectory directory_;
    KernelPaths paths_;
};

TEST_F(KernelInfoTest, NothingIsGuessed) {
    auto info = KernelInfo::collect(paths_);
    for (Answer answer : {info.module_loaded, info.direct_calls, info.shared_ops, info.btf,
                          info.kprobes, info.fprobe, info.livepatch}) {
        EXPECT_EQ(answer, Answer::unknown);
    }
    EXPECT_FALSE(info.methods || info.functions);
    auto json = to_json(info);
    EXPECT_TRUE(json["btf"].is_null() && json["methods"].is_null() && json["functions"].is_null());
    EXPECT_NE(to_text(info).find("methods:              unknown\n"), std::string::npos);
}

TEST_F(KernelInfoTest, TheConfigurationAnswers) {
    config("CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y\nCONFIG_KPROBES=y\n");
    auto info = KernelInfo::collect(paths_);
    EXPECT_EQ(info.direct_calls, Answer::yes);
    EXPECT_EQ(info.kprobes, Answer::yes);
    EXPECT_EQ(info.shared_ops, Answer::no);
    EXPECT_EQ(info.livepatch, Answer::no);
}

TEST_F(KernelInfoTest, LinuxSevenSharesDirectOpsByAnotherOption) {
    config("CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y\nCONFIG_HAVE_SINGLE_FTRACE_DIRECT_OPS=y\n");
    EXPECT_EQ(KernelInfo::collect(paths_).shared_ops, Answer::yes);
}

TEST_F(KernelInfoTest, SignsAnswerWithoutAConfiguration) {
    directory_.write("tracing/kprobe_events", "");
    directory_.write("tracing/README", "\t\t\t f[:[<group>/][<event>]] <func-name>\n");
    directory_.write("tracing/available_filter_functions_addrs", "ffffffff81000000 a\n");
    directory_.write("sys/kernel/btf/vmlinux", "");
    directory_.write("sys/kernel/livepatch/x", "");
    directory_.write("sys/module/other/x", "");
    auto info = KernelInfo::collect(paths_);
    EXPECT_EQ(info.kprobes, Answer::yes);
    EXPECT_EQ(info.fprobe, Answer::yes);
    EXPECT_EQ(info.btf, Answer::yes);
    EXPECT_EQ(info.livepatch, Answer::yes);
    EXPECT_EQ(info.module_loaded, Answer::no);
    EXPECT_EQ(info.functions, 1U);
}

TEST_F(KernelInfoTest, TheModuleKnowsBest) {
    directory_.write("debug/fdirect/available_methods", "each multi\n");
    auto info = KernelInfo::collect(paths_);
    EXPECT_EQ(info.module_loaded, Answer::yes);
    EXPECT_EQ(info.direct_calls, Answer::yes);
    EXPECT_EQ(info.shared_ops, Answer::no);
    EXPECT_EQ(to_json(info)["methods"].dump(), R"(["each","multi"])");
    EXPECT_EQ(to_json(info)["module_loaded"], true);
    EXPECT_EQ(to_json(info)["shared_direct_ops"], false);
}

} // namespace
} // namespace fdirect
