// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <memory>

#include "bench_report.h"
#include "command_support.h"
#include "commands.h"
#include "file.h"
#include "output.h"

namespace fdirect {
namespace {

struct ReportOptions {
    FormatOptions format;
    std::vector<std::string> files;
};

Result<> show_report(const ReportOptions& options) {
    std::vector<BenchResult> results;
    for (const std::string& file : options.files) {
        auto text = read_file(file);
        if (!text) {
            return text.error();
        }
        auto result = parse_bench_result(*text);
        if (!result) {
            return failure(fmt::format("{} is no result: {}", file, result.error().message),
                           result.error().hint);
        }
        results.push_back(std::move(*result));
    }
    auto text = report(results, options.format.format());
    if (!text) {
        return text.error();
    }
    return write_out(*text);
}

} // namespace

void add_report_command(CLI::App& program, int& code) {
    auto* command = program.add_subcommand("report", "Show files of results, side by side");
    auto options = std::make_shared<ReportOptions>();
    options->format.add_to(*command);
    command->add_option("file", options->files, "Files that bench attach --output wrote")
        ->required();
    command->callback(
        [&code, options] { code = run_command([&] { return show_report(*options); }); });
}

} // namespace fdirect
