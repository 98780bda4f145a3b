// SPDX-License-Identifier: GPL-2.0
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "cli/program_text.h"
#include "util/command_process.h"

namespace fdirect {
namespace {

/// Text as groff takes it literally, in a line of its own.
std::string literally(std::string_view text) {
    std::string result;
    for (char c : text) {
        switch (c) {
        case '\\':
            result += "\\e";
            break;
        case '-':
            result += "\\-";
            break;
        case '\n':
            result += ' ';
            break;
        default:
            result += c;
        }
    }
    // A line that begins with one of these is a request.
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string bold(std::string_view text) {
    return "\\fB" + literally(text) + "\\fR";
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// "UINT" of "UINT:INT in [1 - 1000]"
std::string kind_of_value(const CLI::Option& option) {
    std::string type = option.get_type_name();
    return type.substr(0, type.find(':'));
}

std::string option_entry(const CLI::Option& option) {
    auto own = CLI::detail::split(option.get_name(option.get_positional(), true), ',');
    std::string entry = ".TP\n" + bold(fmt::format("{}", fmt::join(own, ", ")));
    if (option.get_items_expected_max() != 0) {
        if (!option.get_positional()) {
            entry += " \\fI" + literally(kind_of_value(option)) + "\\fR";
        }
        if (!option.get_default_str().empty()) {
            entry += " (default " + literally(option.get_default_str()) + ")";
        }
    }
    if (!option.get_envname().empty()) {
        entry += ", from the environment: " + bold(option.get_envname());
    }
    std::string text = option.get_description();
    if (auto words = choices(option); !words.empty()) {
        text += fmt::format("{}One of: {}.", text.empty() ? "" : ". ", fmt::join(words, ", "));
    }
    for (const auto& [others, word] :
         {std::pair(option.get_needs(), "Needs"), std::pair(option.get_excludes(), "Not with")}) {
        std::vector<std::string> names;
        for (const CLI::Option* other : others) {
            names.push_back(other->get_name(false, false));
        }
        std::sort(names.begin(), names.end());
        if (!names.empty()) {
            text += fmt::format(". {} {}.", word, fmt::join(names, ", "));
        }
    }
    return entry + "\n" + literally(text) + "\n";
}

/// A command and those below it. The footer of the program is in a section of its own.
void add_command(std::string& page, const CLI::App& command, const std::string& path,
                 const std::string& common_footer) {
    std::string usage = bold(path);
    auto options = visible_options(command);
    for (const CLI::Option* option : options) {
        if (option->get_positional()) {
            usage += fmt::format(" [\\fI{}\\fR...]", literally(option->get_name(true)));
        }
    }
    page += fmt::format(".SS {}\n{}.\n", usage, literally(command.get_description()));
    for (const CLI::Option* option : options) {
        page += option_entry(*option);
    }
    if (std::string footer = command.get_footer(); footer != common_footer) {
        page += ".PP\n" + literally(footer) + "\n";
    }
    for (const CLI::App* below : visible_commands(command)) {
        add_command(page, *below, path + " " + below->get_name(), common_footer);
    }
}

} // namespace

std::string man_page(const CLI::App& program) {
    const std::string& name = program.get_name();
    std::string page = fmt::format(
        ".\\\" Made by: {0} generate man\n.TH {1} 8 \"\" \"{0} {2}\"\n.SH NAME\n{0} "
        "\\- {3}\n.SH SYNOPSIS\n{4} \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n",
        name, upper(name), FDIRECT_VERSION, literally(program.get_description()), bold(name));
    page += ".SH OPTIONS\n";
    for (const CLI::Option* option : visible_options(program)) {
        page += option_entry(*option);
    }
    page += ".SH COMMANDS\n";
    for (const CLI::App* command : visible_commands(program)) {
        add_command(page, *command, name + " " + command->get_name(), program.get_footer());
    }
    page += ".SH EXIT STATUS\n";
    for (const ExitCodeText& text : exit_code_texts) {
        page += fmt::format(".TP\n{}\n{}: {}\n", bold(std::to_string(static_cast<int>(text.code))),
                            literally(text.word), literally(text.meaning));
    }
    page += fmt::format(".PP\nWith a command behind {}, the exit code is that of the command, {} "
                        "if it cannot be run, and {} and the number of the signal that ended it.\n",
                        bold("--"), command_not_run, after_signal);
    return page;
}

} // namespace fdirect
