// SPDX-License-Identifier: GPL-2.0
#include "verify/verification.h"

#include <gtest/gtest.h>

#include "kernel/function_choice.h"
#include "simulated_module.h"
#include "temporary_directory.h"

namespace fdirect {
namespace {

class VerificationTest : public testing::Test {
  protected:
    VerificationTest() { EXPECT_TRUE(module_.select(addresses_of(kernel_.functions())).ok()); }

    Verification verify(const std::optional<std::vector<AttachedPart>>& parts,
                        const std::string& machine = "x86_64") {
        auto result = Verifier(module_, calls_, directory_.path(), machine).verify(parts);
        EXPECT_TRUE(result.ok());
        return *result;
    }

    void attach(Method method) {
        ASSERT_TRUE(module_.set_method(method).ok());
        ASSERT_TRUE(module_.attach(Range{0, 10}, 0).ok());
    }

    SimulatedKernel kernel_{simulated_functions(10, 3)};
    FdirectModule module_{std::make_unique<SimulatedFiles>(kernel_)};
    SimulatedCalls calls_{kernel_, 3};
    TemporaryDirectory directory_;
};

std::vector<AttachedPart> all(Method method, std::uint32_t stub = 0) {
    return {{{method}, {0, 10}, stub}};
}

TEST_F(VerificationTest, EveryMethodThatWorksPasses) {
    for (Method method : {Method::each, Method::multi, Method::hash}) {
        attach(method);
        auto verification = verify(all(method));
        EXPECT_TRUE(verification.passed()) << verification.first_failure();
        EXPECT_EQ(verification.known, 3U);
        EXPECT_EQ(verification.called, method == Method::multi ? 1U : 4U);
        ASSERT_TRUE(module_.detach().ok());
    }
    EXPECT_GE(calls_.settled, 3);
}

TEST_F(VerificationTest, WhatIsExpectedMayComeFromTheModule) {
    attach(Method::hash);
    EXPECT_TRUE(verify(std::nullopt).passed());
}

TEST_F(VerificationTest, SwappedTargetsFail) {
    attach(Method::hash);
    kernel_.swaps_first_two = true;
    auto verification = verify(all(Method::hash));
    EXPECT_FALSE(verification.passed());
    EXPECT_EQ(verification.first_failure(), "known_0: 5 calls made, 6 hits on stub 0");
}

TEST_F(VerificationTest, ALostHitFails) {
    attach(Method::each);
    kernel_.loses_a_hit = true;
    EXPECT_EQ(verify(all(Method::each)).first_failure(), "known_0: 5 calls made, 4 hits on stub 0");
}

TEST_F(VerificationTest, AStrayHitFails) {
    attach(Method::hash);
    kernel_.stray = true;
    EXPECT_EQ(verify(all(Method::hash)).first_failure(),
              "hits on stubs that are nobody's target: 1, expected 0");
}

TEST_F(VerificationTest, OtherStubsThanExpectedFail) {
    attach(Method::hash);
    EXPECT_EQ(verify(all(Method::hash, 100)).first_failure(),
              "functions with the stub they were given: known_0 has stub 0, expected stub 100");
}

TEST_F(VerificationTest, OtherFunctionsThanExpectedFail) {
    attach(Method::hash);
    EXPECT_EQ(verify(std::vector<AttachedPart>{}).first_failure(),
              "functions attached: 10, expected 0");
}

TEST_F(VerificationTest, OnesSomebodyElseCalledAreLookedAtAgainAndThenFail) {
    attach(Method::hash);
    kernel_.other_callers = 1;
    EXPECT_FALSE(verify(all(Method::hash)).passed());
    EXPECT_EQ(calls_.settled, 3);
}

TEST_F(VerificationTest, PartsOfTheSelection) {
    ASSERT_TRUE(module_.attach(Range{0, 2}, 0).ok());
    ASSERT_TRUE(module_.attach(Range{5, 3}, 50).ok());
    auto verification = verify(
        std::vector<AttachedPart>{{{Method::hash}, {0, 2}, 0}, {{Method::hash}, {5, 3}, 50}});
    EXPECT_TRUE(verification.passed()) << verification.first_failure();
    EXPECT_EQ(verification.known, 2U);
}

TEST_F(VerificationTest, NothingAttachedPasses) {
    auto verification = verify(std::vector<AttachedPart>{});
    EXPECT_TRUE(verification.passed()) << verification.first_failure();
    EXPECT_EQ(verification.known, 0U);
}

TEST_F(VerificationTest, SitesThatStayPatchedFail) {
    attach(Method::hash);
    kernel_.stays_patched = true;
    ASSERT_TRUE(module_.detach().ok());
    EXPECT_EQ(verify(std::vector<AttachedPart>{}).first_failure(),
              "call sites that call their own stub: 10, expected 0");
}

TEST_F(VerificationTest, SitesThatTracefsStillListsFail) {
    directory_.write("enabled_functions", "do_exit (1) D\n\tdirect-->stubs+0x0/0x10 [fdirect]\n");
    EXPECT_EQ(verify(std::vector<AttachedPart>{}).first_failure(),
              "call sites of the module in enabled_functions: 1, expected 0");
}

TEST_F(VerificationTest, CallSitesOfFarStubsDoNotCallThem) {
    ASSERT_TRUE(module_.set_reach(Reach::far).ok());
    ASSERT_TRUE(module_.attach(Range{0, 5}, 0).ok());
    ASSERT_TRUE(module_.set_reach(Reach::near).ok());
    ASSERT_TRUE(module_.attach(Range{5, 5}, 5).ok());
    const AttachedPart far{{Method::hash, Reach::far}, {0, 5}, 0};
    const AttachedPart near{{Method::hash, Reach::near}, {5, 5}, 5};
    auto verification = verify(std::vector<AttachedPart>{far, near}, "aarch64");
    EXPECT_TRUE(verification.passed()) << verification.first_failure();
    EXPECT_EQ(verification.known, 3U);
    EXPECT_EQ(
        verify(std::vector<AttachedPart>{far, {far.way, {5, 5}, 5}}, "aarch64").first_failure(),
        "call sites that call their own stub: 5, expected 0");
}

TEST_F(VerificationTest, WithoutKnownCallsNothingIsClaimed) {
    ASSERT_TRUE(module_.attach(Range{5, 5}, 5).ok());
    auto verification = verify(std::vector<AttachedPart>{{{Method::hash}, {5, 5}, 5}});
    EXPECT_TRUE(verification.passed());
    EXPECT_EQ(verification.known, 0U);
    EXPECT_EQ(verification.checks[3].outcome, Check::Outcome::skipped);
}

TEST_F(VerificationTest, FewerPatchedSitesAreAFailureWhereCallsReachEverything) {
    ASSERT_TRUE(module_.set_reach(Reach::far).ok());
    ASSERT_TRUE(module_.attach(Range{0, 5}, 0).ok());
    ASSERT_TRUE(module_.set_reach(Reach::near).ok());
    ASSERT_TRUE(module_.attach(Range{5, 5}, 5).ok());
    for (const char* machine : {"x86_64", "riscv64", "s390x"}) {
        EXPECT_EQ(verify(all(Method::hash), machine).first_failure(),
                  "call sites that call their own stub: 5, expected 10");
    }
    auto elsewhere = verify(all(Method::hash), "aarch64");
    EXPECT_TRUE(elsewhere.passed()) << elsewhere.first_failure();
    EXPECT_EQ(elsewhere.checks[2].outcome, Check::Outcome::skipped);
}

TEST_F(VerificationTest, MorePatchedSitesAreAFailureEverywhere) {
    attach(Method::hash);
    kernel_.stays_patched = true;
    ASSERT_TRUE(module_.detach().ok());
    kernel_.stays_patched = false;
    ASSERT_TRUE(module_.attach(Range{0, 3}, 0).ok());
    kernel_.stays_patched = true;
    ASSERT_TRUE(module_.detach(Range{0, 1}).ok());
    EXPECT_FALSE(verify(std::nullopt, "aarch64").passed()) << "more patched than attached";
}

TEST_F(VerificationTest, ErrorsOfTheModuleComeThrough) {
    kernel_.refusals["hits: 0"] = EACCES;
    auto result = Verifier(module_, calls_, directory_.path(), "x86_64").verify(std::nullopt);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ExitCode::cannot_run);
}

} // namespace
} // namespace fdirect
