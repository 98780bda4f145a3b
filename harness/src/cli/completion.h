// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fdirect {

// All shells may complete the same words. The form of their scripts differs.

/// A word that may stand after a command, and what --help says of it.
struct CompletionWord {
    std::string word;
    std::string help;
};

/// How a shell's script is written.
struct CompletionShell {
    /// The script, a format with {name}, {commands} (a pattern of all commands' paths), {values}
    /// (the cases of the options that take a value) and {words} (the cases of the commands)
    const char* script;
    /// A case of an option: its pattern, the words that it takes, and 1 or '' for a list of them
    const char* value;
    /// The case of a command, with the words that may stand after it
    std::string (*words)(const std::string& path, const std::vector<CompletionWord>& words);
};

/// The completion script of a program.
std::string completion_script(const CLI::App& program, const CompletionShell& shell);

} // namespace fdirect
