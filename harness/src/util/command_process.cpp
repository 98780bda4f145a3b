// SPDX-License-Identifier: GPL-2.0
#include "util/command_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace fdirect {
namespace {

/// In the child: waits, then becomes the command or tells why not.
[[noreturn]] void become(const std::vector<std::string>& command, int channel) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    char byte = 0;
    ssize_t got = 0;
    do {
        got = ::read(channel, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 1) {
        ::execvp(arguments[0], arguments.data());
        int number = errno;
        (void)::send(channel, &number, sizeof(number), MSG_NOSIGNAL);
    }
    ::_exit(command_not_run);
}

} // namespace

Result<CommandProcess> CommandProcess::prepare(const std::vector<std::string>& command,
                                               const BlockedSignals& signals) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failure("cannot make a pair of sockets: " + system_message(errno), {}, errno);
    }
    FileDescriptor ours(ends[0]);
    FileDescriptor theirs(ends[1]);
    (void)std::fflush(nullptr);
    pid_t child = ::fork();
    if (child < 0) {
        return failure("cannot start a process: " + system_message(errno), {}, errno);
    }
    if (child == 0) {
        ours.reset();
        signals.restore();
        become(command, theirs.get());
    }
    return CommandProcess(child, std::move(ours), command.front());
}

CommandProcess::CommandProcess(pid_t child, FileDescriptor channel, std::string name)
    : child_(child), channel_(std::move(channel)), name_(std::move(name)) {}

CommandProcess::CommandProcess(CommandProcess&& other) noexcept
    : child_(std::exchange(other.child_, -1))
    , channel_(std::move(other.channel_))
    , name_(std::move(other.name_)) {}

CommandProcess::~CommandProcess() {
    bool waits = channel_.valid();
    channel_.reset();
    if (child_ > 0 && waits) {
        (void)::waitpid(child_, nullptr, 0);
    }
}

Result<> CommandProcess::release() {
    FileDescriptor channel = std::move(channel_);
    char byte = 0;
    int number = 0;
    if (::send(channel.get(), &byte, 1, MSG_NOSIGNAL) != 1) {
        number = errno;
    } else if (::read(channel.get(), &number, sizeof(number)) <= 0) {
        return {};
    }
    (void)::waitpid(child_, nullptr, 0);
    child_ = -1;
    return failure(fmt::format("cannot run {}: {}", name_, system_message(number)), {}, number);
}

void CommandProcess::signal(int number) const {
    if (child_ > 0) {
        ::kill(child_, number);
    }
}

std::optional<int> CommandProcess::ended() {
    int state = 0;
    if (child_ > 0 && ::waitpid(child_, &state, WNOHANG) == 0) {
        return std::nullopt;
    }
    child_ = -1;
    return WIFSIGNALED(state) ? after_signal + WTERMSIG(state) : WEXITSTATUS(state);
}

Ended wait_for_end(CommandProcess* command, const BlockedSignals& signals,
                   std::optional<std::chrono::steady_clock::time_point> deadline) {
    using Clock = std::chrono::steady_clock;
    Ended ended;
    for (;;) {
        if (auto code = command != nullptr ? command->ended() : std::nullopt) {
            ended.code = *code;
            return ended;
        }
        int number = deadline
                         ? signals.wait(std::max(*deadline - Clock::now(), Clock::duration::zero()))
                         : signals.wait();
        if (number != 0 && number != SIGCHLD) {
            ended.signal = number;
            if (command == nullptr) {
                return ended;
            }
            command->signal(number);
        }
        if (deadline && Clock::now() >= *deadline) {
            return ended;
        }
    }
}

} // namespace fdirect
