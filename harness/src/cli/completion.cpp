// SPDX-License-Identifier: GPL-2.0
#include "cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/program_text.h"

namespace fdirect {
namespace {

/// The cases of the script's three questions.
struct Cases {
    std::vector<std::string> commands; ///< which words lead to a command of their own
    std::string values;                ///< what may stand after an option
    std::string words;                 ///< what may stand after a command
};

/// Adds a command and those below it; `path` is " bench attach".
void add(Cases& cases, const CompletionShell& shell, const CLI::App& command,
         const std::string& path) {
    std::vector<CompletionWord> words;
    for (const CLI::App* below : visible_commands(command)) {
        std::string name = below->get_name();
        words.push_back({name, below->get_description()});
        cases.commands.push_back(fmt::format("'{} {}'", path, name));
        add(cases, shell, *below, fmt::format("{} {}", path, name));
    }
    for (const CLI::Option* option : visible_options(command)) {
        if (option->get_positional()) {
            continue;
        }
        std::vector<std::string> patterns;
        for (const std::string& name : option->get_lnames()) {
            words.push_back({"--" + name, option->get_description()});
            patterns.push_back(fmt::format("'{} --{}'", path, name));
        }
        for (const std::string& name : option->get_snames()) {
            patterns.push_back(fmt::format("'{} -{}'", path, name));
        }
        if (option->get_items_expected_max() != 0) {
            cases.values += fmt::format(fmt::runtime(shell.value), fmt::join(patterns, " | "),
                                        fmt::join(choices(*option), " "),
                                        option->get_delimiter() == '\0' ? "''" : "1");
        }
    }
    cases.words += shell.words(path, words);
}

} // namespace

std::string completion_script(const CLI::App& program, const CompletionShell& shell) {
    Cases cases;
    add(cases, shell, program, "");
    return fmt::format(fmt::runtime(shell.script), fmt::arg("name", program.get_name()),
                       fmt::arg("commands", fmt::join(cases.commands, " | ")),
                       fmt::arg("values", cases.values), fmt::arg("words", cases.words));
}

} // namespace fdirect
