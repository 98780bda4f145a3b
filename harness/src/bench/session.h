// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "bench/benchmark.h"
#include "kernel/environment.h"
#include "kernel/kernel_paths.h"
#include "results/format_options.h"
#include "results/record.h"
#include "util/result.h"

namespace fdirect {

/// The options that every benchmark has: what is noted in its record, and where that goes.
struct SessionOptions {
    std::string unit = "ns";
    std::string base = unknown_base;
    std::string accel = "none";
    std::string output;
    FormatOptions format;

    /// FDIRECT_UNIT, FDIRECT_BASE and FDIRECT_ACCEL give the defaults.
    void add_to(CLI::App& command);

    /// A record of something that was measured here, without rows.
    [[nodiscard]] Record record(const std::string& benchmark, const Environment& environment) const;
};

/// Runs a benchmark under supervision, and writes its record to stdout and, if that is wanted, its
/// file. Returns the exit code for the program: failed, too, where a row was not verified or
/// something stayed attached.
int run_session(Benchmark& benchmark, const KernelPaths& paths, const SessionOptions& options);

/// Writes a record to stdout and, if that is wanted, its file.
Result<> write_record(const Record& record, const SessionOptions& options);

} // namespace fdirect
