// SPDX-License-Identifier: GPL-2.0
#include "util/error.h"

#include <cstdio>
#include <system_error>
#include <utility>

namespace fdirect {

Error failure(std::string message, std::string hint, int system) {
    return {ExitCode::failed, std::move(message), std::move(hint), system};
}

Error misuse(std::string message, std::string hint) {
    return {ExitCode::usage, std::move(message), std::move(hint), 0};
}

Error cannot_run(std::string message, std::string hint, int system) {
    return {ExitCode::cannot_run, std::move(message), std::move(hint), system};
}

std::string describe(const Error& error) {
    std::string text = "error: " + error.message + "\n";
    if (!error.hint.empty()) {
        text += "hint: " + error.hint + "\n";
    }
    return text;
}

void print(const Error& error) {
    std::fputs(describe(error).c_str(), stderr);
}

std::string system_message(int number) {
    return number == kernel_enotsupp ? "Operation is not supported"
                                     : std::generic_category().message(number);
}

} // namespace fdirect
