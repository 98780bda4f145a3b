// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fdirect {

/// A kernel function that can be made to run an exact number of times.
struct KnownCall {
    std::string function;
    std::uint64_t count =
        0; ///< different for each that is called on its own, so that a mix-up shows
};

/// Real kernel code paths, to see where their hits land.
class Workload {
  public:
    Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;
    Workload(Workload&&) = delete;
    Workload& operator=(Workload&&) = delete;
    virtual ~Workload() = default;

    /// The functions that run_known_calls() runs, and how often.
    [[nodiscard]] virtual const std::vector<KnownCall>& known_calls() const = 0;

    /// Runs each known function exactly as often as known_calls() says.
    virtual void run_known_calls() = 0;

    /// Runs many other functions any number of times, and none of the known ones.
    virtual void exercise() = 0;

    /// Gives calls that are still on their way the time to arrive.
    virtual void settle() = 0;
};

/// The names of the known functions.
std::vector<std::string> functions_of(const Workload& workload);

} // namespace fdirect
