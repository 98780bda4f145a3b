// SPDX-License-Identifier: GPL-2.0
#include "bench/session.h"

#include <algorithm>
#include <fmt/format.h>

#include "results/report.h"
#include "util/file.h"
#include "util/output.h"
#include "util/work.h"

namespace fdirect {
namespace {

Result<ExitCode> measure(Benchmark& benchmark, const KernelPaths& paths,
                         const SessionOptions& options) {
    Record record = options.record(benchmark.name(), Environment::collect(paths));
    TRY(benchmark.run(paths, record));
    for (Row& row : record.rows) {
        row.unit = row.unit.empty() ? options.unit : row.unit;
    }
    TRY(write_record(record, options));
    auto wrong = std::find_if(record.rows.begin(), record.rows.end(),
                              [](const Row& row) { return !row.verified; });
    if (wrong != record.rows.end()) {
        return failure(fmt::format("not everything was verified, such as {}", wrong->key.dump()),
                       "the warnings above say what was wrong");
    }
    return ExitCode::ok;
}

} // namespace

void SessionOptions::add_to(CLI::App& command) {
    auto* unit_option = command.add_option("--unit", unit, "Unit of the clock: ns or insn")
                            ->check(CLI::IsMember({"ns", "insn"}))
                            ->capture_default_str();
    auto* base_option =
        command
            .add_option("--base", base,
                        "Name of the kernel tree; one without the patches: NAME-stock; "
                        "one that is not the project's: its path")
            ->capture_default_str();
    auto* accel_option = command.add_option("--accel", accel, "tcg, kvm or none, for the record")
                             ->check(CLI::IsMember({"tcg", "kvm", "none"}))
                             ->capture_default_str();
    // Only for the command that is given: the environment is checked for all that have it.
    command.preparse_callback([=](std::size_t) {
        unit_option->envname("FDIRECT_UNIT");
        base_option->envname("FDIRECT_BASE");
        accel_option->envname("FDIRECT_ACCEL");
    });
    command.add_option("--output", output, "File to write the record to, as JSON");
    format.add_to(command);
}

Record SessionOptions::record(const std::string& benchmark, const Environment& environment) const {
    Record record;
    record.benchmark = benchmark;
    record.env.base = base;
    record.env.kernel = environment.kernel;
    record.env.patched = !base.ends_with("-stock") && !record.env.is_own();
    record.env.arch = environment.arch;
    record.env.accel = accel;
    record.env.vcpus = environment.vcpus;
    record.env.others = environment.details;
    return record;
}

Result<> write_record(const Record& record, const SessionOptions& options) {
    auto text = report({record}, options.format.format());
    Result<> shown = text ? write_out(*text) : text.error();
    Result<> kept;
    if (!options.output.empty()) {
        kept = replace_file(options.output, json_text(to_json(record)));
    }
    return shown ? kept : shown;
}

int run_session(Benchmark& benchmark, const KernelPaths& paths, const SessionOptions& options) {
    int code = run_command([&]() -> Result<> {
        TRY(benchmark.check(paths));
        return options.output.empty() ? Result<>() : check_writable(options.output);
    });
    if (code != 0) {
        return code;
    }
    return supervise([&] { return run_work([&] { return measure(benchmark, paths, options); }); },
                     [&](const Ending& ending) {
                         return ExitCode{
                             run_command([&] { return benchmark.restore(paths, ending); })};
                     });
}

} // namespace fdirect
