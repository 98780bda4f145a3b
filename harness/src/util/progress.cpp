// SPDX-License-Identifier: GPL-2.0
#include "util/progress.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace fdirect {

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::string_view text) {
    if (terminal_) {
        fmt::print(stderr, "\r\033[K{}", text);
        (void)std::fflush(stderr);
        shown_ = true;
    }
}

void Progress::clear() noexcept {
    if (shown_) {
        (void)std::fputs("\r\033[K", stderr);
        (void)std::fflush(stderr);
        shown_ = false;
    }
}

void Progress::warn(std::string_view text) {
    clear();
    fmt::print(stderr, "warning: {}\n", text);
}

} // namespace fdirect
