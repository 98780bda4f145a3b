// SPDX-License-Identifier: GPL-2.0
#include "module_status.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "text.h"

namespace fdirect {

Result<ModuleStatus> parse_status(std::string_view text) {
    std::map<std::string_view, std::string_view> values;
    for (std::string_view line : split_lines(text)) {
        auto words = split_words(line);
        if (words.size() == 2) {
            values[words[0]] = words[1];
        }
    }

    ModuleStatus status;
    const std::array<std::pair<std::string_view, std::uint64_t*>, 8> numbers = {{
        {"functions", &status.functions},
        {"attached", &status.attached},
        {"ops", &status.ops},
        {"stubs", &status.stubs},
        {"hits_total", &status.hits_total},
        {"stray_hits", &status.stray_hits},
        {"patched", &status.patched},
        {"misdirected", &status.misdirected},
    }};
    for (const auto& [key, place] : numbers) {
        auto value = values.find(key);
        if (value == values.end()) {
            return failure(fmt::format("the module's status has no '{}'", key),
                           "the module and this program are of different versions");
        }
        auto number = parse_number(value->second);
        if (!number) {
            return failure(fmt::format("the module's status says {} '{}'", key, value->second));
        }
        *place = *number;
    }
    status.method = values["method"];
    return status;
}

} // namespace fdirect
