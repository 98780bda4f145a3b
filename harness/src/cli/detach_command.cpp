// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <memory>

#include "cli/command_support.h"
#include "cli/commands.h"
#include "util/output.h"
#include "util/text.h"

namespace fdirect {
namespace {

Result<> detach(const RangeOptions& options) {
    auto range = options.range();
    auto module = TRY(FdirectModule::open(KernelPaths::from_environment()));
    auto before = TRY(module.status());
    if (!range && before.attached == 0) {
        return write_out("nothing is attached\n");
    }
    TRY(module.detach(range));
    auto after = TRY(module.status());
    return write_out(fmt::format("detached {}, {} left\n",
                                 counted(before.attached - after.attached, "function"),
                                 with_thousands(after.attached)));
}

} // namespace

void add_detach_command(CLI::App& program, int& code) {
    auto* command =
        program.add_subcommand("detach", "Detach a part of the selection, or everything");
    auto options = std::make_shared<RangeOptions>();
    options->add_to(*command);
    command->callback([&code, options] { code = run_command([&] { return detach(*options); }); });
}

} // namespace fdirect
