// SPDX-License-Identifier: GPL-2.0
#include "kernel/enabled_functions.h"

#include <algorithm>
#include <utility>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {

std::vector<EnabledFunction> parse_enabled_functions(std::string_view text) {
    std::vector<EnabledFunction> functions;
    for (std::string_view line : split_lines(text)) {
        // NAME (USERS) and a letter for each flag; the trampoline behind them has more of them.
        auto users = line.find(" (");
        auto flags = users == std::string_view::npos ? users : line.find(')', users);
        if (line.starts_with('\t') || line.starts_with(' ') || flags == std::string_view::npos) {
            continue;
        }
        EnabledFunction function;
        function.name = line.substr(0, users);
        for (std::string_view word : split_words(line.substr(flags + 1))) {
            if (word.size() > 1) {
                break;
            }
            function.direct |= word == "D";
            function.ipmodify |= word == "I";
        }
        functions.push_back(std::move(function));
    }
    return functions;
}

Result<std::vector<EnabledFunction>> load_enabled_functions(const KernelPaths& paths) {
    auto text = TRY(read_file(paths.tracefs / "enabled_functions"));
    return parse_enabled_functions(text);
}

std::size_t count_enabled_functions(std::string_view text) {
    // A line for each; those that follow it are set in.
    auto lines = split_lines(text);
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [](std::string_view line) {
            return !line.starts_with('\t') && !line.starts_with(' ');
        }));
}

Result<std::size_t> count_enabled_functions(const KernelPaths& paths) {
    auto text = TRY(read_file(paths.tracefs / "enabled_functions"));
    return count_enabled_functions(text);
}

} // namespace fdirect
