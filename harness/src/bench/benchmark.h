// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "kernel/kernel_paths.h"
#include "results/record.h"
#include "util/result.h"
#include "util/supervisor.h"

namespace fdirect {

/// A benchmark: an entry of the registry. The command `bench` knows none of them by name.
class Benchmark {
  public:
    Benchmark() = default;
    Benchmark(const Benchmark&) = delete;
    Benchmark& operator=(const Benchmark&) = delete;
    Benchmark(Benchmark&&) = delete;
    Benchmark& operator=(Benchmark&&) = delete;
    virtual ~Benchmark() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual std::string help() const = 0;

    /// Adds its own options to its command.
    virtual void add_options(CLI::App& command) = 0;

    /// Whether the options make sense on this kernel. Nothing has been changed yet; what run() will
    /// change is kept for restore().
    virtual Result<> check(const KernelPaths& paths) = 0;

    /// Measures, in a process of its own. It fills in the rows, the notes and the functions of the
    /// record; a row without a unit gets that of the clock.
    virtual Result<> run(const KernelPaths& paths, Record& record) = 0;

    /// Makes sure that nothing stays attached, however run() ended. Errors: failed if something
    /// does.
    virtual Result<> restore(const KernelPaths& paths, const Ending& ending) = 0;
};

/// The registry: all benchmarks, in the order in which they are listed.
std::vector<std::unique_ptr<Benchmark>> benchmarks();

} // namespace fdirect
