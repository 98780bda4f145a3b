// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "module/fdirect_module.h"
#include "module/method.h"
#include "util/result.h"
#include "util/work.h"

namespace fdirect {

/// The options --first and --count.
struct RangeOptions {
    std::optional<std::uint32_t> first;
    std::optional<std::uint32_t> count;

    void add_to(CLI::App& command);

    /// Nothing where neither is given; from 0 on where only --first is missing.
    [[nodiscard]] std::optional<Range> range() const;
};

/// The method of that name. Errors: usage.
Result<Method> parse_method(const std::string& name);

} // namespace fdirect
