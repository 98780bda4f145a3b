// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernel/environment.h"
#include "kernel/kernel_config.h"
#include "kernel/kernel_paths.h"
#include "module/method.h"

namespace fdirect {

/// The abilities of this kernel, as far as this user can see.
struct KernelInfo {
    Environment environment;
    Answer module_loaded = Answer::unknown;
    std::optional<std::vector<Method>> methods; ///< of the module
    std::optional<std::uint64_t> functions;     ///< that can be attached
    Answer direct_calls = Answer::unknown;
    Answer shared_ops = Answer::unknown; ///< one ftrace_ops with a target per function
    Answer btf = Answer::unknown;
    Answer kprobes = Answer::unknown;
    Answer fprobe = Answer::unknown;
    Answer livepatch = Answer::unknown;

    /// Asks the kernel's configuration where it is known, else the files that come with each
    /// ability; a question that neither answers stays unknown.
    static KernelInfo collect(const KernelPaths& paths);
};

/// "WHAT: ANSWER" lines.
std::string to_text(const KernelInfo& info);

/// An object of the same; true, false or null for yes, no and unknown.
nlohmann::ordered_json to_json(const KernelInfo& info);

} // namespace fdirect
