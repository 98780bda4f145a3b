// SPDX-License-Identifier: GPL-2.0
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_support.h"
#include "cli/commands.h"
#include "kernel/environment.h"
#include "results/record.h"
#include "util/output.h"
#include "util/text.h"
#include "verify/system_calls.h"
#include "verify/verification.h"

namespace fdirect {
namespace {

std::string_view word_for(Check::Outcome outcome) {
    switch (outcome) {
    case Check::Outcome::passed:
        return "ok";
    case Check::Outcome::failed:
        return "FAILED";
    case Check::Outcome::skipped:
        break;
    }
    return "skipped";
}

std::string as_text(const Verification& verification) {
    std::string text;
    for (const Check& check : verification.checks) {
        text += fmt::format("{:<9}{}: {}\n", word_for(check.outcome), check.name, check.detail);
    }
    return text + fmt::format("{} called\n", counted(verification.called, "target"));
}

std::string as_json(const Verification& verification) {
    nlohmann::ordered_json json = {{"verified", verification.passed()},
                                   {"called", verification.called},
                                   {"known_calls", verification.known},
                                   {"checks", nlohmann::ordered_json::array()}};
    for (const Check& check : verification.checks) {
        json["checks"].push_back(
            {{"name", check.name}, {"outcome", word_for(check.outcome)}, {"detail", check.detail}});
    }
    return json_text(json);
}

Result<ExitCode> verify(bool json) {
    auto paths = KernelPaths::from_environment();
    auto module = TRY(FdirectModule::open(paths));
    auto machine = Environment::collect(paths).machine;
    SystemCalls calls(machine);
    auto verification = TRY(Verifier(module, calls, paths.tracefs, machine).verify(std::nullopt));
    TRY(write_out(json ? as_json(verification) : as_text(verification)));
    if (!verification.passed()) {
        return failure("hits or call sites are not as they should be",
                       "another tracer on the same functions takes their call sites over");
    }
    return ExitCode::ok;
}

} // namespace

void add_verify_command(CLI::App& program, int& code) {
    auto* command = program.add_subcommand(
        "verify", "Run kernel code and check that every hit lands on its own stub");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Write JSON");
    command->callback(
        [&code, json] { code = static_cast<int>(run_work([&] { return verify(*json); })); });
}

} // namespace fdirect
