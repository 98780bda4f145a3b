// SPDX-License-Identifier: GPL-2.0
// fdirect: attaches kernel functions to direct-call targets, checks that it worked, and measures
// it.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/program_text.h"
#include "util/error.h"

namespace {

/// The command that was being parsed, for a hint: "fdirect bench attach".
std::string parsed_command(const CLI::App& program) {
    std::string name = program.get_name();
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        name += " " + command->get_name();
    }
    return name;
}

/// Where the command behind "--" begins, which is for attach and count; `end` where there is none.
char** behind(char** begin, char** end) {
    if (begin == end ||
        (std::string_view(*begin) != "count" && std::string_view(*begin) != "attach")) {
        return end;
    }
    return std::find(begin, end, std::string_view("--"));
}

int run(int argc, char** argv) {
    int code = 0;
    char** end = argv + argc;
    char** dashes = behind(argv + std::min(argc, 1), end);
    std::vector<std::string> command(dashes == end ? end : dashes + 1, end);
    CLI::App program("Attach kernel functions to direct-call targets, check it and measure it.",
                     "fdirect");
    program.require_subcommand(1);
    program.set_version_flag("--version", "fdirect " FDIRECT_VERSION);
    program.footer(fdirect::exit_code_line());
    fdirect::add_info_command(program, code);
    fdirect::add_list_command(program, code);
    fdirect::add_attach_command(program, code, command);
    fdirect::add_detach_command(program, code);
    fdirect::add_status_command(program, code);
    fdirect::add_verify_command(program, code);
    fdirect::add_count_command(program, code, command);
    fdirect::add_bench_command(program, code);
    fdirect::add_report_command(program, code);
    fdirect::add_generate_command(program, code);
    if (dashes != end && command.empty()) {
        fdirect::print(
            fdirect::misuse("there is no command behind --",
                            fmt::format("fdirect {} --help shows the arguments", argv[1])));
        return static_cast<int>(fdirect::ExitCode::usage);
    }
    try {
        program.parse(static_cast<int>(dashes - argv), argv);
    } catch (const CLI::Success& asked) {
        return program.exit(asked);
    } catch (const CLI::ParseError& wrong) {
        fdirect::print(
            fdirect::misuse(wrong.what(), parsed_command(program) + " --help shows the arguments"));
        return static_cast<int>(fdirect::ExitCode::usage);
    }
    return code;
}

} // namespace

int main(int argc, char** argv) {
    // A caller may have it ignored, and then nobody could tell how a child process ended.
    (void)std::signal(SIGCHLD, SIG_DFL);
    try {
        return run(argc, argv);
    } catch (const std::exception& unexpected) {
        // Nothing that can be expected comes here; running out of memory might.
        (void)std::fputs("error: ", stderr);
        (void)std::fputs(unexpected.what(), stderr);
        (void)std::fputs("\n", stderr);
        return static_cast<int>(fdirect::ExitCode::failed);
    }
}
