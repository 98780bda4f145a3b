// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>
#include <vector>

#include "kernel/function.h"
#include "util/result.h"

namespace fdirect {

/// Shell patterns that choose functions by name: "ksys_*" looks everywhere, "ext4:*" in one module,
/// "vmlinux:*" in the kernel itself. The module part may be a pattern too.
class FunctionFilter {
  public:
    /// A filter of these patterns; without any, every function passes.
    /// Errors: usage for an empty pattern or one with an empty module part.
    static Result<FunctionFilter> parse(const std::vector<std::string>& patterns);

    /// Whether any of the patterns fits.
    [[nodiscard]] bool matches(const Function& function) const;

    /// The functions that pass, in their order, each once.
    /// Errors: failed, with the pattern's text, where a pattern fits no function at all.
    [[nodiscard]] Result<std::vector<Function>>
    choose(const std::vector<Function>& functions) const;

  private:
    struct Pattern {
        std::string text;
        std::string module;
        std::string name;

        [[nodiscard]] bool matches(const Function& function) const;
    };

    std::vector<Pattern> patterns_;
};

} // namespace fdirect
