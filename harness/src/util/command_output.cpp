// SPDX-License-Identifier: GPL-2.0
#include "util/command_output.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/file.h"

namespace fdirect {

Result<std::string> command_output(const std::vector<std::string>& command) {
    std::vector<std::string> words = command;
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return failure("cannot make a pipe: " + system_message(errno), {}, errno);
    }
    FileDescriptor reader(ends[0]);
    FileDescriptor writer(ends[1]);

    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, writer.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    int problem =
        ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) {
        return failure(fmt::format("cannot run {}: {}", words[0], system_message(problem)), {},
                       problem);
    }
    writer.reset();
    auto text = read_all(reader, words[0]);
    int state = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(child, &state, 0)) < 0 && errno == EINTR) {
    }
    if (ended < 0 || !WIFEXITED(state) || WEXITSTATUS(state) != 0) {
        return failure(fmt::format("{} failed", words[0]));
    }
    return text;
}

} // namespace fdirect
