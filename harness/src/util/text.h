// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fdirect {

/// Without the spaces, tabs and line ends around it.
std::string_view trim(std::string_view text);

/// The lines of a text, without their ends; a last line without a newline counts.
std::vector<std::string_view> split_lines(std::string_view text);

/// The words of a line, separated by any number of spaces and tabs.
std::vector<std::string_view> split_words(std::string_view line);

/// A decimal number, nothing around it; nothing for anything else or above 2^64-1.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// A hexadecimal number with or without 0x, nothing around it; nothing for anything else.
std::optional<std::uint64_t> parse_address(std::string_view text);

/// "43,175" for 43175.
std::string with_thousands(std::uint64_t number);

/// As many digits after the point as the size of the number is worth: "3,750", "12.3", "0.042".
std::string readable(double number);

/// Two digits after the point, and never "-0.00".
std::string hundredths(double number);

/// "1 function", "2 functions".
std::string counted(std::uint64_t number, std::string_view noun);

} // namespace fdirect
