// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <bpf/libbpf.h>
#include <cstdarg>

namespace fdirect {

/// libbpf prints nothing from here on: its errors come back as errno, and are told by their user.
inline void quiet_libbpf() {
    libbpf_set_print([](libbpf_print_level /*level*/, const char* /*format*/,
                        va_list /*arguments*/) { return 0; });
}

} // namespace fdirect
