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

std::string Table::html() const {
    std::string text = "<table>\n<thead>";
    auto add_line = [&](const char* tag, auto&& cell) {
        text += "<tr>";
        for (std::size_t i = 0; i < columns_.size(); i++) {
            text += fmt::format("<{0}{1}>{2}</{0}>", tag,
                                columns_[i].number ? " class=\"number\"" : "", html_text(cell(i)));
        }
        text += "</tr>";
    };
    add_line("th", [&](std::size_t i) { return columns_[i].title; });
    text += "</thead>\n<tbody>\n";
    for (const auto& row : rows_) {
        add_line("td", [&](std::size_t i) { return row[i]; });
        text += "\n";
    }
    return text + "</tbody>\n</table>\n";
}

std::string html_text(const std::string& text) {
    std::string escaped;
    for (char c : text) {
        switch (c) {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        default:
            escaped += c;
        }
    }
    return escaped;
}

} // namespace fdirect
