// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "results/bench_header.h"
#include "results/report_format.h"
#include "util/result.h"

namespace fdirect {

/// Results of one kind in that format: JSON as in their files, CSV as @p plain_numbers(results),
/// a Table, has them; otherwise what @p tables_of(results of one architecture, format) says of
/// each architecture, an empty line between them. Errors: usage when they do not count in the
/// same unit, which only JSON can show.
template<class BenchResult, class PlainNumbers, class TablesOf>
Result<std::string> report_of(const std::vector<BenchResult>& results, Format format,
                              PlainNumbers plain_numbers, TablesOf tables_of) {
    if (format == Format::json) {
        return json_text(results);
    }
    if (Result<> same = check_same_unit(headers_of(results)); !same) {
        return same.error();
    }
    if (format == Format::csv) {
        return plain_numbers(results).csv();
    }
    std::string text;
    for (const auto& group : by_arch(results)) {
        text += (text.empty() ? "" : "\n") + tables_of(group, format);
    }
    return text;
}

} // namespace fdirect
