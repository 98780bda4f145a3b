// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/program_text.h"

namespace fdirect {
namespace {

// {} is a place for a case; braces of the shell stand twice.
constexpr const char* bash_script = R"(# bash completion for {name}, made by: {name} generate bash
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

std::string bash_words(const std::string& path, const std::vector<CompletionWord>& words) {
    std::string text;
    for (const CompletionWord& word : words) {
        text += (text.empty() ? "" : " ") + word.word;
    }
    return fmt::format("    '{}') words='{}' ;;\n", path, text);
}

} // namespace

std::string bash_completion(const CLI::App& program) {
    return completion_script(program,
                             {bash_script, "    {}) values='{}' list={} ;;\n", bash_words});
}

} // namespace fdirect
