// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_target.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

bool everything(const Function& /*function*/) {
    return true;
}

TEST(BpfTargets, HaveATypeAndANameOfTheirOwn) {
    const std::vector<Function> functions = {{0x14, "one", ""},        {0x24, "untyped", ""},
                                             {0x34, "twice", ""},      {0x44, "two", ""},
                                             {0x54, "mine", "module"}, {0x64, "unknown", ""}};
    const TypesByModule types = {{"",
                                  {{"one", {7, "", ""}},
                                   {"twice", {8, "", ""}},
                                   {"two", {9, "", ""}},
                                   {"mine", {10, "", ""}},
                                   {"late", {12, "", ""}},
                                   {"unknown", {11, "", ""}}}}};
    const char* symbols = "10 T one\n20 T untyped\n30 t twice\n31 t twice\n40 t two\n"
                          "50 t mine\t[module]\n\n";

    auto sorted = bpf_targets(functions, everything, types, symbols, false);

    EXPECT_EQ(sorted.targets, (std::vector<BpfTarget>{{"one", 0x10, 7}, {"two", 0x40, 9}}));
    EXPECT_EQ(sorted.left_out, (std::vector<LeftOut>{{"untyped", "no type in BTF"},
                                                     {"twice", "several symbols of its name"},
                                                     {"mine [module]", "in a module"},
                                                     {"unknown", "no symbol"},
                                                     {"late", "not traceable"},
                                                     {"mine", "not traceable"}}));
}

TEST(BpfTargets, AreThereOnceIfWeakFunctionsLieBehind) {
    const std::vector<Function> functions = {{0x14, "one", ""}, {0x1c, "one", ""}};
    const TypesByModule types = {{"", {{"one", {7, "", ""}}}}};

    auto sorted = bpf_targets(functions, everything, types, "10 T one\n", false);

    EXPECT_EQ(sorted.targets, (std::vector<BpfTarget>{{"one", 0x10, 7}}));
    EXPECT_TRUE(sorted.left_out.empty());
}

TEST(BpfTargets, AreThoseThatAreWanted) {
    const std::vector<Function> functions = {{0x14, "one", ""}, {0x24, "two", ""}};
    const TypesByModule types = {
        {"", {{"one", {7, "", ""}}, {"two", {8, "", ""}}, {"late", {9, "", ""}}}}};
    auto sorted = bpf_targets(
        functions, [](const Function& function) { return function.name == "two"; }, types,
        "10 T one\n20 T two\n", false);
    EXPECT_EQ(sorted.targets, (std::vector<BpfTarget>{{"two", 0x20, 8}}));
    EXPECT_TRUE(sorted.left_out.empty());
}

TEST(BpfTargets, OfAModuleComeAfterThoseOfTheKernel) {
    const std::vector<Function> functions = {
        {0x54, "open", "disk"}, {0x14, "open", ""}, {0x64, "close", "disk"}, {0x74, "open", "net"}};
    const TypesByModule types = {{"", {{"open", {7, "", ""}}}},
                                 {"disk", {{"open", {90, "", ""}}, {"late", {91, "", ""}}}}};
    const char* symbols = "10 T open\n50 t open\t[disk]\n60 t close\t[disk]\n70 t open\t[net]\n";

    auto sorted = bpf_targets(functions, everything, types, symbols, false);

    EXPECT_EQ(sorted.targets,
              (std::vector<BpfTarget>{{"open", 0x10, 7, ""}, {"open", 0x50, 90, "disk"}}));
    EXPECT_EQ(sorted.left_out, (std::vector<LeftOut>{{"close [disk]", "no type in BTF"},
                                                     {"open [net]", "in a module"},
                                                     {"late [disk]", "not traceable"}}));
}

TEST(BpfTargets, CanBeTracedByTheirPrototype) {
    const std::vector<Function> functions = {{0x14, "odd", ""}, {0x24, "wide", ""}};
    const TypesByModule types = {
        {"", {{"odd", {7, "odd arguments", "a wide return"}}, {"wide", {8, "", "a wide return"}}}}};
    const char* symbols = "10 T odd\n20 T wide\n";

    auto entries = bpf_targets(functions, everything, types, symbols, false);
    EXPECT_EQ(entries.targets, (std::vector<BpfTarget>{{"wide", 0x20, 8}}));
    EXPECT_EQ(entries.left_out, (std::vector<LeftOut>{{"odd", "odd arguments"}}));
    auto returns = bpf_targets(functions, everything, types, symbols, true);
    EXPECT_TRUE(returns.targets.empty());
    EXPECT_EQ(returns.left_out,
              (std::vector<LeftOut>{{"odd", "odd arguments"}, {"wide", "a wide return"}}));
}

