// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/function.h"

namespace fdirect {

/// Chooses `count` distinct functions, always the same ones for the same arguments: first those
/// named in `wanted` (of a name that occurs several times the first one) as far as there is room,
/// then others spread evenly over the list. The result is in the order of the list; it is shorter
/// than `count` only where the list is.
std::vector<Function> choose_functions(const std::vector<Function>& functions, std::size_t count,
                                       const std::vector<std::string>& wanted);

/// `before` functions, and behind them `count` others with those named in `wanted` among them; the
/// latter are those that choose_functions() chooses out of all of them.
std::vector<Function> choose_functions_beside(const std::vector<Function>& functions,
                                              std::size_t before, std::size_t count,
                                              const std::vector<std::string>& wanted);

/// The text that the module's file `functions` takes: an address per line.
std::string addresses_of(const std::vector<Function>& functions);

} // namespace fdirect
