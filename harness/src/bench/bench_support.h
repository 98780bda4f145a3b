// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/command_support.h"
#include "kernel/environment.h"
#include "module/fdirect_module.h"
#include "results/bench_header.h"
#include "util/file.h"
#include "util/output.h"
#include "util/result.h"

namespace fdirect {

/// The options that every benchmark has: what is noted in its result, and where that goes.
struct BenchOptions {
    std::string unit = "ns";
    std::string base = "unknown";
    std::string accel = "none";
    std::string output;
    FormatOptions format;

    /// What is not given is taken from FDIRECT_UNIT, FDIRECT_BASE and FDIRECT_ACCEL.
    void add_to(CLI::App& command);

    /// The header of a result that was measured here.
    [[nodiscard]] BenchHeader header(const Environment& environment) const;

    /// Whether the result can be written later on. Errors: of check_writable().
    [[nodiscard]] Result<> check_output() const;
};

/// What the module holds. Errors: failed if functions are attached, which would be in the way.
Result<ModuleStatus> idle_status(FdirectModule& module);

/// Writes a result to stdout and, if that is wanted, its file.
template<class BenchResult>
Result<> write_result(const BenchResult& result, const BenchOptions& options) {
    auto text = report(std::vector<BenchResult>{result}, options.format.format());
    Result<> written = text ? write_out(*text) : text.error();
    Result<> kept;
    if (!options.output.empty()) {
        kept = replace_file(options.output, json_text(to_json(result)));
    }
    return written ? kept : written;
}

} // namespace fdirect
