// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fdirect {

/// A function of the kernel that a program can make run, once for each call.
struct BpfCallee {
    std::string function;
    std::string tracepoint; ///< GROUP/NAME, that it passes, once, too; empty where there is none
    std::function<void()> call;
    std::string modifiable; ///< that runs once, too, and whose result a program may change
};

/// One that nobody else calls while the benchmark runs: getpgid(). `machine` is the kernel's name
/// of the architecture.
BpfCallee quiet_callee(std::string_view machine);

/// One with a tracepoint in it, so that all kinds of programs have the same way to them: naming the
/// calling thread. The kernel does that for a new thread, too. A program may change the result of a
/// hook for security modules only, or of what CONFIG_FUNCTION_ERROR_INJECTION has.
BpfCallee traced_callee();

} // namespace fdirect
