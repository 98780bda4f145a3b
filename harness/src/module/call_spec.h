// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fdirect {

/// The kinds of calls that a traced function makes, as the module's file `call`
/// names them.
enum class CallKind {
    ops,         ///< ftrace_ops alone
    plain,       ///< a stub, by an instruction of its own: what direct calls are compared with
    direct_near, ///< a stub, by register_ftrace_direct()
    direct_far,
    hash_near, ///< a stub, by register_ftrace_direct_hash()
    hash_far,
};

/// All of them, in the order that they are measured and shown.
inline constexpr std::array call_kinds = {CallKind::ops,         CallKind::plain,
                                          CallKind::direct_near, CallKind::direct_far,
                                          CallKind::hash_near,   CallKind::hash_far};

/// "ops", "plain", "direct-near" and so on.
std::string_view name_of(CallKind kind);

/// The kind of that name, or nothing.
std::optional<CallKind> call_kind_named(std::string_view name);

/// The users of a function while its calls are measured.
struct CallSpec {
    CallKind kind = CallKind::ops;
    std::uint32_t relevant = 0;   ///< ftrace_ops of the function that is called
    std::uint32_t irrelevant = 0; ///< of a function that nobody calls
    bool save_regs = false;       ///< those save all registers
    bool recursion = false;       ///< ftrace keeps them from recursion
    bool rcu = false;             ///< ftrace calls them only while RCU watches
    bool trampoline = false;      ///< each has a trampoline of its own; else they share ftrace's

    bool operator==(const CallSpec&) const = default;
};

/// The flags of the ftrace_ops: "save_regs, rcu", or nothing.
std::string flags_of(const CallSpec& spec);

/// For messages: "ops, 1 relevant, 10 irrelevant, save_regs".
std::string describe(const CallSpec& spec);

/// The command for the module's file `call`.
std::string call_command(const CallSpec& spec, std::uint64_t calls);

} // namespace fdirect
