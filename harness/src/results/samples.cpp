// SPDX-License-Identifier: GPL-2.0
#include "results/samples.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fdirect {
namespace {

double median_of(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> as_doubles(const std::vector<std::uint64_t>& values) {
    return {values.begin(), values.end()};
}

} // namespace

std::uint64_t Samples::min() const {
    return empty() ? 0 : *std::min_element(values_.begin(), values_.end());
}

std::uint64_t Samples::max() const {
    return empty() ? 0 : *std::max_element(values_.begin(), values_.end());
}

double Samples::median() const {
    return median_of(as_doubles(values_));
}

double Samples::stddev() const {
    if (values_.size() < 2) {
        return 0;
    }
    auto count = static_cast<double>(values_.size());
    double sum = 0;
    for (double value : as_doubles(values_)) {
        sum += value;
    }
    double mean = sum / count;
    double squares = 0;
    for (double value : as_doubles(values_)) {
        squares += (value - mean) * (value - mean);
    }
    return std::sqrt(squares / (count - 1));
}

std::optional<std::string> Samples::doubt() const {
    if (values_.size() < 3) {
        return std::nullopt;
    }
    auto first = static_cast<double>(values_.front());
    auto slowest_other = static_cast<double>(*std::max_element(values_.begin() + 1, values_.end()));
    if (first > 1.1 * slowest_other) {
        return fmt::format(
            "the first run was {:.0f} % slower than any other; more --warmup may help",
            100 * (first / slowest_other - 1));
    }
    if (values_.size() < 5) {
        return std::nullopt;
    }
    double middle = median();
    std::vector<double> distances;
    for (double value : as_doubles(values_)) {
        distances.push_back(std::fabs(value - middle));
    }
    // 1.4826 makes the median distance an estimate of the standard deviation.
    double limit = std::max(10 * 1.4826 * median_of(distances), 0.05 * middle);
    auto outliers = std::count_if(distances.begin(), distances.end(),
                                  [limit](double distance) { return distance > limit; });
    if (outliers == 0) {
        return std::nullopt;
    }
    return fmt::format("{} of {} runs lie apart from the others (min {}, max {}); something else "
                       "may have been running",
                       outliers, values_.size(), min(), max());
}

} // namespace fdirect
