// SPDX-License-Identifier: GPL-2.0
#include "module/reach.h"

#include "util/names.h"

namespace fdirect {

namespace {

constexpr Names<Reach, 2> names = {{
    {Reach::near, "near"},
    {Reach::far, "far"},
}};

} // namespace

std::string_view name_of(Reach reach) {
    return name_in(names, reach);
}

std::optional<Reach> reach_named(std::string_view name) {
    return value_named(names, name);
}

} // namespace fdirect
