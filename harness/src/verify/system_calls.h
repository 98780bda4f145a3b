// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string_view>
#include <vector>

#include "verify/workload.h"

namespace fdirect {

/// System calls as known calls: cheap ones without side effects. Hardly any program makes them
/// while it works, so that the number of calls is this process's own.
class SystemCalls : public Workload {
  public:
    /// `machine` is the kernel's name of the architecture ("x86_64", "aarch64"), which decides how
    /// the functions behind system calls are called.
    explicit SystemCalls(std::string_view machine);

    [[nodiscard]] const std::vector<KnownCall>& known_calls() const override { return known_; }
    void run_known_calls() override;
    void exercise() override;
    void settle() override;

  private:
    std::vector<KnownCall> known_;
};

} // namespace fdirect
