// SPDX-License-Identifier: GPL-2.0
//
// Files of results, as `fdirect report` reads them: what has been read is the same when it is
// written and read once more, and can be shown in every format, alone and beside itself.
#include <nlohmann/json.hpp>

#include "fuzz.h"
#include "results/attach_report.h"
#include "results/bpf_report.h"
#include "results/call_report.h"
#include "results/scale_report.h"

namespace fdirect::fuzz {
namespace {

template<class BenchResult>
void check(std::string_view text, Result<BenchResult> (*parse)(std::string_view)) {
    auto result = parse(text);
    if (!result) {
        require(!describe(result.error()).empty(), "a refusal says why");
        return;
    }
    auto again = parse(to_json(*result).dump());
    require(again.ok(), "what is written can be read");
    require(*again == *result, "a result is what is in its file");
    const std::vector<BenchResult> alone = {*result};
    const std::vector<BenchResult> pair = {*result, *again};
    for (Format format : {Format::table, Format::json, Format::markdown, Format::csv}) {
        require(report(alone, format).ok(), "a result can be shown");
        require(report(pair, format).ok(), "a result can be compared with itself");
    }
}

void attach(std::string_view text) {
    check(text, parse_attach_result);
}

void call(std::string_view text) {
    check(text, parse_call_result);
}

void scale(std::string_view text) {
    check(text, parse_scale_result);
}

void bpf(std::string_view text) {
    check(text, parse_bpf_result);
}

} // namespace

std::vector<Target> result_targets() {
    return {{"result_attach", attach},
            {"result_call", call},
            {"result_scale", scale},
            {"result_bpf", bpf}};
}

} // namespace fdirect::fuzz
