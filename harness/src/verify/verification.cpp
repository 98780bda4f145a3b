// SPDX-License-Identifier: GPL-2.0
#include "verify/verification.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// How often to look again when somebody else made one of the known calls too.
constexpr int attempts = 3;

using Outcome = Check::Outcome;

Check compare(std::string name, std::uint64_t found, std::uint64_t expected) {
    if (found == expected) {
        return {std::move(name), Outcome::passed, with_thousands(found)};
    }
    return {std::move(name), Outcome::failed,
            fmt::format("{}, expected {}", with_thousands(found), with_thousands(expected))};
}

/// A stub, the functions it is the target of, and what is known about its calls.
struct Target {
    std::uint64_t functions = 0;
    std::uint64_t known_functions = 0;
    std::uint64_t known_calls = 0;
    std::uint64_t hits = 0;
    std::string name; ///< of the first function, known ones before others
};

using Targets = std::unordered_map<std::uint32_t, Target>;

Targets targets_of(const std::vector<HitCount>& hits, const std::vector<KnownCall>& known) {
    std::unordered_map<std::string_view, std::uint64_t> calls;
    for (const KnownCall& call : known) {
        calls.emplace(call.function, call.count);
    }
    Targets targets;
    for (const HitCount& hit : hits) {
        if (!hit.stub) {
            continue;
        }
        Target& target = targets[*hit.stub];
        target.functions++;
        target.hits = hit.hits;
        auto call = calls.find(hit.name);
        if (call != calls.end()) {
            target.known_functions++;
            target.known_calls += call->second;
        }
        if (target.functions == 1 || call != calls.end()) {
            target.name = hit.name;
        }
    }
    return targets;
}

bool exact(const Target& target) {
    return target.known_functions == target.functions;
}

bool as_known(const Target& target) {
    return exact(target) ? target.hits == target.known_calls : target.hits >= target.known_calls;
}

bool more_than_known(const Targets& targets) {
    return std::any_of(targets.begin(), targets.end(), [](const auto& entry) {
        return exact(entry.second) && entry.second.hits > entry.second.known_calls;
    });
}

std::string known_name(const Target& target) {
    if (target.functions == 1) {
        return target.name;
    }
    return fmt::format("{} on one stub", counted(target.functions, "function"));
}

/// One check for the known calls that came out right, and one for each that did not.
void check_known_calls(const Targets& targets, Verification& verification) {
    std::uint64_t right = 0;
    std::uint64_t calls = 0;
    std::vector<Check> wrong;
    for (const auto& [stub, target] : targets) {
        verification.called += target.hits > 0 ? 1 : 0;
        if (target.known_functions == 0) {
            continue;
        }
        verification.known += target.known_functions;
        if (as_known(target)) {
            right += target.known_functions;
            calls += target.known_calls;
        } else {
            wrong.push_back(
                {known_name(target), Outcome::failed,
                 fmt::format("{} made, {} on stub {}", counted(target.known_calls, "call"),
                             counted(target.hits, "hit"), stub)});
        }
    }
    std::sort(wrong.begin(), wrong.end(),
              [](const Check& a, const Check& b) { return a.name < b.name; });
    if (right != 0) {
        verification.checks.push_back(
            {"known calls on their own stubs", Outcome::passed,
             fmt::format("{} of {}", counted(calls, "call"), counted(right, "function"))});
    }
    verification.checks.insert(verification.checks.end(), wrong.begin(), wrong.end());
    if (verification.known == 0 && !targets.empty()) {
        verification.checks.push_back({"known calls on their own stubs", Outcome::skipped,
                                       "none of the system calls it makes is attached"});
    }
}

std::optional<std::uint32_t> expected_stub(const std::vector<AttachedPart>& parts,
                                           std::uint32_t index) {
    for (const AttachedPart& part : parts) {
        if (index >= part.range.first && index - part.range.first < part.range.count) {
            return stub_of(part.way.method, part.stub, index - part.range.first);
        }
    }
    return std::nullopt;
}

std::string stub_text(const std::optional<std::uint32_t>& stub) {
    return stub ? fmt::format("stub {}", *stub) : "no stub";
}

