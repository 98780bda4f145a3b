// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace fdirect {

/// What a BPF program is attached to.
enum class BpfKind { fentry, fexit, kprobe, kprobe_multi, raw_tracepoint };

inline constexpr std::array bpf_kinds = {BpfKind::fentry, BpfKind::fexit, BpfKind::kprobe,
                                         BpfKind::kprobe_multi, BpfKind::raw_tracepoint};

/// "fentry", "kprobe.multi" and so on.
std::string_view name_of(BpfKind kind);

/// The kind of that name.
std::optional<BpfKind> bpf_kind_named(std::string_view name);

} // namespace fdirect
