// SPDX-License-Identifier: GPL-2.0
#include "util/output.h"

#include <cerrno>
#include <cstdio>

namespace fdirect {

Result<> write_out(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
        return failure("cannot write to stdout: " + system_message(errno), {}, errno);
    }
    return {};
}

} // namespace fdirect
