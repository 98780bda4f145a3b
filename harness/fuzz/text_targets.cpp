// SPDX-License-Identifier: GPL-2.0
//
// Lines, words and numbers, and the names that are given on the command line.
#include <algorithm>
#include <fmt/format.h>

#include "fuzz.h"
#include "kernel/function_filter.h"
#include "kernel/function_list.h"
#include "module/call_spec.h"
#include "module/way.h"
#include "util/text.h"

namespace fdirect::fuzz {
namespace {

void lines_and_words(std::string_view text) {
    std::size_t size = 0;
    for (std::string_view line : split_lines(text)) {
        require(line.find('\n') == std::string_view::npos, "a line ends at its newline");
        size += line.size() + 1;
        for (std::string_view word : split_words(line)) {
            require(!word.empty() && trim(word) == word, "there is no blank around a word");
        }
    }
    require(size == text.size() || size == text.size() + 1, "the lines are all of the text");
    std::string_view trimmed = trim(text);
    require(trim(trimmed) == trimmed, "there is nothing left to trim");
}

void numbers(std::string_view text) {
    if (auto number = parse_number(text)) {
        std::string zeros(text.find_first_not_of('0') == std::string_view::npos
                              ? text.size() - 1
                              : text.find_first_not_of('0'),
                          '0');
        require(zeros + std::to_string(*number) == text, "a number is its digits");
        std::string grouped = with_thousands(*number);
        std::erase(grouped, ',');
        require(grouped == std::to_string(*number), "commas between thousands change no digit");
        require(!counted(*number, "function").empty(), "a count in words");
    }
    if (auto address = parse_address(text)) {
        require(parse_address(fmt::format("0x{:x}", *address)) == address, "an address is itself");
    }
}

void names(std::string_view text) {
    if (auto method = method_named(text)) {
        require(name_of(*method) == text, "a method is called by its name");
    }
    if (auto reach = reach_named(text)) {
        require(name_of(*reach) == text, "a reach is called by its name");
    }
    if (auto way = way_named(text)) {
        require(way_named(name_of(*way)) == way, "a way is called by its name");
    }
    if (auto kind = call_kind_named(text)) {
        require(name_of(*kind) == text, "a kind of calls is called by its name");
    }
    auto methods = methods_in(text);
    require(methods_in(names_of(methods)) == methods, "a list of methods is its names");
}

/// The first half is the patterns, the second the names of functions.
void filter(std::string_view text) {
    auto [words, lines] = halves(text);
    std::vector<std::string> patterns;
    for (std::string_view word : split_words(words)) {
        patterns.emplace_back(word);
    }
    auto parsed = FunctionFilter::parse(patterns);
    if (!parsed) {
        return;
    }
    std::vector<Function> functions;
    for (std::string_view line : split_lines(lines)) {
        if (auto function = parse_function_name(line)) {
            functions.push_back(*function);
        }
    }
    auto chosen = parsed->choose(functions);
    if (!chosen) {
        return;
    }
    auto fit = std::count_if(functions.begin(), functions.end(),
                             [&](const Function& function) { return parsed->matches(function); });
    require(static_cast<std::size_t>(fit) == chosen->size(), "those that fit are chosen");
}

} // namespace

std::vector<Target> text_targets() {
    return {{"lines", lines_and_words}, {"numbers", numbers}, {"names", names}, {"filter", filter}};
}

} // namespace fdirect::fuzz
