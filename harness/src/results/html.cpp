// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <map>
#include <set>

#include "results/report.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// Colours that hold in light and dark, tables that scroll by themselves in a narrow window.
constexpr const char* style = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #57606a; --line: #d0d7de; --band: #f6f8fa; --mark: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9aa4af; --line: #30363d; --band: #161b22; --mark: #79b8ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.6rem; line-height: 1.2; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
p, ul, pre { margin: 0.5rem 0; }
ul { padding-left: 1.2rem; }
.notes { padding-left: 0; list-style: none; }
.notes, figcaption, .lines { color: var(--soft); font-size: 0.9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
.number { text-align: right; }
tbody tr:nth-child(even) { background: var(--band); }
.headline table { font-size: 1.05rem; }
.headline { margin-bottom: 1.5rem; }
.headline th, .headline td:first-child { white-space: normal; }
.headline td:last-child { color: var(--mark); font-weight: 700; }
.figures { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); margin: 2rem 0; }
figure { margin: 0; }
figure:first-child { grid-column: 1 / -1; max-width: 48rem; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
pre { padding: 0.75rem; overflow-x: auto; background: var(--band); border: 1px solid var(--line); }
)";

std::string block_html(const Block& block) {
    std::string text;
    if (!block.title.empty()) {
        text = fmt::format("<{0}>{1}</{0}>\n", block.heading ? "h2" : "h3", html_text(block.title));
    }
    auto list = [&](const std::vector<std::string>& lines, const char* name) {
        if (!lines.empty()) {
            text += fmt::format("<ul class=\"{}\">\n", name);
            for (const std::string& line : lines) {
                text += fmt::format("<li>{}</li>\n", html_text(line));
            }
            text += "</ul>\n";
        }
    };
    list(block.lines, "lines");
    if (block.table) {
        text += "<div class=\"scroll\">\n" + block.table->html() + "</div>\n";
    }
    list(block.notes, "notes");
    return text;
}

/// The picture itself: what stands before it in a file of its own has no place in a page.
std::string svg_of(const std::string& file) {
    auto begin = file.find("<svg");
    return begin == std::string::npos ? "" : file.substr(begin);
}

std::string machine_html(const std::vector<Record>& records) {
    std::map<std::string, std::set<std::string>> facts;
    for (const Record& record : records) {
        for (const char* name : {"compiler", "pahole", "cpu", "memory_kib", "program"}) {
            auto found = record.env.others.find(name);
            if (found != record.env.others.end() && !found->second.empty()) {
                facts[name].insert(found->second);
            }
        }
    }
    std::string text = "<h2>The machine</h2>\n<ul>\n";
    std::set<std::string> seen;
    for (const Record& record : records) {
        std::string line = describe(record.env) + (record.recorded ? ", recorded" : "");
        if (seen.insert(line).second) {
            text += fmt::format("<li>{}</li>\n", html_text(line));
        }
    }
    for (const auto& [name, values] : facts) {
        text += fmt::format("<li>{}: {}</li>\n", html_text(name),
                            html_text(fmt::format("{}", fmt::join(values, "; "))));
    }
    return text + "</ul>\n";
}

} // namespace

std::string html_page(const std::vector<Record>& records, const std::vector<Block>& headline,
                      const std::vector<Block>& blocks, const std::vector<Figure>& figures) {
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>fdirect: what direct calls cost</title>\n<style>{}</style>\n</head>\n<body>\n"
        "<h1>fdirect: what direct calls cost</h1>\n",
        style);
    for (const Block& block : headline) {
        page += "<section class=\"headline\">\n" + block_html(block) + "</section>\n";
    }
    page += "<div class=\"figures\">\n";
    for (const auto& [name, svg] : figures) {
        page += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", svg_of(svg),
                            html_text(name));
    }
    page += "</div>\n";
    for (const Block& block : blocks) {
        page += block_html(block);
    }
    page += machine_html(records) + "<h2>The commands</h2>\n<pre>";
    std::set<std::string> commands;
    for (const Record& record : records) {
        if (std::string command = repeat_command(record); commands.insert(command).second) {
            page += html_text(command) + "\n";
        }
    }
    return page + "</pre>\n</body>\n</html>\n";
}

} // namespace fdirect
