// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <filesystem>

namespace fdirect {

/// Where the kernel's file systems are mounted.
struct KernelPaths {
    std::filesystem::path debugfs = "/sys/kernel/debug";
    std::filesystem::path tracefs = "/sys/kernel/tracing";
    std::filesystem::path procfs = "/proc";
    std::filesystem::path sysfs = "/sys";
    std::filesystem::path boot = "/boot"; ///< where distributions keep the kernel's configuration

    /// The usual places. FDIRECT_DEBUGFS, FDIRECT_TRACEFS, FDIRECT_PROCFS, FDIRECT_SYSFS and
    /// FDIRECT_BOOT move them, for tests. Without tracefs at its own place, the one inside debugfs
    /// is taken.
    static KernelPaths from_environment();

    /// The directory of the module's files.
    [[nodiscard]] std::filesystem::path module() const { return debugfs / "fdirect"; }
};

} // namespace fdirect
