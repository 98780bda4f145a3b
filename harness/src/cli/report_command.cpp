// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_support.h"
#include "cli/commands.h"
#include "results/attach_report.h"
#include "results/bpf_report.h"
#include "results/call_report.h"
#include "results/scale_report.h"
#include "util/file.h"
#include "util/output.h"

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
    std::vector<ScaleResult> scale;
    std::vector<BpfResult> bpf;
};

template<class BenchResult>
Result<> add(Result<BenchResult> result, std::vector<BenchResult>& results) {
    if (!result) {
        return result.error();
    }
    results.push_back(std::move(*result));
    return {};
}

Result<> add_result(const std::string& text, Results& results) {
    auto json = parse_bench_json(text);
    if (!json) {
        return json.error();
    }
    if (json->contains("rows")) {
        return add(parse_call_result(text), results.call);
    }
    if (is_scale_result(*json)) {
        return add(parse_scale_result(text), results.scale);
    }
    if (is_bpf_result(*json)) {
        return add(parse_bpf_result(text), results.bpf);
    }
    return add(parse_attach_result(text), results.attach);
}

Result<std::string> report_of(const Results& results, Format format) {
    int kinds = 0;
    for (bool there : {!results.attach.empty(), !results.call.empty(), !results.scale.empty(),
                       !results.bpf.empty()}) {
        kinds += there ? 1 : 0;
    }
    if (kinds > 1) {
        return misuse("results of different benchmarks cannot be compared",
                      "give files of one kind at a time: of bench attach, call, scale or bpf");
    }
    if (!results.call.empty()) {
        return report(results.call, format);
    }
    if (!results.bpf.empty()) {
        return report(results.bpf, format);
    }
    return results.scale.empty() ? report(results.attach, format) : report(results.scale, format);
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
    auto text = report_of(results, options.format.format());
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
                     "Files that bench attach, call, scale or bpf wrote with --output")
        ->required();
    command->callback(
        [&code, options] { code = run_command([&] { return show_report(*options); }); });
}

} // namespace fdirect
