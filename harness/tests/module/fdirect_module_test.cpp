// SPDX-License-Identifier: GPL-2.0
#include "module/fdirect_module.h"

#include <cerrno>
#include <gtest/gtest.h>

#include "kernel/function_choice.h"
#include "simulated_module.h"
#include "temporary_directory.h"

namespace fdirect {
namespace {

class FdirectModuleTest : public testing::Test {
  protected:
    SimulatedKernel kernel_{simulated_functions(10, 2)};
    FdirectModule module_{std::make_unique<SimulatedFiles>(kernel_)};
};

TEST_F(FdirectModuleTest, SelectsAndGivesTheSelectionBack) {
    EXPECT_EQ(*module_.selection(), "");
    ASSERT_TRUE(module_.select("0xffffffff81000010\nknown_0").ok());
    EXPECT_EQ(*module_.selection(), "0xffffffff81000010\n0xffffffff81000000\n");
    ASSERT_TRUE(module_.select(*module_.selection()).ok());
    EXPECT_EQ(module_.hits()->at(1).name, "known_0");
}

TEST_F(FdirectModuleTest, WritesTheCommandsOfTheAbi) {
    ASSERT_TRUE(module_.select("known_0\nknown_1\nbusy\n").ok());
    ASSERT_TRUE(module_.attach(Range{1, 2}, 7).ok());
    ASSERT_TRUE(module_.attach(Range{0, 1}).ok());
    ASSERT_TRUE(module_.modify(Range{1, 2}, 9).ok());
    ASSERT_TRUE(module_.detach(Range{0, 1}).ok());
    ASSERT_TRUE(module_.detach().ok());
    ASSERT_TRUE(module_.attach().ok());
    EXPECT_EQ(kernel_.commands,
              (std::vector<std::string>{"attach 1 2 7", "attach 0 1", "modify 1 2 9", "detach 0 1",
                                        "detach", "attach"}));
    EXPECT_EQ(module_.status()->attached, 3U);
    EXPECT_EQ(module_.times()->attach->functions, 3U);
}

TEST_F(FdirectModuleTest, ReasonsOfTheModuleAreShownWithAHint) {
    auto done = module_.select("nosuch\n");
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().message,
              "cannot select the functions: functions: no function named \"nosuch\"");
    EXPECT_EQ(done.error().system, ENOENT);
    EXPECT_FALSE(done.error().hint.empty());
    EXPECT_EQ(module_.attach().error().system, ENODATA);
}

TEST_F(FdirectModuleTest, EveryRefusalHasAHint) {
    for (int number : {EBUSY, ENODATA, ENOENT, ENODEV, ENOTUNIQ, EEXIST, E2BIG, ENOLINK, ERANGE,
                       EACCES, EPERM}) {
        kernel_.refusals["control: attach"] = number;
        EXPECT_FALSE(module_.attach().error().hint.empty()) << number;
    }
}

TEST_F(FdirectModuleTest, WithoutAReasonTheErrnoSpeaks) {
    class Mute : public ModuleFiles {
      public:
        Result<std::string> read(std::string_view /*name*/) override { return std::string(); }
        Result<> write(std::string_view /*name*/, std::string_view /*text*/) override {
            return failure("", "", ENOMEM);
        }
    };
    FdirectModule module(std::make_unique<Mute>());
    EXPECT_EQ(module.attach().error().message, "cannot attach: Cannot allocate memory");
}

TEST_F(FdirectModuleTest, AfterASignalThereIsNoReasonOfTheModule) {
    kernel_.refusals["control: attach"] = EINTR;
    auto done = module_.attach();
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().message, "cannot attach: Interrupted system call");
    EXPECT_EQ(done.error().code, ExitCode::interrupted);
}

TEST_F(FdirectModuleTest, AMethodThisKernelLacksCannotRunHere) {
    kernel_.methods = "each multi";
    auto done = module_.set_method(Method::hash);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, ExitCode::cannot_run);
    EXPECT_NE(done.error().hint.find("it has: each multi"), std::string::npos);
    EXPECT_NE(done.error().hint.find("BASE=6.12"), std::string::npos);
}

TEST_F(FdirectModuleTest, MethodAndOps) {
    ASSERT_TRUE(module_.set_method(Method::multi).ok());
    ASSERT_TRUE(module_.set_ops(3).ok());
    EXPECT_EQ(*module_.method(), Method::multi);
    EXPECT_EQ(*module_.ops(), 3U);
}

TEST_F(FdirectModuleTest, Reach) {
    EXPECT_EQ(*module_.reach(), Reach::near);
    ASSERT_TRUE(module_.set_reach(Reach::far).ok());
    EXPECT_EQ(*module_.reach(), Reach::far);
    EXPECT_EQ(module_.status()->reach, "far");
    kernel_.has_far = false;
    auto done = module_.set_reach(Reach::far);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, ExitCode::cannot_run);
    EXPECT_EQ(done.error().message, "cannot use far stubs: reach: not here");
}

TEST_F(FdirectModuleTest, MeasuresCalls) {
    CallSpec spec{CallKind::ops, 1, 10, true, true, true, true};
    auto cost = module_.measure_call(spec, 20000);
    ASSERT_TRUE(cost.ok()) << cost.error().message;
    EXPECT_EQ(cost->spec, spec);
    EXPECT_EQ(cost->calls, 20000U);
    EXPECT_EQ(cost->best - cost->baseline_best, SimulatedKernel::cost_of(spec) * cost->chunk_calls);
}

TEST_F(FdirectModuleTest, AMeasurementOfSomebodyElseIsNotTaken) {
    class Stale : public ModuleFiles {
      public:
        Result<std::string> read(std::string_view /*name*/) override { return text; }
        Result<> write(std::string_view /*name*/, std::string_view /*text*/) override { return {}; }
        std::string text;
    };
    ASSERT_TRUE(module_.measure_call({CallKind::plain}, 100).ok());
    auto files = std::make_unique<Stale>();
    files->text = *kernel_.read("call");
    FdirectModule module(std::move(files));
    EXPECT_TRUE(module.measure_call({CallKind::plain}, 100).ok());
    EXPECT_FALSE(module.measure_call({CallKind::plain}, 200).ok());
    auto other = module.measure_call({CallKind::ops}, 100);
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().message, "the module has no figures of ops, 0 relevant, 0 irrelevant");
}

TEST_F(FdirectModuleTest, KprobesAreMeasuredOnAFunctionOfTheSelection) {
    ASSERT_TRUE(module_.select(addresses_of(kernel_.functions())).ok());
    auto cost = module_.measure_kprobe(3);
    ASSERT_TRUE(cost.ok()) << cost.error().message;
    EXPECT_EQ(cost->function, 3U);
    EXPECT_EQ(kernel_.probed, std::vector<std::string>{kernel_.functions()[3].name});
    auto none = module_.measure_kprobe(100000);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().system, ERANGE);
    EXPECT_NE(none.error().message.find("cannot measure a kprobe on a function: "),
              std::string::npos);
}

TEST_F(FdirectModuleTest, OpensOnlyWhatIsLoaded) {
    TemporaryDirectory directory;
    KernelPaths paths;
    paths.debugfs = directory.path();
    EXPECT_EQ(FdirectModule::open(paths).error().code, ExitCode::cannot_run);
    directory.write("fdirect/method", "each\n");
    auto module = FdirectModule::open(paths);
    ASSERT_TRUE(module.ok());
    EXPECT_EQ(*module->method(), Method::each);
}

} // namespace
} // namespace fdirect
