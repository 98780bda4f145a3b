// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_support.h"
#include "cli/commands.h"
#include "kernel/function_filter.h"
#include "kernel/function_list.h"
#include "results/record.h"
#include "util/output.h"
#include "util/text.h"

namespace fdirect {
namespace {

struct ListOptions {
    bool json = false;
    std::vector<std::string> patterns;
};

std::string as_text(const std::vector<Function>& functions) {
    std::string text;
    for (const Function& function : functions) {
        fmt::format_to(std::back_inserter(text), "0x{:x} {}\n", function.address,
                       display_name(function));
    }
    return text;
}

std::string as_json(const std::vector<Function>& functions) {
    auto list = nlohmann::ordered_json::array();
    for (const Function& function : functions) {
        list.push_back({{"address", fmt::format("0x{:x}", function.address)},
                        {"name", function.name},
                        {"module", function.module}});
    }
    return json_text(list);
}

Result<> list(const ListOptions& options) {
    auto filter = TRY(FunctionFilter::parse(options.patterns));
    auto all = TRY(FunctionList::load(KernelPaths::from_environment()));
    if (all.left_out != 0) {
        fmt::print(stderr, "warning: {} left out, as this kernel does not tell their addresses\n",
                   counted(all.left_out, "ambiguous name"));
    }
    auto chosen = TRY(filter.choose(all.functions));
    return write_out(options.json ? as_json(chosen) : as_text(chosen));
}

} // namespace

void add_list_command(CLI::App& program, int& code) {
    auto* command = program.add_subcommand("list", "List the functions that can be attached");
    auto options = std::make_shared<ListOptions>();
    command->add_flag("--json", options->json, "Write JSON");
    command->add_option("glob", options->patterns,
                        "Shell patterns, NAME or MODULE:NAME; 'vmlinux' is the kernel itself");
    command->callback([&code, options] { code = run_command([&] { return list(*options); }); });
}

} // namespace fdirect
