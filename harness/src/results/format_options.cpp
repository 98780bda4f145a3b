// SPDX-License-Identifier: GPL-2.0
#include "results/format_options.h"

namespace fdirect {

void FormatOptions::add_to(CLI::App& command, bool page) {
    auto* formats = command.add_option_group("format");
    formats->add_flag("--json", json, "Write JSON instead of tables");
    formats->add_flag("--csv", csv, "Write CSV with the plain numbers");
    formats->add_flag("--markdown", markdown, "Write Markdown");
    if (page) {
        formats->add_flag("--html", html, "Write a page of HTML");
    }
    formats->require_option(0, 1);
}

Format FormatOptions::format() const {
    return json       ? Format::json
           : csv      ? Format::csv
           : markdown ? Format::markdown
           : html     ? Format::html
                      : Format::table;
}

} // namespace fdirect
