// SPDX-License-Identifier: GPL-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_support.h"
#include "cli/commands.h"
#include "cli/kernel_info.h"
#include "results/record.h"
#include "util/output.h"

namespace fdirect {

void add_info_command(CLI::App& program, int& code) {
    auto* command = program.add_subcommand("info", "Show what this kernel can do");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Write JSON");
    command->callback([&code, json] {
        code = run_command([&] {
            auto info = KernelInfo::collect(KernelPaths::from_environment());
            return write_out(*json ? json_text(to_json(info)) : to_text(info));
        });
    });
}

} // namespace fdirect
