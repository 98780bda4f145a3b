// SPDX-License-Identifier: GPL-2.0
#include "module/module_files.h"

#include <cerrno>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "util/file.h"

namespace fdirect {

Result<> DebugfsFiles::check(const KernelPaths& paths) {
    std::string module = paths.module().string();
    if (::access(module.c_str(), R_OK | W_OK | X_OK) == 0) {
        return {};
    }
    if (errno == EACCES || errno == EPERM) {
        return cannot_run(fmt::format("no permission to use {}", module),
                          "only root may attach kernel functions; run fdirect as root", errno);
    }
    std::error_code problem;
    bool mounted = !std::filesystem::is_empty(paths.debugfs, problem) && !problem;
    if (!mounted) {
        return cannot_run(fmt::format("debugfs is not mounted at {}", paths.debugfs.string()),
                          fmt::format("mount -t debugfs nodev {}", paths.debugfs.string()), ENOENT);
    }
    return cannot_run(
        "the module fdirect is not loaded",
        "insmod fdirect.ko (make module builds it, make vm boots a guest that has it)", ENOENT);
}

Result<std::string> DebugfsFiles::read(std::string_view name) {
    return read_file(directory_ / name);
}

Result<> DebugfsFiles::write(std::string_view name, std::string_view text) {
    return write_once(directory_ / name, text);
}

} // namespace fdirect
