// SPDX-License-Identifier: GPL-2.0
#include "module/call_spec.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "util/names.h"

namespace fdirect {
namespace {

constexpr Names<CallKind, call_kinds.size()> kind_names = {{
    {CallKind::ops, "ops"},
    {CallKind::plain, "plain"},
    {CallKind::direct_near, "direct-near"},
    {CallKind::direct_far, "direct-far"},
    {CallKind::hash_near, "hash-near"},
    {CallKind::hash_far, "hash-far"},
}};

/// The words of the flags that are set.
std::string words_of(const CallSpec& spec, std::string_view save_regs, std::string_view between) {
    const std::array<std::pair<bool, std::string_view>, 4> flags = {{
        {spec.save_regs, save_regs},
        {spec.recursion, "recursion"},
        {spec.rcu, "rcu"},
        {spec.trampoline, "trampoline"},
    }};
    std::string text;
    for (const auto& [set, word] : flags) {
        if (set) {
            text.append(text.empty() ? "" : between).append(word);
        }
    }
    return text;
}

} // namespace

std::string_view name_of(CallKind kind) {
    return name_in(kind_names, kind);
}

std::optional<CallKind> call_kind_named(std::string_view name) {
    return value_named(kind_names, name);
}

std::string flags_of(const CallSpec& spec) {
    return words_of(spec, "save_regs", ", ");
}

std::string describe(const CallSpec& spec) {
    std::string flags = flags_of(spec);
    return fmt::format("{}, {} relevant, {} irrelevant{}{}", name_of(spec.kind), spec.relevant,
                       spec.irrelevant, flags.empty() ? "" : ", ", flags);
}

std::string call_command(const CallSpec& spec, std::uint64_t calls) {
    std::string flags = words_of(spec, "regs", " ");
    return fmt::format("{} {} {} {}{}{}", name_of(spec.kind), calls, spec.relevant, spec.irrelevant,
                       flags.empty() ? "" : " ", flags);
}

} // namespace fdirect
