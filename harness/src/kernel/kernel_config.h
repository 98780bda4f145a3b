// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kernel/kernel_paths.h"

namespace fdirect {

/// Whether something is so, where that can be told.
enum class Answer { no, yes, unknown };

/// "no", "yes" or "unknown".
std::string_view name_of(Answer answer);

/// The configuration that the running kernel was built with.
class KernelConfig {
  public:
    KernelConfig() = default;

    /// Reads the text of a .config file.
    static KernelConfig parse(std::string_view text);

    /// The configuration of the running kernel, from /proc/config.gz or the file that
    /// distributions keep in /boot. Without either all answers are unknown. `release` is the
    /// kernel's.
    static KernelConfig load(const KernelPaths& paths, std::string_view release);

    /// Whether an option, such as "CONFIG_KPROBES", is y or m.
    [[nodiscard]] Answer has(const std::string& option) const;

    [[nodiscard]] bool known() const { return !options_.empty(); }

  private:
    std::map<std::string, std::string> options_;
};

} // namespace fdirect
