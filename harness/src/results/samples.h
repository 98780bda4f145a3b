// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fdirect {

/// Repeated measurements of one thing, in the order they were taken. The figures of no samples are
/// 0.
class Samples {
  public:
    Samples() = default;
    explicit Samples(std::vector<std::uint64_t> values) : values_(std::move(values)) {}

    void add(std::uint64_t value) { values_.push_back(value); }

    [[nodiscard]] const std::vector<std::uint64_t>& values() const { return values_; }
    [[nodiscard]] bool empty() const { return values_.empty(); }
    [[nodiscard]] std::uint64_t min() const;
    [[nodiscard]] std::uint64_t max() const;
    /// The middle one, or the mean of the two in the middle.
    [[nodiscard]] double median() const;
    /// The standard deviation of the samples (divided by one less than their number); 0 for fewer
    /// than two.
    [[nodiscard]] double stddev() const;

    /// The reason to doubt them. It is a first run more than 10 % slower than any other, of at
    /// least 3. Or it is an outlier of at least 5: more than 10 standard deviations from the
    /// median, by a robust estimate, and more than 5 % of it.
    [[nodiscard]] std::optional<std::string> doubt() const;

    bool operator==(const Samples&) const = default;

  private:
    std::vector<std::uint64_t> values_;
};

} // namespace fdirect
