// SPDX-License-Identifier: GPL-2.0
#include "cli/program_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace fdirect {
namespace {

void collect(const CLI::App& command, std::vector<const CLI::Option*>& options) {
    for (const CLI::Option* option : command.get_options()) {
        // Later versions of CLI11 tell the options of groups here, too.
        if (!option->get_group().empty() &&
            std::find(options.begin(), options.end(), option) == options.end()) {
            options.push_back(option);
        }
    }
    for (const CLI::App* group :
         command.get_subcommands([](const CLI::App* part) { return part->get_name().empty(); })) {
        collect(*group, options);
    }
}

} // namespace

std::string exit_code_line() {
    std::vector<std::string> codes;
    codes.reserve(exit_code_texts.size());
    for (const ExitCodeText& text : exit_code_texts) {
        codes.push_back(fmt::format("{} {}", static_cast<int>(text.code), text.word));
    }
    return fmt::format("Exit codes: {}.", fmt::join(codes, ", "));
}

std::vector<const CLI::Option*> visible_options(const CLI::App& command) {
    std::vector<const CLI::Option*> options;
    collect(command, options);
    return options;
}

std::vector<const CLI::App*> visible_commands(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App* part) {
        return !part->get_name().empty() && !part->get_group().empty();
    });
}

std::vector<std::string> choices(const CLI::Option& option) {
    // "TEXT:{one,two}", or "ENUM:value in {one->1,two->2} OR {1,2}"
    std::string type = option.get_type_name();
    auto begin = type.find('{');
    auto end = type.find('}', begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos || end == std::string::npos) {
        return {};
    }
    std::vector<std::string> words;
    for (std::string& word : CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',')) {
        words.push_back(word.substr(0, word.find("->")));
    }
    return words;
}

} // namespace fdirect
