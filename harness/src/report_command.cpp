// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "attach_report.h"
#include "call_report.h"
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

/// The results in the files by kind.
struct Results {
    std::vector<AttachResult> attach;
    std::vector<CallResult> call;
};

Result<> add_result(const std::string& text, Results& results) {
    auto json = parse_bench_json(text);
    if (!json) {
        return json.error();
    }
    if (json->contains("rows")) {
        auto result = parse_call_result(text);
        if (!result) {
            return result.error();
        }
        results.call.push_back(std::move(*result));
        return {};
    }
    auto result = parse_attach_result(text);
    if (!result) {
        return result.error();
    }
    results.attach.push_back(std::move(*result));
    return {};
}

Result<> show_report(const ReportOptions& options) {
    Results results;
    for (const std::string& file : options.files) {
        auto text = read_file(file);
        if (!text) {
            return text.error();
        }
        if (Result<> added = add_result(*text, results); !added) {
            return failure(fmt::format("{} is no result: {}", file, added.error().message),
                           added.error().hint);
        }
    }
    if (!results.attach.empty() && !results.call.empty()) {
        return misuse("results of bench attach and of bench call cannot be compared",
                      "give files of one kind at a time");
    }
    auto text = results.call.empty() ? report(results.attach, options.format.format())
                                     : report(results.call, options.format.format());
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
    command
        ->add_option("file", options->files,
                     "Files that bench attach --output, or bench call --output, wrote")
        ->required();
    command->callback(
        [&code, options] { code = run_command([&] { return show_report(*options); }); });
}

} // namespace fdirect
