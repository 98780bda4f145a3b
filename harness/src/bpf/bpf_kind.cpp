// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_kind.h"

namespace fdirect {

std::string_view name_of(BpfKind kind) {
    switch (kind) {
    case BpfKind::fentry:
        return "fentry";
    case BpfKind::fexit:
        return "fexit";
    case BpfKind::kprobe:
        return "kprobe";
    case BpfKind::kprobe_multi:
        return "kprobe.multi";
    case BpfKind::raw_tracepoint:
        return "raw_tracepoint";
    }
    return "";
}

std::optional<BpfKind> bpf_kind_named(std::string_view name) {
    for (BpfKind kind : bpf_kinds) {
        if (name_of(kind) == name) {
            return kind;
        }
    }
    return std::nullopt;
}

} // namespace fdirect
