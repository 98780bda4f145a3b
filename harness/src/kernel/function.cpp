// SPDX-License-Identifier: GPL-2.0
#include "kernel/function.h"

#include "util/text.h"

namespace fdirect {

std::optional<Function> parse_function_name(std::string_view text) {
    text = trim(text);
    Function function;
    auto bracket = text.find('[');
    if (bracket != std::string_view::npos) {
        if (text.back() != ']') {
            return std::nullopt;
        }
        function.module = text.substr(bracket + 1, text.size() - bracket - 2);
        text = trim(text.substr(0, bracket));
    }
    if (text.empty()) {
        return std::nullopt;
    }
    function.name = text;
    return function;
}

std::optional<Function> parse_function(std::string_view line) {
    line = trim(line);
    auto blank = line.find_first_of(" \t");
    if (blank == std::string_view::npos) {
        return std::nullopt;
    }
    auto address = parse_address(line.substr(0, blank));
    auto function = parse_function_name(line.substr(blank));
    if (!address || !function) {
        return std::nullopt;
    }
    function->address = *address;
    return function;
}

std::string display_name(const Function& function) {
    return function.module.empty() ? function.name : function.name + " [" + function.module + "]";
}

} // namespace fdirect
