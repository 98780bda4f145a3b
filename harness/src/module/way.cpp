// SPDX-License-Identifier: GPL-2.0
#include "module/way.h"

#include <fmt/format.h>

namespace fdirect {

std::string name_of(const Way& way) {
    std::string name(name_of(way.method));
    if (way.reach != Reach::near) {
        name.append("-").append(name_of(way.reach));
    }
    return name;
}

std::optional<Way> way_named(std::string_view name) {
    auto dash = name.find('-');
    auto method = method_named(name.substr(0, dash));
    auto reach = dash == std::string_view::npos ? Reach::near : reach_named(name.substr(dash + 1));
    if (!method || !reach) {
        return std::nullopt;
    }
    return Way{*method, *reach};
}

Result<std::vector<Way>> parse_ways(const std::vector<std::string>& names,
                                    std::vector<Way> otherwise) {
    if (names.empty()) {
        return otherwise;
    }
    std::vector<Way> ways;
    for (const std::string& name : names) {
        auto way = way_named(name);
        if (!way) {
            return misuse(fmt::format("there is no method '{}'", name),
                          "the methods are each, multi and hash, with far stubs each-far, "
                          "multi-far and hash-far");
        }
        ways.push_back(*way);
    }
    return ways;
}

} // namespace fdirect
