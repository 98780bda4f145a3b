// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_callee.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/environment.h"

namespace fdirect {

BpfCallee quiet_callee(std::string_view machine) {
    return {system_call_prefix(machine) + "getpgid", "", [] { (void)::syscall(SYS_getpgid, 0); },
            ""};
}

BpfCallee traced_callee() {
    return {"__set_task_comm", "task/task_rename",
            [] { (void)::syscall(SYS_prctl, PR_SET_NAME, "fdirect"); }, "security_task_prctl"};
}

} // namespace fdirect