Check check_stubs(const std::vector<HitCount>& hits, const std::vector<AttachedPart>& parts) {
    Check check{"functions with the stub they were given", Outcome::passed, ""};
    std::uint64_t right = 0;
    for (const HitCount& hit : hits) {
        auto expected = expected_stub(parts, hit.index);
        if (hit.stub == expected) {
            right++;
        } else if (check.outcome == Outcome::passed) {
            check.outcome = Outcome::failed;
            check.detail = fmt::format("{} has {}, expected {}", hit.name, stub_text(hit.stub),
                                       stub_text(expected));
        }
    }
    if (check.outcome == Outcome::passed) {
        check.detail = with_thousands(right);
    }
    return check;
}

/// `near` functions are attached to near stubs. The call sites of far stubs call ftrace's
/// trampoline. So may others where a call does not reach everything, and the module does not tell
/// which.
Check check_patched(const ModuleStatus& status, std::uint64_t near, const std::string& machine) {
    Check check = compare("call sites that call their own stub", status.patched, near);
    if (check.outcome == Outcome::failed && status.patched < near && machine == "aarch64") {
        check.outcome = Outcome::skipped;
        check.detail = fmt::format("{} of {}; the others may be out of a call's range",
                                   with_thousands(status.patched), with_thousands(near));
    }
    return check;
}

/// The kernel's own list of patched call sites; where it cannot be read there is nothing to say.
std::optional<Check> check_left_behind(const std::filesystem::path& tracefs) {
    auto text = read_file(tracefs / "enabled_functions");
    if (!text) {
        return std::nullopt;
    }
    std::uint64_t left = 0;
    for (std::string_view line : split_lines(*text)) {
        left += line.find("[fdirect]") != std::string_view::npos ? 1U : 0U;
    }
    return compare("call sites of the module in enabled_functions", left, 0);
}

} // namespace

bool Verification::passed() const {
    return std::none_of(checks.begin(), checks.end(),
                        [](const Check& check) { return check.outcome == Outcome::failed; });
}

std::string Verification::first_failure() const {
    for (const Check& check : checks) {
        if (check.outcome == Outcome::failed) {
            return fmt::format("{}: {}", check.name, check.detail);
        }
    }
    return {};
}

Verifier::Verifier(FdirectModule& module, Workload& workload, std::filesystem::path tracefs,
                   std::string machine)
    : module_(module)
    , workload_(workload)
    , tracefs_(std::move(tracefs))
    , machine_(std::move(machine)) {}

Result<std::vector<HitCount>> Verifier::count_known_calls() {
    Result<std::vector<HitCount>> hits = std::vector<HitCount>{};
    for (int attempt = 0; attempt < attempts; attempt++) {
        workload_.settle();
        TRY(module_.reset_hits());
        workload_.run_known_calls();
        workload_.exercise();
        hits = module_.hits();
        if (!hits || !more_than_known(targets_of(*hits, workload_.known_calls()))) {
            break;
        }
    }
    return hits;
}

Result<Verification> Verifier::verify(const std::optional<std::vector<AttachedPart>>& parts) {
    auto hits = TRY(count_known_calls());
    auto status = TRY(module_.status());

    Verification verification;
    std::vector<Check>& checks = verification.checks;
    std::uint64_t near = status.attached;
    if (parts) {
        std::uint64_t expected = 0;
        near = 0;
        for (const AttachedPart& part : *parts) {
            expected += part.range.count;
            near += part.way.reach == Reach::near ? part.range.count : 0;
        }
        checks.push_back(compare("functions attached", status.attached, expected));
        checks.push_back(check_stubs(hits, *parts));
    } else {
        checks.push_back({"functions attached", Outcome::passed, with_thousands(status.attached)});
    }
    checks.push_back(check_patched(status, near, machine_));
    check_known_calls(targets_of(hits, workload_.known_calls()), verification);
    checks.push_back(compare("hits on stubs that are nobody's target", status.stray_hits, 0));
    checks.push_back(compare("call sites that call another stub", status.misdirected, 0));
    if (status.attached == 0) {
        checks.push_back(compare("hits with nothing attached", status.hits_total, 0));
        if (auto check = check_left_behind(tracefs_)) {
            checks.push_back(*check);
        }
    }
    return verification;
}

} // namespace fdirect
