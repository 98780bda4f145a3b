// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "results/table.h"

namespace fdirect {

/// The options --json, --csv and --markdown.
struct FormatOptions {
    bool json = false;
    bool csv = false;
    bool markdown = false;
    bool html = false;

    void add_to(CLI::App& command);

    [[nodiscard]] Format format() const;
};

} // namespace fdirect
