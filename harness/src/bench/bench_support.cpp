// SPDX-License-Identifier: GPL-2.0
#include "bench/bench_support.h"

#include <fmt/format.h>

#include "util/text.h"

namespace fdirect {

void BenchOptions::add_to(CLI::App& command) {
    auto* unit_option =
        command.add_option("--unit", unit, "What a nanosecond of this clock is: ns or insn")
            ->check(CLI::IsMember({"ns", "insn"}))
            ->capture_default_str();
    auto* base_option =
        command.add_option("--base", base, "Name of the kernel tree, for the result")
            ->capture_default_str();
    auto* accel_option = command.add_option("--accel", accel, "tcg, kvm or none, for the result")
                             ->check(CLI::IsMember({"tcg", "kvm", "none"}))
                             ->capture_default_str();
    // Only for the command that is given: the environment is checked for all that have it.
    command.preparse_callback([=](std::size_t) {
        unit_option->envname("FDIRECT_UNIT");
        base_option->envname("FDIRECT_BASE");
        accel_option->envname("FDIRECT_ACCEL");
    });
    command.add_option("--output", output, "File to write the result to, as JSON");
    format.add_to(command);
}

BenchHeader BenchOptions::header(const Environment& environment) const {
    return {base, environment.kernel, environment.arch,   accel,
            unit, environment.vcpus,  environment.details};
}

Result<> BenchOptions::check_output() const {
    return output.empty() ? Result<>() : check_writable(output);
}

Result<ModuleStatus> idle_status(FdirectModule& module) {
    auto status = module.status();
    if (status && status->attached != 0) {
        return failure(
            fmt::format("{} attached", status->attached == 1
                                           ? "1 function is"
                                           : with_thousands(status->attached) + " functions are"),
            "fdirect detach removes them");
    }
    return status;
}

} // namespace fdirect
