// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <memory>

#include "cli/command_support.h"
#include "cli/commands.h"
#include "kernel/function_choice.h"
#include "kernel/function_filter.h"
#include "kernel/function_list.h"
#include "util/file.h"
#include "util/output.h"
#include "util/supervisor.h"
#include "util/text.h"

namespace fdirect {
namespace {

struct AttachOptions {
    std::string method;
    std::string reach;
    std::optional<std::uint64_t> ops;
    RangeOptions range;
    std::optional<std::uint32_t> stub;
    std::string from;
    std::vector<std::string> patterns;
};

/// The text of the functions that the options choose; nothing where they choose none.
Result<std::optional<std::string>> functions_of(const AttachOptions& options) {
    if (!options.from.empty()) {
        auto text = TRY(options.from == "-" ? read_stdin() : read_file(options.from));
        return std::optional<std::string>(text);
    }
    if (options.patterns.empty()) {
        return std::optional<std::string>();
    }
    auto filter = TRY(FunctionFilter::parse(options.patterns));
    auto all = TRY(FunctionList::load(KernelPaths::from_environment()));
    auto chosen = TRY(filter.choose(all.functions));
    return std::optional<std::string>(addresses_of(chosen));
}

Result<ExitCode> attach(FdirectModule& module, const AttachOptions& options) {
    auto functions = TRY(functions_of(options));
    if (!options.method.empty()) {
        auto method = TRY(parse_method(options.method));
        TRY(module.set_method(method));
    }
    if (auto reach = reach_named(options.reach)) {
        TRY(module.set_reach(*reach));
    }
    if (options.ops) {
        TRY(module.set_ops(*options.ops));
    }
    if (functions) {
        TRY(module.select(*functions));
    }
    TRY(module.attach(options.range.range(), options.stub));

    auto status = module.status();
    auto times = module.times();
    if (!status || !times) {
        return status ? times.error() : status.error();
    }
    std::string text = fmt::format(
        "attached {}", counted(times->attach ? times->attach->functions : 0, "function"));
    if (times->attach) {
        text += fmt::format(" with {} in {} ms", times->attach->method,
                            readable(static_cast<double>(times->attach->elapsed) / 1e6));
    }
    text += fmt::format(", {} in all\n", with_thousands(status->attached));
    TRY(write_out(text));
    return ExitCode::ok;
}

/// Takes back what was attached since there were `before` functions.
ExitCode take_back(FdirectModule& module, const AttachOptions& options, std::uint64_t before) {
    return run_work([&]() -> Result<ExitCode> {
        auto status = TRY(module.status());
        if (status.attached > before) {
            auto range = before == 0 ? std::nullopt : options.range.range();
            TRY(module.detach(range));
            fmt::print(stderr, "detached {} again\n",
                       counted(status.attached - before, "function"));
        }
        return ExitCode::ok;
    });
}

int run(const AttachOptions& options) {
    auto module = FdirectModule::open(KernelPaths::from_environment());
    auto status = module ? module->status() : module.error();
    if (!status) {
        print(status.error());
        return static_cast<int>(status.error().code);
    }
    return supervise([&] { return run_work([&] { return attach(*module, options); }); },
                     [&](const Ending& ending) {
                         return ending.complete ? ExitCode::ok
                                                : take_back(*module, options, status->attached);
                     });
}

} // namespace

void add_attach_command(CLI::App& program, int& code) {
    auto* command = program.add_subcommand("attach", "Attach functions, and leave them attached");
    auto options = std::make_shared<AttachOptions>();
    command->add_option("--method", options->method,
                        "each, multi or hash (default: what the module uses)");
    command
        ->add_option("--reach", options->reach,
                     "Stubs that a call reaches or not, near or far (default: what it uses)")
        ->check(CLI::IsMember({"near", "far"}));
    command->add_option("--ops", options->ops,
                        "The shared ftrace_ops of the module, 0 to 3 (default: the current one)");
    options->range.add_to(*command);
    command
        ->add_option("--stub", options->stub,
                     "Stub of the first function, the others count on (default: --first)")
        ->needs("--count");
    auto* from = command->add_option(
        "--from", options->from,
        "File with a name, MODULE:NAME or 0x address per line, or - for stdin: the selection");
    auto* patterns = command->add_option(
        "glob", options->patterns,
        "Shell patterns that choose the selection, NAME or MODULE:NAME (default: as it is)");
    from->excludes(patterns);
    command->callback([&code, options] { code = run(*options); });
}

} // namespace fdirect
