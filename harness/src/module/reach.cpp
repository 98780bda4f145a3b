// SPDX-License-Identifier: GPL-2.0
#include "module/reach.h"

#include "util/names.h"

namespace fdirect {

namespace {

constexpr Names<Reach, 2> reach_names = {{
    {Reach::near, "near"},
    {Reach::far, "far"},
}};

} // namespace

std::string_view name_of(Reach reach) {
    return name_in(reach_names, reach);
}

std::optional<Reach> reach_named(std::string_view name) {
    return value_named(reach_names, name);
}

} // namespace fdirect
