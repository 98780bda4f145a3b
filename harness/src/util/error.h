// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string>

#include "util/exit_code.h"

namespace fdirect {

/// Why something could not be done, for a person: one line of what, one line of what to do about
/// it.
struct Error {
    ExitCode code = ExitCode::failed;
    std::string message; ///< without "error:" and without a full stop
    std::string hint;    ///< empty where there is nothing useful to say
    int system = 0;      ///< errno behind it, 0 where there is none
};

/// An expected failure: exit code 1.
Error failure(std::string message, std::string hint = {}, int system = 0);

/// Arguments that make no sense: exit code 2.
Error misuse(std::string message, std::string hint = {});

/// Something that this kernel, user or machine cannot do: exit code 4.
Error cannot_run(std::string message, std::string hint = {}, int system = 0);

/// The error line and, where there is a hint, the hint line, each ending in a newline.
std::string describe(const Error& error);

/// Writes describe() to stderr.
void print(const Error& error);

/// The kernel's own ENOTSUPP, which some of its system calls let through.
inline constexpr int kernel_enotsupp = 524;

/// The meaning of an errno in words, e.g. "Permission denied".
std::string system_message(int number);

} // namespace fdirect
