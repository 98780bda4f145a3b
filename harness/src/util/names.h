// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace fdirect {

/// The names of an enum's values.
template<class T, std::size_t count>
using Names = std::array<std::pair<T, std::string_view>, count>;

/// The name of a value; "?" for one without.
template<class T, std::size_t count>
std::string_view name_in(const Names<T, count>& names, T value) {
    for (const auto& [known, name] : names) {
        if (known == value) {
            return name;
        }
    }
    return "?";
}

/// The value of that name, or nothing.
template<class T, std::size_t count>
std::optional<T> value_named(const Names<T, count>& names, std::string_view name) {
    for (const auto& [value, known] : names) {
        if (known == name) {
            return value;
        }
    }
    return std::nullopt;
}

} // namespace fdirect
