// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "results/table.h"

namespace fdirect {

/// The options --json, --csv, --markdown and --html.
struct FormatOptions {
    bool json = false;
    bool csv = false;
    bool markdown = false;
    bool html = false;

    /// Without `page` there is no --html.
    void add_to(CLI::App& command, bool page = true);

    [[nodiscard]] Format format() const;
};

} // namespace fdirect
