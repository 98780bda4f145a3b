// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "util/exit_code.h"

namespace fdirect {

// The text that --help shows of a program, in other forms. Hidden commands and options are in none.

/// An exit code as --help and the man page explain it.
struct ExitCodeText {
    ExitCode code;
    std::string_view word;
    std::string_view meaning;
};

inline constexpr std::array<ExitCodeText, 5> exit_code_texts = {{
    {ExitCode::ok, "ok", "All that was asked for was done, and every check held."},
    {ExitCode::failed, "failed", "It was tried and did not work, or a check did not hold."},
    {ExitCode::usage, "usage", "The arguments make no sense."},
    {ExitCode::cannot_run, "cannot run here", "This kernel, user or machine cannot do it."},
    {ExitCode::interrupted, "interrupted", "Ctrl-C; what was attached has been detached."},
}};

/// "Exit codes: 0 ok, 1 failed, ...": the end of --help.
std::string exit_code_line();

/// A command's options and positionals, those of option groups, too.
std::vector<const CLI::Option*> visible_options(const CLI::App& command);

/// A command's commands.
std::vector<const CLI::App*> visible_commands(const CLI::App& command);

/// The words that an option takes; none where it takes something else.
std::vector<std::string> choices(const CLI::Option& option);

/// The man page, for groff.
std::string man_page(const CLI::App& program);

/// The completion script for bash, which needs no package of the shell's.
std::string bash_completion(const CLI::App& program);

/// The completion function for zsh, for a file _NAME in a directory of its fpath.
std::string zsh_completion(const CLI::App& program);

/// Adds the hidden command generate, by which the build has the program write these.
void add_generate_command(CLI::App& program, int& code);

} // namespace fdirect
