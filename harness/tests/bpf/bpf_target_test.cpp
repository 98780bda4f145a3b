// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_target.h"

#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

TEST(BpfTargets, HaveATypeAndANameOfTheirOwn) {
    const std::vector<Function> functions = {{0x14, "one", ""},        {0x24, "untyped", ""},
                                             {0x34, "twice", ""},      {0x44, "two", ""},
                                             {0x54, "mine", "module"}, {0x64, "unknown", ""}};
    const FunctionTypes types = {
        {"one", 7}, {"twice", 8}, {"two", 9}, {"mine", 10}, {"unknown", 11}};
    const char* symbols = "10 T one\n20 T untyped\n30 t twice\n31 t twice\n40 t two\n"
                          "50 t mine\t[module]\n\n";

    EXPECT_EQ(bpf_targets(functions, types, symbols),
              (std::vector<BpfTarget>{{"one", 0x10, 7}, {"two", 0x40, 9}}));
}

TEST(BpfTargets, NeedTypes) {
    TemporaryDirectory directory;
    KernelPaths paths;
    paths.tracefs = directory.path();
    paths.sysfs = directory.path() / "sys";
    directory.write("available_filter_functions_addrs", "ffffffff81000010 one\n");

    auto targets = load_bpf_targets(paths);

    ASSERT_FALSE(targets);
    EXPECT_EQ(targets.error().code, ExitCode::cannot_run);
}

} // namespace
} // namespace fdirect
