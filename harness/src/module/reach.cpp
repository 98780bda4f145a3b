// SPDX-License-Identifier: GPL-2.0
#include "module/reach.h"

namespace fdirect {

std::string_view name_of(Reach reach) {
    return reach == Reach::far ? "far" : "near";
}

std::optional<Reach> reach_named(std::string_view name) {
    for (Reach reach : {Reach::near, Reach::far}) {
        if (name_of(reach) == name) {
            return reach;
        }
    }
    return std::nullopt;
}

} // namespace fdirect
