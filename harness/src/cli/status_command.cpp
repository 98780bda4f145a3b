// SPDX-License-Identifier: GPL-2.0
#include <array>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command_support.h"
#include "cli/commands.h"
#include "results/record.h"
#include "results/table.h"
#include "util/output.h"
#include "util/text.h"

namespace fdirect {
namespace {

using Kinds = std::array<std::pair<const char*, const std::optional<StepTime>*>, 4>;

Kinds kinds_of(const StepTimes& times) {
    return {{{"prepare", &times.prepare},
             {"attach", &times.attach},
             {"modify", &times.modify},
             {"detach", &times.detach}}};
}

std::string milliseconds(std::uint64_t ns) {
    return readable(static_cast<double>(ns) / 1e6);
}

std::string as_text(const ModuleStatus& status, const StepTimes& times) {
    std::string text;
    auto line = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<22}{}\n", name, value);
    };
    line("functions selected:", with_thousands(status.functions));
    line("functions attached:", with_thousands(status.attached));
    line("call sites patched:", with_thousands(status.patched));
    line("method:", status.method);
    line("reach:", status.reach);
    line("ops:", std::to_string(status.ops));
    line("stubs:", with_thousands(status.stubs));
    line("hits:", with_thousands(status.hits_total));
    line("stray hits:", with_thousands(status.stray_hits));
    line("misdirected sites:", with_thousands(status.misdirected));

    Table table({{"last", false},
                 {"method", false},
                 {"functions", true},
                 {"elapsed (ms)", true},
                 {"running (ms)", true},
                 {"waiting (ms)", true}});
    bool any = false;
    for (const auto& [name, time] : kinds_of(times)) {
        if (*time) {
            any = true;
            table.add({name, (*time)->method, with_thousands((*time)->functions),
                       milliseconds((*time)->elapsed), milliseconds((*time)->running),
                       milliseconds((*time)->waiting())});
        }
    }
    return any ? text + "\n" + table.text() : text;
}

std::string as_json(const ModuleStatus& status, const StepTimes& times) {
    nlohmann::ordered_json json = {{"functions", status.functions},
                                   {"attached", status.attached},
                                   {"patched", status.patched},
                                   {"method", status.method},
                                   {"reach", status.reach},
                                   {"ops", status.ops},
                                   {"stubs", status.stubs},
                                   {"hits_total", status.hits_total},
                                   {"stray_hits", status.stray_hits},
                                   {"misdirected", status.misdirected},
                                   {"times", nlohmann::ordered_json::object()}};
    for (const auto& [name, time] : kinds_of(times)) {
        if (*time) {
            json["times"][name] = {{"method", (*time)->method},
                                   {"functions", (*time)->functions},
                                   {"elapsed_ns", (*time)->elapsed},
                                   {"running_ns", (*time)->running}};
        }
    }
    return json_text(json);
}

Result<> show_status(bool json) {
    auto module = TRY(FdirectModule::open(KernelPaths::from_environment()));
    auto status = TRY(module.status());
    auto times = TRY(module.times());
    return write_out(json ? as_json(status, times) : as_text(status, times));
}

} // namespace

void add_status_command(CLI::App& program, int& code) {
    auto* command = program.add_subcommand("status", "Show what the module holds");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Write JSON");
    command->callback([&code, json] { code = run_command([&] { return show_status(*json); }); });
}

} // namespace fdirect
