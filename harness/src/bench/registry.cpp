// SPDX-License-Identifier: GPL-2.0
#include "bench/benchmark.h"

namespace fdirect {

using Make = std::unique_ptr<Benchmark>();

// A benchmark is a file, which defines NAME_benchmark(), and its name here.
Make attach_benchmark, call_benchmark, scale_benchmark, bpf_benchmark;

std::vector<std::unique_ptr<Benchmark>> benchmarks() {
    std::vector<std::unique_ptr<Benchmark>> all;
    for (Make* make : {attach_benchmark, call_benchmark, scale_benchmark, bpf_benchmark}) {
        all.push_back(make());
    }
    return all;
}

} // namespace fdirect