TEST(BpfTargets, AreNotCalledByImages) {
    const std::vector<Function> functions = {{0x14, "rcu_read_unlock_special", ""}};
    const TypesByModule types = {{"", {{"rcu_read_unlock_special", {7, "", ""}}}}};

    auto sorted =
        bpf_targets(functions, everything, types, "10 T rcu_read_unlock_special\n", false);
    EXPECT_TRUE(sorted.targets.empty());
    EXPECT_EQ(sorted.left_out,
              (std::vector<LeftOut>{{"rcu_read_unlock_special", "images of programs call it"}}));
}

/// A BTF of functions with one prototype each.
class FunctionTypesTest : public testing::Test {
  protected:
    FunctionTypesTest() : types_(btf__new_empty()) {
        number_ = btf__add_int(types_, "int", 4, BTF_INT_SIGNED);
        wide_ = btf__add_int(types_, "__int128", 16, BTF_INT_SIGNED);
        pointer_ = btf__add_ptr(types_, 0);
        pair_ = btf__add_struct(types_, "pair", 16);
        triple_ = btf__add_struct(types_, "triple", 24);
        either_ = btf__add_union(types_, "either", 8);
        alias_ = btf__add_typedef(types_, "alias", btf__add_const(types_, number_));
    }
    FunctionTypesTest(const FunctionTypesTest&) = delete;
    FunctionTypesTest& operator=(const FunctionTypesTest&) = delete;
    FunctionTypesTest(FunctionTypesTest&&) = delete;
    FunctionTypesTest& operator=(FunctionTypesTest&&) = delete;
    ~FunctionTypesTest() override { btf__free(types_); }

    FunctionType of(int value, const std::vector<int>& arguments) {
        int prototype = btf__add_func_proto(types_, value);
        for (int argument : arguments) {
            btf__add_func_param(types_, argument == 0 ? "" : "argument", argument);
        }
        int id = btf__add_func(types_, "function", BTF_FUNC_STATIC, prototype);
        // Only the first one of a name is taken, so each has its own BTF part of it.
        auto found = function_types(types_);
        EXPECT_EQ(found.size(), 1U);
        FunctionType first = found.at("function");
        if (first.id == static_cast<std::uint32_t>(id)) {
            return first;
        }
        ADD_FAILURE() << "ask once";
        return {};
    }

    btf* types_;
    int number_ = 0;
    int wide_ = 0;
    int pointer_ = 0;
    int pair_ = 0;
    int triple_ = 0;
    int either_ = 0;
    int alias_ = 0;
};

TEST_F(FunctionTypesTest, AreTraceableWithPlainArguments) {
    auto type = of(0, {number_, pointer_, pair_, alias_, wide_});
    EXPECT_EQ(type.obstacle, "");
    EXPECT_EQ(type.return_obstacle, "");
}

TEST_F(FunctionTypesTest, HaveSixteenBytesToReturnAtMostAtTheirEntry) {
    auto type = of(wide_, {});
    EXPECT_EQ(type.obstacle, "");
    EXPECT_EQ(type.return_obstacle, "a return value of more than 8 bytes");
}

TEST_F(FunctionTypesTest, ReturnNoStructure) {
    EXPECT_EQ(of(pair_, {}).obstacle, "a return value that is passed in memory");
}

TEST_F(FunctionTypesTest, HaveTwelveArguments) {
    EXPECT_EQ(of(number_, std::vector<int>(12, number_)).obstacle, "");
}

TEST_F(FunctionTypesTest, HaveNoMoreArguments) {
    EXPECT_EQ(of(number_, std::vector<int>(13, number_)).obstacle, "more than 12 arguments");
}

TEST_F(FunctionTypesTest, HaveNoVariableArguments) {
    EXPECT_EQ(of(number_, {pointer_, 0}).obstacle, "a variable number of arguments");
}

TEST_F(FunctionTypesTest, HaveNoLargeArgument) {
    EXPECT_EQ(of(number_, {triple_}).obstacle, "an argument that is passed in memory");
}

TEST_F(FunctionTypesTest, HaveNoUnionAsArgument) {
    EXPECT_EQ(of(number_, {either_, number_}).obstacle, "an argument that is passed in memory");
}

TEST(BpfTargets, NeedTypes) {
    TemporaryDirectory directory;
    KernelPaths paths;
    paths.tracefs = directory.path();
    paths.sysfs = directory.path() / "sys";

    auto targets = load_bpf_targets(paths, {}, everything, false, Modules::taken);

    ASSERT_FALSE(targets);
    EXPECT_EQ(targets.error().code, ExitCode::cannot_run);
}

} // namespace
} // namespace fdirect
