// SPDX-License-Identifier: GPL-2.0
#include "cli/command_support.h"

#include <fmt/format.h>

namespace fdirect {

void RangeOptions::add_to(CLI::App& command) {
    auto* first_option = command.add_option(
        "--first", first, "Index of the first function of the selection (default 0)");
    first_option->needs(command.add_option("--count", count, "Number of functions (default all)"));
}

std::optional<Range> RangeOptions::range() const {
    return count ? std::optional<Range>({first.value_or(0), *count}) : std::nullopt;
}

Result<Method> parse_method(const std::string& name) {
    auto method = method_named(name);
    if (!method) {
        return misuse(fmt::format("there is no method '{}'", name),
                      "the methods are each, multi and hash");
    }
    return *method;
}

} // namespace fdirect
