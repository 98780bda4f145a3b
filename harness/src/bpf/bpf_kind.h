// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <array>
#include <string_view>

namespace fdirect {

/// The kinds of places that a BPF program is attached to.
enum class BpfKind {
    fentry,
    fentry_multi,
    fexit,
    fexit_multi,
    fmod_ret,
    fmod_ret_multi,
    kprobe,
    kretprobe,
    kprobe_multi,
    kretprobe_multi,
    raw_tracepoint,
    tracepoint
};

inline constexpr std::array bpf_kinds = {
    BpfKind::fentry,       BpfKind::fentry_multi,    BpfKind::fexit,          BpfKind::fexit_multi,
    BpfKind::fmod_ret,     BpfKind::fmod_ret_multi,  BpfKind::kprobe,         BpfKind::kretprobe,
    BpfKind::kprobe_multi, BpfKind::kretprobe_multi, BpfKind::raw_tracepoint, BpfKind::tracepoint};

/// "fentry", "kprobe.multi" and so on.
std::string_view name_of(BpfKind kind);

/// Whether one program and one link are for many functions.
bool takes_many(BpfKind kind);

/// Whether that link is a tracing_multi link, which goes by way of trampolines.
bool is_tracing_multi(BpfKind kind);

/// Whether the program is for functions whose result it may change.
bool modifies_result(BpfKind kind);

} // namespace fdirect
