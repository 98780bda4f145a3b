// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "kernel/kernel_paths.h"
#include "util/result.h"

namespace fdirect {

/// Memory that the kernel has allocated for itself, in bytes.
struct MemoryUse {
    std::uint64_t slab = 0;
    std::uint64_t vmalloc = 0;

    bool operator==(const MemoryUse&) const = default;
};

/// Takes it out of the text of /proc/meminfo. Errors: failed where a line is missing.
Result<MemoryUse> parse_memory_use(std::string_view text);

/// Reads the memory that the kernel uses once that has settled. Memory that was freed behind
/// RCU, or waits in a batch, is given back some seconds later only.
class MemoryGauge {
  public:
    using Read = std::function<Result<MemoryUse>()>;
    using Pause = std::function<void()>;

    /// Readings by `read`, with `pause` between them.
    MemoryGauge(Read read, Pause pause) : read_(std::move(read)), pause_(std::move(pause)) {}

    /// The kernel's own figures, a second apart.
    explicit MemoryGauge(const KernelPaths& paths);

    /// The last of the first eight readings in a row that differ by no more than 16 KiB. Errors:
    /// failed if there are none such among a hundred; those of reading.
    Result<MemoryUse> settled();

  private:
    Read read_;
    Pause pause_;
};

} // namespace fdirect
