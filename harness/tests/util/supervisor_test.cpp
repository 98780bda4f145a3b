// SPDX-License-Identifier: GPL-2.0
#include "util/supervisor.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fdirect {
namespace {

class SupervisorTest : public testing::Test {
  protected:
    int run(const std::function<ExitCode()>& work, ExitCode cleaning = ExitCode::ok) {
        return supervise(work, [&, cleaning](const Ending& ending) {
            ending_ = ending;
            cleaned_++;
            return cleaning;
        });
    }

    Ending ending_;
    int cleaned_ = 0;
};

TEST_F(SupervisorTest, PassesOnWhatTheWorkReturns) {
    EXPECT_EQ(run([] { return ExitCode::ok; }), 0);
    EXPECT_TRUE(ending_.complete);
    EXPECT_EQ(run([] { return ExitCode::cannot_run; }), 4);
    EXPECT_EQ(cleaned_, 2);
}

TEST_F(SupervisorTest, CleansUpAfterCtrlC) {
    EXPECT_EQ(run([] {
                  ::kill(::getppid(), SIGINT);
                  ::pause();
                  return ExitCode::ok;
              }),
              130);
    EXPECT_FALSE(ending_.complete);
    EXPECT_EQ(ending_.signal, SIGINT);
    EXPECT_EQ(cleaned_, 1);
}

TEST_F(SupervisorTest, CleansUpAfterTermination) {
    EXPECT_EQ(run([] {
                  ::kill(::getppid(), SIGTERM);
                  ::pause();
                  return ExitCode::ok;
              }),
              143);
    EXPECT_EQ(cleaned_, 1);
}

TEST_F(SupervisorTest, CtrlCCountsEvenWhenTheWorkCameToItsEnd) {
    EXPECT_EQ(run([] {
                  ::signal(SIGINT, SIG_IGN);
                  ::kill(::getppid(), SIGINT);
                  ::usleep(100000);
                  return ExitCode::ok;
              }),
              130);
    EXPECT_FALSE(ending_.complete);
}

TEST_F(SupervisorTest, CleansUpAfterACrash) {
    EXPECT_EQ(run([] {
                  ::kill(::getpid(), SIGKILL);
                  return ExitCode::ok;
              }),
              1);
    EXPECT_EQ(ending_.signal, SIGKILL);
    EXPECT_EQ(cleaned_, 1);
}

TEST_F(SupervisorTest, ASignalWhileCleaningDoesNotDisturbIt) {
    bool done = false;
    int code = supervise(
        [] {
            ::kill(::getppid(), SIGINT);
            ::pause();
            return ExitCode::ok;
        },
        [&](const Ending&) {
            ::kill(::getpid(), SIGINT);
            done = true;
            return ExitCode::ok;
        });
    EXPECT_TRUE(done);
    EXPECT_EQ(code, 130);
}

TEST_F(SupervisorTest, FailedCleaningIsAFailure) {
    EXPECT_EQ(run([] { return ExitCode::ok; }, ExitCode::failed), 1);
    EXPECT_EQ(run([] { return ExitCode::cannot_run; }, ExitCode::failed), 1);
    EXPECT_EQ(run(
                  [] {
                      ::kill(::getppid(), SIGINT);
                      ::pause();
                      return ExitCode::ok;
                  },
                  ExitCode::failed),
              1);
}

TEST_F(SupervisorTest, AnEndThatCannotBeToldIsAFailure) {
    struct sigaction unseen {};
    struct sigaction before {};
    unseen.sa_handler = SIG_DFL;
    unseen.sa_flags = SA_NOCLDWAIT;
    ::sigaction(SIGCHLD, &unseen, &before);
    int code = run([] { return ExitCode::ok; });
    ::sigaction(SIGCHLD, &before, nullptr);
    EXPECT_EQ(code, 1);
    EXPECT_FALSE(ending_.complete);
    EXPECT_EQ(cleaned_, 1);
}

} // namespace
} // namespace fdirect
