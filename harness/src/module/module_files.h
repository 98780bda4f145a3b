// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "kernel/kernel_paths.h"
#include "util/result.h"

namespace fdirect {

/// The files of the module fdirect, by name: "functions", "control", "status" and so on.
class ModuleFiles {
  public:
    ModuleFiles() = default;
    ModuleFiles(const ModuleFiles&) = delete;
    ModuleFiles& operator=(const ModuleFiles&) = delete;
    ModuleFiles(ModuleFiles&&) = delete;
    ModuleFiles& operator=(ModuleFiles&&) = delete;
    virtual ~ModuleFiles() = default;

    /// The whole content of a file. Errors: failed, with the errno.
    virtual Result<std::string> read(std::string_view name) = 0;

    /// Hands `text` to a file in one write. Errors: failed, with the errno that the module refused
    /// it with.
    virtual Result<> write(std::string_view name, std::string_view text) = 0;
};

/// The module's files as they are in debugfs.
class DebugfsFiles : public ModuleFiles {
  public:
    explicit DebugfsFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

    /// Whether the files are there and may be used.
    /// Errors: cannot_run when this user may not see them, debugfs is not mounted, or the module is
    /// not loaded.
    static Result<> check(const KernelPaths& paths);

    Result<std::string> read(std::string_view name) override;
    Result<> write(std::string_view name, std::string_view text) override;

  private:
    std::filesystem::path directory_;
};

} // namespace fdirect
