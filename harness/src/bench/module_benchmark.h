// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/benchmark.h"
#include "module/fdirect_module.h"
#include "module/way.h"

namespace fdirect {

/// A benchmark that attaches functions through the module. However it ends, nothing stays attached,
/// and the module's selection, method, reach and ops are what they were; only where there was no
/// selection, the last one of the benchmark stays, since the module takes none that is empty.
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

/// What the module holds. Errors: failed if functions are attached, which would be in the way.
Result<ModuleStatus> idle_status(FdirectModule& module);

} // namespace fdirect
