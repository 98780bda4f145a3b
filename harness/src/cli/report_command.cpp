// SPDX-License-Identifier: GPL-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>

#include "cli/command_support.h"
#include "cli/commands.h"
#include "results/format_options.h"
#include "results/report.h"
#include "util/file.h"
#include "util/output.h"

namespace fdirect {
namespace {

struct ReportOptions {
    FormatOptions format;
    std::vector<std::string> files;
    std::vector<std::string> recorded;
    std::vector<std::string> figures;
    std::vector<std::string> parts = {"tables", "ratios"};
    std::vector<std::string> where;
};

using Pair = std::pair<std::string, std::string>;

/// "NAME=VALUE". Errors: usage.
Result<Pair> pair_of(const std::string& text) {
    auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        return misuse(fmt::format("'{}' is not NAME=VALUE", text));
    }
    return Pair{text.substr(0, equals), text.substr(equals + 1)};
}

/// The record in a file without the rows that are not asked for.
Result<Record> load(const std::string& file,
                    const std::map<std::string, std::set<std::string>>& where) {
    auto text = TRY(read_file(file));
    auto record = parse_record(text);
    if (!record) {
        return failure(fmt::format("{} is no record: {}", file, record.error().message),
                       record.error().hint);
    }
    std::erase_if(record->rows, [&](const Row& row) {
        return std::any_of(where.begin(), where.end(), [&](const auto& condition) {
            const auto& [name, values] = condition;
            if (!row.key.contains(name)) {
                return true;
            }
            const Json& value = row.key[name];
            return !values.contains(value.is_string() ? value.get<std::string>() : value.dump());
        });
    });
    return record;
}

Result<> show_report(const ReportOptions& options) {
    std::map<std::string, std::set<std::string>> where;
    for (const std::string& condition : options.where) {
        auto pair = TRY(pair_of(condition));
        where[pair.first].insert(pair.second);
    }
    std::vector<Figure> figures;
    for (const std::string& figure : options.figures) {
        auto pair = TRY(pair_of(figure));
        figures.emplace_back(pair.first, TRY(read_file(pair.second)));
    }
    if (options.files.empty() && options.recorded.empty()) {
        return misuse("there is nothing to show", "give at least one file");
    }
    std::vector<Record> records;
    for (const auto* files : {&options.files, &options.recorded}) {
        for (const std::string& file : *files) {
            auto record = TRY(load(file, where));
            record.recorded = files == &options.recorded;
            records.push_back(std::move(record));
        }
    }
    auto asked = [&](const char* part) {
        return std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
    };
    auto text = TRY(report(records, options.format.format(),
                           {asked("headline"), asked("tables"), asked("ratios")}, figures));
    return write_out(text);
}

} // namespace

void add_report_command(CLI::App& program, int& code) {
    auto* command = program.add_subcommand("report", "Show records, side by side");
    auto options = std::make_shared<ReportOptions>();
    options->format.add_to(*command);
    command->add_option("file", options->files, "Files that fdirect bench wrote with --output");
    command
        ->add_option("--recorded", options->recorded,
                     "A file that was kept and not measured on this machine, and is marked so")
        ->allow_extra_args(false);
    command
        ->add_option("--figure", options->figures, "NAME=FILE.svg: a picture for the page of HTML")
        ->allow_extra_args(false);
    command->add_option("--parts", options->parts, "headline, tables, ratios")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"headline", "tables", "ratios"}))
        ->capture_default_str();
    command
        ->add_option("--where", options->where,
                     "NAME=VALUE: only rows with that in their key; VALUEs of one NAME add up")
        ->allow_extra_args(false);
    command->callback(
        [&code, options] { code = run_command([&] { return show_report(*options); }); });
}

} // namespace fdirect
