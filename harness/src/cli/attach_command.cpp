// SPDX-License-Identifier: GPL-2.0
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "cli/attach_preview.h"
#include "cli/command_support.h"
#include "cli/commands.h"
#include "kernel/function_choice.h"
#include "kernel/function_filter.h"
#include "kernel/function_list.h"
#include "module/method.h"
#include "util/command_process.h"
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
    std::vector<std::string> excluded;
    bool dry_run = false;
    bool verbose = false;
    std::vector<std::string> command;
};

/// The text of the functions that the options choose; nothing where they choose none.
Result<std::optional<std::string>> functions_of(const AttachOptions& options) {
    if (!options.from.empty()) {
        auto text = TRY(options.from == "-" ? read_stdin() : read_file(options.from));
        return std::optional<std::string>(text);
    }
    if (options.patterns.empty() && options.excluded.empty()) {
        return std::optional<std::string>();
    }
    auto filter = TRY(FunctionFilter::parse(options.patterns));
    auto excluded = TRY(FunctionFilter::parse(options.excluded));
    auto all = TRY(FunctionList::load(KernelPaths::from_environment()));
    auto chosen = TRY(filter.choose(all.functions));
    if (!options.excluded.empty()) {
        std::erase_if(chosen, [&](const Function& function) { return excluded.matches(function); });
    }
    if (chosen.empty()) {
        return failure("there is nothing to attach", "--exclude takes all of them");
    }
    return std::optional<std::string>(addresses_of(chosen));
}

/// The method of the options, else that of the module. Errors: usage; cannot_run for one that this
/// kernel lacks.
Result<Method> method_of(FdirectModule& module, const AttachOptions& options) {
    if (options.method.empty()) {
        return module.method();
    }
    auto method = TRY(parse_method(options.method));
    auto methods = TRY(module.methods());
    if (std::find(methods.begin(), methods.end(), method) == methods.end()) {
        return cannot_run(fmt::format("this kernel has no method '{}'", options.method),
                          "fdirect info shows those that it has");
    }
    return method;
}

/// Tells what would be attached, and changes nothing.
Result<ExitCode> show_preview(FdirectModule& module, const AttachOptions& options) {
    auto paths = KernelPaths::from_environment();
    auto method = TRY(method_of(module, options));
    auto functions = TRY(functions_of(options));
    auto status = TRY(module.status());
    if (functions && status.attached != 0) {
        return failure(fmt::format("the module takes no other functions while it has {} attached",
                                   counted(status.attached, "function")),
                       "fdirect detach");
    }
    if (!functions) {
        functions = TRY(module.selection());
    }
    auto all = TRY(FunctionList::load(paths));
    auto enabled = TRY(load_enabled_functions(paths));
    auto preview =
        TRY(preview_attachment(*functions, options.range.range(), all.functions, enabled));
    TRY(write_out(preview_text(preview, name_of(method), options.verbose)));
    std::size_t all_of_them = preview.functions.size() + preview.refused.size();
    if (all_of_them > stub_count) {
        return failure(fmt::format("the module takes at most {} functions, not {}",
                                   with_thousands(stub_count), with_thousands(all_of_them)),
                       "--exclude leaves functions out");
    }
    if (preview.refused.empty() && !preview.functions.empty()) {
        return ExitCode::ok;
    }
    return failure(preview.refused.empty() ? "there is nothing to attach"
                                           : "one function that is refused has all of them refused",
                   preview.refused.empty() ? "choose functions with a shell pattern or with --from"
                                           : "--exclude leaves functions out");
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
    if (options.command.empty()) {
        TRY(write_out(text));
    } else {
        fmt::print(stderr, "{}", text);
    }
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

/// Attaches, and leaves it attached.
int attach_for_good(FdirectModule& module, const AttachOptions& options, std::uint64_t before) {
    return supervise([&] { return run_work([&] { return attach(module, options); }); },
                     [&](const Ending& ending) {
                         return ending.complete ? ExitCode::ok : take_back(module, options, before);
                     });
}

/// Runs the command to its end; its exit code.
int run_command_behind(CommandProcess& command) {
    BlockedSignals signals;
    auto released = command.release();
    if (!released) {
        print(released.error());
        return command_not_run;
    }
    Ended ended = wait_for_end(&command, signals, std::nullopt);
    return ended.signal == 0 ? ended.code : after_signal + ended.signal;
}

/// Attaches, runs the command, and detaches.
int attach_for_command(FdirectModule& module, const AttachOptions& options, std::uint64_t before) {
    auto command = [&] {
        BlockedSignals signals;
        return CommandProcess::prepare(options.command, signals);
    }();
    if (!command) {
        print(command.error());
        return static_cast<int>(command.error().code);
    }
    int code = 0;
    int attached = supervise([&] { return run_work([&] { return attach(module, options); }); },
                             [&](const Ending& ending) {
                                 if (ending.complete && ending.code == 0) {
                                     code = run_command_behind(*command);
                                 }
                                 return take_back(module, options, before);
                             });
    return attached != 0 ? attached : code;
}

int run(const AttachOptions& options) {
    auto module = FdirectModule::open(KernelPaths::from_environment());
    auto status = module ? module->status() : module.error();
    if (!status) {
        print(status.error());
        return static_cast<int>(status.error().code);
    }
    if (options.dry_run && !options.command.empty()) {
        print(misuse("--dry-run runs no command", "leave -- and the command out"));
        return static_cast<int>(ExitCode::usage);
    }
    if (options.dry_run) {
        return static_cast<int>(run_work([&] { return show_preview(*module, options); }));
    }
    return options.command.empty() ? attach_for_good(*module, options, status->attached)
                                   : attach_for_command(*module, options, status->attached);
}

} // namespace

void add_attach_command(CLI::App& program, int& code, const std::vector<std::string>& behind) {
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
    auto* excluded =
        command
            ->add_option("--exclude", options->excluded, "Shell pattern of functions to leave out")
            ->allow_extra_args(false);
    from->excludes(patterns);
    from->excludes(excluded);
    auto* dry_run = command->add_flag(
        "--dry-run", options->dry_run,
        "Tell what would be attached, and what would be refused and why; change nothing");
    command->add_flag("--verbose", options->verbose, "With --dry-run: name each function")
        ->needs(dry_run);
    command->footer("-- COMMAND ARGUMENT...   runs it once all is attached, and detaches when it "
                    "ends; its exit code is the program's");
    command->callback([&code, behind, options] {
        options->command = behind;
        code = run(*options);
    });
}

} // namespace fdirect
