// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "module/fdirect_module.h"
#include "module/method.h"
#include "module/way.h"
#include "results/report_format.h"
#include "util/result.h"

namespace fdirect {

/// Runs a command and prints its error, if any; the exit code.
int run_command(const std::function<Result<>()>& command);

/// As run_command(), for work that has a code of its own where it comes to its end.
ExitCode run_work(const std::function<Result<ExitCode>()>& work);

/// The options --first and --count.
struct RangeOptions {
    std::optional<std::uint32_t> first;
    std::optional<std::uint32_t> count;

    void add_to(CLI::App& command);

    /// Nothing where neither is given; from 0 on where only --first is missing.
    [[nodiscard]] std::optional<Range> range() const;
};

/// The options --json, --csv and --markdown.
struct FormatOptions {
    bool json = false;
    bool csv = false;
    bool markdown = false;

    void add_to(CLI::App& command);

    [[nodiscard]] Format format() const;
};

/// The method of that name. Errors: usage.
Result<Method> parse_method(const std::string& name);

/// The ways to attach of these names, or `otherwise` if none is named. Errors: usage.
Result<std::vector<Way>> parse_ways(const std::vector<std::string>& names,
                                    std::vector<Way> otherwise);

} // namespace fdirect
