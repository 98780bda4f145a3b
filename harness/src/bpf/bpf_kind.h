// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace fdirect {

/// The kinds of places that a BPF program is attached to.
enum class BpfKind {
    fentry,
    fentry_multi,
    fexit,
    fexit_multi,
    fmod_ret,
    kprobe,
    kretprobe,
    kprobe_multi,
    kretprobe_multi,
    raw_tracepoint,
    tracepoint
};

inline constexpr std::array bpf_kinds = {
    BpfKind::fentry,          BpfKind::fentry_multi,   BpfKind::fexit,     BpfKind::fexit_multi,
    BpfKind::fmod_ret,        BpfKind::kprobe,         BpfKind::kretprobe, BpfKind::kprobe_multi,
    BpfKind::kretprobe_multi, BpfKind::raw_tracepoint, BpfKind::tracepoint};

/// "fentry", "kprobe.multi" and so on.
std::string_view name_of(BpfKind kind);

/// The kind of that name.
std::optional<BpfKind> bpf_kind_named(std::string_view name);

/// Whether one program and one link are for many functions.
bool takes_many(BpfKind kind);

} // namespace fdirect
