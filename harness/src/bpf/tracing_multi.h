// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <linux/bpf.h>
#include <vector>

#include "bpf/bpf_kind.h"
#include "util/file_descriptor.h"
#include "util/result.h"

namespace fdirect {

/// The kernel's attach type of fentry.multi, fexit.multi or fmod_ret.multi, which older headers do
/// not have.
bpf_attach_type multi_attach_type(BpfKind kind);

/// Whether this kernel has links for one of these kinds. Errors: cannot_run, with EOPNOTSUPP where
/// it has no such links and with the kernel's errno where this user may not load programs.
Result<> check_tracing_multi(BpfKind kind);

/// Makes a tracing_multi link, which attaches a program to functions by their ids in BTF, each with
/// its cookie: to all of them or to none. libbpf cannot do it before 1.8. Invalid, with errno,
/// where the kernel refuses.
FileDescriptor link_tracing_multi(const FileDescriptor& program, BpfKind kind,
                                  const std::vector<std::uint32_t>& ids,
                                  const std::vector<std::uint64_t>& cookies);

} // namespace fdirect
