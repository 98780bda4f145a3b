// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>

namespace fdirect {

/// The time of a piece of work, in ns.
struct WorkTime {
    std::uint64_t running = 0; ///< that this thread was running, in the kernel or not
    std::uint64_t elapsed = 0; ///< on the clock

    bool operator==(const WorkTime&) const = default;
};

/// Measures what this thread does from its construction on.
class Stopwatch {
  public:
    Stopwatch();

    [[nodiscard]] WorkTime time() const;

  private:
    WorkTime start_;
};

} // namespace fdirect
