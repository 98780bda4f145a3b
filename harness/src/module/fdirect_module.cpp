// SPDX-License-Identifier: GPL-2.0
#include "module/fdirect_module.h"

#include <cerrno>
#include <fmt/format.h>
#include <iterator>

#include "util/text.h"

namespace fdirect {
namespace {

std::string_view hint_for(int number) {
    switch (number) {
    case EBUSY:
        return "fdirect status shows what is attached, fdirect detach removes it; another tracer "
               "or "
               "BPF program may hold a function too";
    case ENODATA:
        return "choose functions first: fdirect attach GLOB... or fdirect attach --from FILE";
    case ENOENT:
    case ENODEV:
        return "fdirect list shows the functions that can be attached";
    case ENOTUNIQ:
        return "give the address instead of the name; fdirect list GLOB shows the addresses";
    case EEXIST:
        return "name each function once";
    case E2BIG:
        return "the module has 65,536 stubs, so it takes that many functions";
    case ENOLINK:
        return "use the --method, --ops, --first and --count of the attach, or detach everything "
               "with "
               "fdirect detach";
    case ERANGE:
        return "fdirect status shows how many functions are selected; counting starts at 0";
    case EACCES:
    case EPERM:
        return "only root may do this; run fdirect as root";
    default:
        return "";
    }
}

std::string range_text(std::string_view verb, const std::optional<Range>& range) {
    return range ? fmt::format("{} {} {}", verb, range->first, range->count) : std::string(verb);
}

} // namespace

Result<FdirectModule> FdirectModule::open(const KernelPaths& paths) {
    TRY(DebugfsFiles::check(paths));
    return FdirectModule(std::make_unique<DebugfsFiles>(paths.module()));
}

Error FdirectModule::explain(std::string_view what, const Error& refusal) {
    std::string reason;
    // It may be that of an earlier command after a signal.
    if (auto text = files_->read("last_error"); text && refusal.system != EINTR) {
        reason = trim(*text);
    }
    if (reason.empty()) {
        reason = system_message(refusal.system);
    }
    Error error = failure(fmt::format("cannot {}: {}", what, reason),
                          std::string(hint_for(refusal.system)), refusal.system);
    if (refusal.system == EACCES || refusal.system == EPERM || refusal.system == EOPNOTSUPP) {
        error.code = ExitCode::cannot_run;
    } else if (refusal.system == EINTR) {
        error.code = ExitCode::interrupted;
    }
    return error;
}

Result<> FdirectModule::command(std::string_view file, std::string_view text,
                                std::string_view what) {
    Result<> done = files_->write(file, text);
    if (!done) {
        return explain(what, done.error());
    }
    return {};
}

Result<std::vector<Method>> FdirectModule::methods() {
    return methods_in(TRY(files_->read("available_methods")));
}

Result<Method> FdirectModule::method() {
    auto text = TRY(files_->read("method"));
    auto method = method_named(trim(text));
    if (!method) {
        return failure(fmt::format("the module uses a method '{}' that is not known", trim(text)));
    }
    return *method;
}

Result<> FdirectModule::set_method(Method method) {
    std::string name(name_of(method));
    Result<> done = files_->write("method", name + "\n");
    if (done) {
        return done;
    }
    if (done.error().system != EOPNOTSUPP) {
        return explain("use the method " + name, done.error());
    }
    auto available = methods();
    return available ? missing_method(method, *available) : available.error();
}

Result<Reach> FdirectModule::reach() {
    auto text = TRY(files_->read("reach"));
    auto reach = reach_named(trim(text));
    if (!reach) {
        return failure(fmt::format("the module's reach is '{}'", trim(text)));
    }
    return *reach;
}

Result<> FdirectModule::set_reach(Reach reach) {
    std::string name(name_of(reach));
    return command("reach", name + "\n", fmt::format("use {} stubs", name));
}

Result<std::uint64_t> FdirectModule::ops() {
    auto text = TRY(files_->read("ops"));
    auto slot = parse_number(trim(text));
    if (!slot) {
        return failure(fmt::format("the module's ops is '{}'", trim(text)));
    }
    return *slot;
}

Result<> FdirectModule::set_ops(std::uint64_t slot) {
    return command("ops", fmt::format("{}\n", slot), fmt::format("use ops {}", slot));
}

Result<> FdirectModule::select(std::string_view text) {
    if (text.empty() || text.back() == '\n') {
        return command("functions", text, "select the functions");
    }
    return command("functions", std::string(text) + "\n", "select the functions");
}

Result<std::string> FdirectModule::selection() {
    auto text = TRY(files_->read("functions"));
    std::string addresses;
    for (std::string_view line : split_lines(text)) {
        auto words = split_words(line);
        if (words.size() < 3 || !parse_address(words[1])) {
            return failure(fmt::format("the module's functions: cannot read '{}'", line));
        }
        addresses.append(words[1]).append("\n");
    }
    return addresses;
}

Result<> FdirectModule::attach(std::optional<Range> range, std::optional<std::uint32_t> stub) {
    std::string text = range_text("attach", range);
    if (range && stub) {
        fmt::format_to(std::back_inserter(text), " {}", *stub);
    }
    return command("control", text + "\n", "attach");
}

Result<> FdirectModule::detach(std::optional<Range> range) {
    return command("control", range_text("detach", range) + "\n", "detach");
}

Result<> FdirectModule::modify(Range range, std::uint32_t stub) {
    return command("control", fmt::format("{} {}\n", range_text("modify", range), stub), "modify");
}

Result<ModuleStatus> FdirectModule::status() {
    return parse_status(TRY(files_->read("status")));
}

Result<std::vector<HitCount>> FdirectModule::hits() {
    return parse_hits(TRY(files_->read("hits")));
}

Result<StepTimes> FdirectModule::times() {
    return parse_times(TRY(files_->read("times")));
}

Result<> FdirectModule::reset_hits() {
    return command("hits", "0\n", "reset the counters");
}

Result<CallCost> FdirectModule::measure_call(const CallSpec& spec, std::uint64_t calls) {
    TRY(command("call", call_command(spec, calls) + "\n",
                fmt::format("measure {}", describe(spec))));
    auto text = TRY(files_->read("call"));
    auto cost = TRY(parse_call_cost(text));
    if (cost.spec != spec || cost.calls != calls) {
        return failure(fmt::format("the module has no figures of {}", describe(spec)),
                       "something else uses the module at the same time");
    }
    return cost;
}

Result<KprobeCost> FdirectModule::measure_kprobe(std::uint32_t function) {
    TRY(command("kprobe", fmt::format("{}\n", function), "measure a kprobe on a function"));
    auto text = TRY(files_->read("kprobe"));
    auto cost = TRY(parse_kprobe_cost(text));
    if (cost.function != function) {
        return failure(
            fmt::format("the module has no figures of a kprobe on function {}", function),
            "something else uses the module at the same time");
    }
    return cost;
}

} // namespace fdirect
