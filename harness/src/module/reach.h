// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <optional>
#include <string_view>

namespace fdirect {

/// The copy of the module's stubs that a direct call goes to.
enum class Reach {
    near, ///< in the text of the module: a call instruction reaches it, if it can at all
    far, ///< where no call instruction reaches it, so that ftrace's trampoline calls it; arm64 only
};

/// "near" or "far".
std::string_view name_of(Reach reach);

/// The reach of that name, or nothing.
std::optional<Reach> reach_named(std::string_view name);

} // namespace fdirect
