// SPDX-License-Identifier: GPL-2.0
#include "util/command_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "temporary_directory.h"

namespace fdirect {
namespace {

class CommandProcessTest : public testing::Test {
  protected:
    /// Runs it to its end.
    int run(const std::vector<std::string>& command) {
        auto process = CommandProcess::prepare(command, signals_);
        EXPECT_TRUE(process.ok());
        Result<> released = process->release();
        EXPECT_TRUE(released.ok());
        return end_of(*process);
    }

    int end_of(CommandProcess& process) {
        return wait_for_end(&process, signals_, std::nullopt).code;
    }

    BlockedSignals signals_;
};

TEST_F(CommandProcessTest, EndsWithTheCodeOfTheCommand) {
    EXPECT_EQ(run({"true"}), 0);
    EXPECT_EQ(run({"sh", "-c", "exit 3"}), 3);
    EXPECT_EQ(run({"sh", "-c", "kill -KILL $$"}), 128 + SIGKILL);
}

TEST_F(CommandProcessTest, WaitsUntilItIsReleased) {
    TemporaryDirectory directory;
    auto file = directory.path() / "made";
    {
        auto process = CommandProcess::prepare({"touch", file.string()}, signals_);
        ASSERT_TRUE(process.ok());
        EXPECT_FALSE(process->ended());
    }
    EXPECT_FALSE(std::filesystem::exists(file)) << "it was not released";
    EXPECT_EQ(run({"touch", file.string()}), 0);
    EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(CommandProcessTest, GetsASignalAndIsWaitedFor) {
    auto process = CommandProcess::prepare(
        {"sh", "-c", "trap 'exit 7' TERM; kill -TERM $PPID; while :; do sleep 0.01; done"},
        signals_);
    ASSERT_TRUE(process.ok());
    ASSERT_TRUE(process->release().ok());
    Ended ended = wait_for_end(&*process, signals_, std::nullopt);
    EXPECT_EQ(ended.signal, SIGTERM);
    EXPECT_EQ(ended.code, 7);
}

TEST_F(CommandProcessTest, IsNotWaitedForLongerThanTheDeadline) {
    auto now = std::chrono::steady_clock::now();
    Ended ended = wait_for_end(nullptr, signals_, now + std::chrono::milliseconds(20));
    EXPECT_EQ(ended.signal, 0);
    EXPECT_GE(std::chrono::steady_clock::now() - now, std::chrono::milliseconds(20));
    ::kill(::getpid(), SIGTERM);
    EXPECT_EQ(wait_for_end(nullptr, signals_, std::nullopt).signal, SIGTERM);
}

TEST_F(CommandProcessTest, TellsWhyACommandDoesNotRun) {
    auto process = CommandProcess::prepare({"/nonexistent/command"}, signals_);
    ASSERT_TRUE(process.ok());
    Result<> released = process->release();
    ASSERT_FALSE(released.ok());
    EXPECT_EQ(released.error().system, ENOENT);
    EXPECT_NE(released.error().message.find("/nonexistent/command"), std::string::npos);
}

TEST_F(CommandProcessTest, PassesSignalsOn) {
    auto process = CommandProcess::prepare({"sleep", "60"}, signals_);
    ASSERT_TRUE(process.ok());
    ASSERT_TRUE(process->release().ok());
    process->signal(SIGTERM);
    EXPECT_EQ(end_of(*process), 128 + SIGTERM);
}

TEST_F(CommandProcessTest, MayBeEndedBeforeItIsReleased) {
    auto process = CommandProcess::prepare({"true"}, signals_);
    ASSERT_TRUE(process.ok());
    process->signal(SIGKILL);
    (void)signals_.wait();
    Result<> released = process->release();
    EXPECT_FALSE(released.ok() && end_of(*process) == 0);
}

} // namespace
} // namespace fdirect
