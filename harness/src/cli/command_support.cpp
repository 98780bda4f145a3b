// SPDX-License-Identifier: GPL-2.0
#include "cli/command_support.h"

#include <fmt/format.h>

namespace fdirect {

int run_command(const std::function<Result<>()>& command) {
    return static_cast<int>(run_work([&]() -> Result<ExitCode> {
        Result<> done = command();
        if (!done) {
            return done.error();
        }
        return ExitCode::ok;
    }));
}

ExitCode run_work(const std::function<Result<ExitCode>()>& work) {
    auto code = work();
    if (!code) {
        print(code.error());
        return code.error().code;
    }
    return *code;
}

void RangeOptions::add_to(CLI::App& command) {
    auto* first_option = command.add_option(
        "--first", first, "Index of the first function of the selection (default 0)");
    first_option->needs(command.add_option("--count", count, "Number of functions (default all)"));
}

std::optional<Range> RangeOptions::range() const {
    return count ? std::optional<Range>({first.value_or(0), *count}) : std::nullopt;
}

void FormatOptions::add_to(CLI::App& command) {
    auto* json_flag = command.add_flag("--json", json, "Write JSON instead of a table");
    auto* csv_flag = command.add_flag("--csv", csv, "Write CSV with the plain numbers");
    auto* markdown_flag = command.add_flag("--markdown", markdown, "Write a Markdown table");
    json_flag->excludes(csv_flag)->excludes(markdown_flag);
    csv_flag->excludes(markdown_flag);
}

Format FormatOptions::format() const {
    if (json) {
        return Format::json;
    }
    if (csv) {
        return Format::csv;
    }
    return markdown ? Format::markdown : Format::table;
}

Result<Method> parse_method(const std::string& name) {
    auto method = method_named(name);
    if (!method) {
        return misuse(fmt::format("there is no method '{}'", name),
                      "the methods are each, multi and hash");
    }
    return *method;
}

Result<std::vector<Way>> parse_ways(const std::vector<std::string>& names,
                                    std::vector<Way> otherwise) {
    if (names.empty()) {
        return otherwise;
    }
    std::vector<Way> ways;
    for (const std::string& name : names) {
        auto way = way_named(name);
        if (!way) {
            return misuse(fmt::format("there is no method '{}'", name),
                          "the methods are each, multi and hash, with far stubs each-far, "
                          "multi-far and hash-far");
        }
        ways.push_back(*way);
    }
    return ways;
}

} // namespace fdirect
