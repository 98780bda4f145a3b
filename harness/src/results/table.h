// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fdirect {

/// How records are shown.
enum class Format { table, json, markdown, csv, html };

/// Rows of text under column titles, written for a terminal, as Markdown, CSV or HTML.
class Table {
  public:
    struct Column {
        std::string title;
        bool number = false; ///< set to the right
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// Adds a row; cells that are missing are empty, those beyond the columns are dropped.
    void add(std::vector<std::string> cells);

    /// Aligned columns, two blanks between them, none at the end of a line.
    [[nodiscard]] std::string text() const;

    [[nodiscard]] std::string markdown() const;

    /// RFC 4180 with newlines for line ends: cells with a comma, quote or newline in them are
    /// quoted.
    [[nodiscard]] std::string csv() const;

    [[nodiscard]] std::string html() const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// Text as it stands in HTML.
std::string html_text(const std::string& text);

} // namespace fdirect
