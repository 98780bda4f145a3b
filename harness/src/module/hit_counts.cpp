// SPDX-License-Identifier: GPL-2.0
#include "module/hit_counts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "util/text.h"

namespace fdirect {
namespace {

/// Takes the next word off the front of a line; empty at its end.
std::string_view next_word(std::string_view& line) {
    line = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    auto end = std::min(line.find_first_of(" \t"), line.size());
    std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
}

std::optional<HitCount> parse_hit(std::string_view line) {
    auto index = parse_number(next_word(line));
    auto address = parse_address(next_word(line));
    std::string_view stub_word = next_word(line);
    auto stub = parse_number(stub_word);
    auto hits = parse_number(next_word(line));
    if (!index || *index > UINT32_MAX || !address || !hits || trim(line).empty() ||
        (stub ? *stub > UINT32_MAX : stub_word != "-")) {
        return std::nullopt;
    }
    HitCount count;
    count.index = static_cast<std::uint32_t>(*index);
    count.address = *address;
    if (stub) {
        count.stub = static_cast<std::uint32_t>(*stub);
    }
    count.hits = *hits;
    count.name = trim(line);
    return count;
}

} // namespace

Result<std::vector<HitCount>> parse_hits(std::string_view text) {
    std::vector<HitCount> counts;
    for (std::string_view line : split_lines(text)) {
        auto count = parse_hit(line);
        if (!count) {
            return failure(
                fmt::format("the module's hits:{}: cannot read '{}'", counts.size() + 1, line));
        }
        counts.push_back(std::move(*count));
    }
    return counts;
}

} // namespace fdirect
