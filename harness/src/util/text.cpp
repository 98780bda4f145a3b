// SPDX-License-Identifier: GPL-2.0
#include "util/text.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace fdirect {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::optional<std::uint64_t> parse(std::string_view text, int base) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, number, base);
    if (text.empty() || error != std::errc() || stop != end) {
        return std::nullopt;
    }
    return number;
}

} // namespace

std::string_view trim(std::string_view text) {
    auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::vector<std::string_view> split_words(std::string_view line) {
    std::vector<std::string_view> words;
    for (auto first = line.find_first_not_of(blanks); first != std::string_view::npos;
         first = line.find_first_not_of(blanks)) {
        line.remove_prefix(first);
        auto end = line.find_first_of(blanks);
        words.push_back(line.substr(0, end));
        line.remove_prefix(end == std::string_view::npos ? line.size() : end);
    }
    return words;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    return parse(text, 10);
}

std::optional<std::uint64_t> parse_address(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
    }
    return parse(text, 16);
}

std::string with_thousands(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return digits;
}

std::string readable(double number) {
    double size = std::fabs(number);
    if (size >= 100) {
        std::string sign = number < 0 ? "-" : "";
        return sign + with_thousands(static_cast<std::uint64_t>(std::llround(size)));
    }
    if (size >= 10) {
        return fmt::format("{:.1f}", number);
    }
    if (size >= 1) {
        return fmt::format("{:.2f}", number);
    }
    return size == 0 ? "0" : fmt::format("{:.3f}", number);
}

std::string hundredths(double number) {
    double rounded = std::round(number * 100) / 100;
    return fmt::format("{:.2f}", rounded == 0 ? 0 : rounded);
}

std::string counted(std::uint64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", with_thousands(number), noun, number == 1 ? "" : "s");
}

} // namespace fdirect
