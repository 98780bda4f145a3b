// SPDX-License-Identifier: GPL-2.0
#include "kernel/memory_use.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fmt/format.h>
#include <thread>
#include <vector>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// Longer than kvfree_rcu() keeps its batches, five seconds, with a pause of one between readings.
constexpr std::ptrdiff_t calm_readings = 8;
constexpr int most_readings = 100;
constexpr std::uint64_t calm_bytes = 16384;

Result<std::uint64_t> bytes_of(std::string_view text, std::string_view key) {
    for (std::string_view line : split_lines(text)) {
        auto words = split_words(line);
        if (words.size() != 3 || words[0] != key || words[2] != "kB") {
            continue;
        }
        if (auto number = parse_number(words[1]); number && *number <= UINT64_MAX / 1024) {
            return *number * 1024;
        }
    }
    return failure(fmt::format("/proc/meminfo has no line '{} NUMBER kB'", key));
}

bool is_calm(const std::vector<MemoryUse>& readings, std::uint64_t MemoryUse::*part) {
    auto [least, most] = std::minmax_element(
        readings.end() - calm_readings, readings.end(),
        [&](const MemoryUse& a, const MemoryUse& b) { return a.*part < b.*part; });
    return *most.*part - *least.*part <= calm_bytes;
}

} // namespace

Result<MemoryUse> parse_memory_use(std::string_view text) {
    return MemoryUse{TRY(bytes_of(text, "Slab:")), TRY(bytes_of(text, "VmallocUsed:"))};
}

MemoryGauge::MemoryGauge(const KernelPaths& paths)
    : read_([procfs = paths.procfs]() -> Result<MemoryUse> {
        // Adds up what each CPU has counted for itself. Not all kernels have it, and they do the
        // same once a second.
        static_cast<void>(read_file(procfs / "sys/vm/stat_refresh"));
        return parse_memory_use(TRY(read_file(procfs / "meminfo")));
    })
    , pause_([] { std::this_thread::sleep_for(std::chrono::seconds(1)); }) {}

Result<MemoryUse> MemoryGauge::settled() {
    std::vector<MemoryUse> readings;
    for (int i = 0; i < most_readings; i++) {
        if (i != 0) {
            pause_();
        }
        readings.push_back(TRY(read_()));
        if (readings.size() >= calm_readings && is_calm(readings, &MemoryUse::slab) &&
            is_calm(readings, &MemoryUse::vmalloc)) {
            return readings.back();
        }
    }
    return failure("the kernel's use of memory does not settle",
                   "something else is running; measure on an idle machine");
}

} // namespace fdirect
