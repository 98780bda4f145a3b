// SPDX-License-Identifier: GPL-2.0
#include "results/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace fdirect {
namespace {

std::string csv_cell(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
        return cell;
    }
    std::string quoted = "\"";
    for (char c : cell) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + '"';
}

std::string markdown_cell(const std::string& cell) {
    std::string escaped;
    for (char c : cell) {
        escaped += c == '|' || c == '*' ? std::string("\\") + c : std::string(1, c);
    }
    return escaped;
}

std::string aligned(const std::string& cell, std::size_t width, bool right) {
    return right ? fmt::format("{:>{}}", cell, width) : fmt::format("{:<{}}", cell, width);
}

} // namespace

void Table::add(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); i++) {
        std::size_t width = columns_[i].title.size();
        for (const auto& row : rows_) {
            width = std::max(width, row[i].size());
        }
        widths.push_back(width);
    }
    std::string text;
    auto add_line = [&](auto&& cell) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); i++) {
            line += i == 0 ? "" : "  ";
            line += aligned(cell(i), widths[i], columns_[i].number);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    add_line([&](std::size_t i) { return columns_[i].title; });
    add_line([&](std::size_t i) { return std::string(widths[i], '-'); });
    for (const auto& row : rows_) {
        add_line([&](std::size_t i) { return row[i]; });
    }
    return text;
}

std::string Table::markdown() const {
    std::string text = "|";
    std::string rule = "|";
    for (const Column& column : columns_) {
        text += " " + markdown_cell(column.title) + " |";
        rule += column.number ? "---:|" : "---|";
    }
    text += "\n" + rule + "\n";
    for (const auto& row : rows_) {
        text += "|";
        for (const std::string& cell : row) {
            text += " " + markdown_cell(cell) + " |";
        }
        text += "\n";
    }
    return text;
}

std::string Table::csv() const {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); i++) {
        text += (i == 0 ? "" : ",") + csv_cell(columns_[i].title);
    }
    text += "\n";
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); i++) {
            text += (i == 0 ? "" : ",") + csv_cell(row[i]);
        }
        text += "\n";
    }
    return text;
}

} // namespace fdirect
