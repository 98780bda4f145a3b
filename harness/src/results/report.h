// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "results/record.h"
#include "results/table.h"
#include "util/result.h"

namespace fdirect {

/// The parts that a report has.
struct ReportParts {
    bool headline = false; ///< what all functions cost, and the loops
    bool tables = true;
    bool ratios = true;
};

/// A picture for the page: its name and the text of an SVG file.
using Figure = std::pair<std::string, std::string>;

/// A part of a report as it is shown in every format.
struct Block {
    std::string title;              ///< may be empty
    std::vector<std::string> lines; ///< below the title
    std::optional<Table> table;
    std::vector<std::string> notes; ///< below the table
    bool heading = false;           ///< it begins a benchmark
};

/// The records as tables, those of a benchmark and an architecture side by side, the patched
/// kernels first, and at the end the ratios. Errors: usage where those of a benchmark and an
/// architecture do not count in the same unit, which only JSON can show.
Result<std::string> report(const std::vector<Record>& records, Format format,
                           const ReportParts& parts = {}, const std::vector<Figure>& figures = {});

/// The tables and the ratios of one group. It needs no more than one unit.
std::vector<Block> blocks_of(const std::vector<Record>& records, const ReportParts& parts);

/// "instructions" or "ns".
std::string unit_name(const std::string& unit);

/// "* measured with 200 functions and extrapolated"; nothing for no numbers.
std::vector<std::string> footnotes(const std::set<std::uint64_t>& measured);

/// "Linux 6.12.107 (6.12), x86_64, tcg, 2 vCPUs, 43,175 functions available".
std::string describe(const RecordEnvironment& env);

/// The command that repeats a record.
std::string repeat_command(const Record& record);

/// The page: one file of HTML that needs no network and no script.
std::string html_page(const std::vector<Record>& records, const std::vector<Block>& headline,
                      const std::vector<Block>& blocks, const std::vector<Figure>& figures);

} // namespace fdirect
