// SPDX-License-Identifier: GPL-2.0
#include "kernel/enabled_functions.h"

#include <algorithm>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {

std::size_t count_enabled_functions(std::string_view text) {
    // A line for each; those that follow it are set in.
    auto lines = split_lines(text);
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [](std::string_view line) {
            return !line.starts_with('\t') && !line.starts_with(' ');
        }));
}

Result<std::size_t> count_enabled_functions(const KernelPaths& paths) {
    auto text = TRY(read_file(paths.tracefs / "enabled_functions"));
    return count_enabled_functions(text);
}

} // namespace fdirect
