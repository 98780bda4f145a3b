// SPDX-License-Identifier: GPL-2.0
//
// Files of records, as `fdirect report` reads them. A record is the same when it is written
// and read once more. It can be shown in every format, alone and beside itself.
#include "fuzz.h"
#include "results/report.h"

namespace fdirect::fuzz {
namespace {

void check(std::string_view text) {
    auto record = parse_record(text);
    if (!record) {
        require(!describe(record.error()).empty(), "a refusal says why");
        return;
    }
    auto again = parse_record(to_json(*record).dump());
    require(again.ok(), "what is written can be read");
    require(*again == *record, "a record is what is in its file");
    const std::vector<Record> alone = {*record};
    std::vector<Record> pair = {*record, *again};
    pair[1].env.patched = !pair[0].env.patched;
    for (Format format :
         {Format::table, Format::json, Format::markdown, Format::csv, Format::html}) {
        require(report(alone, format).ok(), "a record can be shown");
        require(report(pair, format, {true, true, true}).ok(),
                "a record can be compared with itself");
    }
}

} // namespace

std::vector<Target> record_targets() {
    return {{"record", check},
            {"result_attach", check},
            {"result_call", check},
            {"result_scale", check},
            {"result_bpf", check}};
}

} // namespace fdirect::fuzz
