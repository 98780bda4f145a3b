// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/program_text.h"

namespace fdirect {
namespace {

/// A word and its description as _describe takes them, in quotes.
std::string zsh_entry(const CompletionWord& word) {
    std::string quoted = "'";
    for (char c : word.word + "\n" + word.help) {
        switch (c) {
        case '\'':
            quoted += "'\\''";
            break;
        case ':':
            quoted += "\\:";
            break;
        case '\n':
            quoted += ':';
            break;
        default:
            quoted += c;
        }
    }
    return quoted + "'";
}

// {} is a place for a case; braces of the shell stand twice.
constexpr const char* zsh_script = R"(#compdef {name}
# zsh completion for {name}, made by: {name} generate zsh
# Where there is nothing to choose from, files are completed.

_{name}()
{{
    local at='' option='' list='' i
    local -a values entries
    for ((i = 2; i < CURRENT; i++)); do
        if [[ ${{words[i]}} == -- ]]; then
            shift $i words
            ((CURRENT -= i))
            _normal
            return
        fi
        case "$at ${{words[i]}}" in
        ({commands}) at+=" ${{words[i]}}" ;;
        esac
    done
    option=${{words[CURRENT-1]}}
    if [[ $PREFIX == --*=* ]]; then
        option=${{PREFIX%%=*}}
        compset -P 1 '*='
    fi
    case "$at $option" in
{values}    (*) option='' ;;
    esac
    if [[ $option ]]; then
        [[ ! $list ]] || compset -P '*,'
        if (($#values)); then compadd -a values; else _files; fi
        return
    fi
    case "$at" in
{words}    esac
    _describe '{name}' entries || _files
}}

_{name} "$@"
)";

std::string zsh_words(const std::string& path, const std::vector<CompletionWord>& words) {
    std::string entries;
    for (const CompletionWord& word : words) {
        entries += fmt::format("        {}\n", zsh_entry(word));
    }
    return fmt::format("    ('{}') entries=(\n{}    ) ;;\n", path, entries);
}

} // namespace

std::string zsh_completion(const CLI::App& program) {
    return completion_script(program, {zsh_script, "    ({}) values=({}) list={} ;;\n", zsh_words});
}

} // namespace fdirect
