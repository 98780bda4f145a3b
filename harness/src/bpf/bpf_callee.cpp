// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_callee.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fdirect {

namespace {

/// The function of a system call.
std::string entry_of(std::string_view name, std::string_view machine) {
    std::string prefix = machine == "x86_64" ? "__x64_" : machine == "aarch64" ? "__arm64_" : "";
    return prefix + "sys_" + std::string(name);
}

} // namespace

BpfCallee quiet_callee(std::string_view machine) {
    return {entry_of("getpgid", machine), "", [] { (void)::syscall(SYS_getpgid, 0); }, ""};
}

BpfCallee traced_callee() {
    return {"__set_task_comm", "task/task_rename",
            [] { (void)::syscall(SYS_prctl, PR_SET_NAME, "fdirect"); }, "security_task_prctl"};
}

} // namespace fdirect
