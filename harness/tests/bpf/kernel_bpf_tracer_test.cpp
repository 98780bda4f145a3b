// SPDX-License-Identifier: GPL-2.0
#include "bpf/kernel_bpf_tracer.h"

#include <cerrno>
#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

TEST(KernelBpfTracer, TheTypeOfKprobesIsTheKernels) {
    TemporaryDirectory directory;
    KernelPaths paths;
    paths.sysfs = directory.path();
    EXPECT_EQ(kprobe_event_type(paths).error().system, EOPNOTSUPP);
    const char* file = "bus/event_source/devices/kprobe/type";
    directory.write(file, "8\n");
    EXPECT_EQ(kprobe_event_type(paths).value(), 8U);
    for (const char* text : {"", "kprobe\n", "4294967296\n"}) {
        directory.write(file, text);
        auto type = kprobe_event_type(paths);
        ASSERT_FALSE(type.ok()) << text;
        EXPECT_EQ(type.error().system, 0);
    }
}

TEST(KernelBpfTracer, ImagesOfTrampolinesHaveNames) {
    EXPECT_TRUE(image_names("").empty());
    EXPECT_EQ(image_names("ffffffff81000000 T bpf_trampoline_link_prog\n"
                          "ffffffffc0000000 t bpf_trampoline_6442455040\t[bpf]\n"
                          "ffffffffc0001000 t bpf_prog_6deef7357e7b4530_one\t[bpf]\n"
                          "ffffffffc0002000 t bpf_trampoline_9\t[bpf]\n"),
              (std::set<std::string>{"bpf_trampoline_6442455040", "bpf_trampoline_9"}));
}

} // namespace
} // namespace fdirect
