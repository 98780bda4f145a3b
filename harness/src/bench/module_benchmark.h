// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/benchmark.h"
#include "kernel/function.h"
#include "module/fdirect_module.h"
#include "module/way.h"
#include "util/progress.h"
#include "verify/verification.h"
#include "verify/workload.h"

namespace fdirect {

/// A benchmark that attaches functions through the module. However it ends, nothing stays
/// attached, and the module's selection, method, reach and ops are what they were. If there was
/// no selection, the last one of the benchmark stays, since the module takes none that is empty.
class ModuleBenchmark : public Benchmark {
  public:
    Result<> check(const KernelPaths& paths) override;
    Result<> run(const KernelPaths& paths, Record& record) override;
    Result<> restore(const KernelPaths& paths, const Ending& ending) override;

  protected:
    /// Fills in what the options left open, and checks the rest.
    virtual Result<> check_plan(FdirectModule& module, const KernelPaths& paths) = 0;

    /// Measures, as run() does.
    virtual Result<> measure(FdirectModule& module, const KernelPaths& paths, Record& record) = 0;

  private:
    std::string selection_; ///< that the module had before
    Way way_;
    std::uint64_t ops_ = 0;
};

/// A benchmark of functions that are attached and called, by methods that an option names.
class FunctionBenchmark : public ModuleBenchmark {
  protected:
    /// The parts that it measures with.
    struct Bench {
        const KernelPaths& paths;
        FdirectModule& module;
        Workload& workload;
        Verifier& verifier;
        Progress& progress;
        const std::vector<Function>& functions;
    };

    void add_methods(CLI::App& command, const std::string& help);

    [[nodiscard]] virtual std::vector<Way>
    default_ways(const std::vector<Method>& available) const = 0;

    /// Completes the plan, and checks it.
    virtual Result<> check_ways(std::vector<Way> ways, std::size_t functions,
                                const std::vector<Method>& available) = 0;

    virtual Result<> measure_with(const Bench& bench, Record& record) = 0;

  private:
    Result<> check_plan(FdirectModule& module, const KernelPaths& paths) final;
    Result<> measure(FdirectModule& module, const KernelPaths& paths, Record& record) final;

    std::vector<std::string> methods_;
};

/// The status of a module that holds no function. Errors: failed if functions are attached,
/// which would be in the way.
Result<ModuleStatus> idle_status(FdirectModule& module);

} // namespace fdirect
