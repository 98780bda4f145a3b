// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "module/method.h"
#include "module/reach.h"
#include "util/result.h"

namespace fdirect {

/// A method, and the copy of the stubs it attaches to.
struct Way {
    Method method = Method::hash;
    Reach reach = Reach::near;

    bool operator==(const Way&) const = default;
};

/// "hash" for near stubs, "hash-far" for far ones.
std::string name_of(const Way& way);

/// The way of that name, or nothing; "-near" may be said, too.
std::optional<Way> way_named(std::string_view name);

/// The ways to attach of these names, or `otherwise` if none is named. Errors: usage.
Result<std::vector<Way>> parse_ways(const std::vector<std::string>& names,
                                    std::vector<Way> otherwise);

} // namespace fdirect
