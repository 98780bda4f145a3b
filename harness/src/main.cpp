// SPDX-License-Identifier: GPL-2.0
// fdirect: attaches kernel functions to direct-call targets, checks that it worked, and measures
// it.

#include <csignal>
#include <cstdio>
#include <exception>

#include "cli/commands.h"
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

int run(int argc, char** argv) {
    int code = 0;
    CLI::App program("Attach kernel functions to direct-call targets, check it and measure it.",
                     "fdirect");
    program.require_subcommand(1);
    program.set_version_flag("--version", "fdirect " FDIRECT_VERSION);
    program.footer("Exit codes: 0 ok, 1 failed, 2 usage, 4 cannot run here, 130 interrupted.");
    fdirect::add_info_command(program, code);
    fdirect::add_list_command(program, code);
    fdirect::add_attach_command(program, code);
    fdirect::add_detach_command(program, code);
    fdirect::add_status_command(program, code);
    fdirect::add_verify_command(program, code);
    fdirect::add_bench_command(program, code);
    fdirect::add_report_command(program, code);
    try {
        program.parse(argc, argv);
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
