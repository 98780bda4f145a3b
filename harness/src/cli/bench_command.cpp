// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

namespace fdirect {

void add_bench_command(CLI::App& program, int& code) {
    auto* bench = program.add_subcommand("bench", "Measure");
    bench->require_subcommand(1);
    add_bench_attach_command(*bench, code);
    add_bench_call_command(*bench, code);
    add_bench_scale_command(*bench, code);
    add_bench_bpf_command(*bench, code);
}

} // namespace fdirect
