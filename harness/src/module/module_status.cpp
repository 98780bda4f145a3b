// SPDX-License-Identifier: GPL-2.0
#include "module/module_status.h"

#include <array>
#include <utility>

#include "util/key_values.h"

namespace fdirect {

Result<ModuleStatus> parse_status(std::string_view text) {
    KeyValues values("status", text);
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
        auto number = values.number(key);
        if (!number) {
            return number.error();
        }
        *place = *number;
    }
    const std::array<std::pair<std::string_view, std::string*>, 2> words = {{
        {"method", &status.method},
        {"reach", &status.reach},
    }};
    for (const auto& [key, place] : words) {
        auto word = values.word(key);
        if (!word) {
            return word.error();
        }
        *place = *word;
    }
    return status;
}

} // namespace fdirect
