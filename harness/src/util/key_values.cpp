// SPDX-License-Identifier: GPL-2.0
#include "util/key_values.h"

#include <fmt/format.h>

#include "util/text.h"

namespace fdirect {

KeyValues::KeyValues(std::string_view file, std::string_view text) : file_(file) {
    for (std::string_view line : split_lines(text)) {
        auto words = split_words(line);
        if (words.size() == 2) {
            values_[words[0]] = words[1];
        }
    }
}

Result<std::string_view> KeyValues::word(std::string_view key) const {
    auto value = values_.find(key);
    if (value == values_.end()) {
        return failure(fmt::format("the module's {} has no '{}'", file_, key),
                       "the module and this program are of different versions");
    }
    return value->second;
}

Result<std::uint64_t> KeyValues::number(std::string_view key, std::uint64_t most) const {
    auto value = TRY(word(key));
    auto number = parse_number(value);
    if (!number || *number > most) {
        return failure(fmt::format("the module's {} says {} '{}'", file_, key, value));
    }
    return *number;
}

} // namespace fdirect
