// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_kind.h"

namespace fdirect {

std::string_view name_of(BpfKind kind) {
    switch (kind) {
    case BpfKind::fentry:
        return "fentry";
    case BpfKind::fentry_multi:
        return "fentry.multi";
    case BpfKind::fexit:
        return "fexit";
    case BpfKind::fexit_multi:
        return "fexit.multi";
    case BpfKind::fmod_ret:
        return "fmod_ret";
    case BpfKind::fmod_ret_multi:
        return "fmod_ret.multi";
    case BpfKind::kprobe:
        return "kprobe";
    case BpfKind::kretprobe:
        return "kretprobe";
    case BpfKind::kprobe_multi:
        return "kprobe.multi";
    case BpfKind::kretprobe_multi:
        return "kretprobe.multi";
    case BpfKind::raw_tracepoint:
        return "raw_tracepoint";
    case BpfKind::tracepoint:
        return "tracepoint";
    }
    return "";
}

bool takes_many(BpfKind kind) {
    return name_of(kind).ends_with(".multi");
}

bool is_tracing_multi(BpfKind kind) {
    return kind == BpfKind::fentry_multi || kind == BpfKind::fexit_multi ||
           kind == BpfKind::fmod_ret_multi;
}

bool modifies_result(BpfKind kind) {
    return kind == BpfKind::fmod_ret || kind == BpfKind::fmod_ret_multi;
}

} // namespace fdirect
