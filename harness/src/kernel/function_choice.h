// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/function.h"

namespace fdirect {

/// Chooses `count` distinct functions, always the same ones for the same arguments. First come
/// those named in `wanted`, as far as there is room, the first one of each name. Then come
/// others, spread evenly over the list. The result is in the order of the list; it is shorter
/// than `count` only where the list is.
std::vector<Function> choose_functions(const std::vector<Function>& functions, std::size_t count,
                                       const std::vector<std::string>& wanted);

/// `before` functions, and behind them `count` others with those named in `wanted` among them.
/// The latter are the choice of choose_functions() out of all of them.
std::vector<Function> choose_functions_beside(const std::vector<Function>& functions,
                                              std::size_t before, std::size_t count,
                                              const std::vector<std::string>& wanted);

/// The text that the module's file `functions` takes: an address per line.
std::string addresses_of(const std::vector<Function>& functions);

} // namespace fdirect
