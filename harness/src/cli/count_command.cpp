// SPDX-License-Identifier: GPL-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "bpf/attachable.h"
#include "bpf/function_counter.h"
#include "bpf/tracing_multi.h"
#include "cli/call_counts.h"
#include "cli/commands.h"
#include "kernel/function_filter.h"
#include "kernel/function_list.h"
#include "results/format_options.h"
#include "util/blocked_signals.h"
#include "util/command_process.h"
#include "util/output.h"
#include "util/progress.h"
#include "util/text.h"

namespace fdirect {
namespace {

using Clock = std::chrono::steady_clock;

struct CountOptions {
    std::vector<std::string> patterns;
    std::vector<std::string> excluded;
    std::optional<double> seconds;
    std::size_t top = 20;
    bool returns = false;
    bool verbose = false;
    FormatOptions format;
    std::vector<std::string> command;
};

/// The functions that the filters choose, sorted out.
Result<BpfTargets> choose(const CountOptions& options, const FunctionFilter& filter,
                          const FunctionFilter& excluded) {
    auto paths = KernelPaths::from_environment();
    auto functions = TRY(FunctionList::load(paths)).functions;
    TRY(filter.choose(functions));
    auto chosen = TRY(load_bpf_targets(
        paths, functions,
        [&](const Function& function) {
            return filter.matches(function) &&
                   (options.excluded.empty() || !excluded.matches(function));
        },
        options.returns, Modules::taken));
    std::erase_if(chosen.targets, [&](const BpfTarget& target) {
        std::string obstacle(counting_obstacle(target.name));
        if (!obstacle.empty()) {
            chosen.left_out.push_back({display_name(target), obstacle});
        }
        return !obstacle.empty();
    });
    return chosen;
}

/// Attaches the counter to a part, functions of the kernel or of one module, by one link.
/// Functions that the kernel refuses are left out. Their numbers begin with `first`. Nothing is
/// attached where none is left.
Result<FileDescriptor> attach_part(FunctionCounter& counter, std::vector<BpfTarget>& part,
                                   std::size_t first, std::vector<LeftOut>& left_out,
                                   const BlockedSignals& signals, Ended& ended) {
    AttachAll try_all = [&](const std::vector<BpfTarget>& functions) -> Result<FileDescriptor> {
        ended.signal = signals.take_pending();
        if (ended.signal != 0) {
            return failure("interrupted", {}, EINTR);
        }
        return counter.attach(functions, first);
    };
    auto link = try_all(part);
    if (link || !is_refusal(link.error().system)) {
        return link;
    }
    auto found = TRY(find_attachable(part, try_all, most_attach_tries));
    for (const Refusal& refusal : found.refused) {
        left_out.push_back({display_name(refusal.target),
                            "refused by the kernel (" + system_message(refusal.error) + ")"});
    }
    for (const BpfTarget& target : found.undecided) {
        left_out.push_back({display_name(target), "not tried after too many were refused"});
    }
    part = std::move(found.targets);
    return part.empty() ? Result<FileDescriptor>(FileDescriptor()) : try_all(part);
}

/// Attaches the counter to all targets but those that the kernel refuses.
Result<std::vector<FileDescriptor>> attach(FunctionCounter& counter, BpfTargets& chosen,
                                           const BlockedSignals& signals, Ended& ended) {
    std::vector<FileDescriptor> links;
    std::vector<BpfTarget> attached;
    auto begin = chosen.targets.begin();
    while (begin != chosen.targets.end()) {
        auto end = std::find_if(begin, chosen.targets.end(), [&](const BpfTarget& target) {
            return target.module != begin->module;
        });
        std::vector<BpfTarget> part(begin, end);
        links.push_back(
            TRY(attach_part(counter, part, attached.size(), chosen.left_out, signals, ended)));
        attached.insert(attached.end(), part.begin(), part.end());
        begin = end;
    }
    chosen.targets = std::move(attached);
    return links;
}

/// When counting ends, where that is known.
std::optional<Clock::time_point> deadline_of(const CountOptions& options) {
    using Seconds = std::chrono::duration<double>;
    if (!options.seconds) {
        return std::nullopt;
    }
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(*options.seconds));
}

/// Only an interruption ends counting without a command and a time: then it is no failure.
int code_of(const Ended& ended, const CountOptions& options) {
    bool asked = ended.signal == SIGINT && !options.seconds && options.command.empty();
    return ended.signal == 0 || asked ? ended.code : after_signal + ended.signal;
}

Error nothing_left(const BpfTargets& chosen, bool verbose) {
    std::string message = "there is nothing to count";
    if (!chosen.left_out.empty()) {
        message += ": " + sum_of(chosen.left_out);
    }
    if (verbose) {
        for (const LeftOut& function : chosen.left_out) {
            fmt::print(stderr, "left out: {}: {}\n", function.function, function.reason);
        }
    }
    return failure(message, chosen.left_out.empty() ? "--exclude takes all of them"
                            : verbose               ? ""
                                                    : "--verbose names them");
}

Result<int> count(const CountOptions& options) {
    auto filter = TRY(FunctionFilter::parse(options.patterns));
    auto excluded = TRY(FunctionFilter::parse(options.excluded));
    BpfKind kind = options.returns ? BpfKind::fexit_multi : BpfKind::fentry_multi;
    TRY(check_tracing_multi(kind));
    Progress progress;
    progress.show("reading the functions of this kernel");
    auto chosen = TRY(choose(options, filter, excluded));
    if (chosen.targets.empty()) {
        return nothing_left(chosen, options.verbose);
    }

    BlockedSignals signals;
    std::optional<CommandProcess> command;
    if (!options.command.empty()) {
        command.emplace(TRY(CommandProcess::prepare(options.command, signals)));
    }
    auto counter = TRY(FunctionCounter::load(kind, chosen.targets.size()));
    progress.show(fmt::format("attaching {}", counted(chosen.targets.size(), "function")));
    Ended ended;
    auto links = attach(counter, chosen, signals, ended);
    if (ended.signal != 0) {
        return after_signal + ended.signal;
    }
    if (!links) {
        return links.error();
    }
    if (chosen.targets.empty()) {
        return nothing_left(chosen, options.verbose);
    }

    progress.clear();
    if (!command) {
        progress.show(fmt::format("counting calls of {}; Ctrl-C ends it",
                                  counted(chosen.targets.size(), "function")));
    }
    auto missed_before = TRY(counter.missed());
    auto before = counter.calls();
    auto start = Clock::now();
    Result<> running = command ? command->release() : Result<>();
    ended = running ? wait_for_end(command ? &*command : nullptr, signals, deadline_of(options))
                    : Ended();
    std::chrono::duration<double> time = Clock::now() - start;
    auto after = counter.calls();
    auto missed_after = TRY(counter.missed());
    links->clear();
    progress.clear();
    if (!running) {
        print(running.error());
        return command_not_run;
    }

    CallCounts counts{options.returns,
                      time.count(),
                      chosen.targets.size(),
                      ranked(chosen.targets, before, after),
                      missed_after - missed_before,
                      std::move(chosen.left_out)};
    TRY(write_out(report(counts, options.format.format(), options.top, options.verbose)));
    return code_of(ended, options);
}

int run(const CountOptions& options) {
    if (options.seconds && !options.command.empty()) {
        print(misuse("--for is not for a command, which ends the counting when it ends",
                     "leave --for or the command out"));
        return static_cast<int>(ExitCode::usage);
    }
    if (options.seconds && std::isnan(*options.seconds)) {
        print(misuse("--for: nan is no number of seconds", "give one like 0.5"));
        return static_cast<int>(ExitCode::usage);
    }
    auto code = count(options);
    if (!code) {
        print(code.error());
        return static_cast<int>(code.error().code);
    }
    return *code;
}

} // namespace

void add_count_command(CLI::App& program, int& code, const std::vector<std::string>& behind) {
    auto* command = program.add_subcommand(
        "count", "Count the calls of functions with one BPF program for all of them");
    auto options = std::make_shared<CountOptions>();
    command->add_option("glob", options->patterns,
                        "Shell patterns, NAME or MODULE:NAME (default: all functions)");
    command->add_option("--exclude", options->excluded, "Shell pattern of functions to leave out")
        ->allow_extra_args(false);
    command->add_option("--for", options->seconds, "Seconds to count (default: until Ctrl-C)")
        ->check(CLI::Range(0.001, 1e6));
    command->add_option("--top", options->top, "Show so many functions, those called most; 0: all")
        ->capture_default_str();
    command->add_flag("--return", options->returns, "Count returns; leaves out what never returns");
    command->add_flag("--verbose", options->verbose,
                      "Name each function that is left out, and why");
    options->format.add_to(*command, false);
    command->footer("-- COMMAND ARGUMENT...   counts while it runs, on all CPUs and for all "
                    "processes; its exit code is the program's");
    command->callback([&code, behind, options] {
        options->command = behind;
        code = run(*options);
    });
}

} // namespace fdirect
