// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/program_text.h"

namespace fdirect {
namespace {

/// What the script is made from: the cases of its three questions.
struct Cases {
    std::string commands; ///< which words lead to a command of their own
    std::string words;    ///< what may stand after a command
    std::string values;   ///< what may stand after an option
};

/// Adds a command and those below it; `path` is " bench attach".
void add(Cases& cases, const CLI::App& command, const std::string& path) {
    std::vector<std::string> words;
    for (const CLI::App* below : visible_commands(command)) {
        std::string name = below->get_name();
        words.push_back(name);
        cases.commands += fmt::format("{}'{} {}'", cases.commands.empty() ? "" : " | ", path, name);
        add(cases, *below, fmt::format("{} {}", path, name));
    }
    for (const CLI::Option* option : visible_options(command)) {
        if (option->get_positional()) {
            continue;
        }
        std::vector<std::string> patterns;
        for (const std::string& name : option->get_lnames()) {
            words.push_back("--" + name);
            patterns.push_back(fmt::format("'{} --{}'", path, name));
        }
        for (const std::string& name : option->get_snames()) {
            patterns.push_back(fmt::format("'{} -{}'", path, name));
        }
        if (option->get_items_expected_max() != 0) {
            cases.values += fmt::format(
                "    {}) values='{}' list={} ;;\n", fmt::join(patterns, " | "),
                fmt::join(choices(*option), " "), option->get_delimiter() == '\0' ? "''" : "1");
        }
    }
    cases.words += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words, " "));
}

// {} is a place for a case; braces of the shell stand twice.
constexpr const char* script = R"(# bash completion for {name}, made by: {name} generate bash
# Where there is nothing to choose from, files are completed.

_{name}()
{{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    local path='' values='' list='' words='' before='' i
    COMPREPLY=()
    # --option=value is three words.
    if [[ $current == = ]]; then
        current=''
    elif [[ $previous == = ]]; then
        previous=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${{COMP_WORDS[i]}} == -- ]]; then
            ((i + 1 < COMP_CWORD)) || mapfile -t COMPREPLY < <(compgen -c -- "$current")
            return
        fi
        case "$path ${{COMP_WORDS[i]}}" in
        {commands}) path+=" ${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$path $previous" in
{values}    *) previous='' ;;
    esac
    if [[ $previous ]]; then
        [[ ! $list || $current != *,* ]] || before=${{current%,*}},
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "$values" -- "${{current#"$before"}}")
        return
    fi
    case "$path" in
{words}    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _{name} {name}
)";

} // namespace

std::string bash_completion(const CLI::App& program) {
    Cases cases;
    add(cases, program, "");
    return fmt::format(fmt::runtime(script), fmt::arg("name", program.get_name()),
                       fmt::arg("commands", cases.commands), fmt::arg("values", cases.values),
                       fmt::arg("words", cases.words));
}

} // namespace fdirect
