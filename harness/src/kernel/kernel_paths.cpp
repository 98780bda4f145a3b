// SPDX-License-Identifier: GPL-2.0
#include "kernel/kernel_paths.h"

#include <cstdlib>
#include <system_error>

namespace fdirect {
namespace {

bool take(std::filesystem::path& path, const char* variable) {
    const char* value = std::getenv(variable); // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr || *value == '\0') {
        return false;
    }
    path = value;
    return true;
}

} // namespace

KernelPaths KernelPaths::from_environment() {
    KernelPaths paths;
    take(paths.debugfs, "FDIRECT_DEBUGFS");
    take(paths.procfs, "FDIRECT_PROCFS");
    take(paths.sysfs, "FDIRECT_SYSFS");
    take(paths.boot, "FDIRECT_BOOT");
    if (!take(paths.tracefs, "FDIRECT_TRACEFS")) {
        std::error_code ignored;
        auto inside = paths.debugfs / "tracing";
        if (!std::filesystem::exists(paths.tracefs / "available_filter_functions", ignored) &&
            std::filesystem::exists(inside / "available_filter_functions", ignored)) {
            paths.tracefs = inside;
        }
    }
    return paths;
}

} // namespace fdirect
