// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kernel/kernel_paths.h"

namespace fdirect {

/// The machine and the kernel that the program runs on.
struct Environment {
    std::string kernel;      ///< release, e.g. "6.12.107"
    std::string machine;     ///< as the kernel calls it: "x86_64", "aarch64"
    std::string arch;        ///< as the project calls it: "x86_64", "arm64"
    std::uint64_t vcpus = 0; ///< online
    /// For the record in results: "compiler", "cmdline", "cpu", "memory_kib", "time" (UTC),
    /// "program"; those that are known.
    std::map<std::string, std::string> details;

    static Environment collect(const KernelPaths& paths);
};

/// The project's name of an architecture for the kernel's: "arm64" for "aarch64".
std::string arch_of(std::string_view machine);

/// The beginning of the name of a system call's function, for the kernel's name of an
/// architecture: "__arm64_sys_" for "aarch64".
std::string system_call_prefix(std::string_view machine);

/// The value of "KEY : VALUE" or "KEY: VALUE" lines as in cpuinfo and meminfo, of the first such
/// line; empty where there is none.
std::string value_in(std::string_view text, std::string_view key);

} // namespace fdirect
