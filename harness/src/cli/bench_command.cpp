// SPDX-License-Identifier: GPL-2.0
#include <memory>

#include "bench/benchmark.h"
#include "bench/session.h"
#include "cli/commands.h"

namespace fdirect {

void add_bench_command(CLI::App& program, int& code) {
    auto* bench = program.add_subcommand("bench", "Measure");
    bench->require_subcommand(1);
    for (auto& entry : benchmarks()) {
        std::shared_ptr<Benchmark> benchmark = std::move(entry);
        auto options = std::make_shared<SessionOptions>();
        auto* command = bench->add_subcommand(benchmark->name(), benchmark->help());
        benchmark->add_options(*command);
        options->add_to(*command);
        command->callback([&code, benchmark, options] {
            code = run_session(*benchmark, KernelPaths::from_environment(), *options);
        });
    }
}

} // namespace fdirect
