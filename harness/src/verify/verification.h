// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "module/fdirect_module.h"
#include "module/way.h"
#include "util/result.h"
#include "verify/workload.h"

namespace fdirect {

/// One thing that must hold.
struct Check {
    enum class Outcome { passed, failed, skipped };

    std::string name;
    Outcome outcome = Outcome::passed;
    std::string detail; ///< what was found, and what was expected where that differs
};

/// The checks of the module's status and of real hits.
struct Verification {
    std::vector<Check> checks;
    std::uint64_t called = 0; ///< different targets that were called
    std::uint64_t known = 0;  ///< known calls whose hits were compared

    /// Whether no check failed.
    [[nodiscard]] bool passed() const;

    /// The first check that failed, "NAME: DETAIL"; empty when all passed.
    [[nodiscard]] std::string first_failure() const;
};

/// A part of the selection that is to be attached in one way from one stub on.
struct AttachedPart {
    Way way;
    Range range;
    std::uint32_t stub = 0;
};

/// Runs real kernel code paths and compares where their hits landed with where they should have.
class Verifier {
  public:
    /// `tracefs` is asked whether the kernel still lists call sites of the module after detaching;
    /// `machine` is the kernel's name of the architecture.
    Verifier(FdirectModule& module, Workload& workload, std::filesystem::path tracefs,
             std::string machine);

    /// Checks that exactly these parts are attached (none: that nothing is), each function to its
    /// own stub:
    /// - the module holds as many functions as that, with the stubs that are expected;
    /// - as many call sites call their own stub, but none of far stubs. Fewer are a failure,
    ///   but on arm64, where even a near stub may be out of reach;
    /// - the stub of each known call that is attached counted exactly as many calls as were made,
    ///   a stub that several functions share at least the sum of them;
    /// - no hit landed on a stub that is nobody's target, or came from a function with another
    /// target;
    /// - with nothing attached: no hit at all, and no call site left in tracefs.
    /// Without `parts`, what is attached is taken from the module, and only the rest is checked.
    /// The counters are reset. Errors: those of the module's files.
    Result<Verification> verify(const std::optional<std::vector<AttachedPart>>& parts);

  private:
    Result<std::vector<HitCount>> count_known_calls();

    FdirectModule& module_;
    Workload& workload_;
    std::filesystem::path tracefs_;
    std::string machine_;
};

} // namespace fdirect
