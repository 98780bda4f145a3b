// SPDX-License-Identifier: GPL-2.0
#include "bpf/tracing_multi.h"

#include <array>
#include <bpf/bpf.h>
#include <cerrno>
#include <fmt/format.h>
#include <sys/syscall.h>

namespace fdirect {
namespace {

constexpr std::uint32_t fentry_multi_type = 59;
constexpr std::uint32_t fexit_multi_type = 60;
/// Only in kernels with the patches of fdirect
constexpr std::uint32_t fmod_ret_multi_type = 128;

/// The part of union bpf_attr that such a link is made from, as Linux 7.3 has it.
struct LinkAttributes {
    std::uint32_t program = 0;
    std::uint32_t target = 0;
    std::uint32_t attach_type = 0;
    std::uint32_t flags = 0;
    std::uint64_t ids = 0;
    std::uint64_t cookies = 0;
    std::uint32_t count = 0;
    std::uint32_t rest = 0;
};

static_assert(offsetof(LinkAttributes, ids) == 16 && offsetof(LinkAttributes, cookies) == 24 &&
              offsetof(LinkAttributes, count) == 32);

} // namespace

bpf_attach_type multi_attach_type(BpfKind kind) {
    std::uint32_t type = kind == BpfKind::fexit_multi      ? fexit_multi_type
                         : kind == BpfKind::fmod_ret_multi ? fmod_ret_multi_type
                                                           : fentry_multi_type;
    return static_cast<bpf_attach_type>(type);
}

Result<> check_tracing_multi(BpfKind kind) {
    // return 0
    std::array<bpf_insn, 2> nothing{};
    nothing[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
    nothing[1].code = BPF_JMP | BPF_EXIT;
    bpf_prog_load_opts options{};
    options.sz = sizeof(options);
    options.expected_attach_type = multi_attach_type(kind);
    FileDescriptor program(bpf_prog_load(BPF_PROG_TYPE_TRACING, "fdirect", "GPL", nothing.data(),
                                         nothing.size(), &options));
    int number = errno;
    if (program.valid()) {
        // No link is made without a function.
        FileDescriptor link = link_tracing_multi(program, kind, {}, {});
        number = errno;
        if (link.valid() || number != EOPNOTSUPP) {
            return {};
        }
    }
    if (number == EPERM || number == EACCES) {
        return cannot_run("the kernel does not load BPF programs: " + system_message(number),
                          "run fdirect as root", number);
    }
    if (kind == BpfKind::fmod_ret_multi) {
        return cannot_run("this kernel has no links of one BPF program that changes the results "
                          "of many functions: it does not have fmod_ret.multi",
                          "it needs the patches of fdirect for Linux 6.12, with "
                          "CONFIG_BPF_TRACING_MULTI_MODIFY_RETURN",
                          EOPNOTSUPP);
    }
    return cannot_run(fmt::format("this kernel has no tracing_multi links, which attach one BPF "
                                  "program to many functions: it does not have {}",
                                  name_of(kind)),
                      "it needs the patches of fdirect, or Linux 7.3 on x86_64, with "
                      "CONFIG_BPF_SYSCALL, CONFIG_BPF_JIT and CONFIG_DEBUG_INFO_BTF",
                      EOPNOTSUPP);
}

FileDescriptor link_tracing_multi(const FileDescriptor& program, BpfKind kind,
                                  const std::vector<std::uint32_t>& ids,
                                  const std::vector<std::uint64_t>& cookies) {
    LinkAttributes attributes;
    attributes.program = static_cast<std::uint32_t>(program.get());
    attributes.attach_type = multi_attach_type(kind);
    attributes.ids = reinterpret_cast<std::uintptr_t>(ids.data());
    attributes.cookies = reinterpret_cast<std::uintptr_t>(cookies.data());
    attributes.count = static_cast<std::uint32_t>(ids.size());
    return FileDescriptor(
        static_cast<int>(::syscall(SYS_bpf, BPF_LINK_CREATE, &attributes, sizeof(attributes))));
}

} // namespace fdirect
