// SPDX-License-Identifier: GPL-2.0
#include "busy_functions.h"

#include <filesystem>
#include <system_error>

#include "file.h"
#include "text.h"

namespace fdirect {

void add_profiled_functions(std::string_view text, FunctionNames& names) {
    for (std::string_view line : split_lines(text)) {
        // Below a title and a line under it: a name, how often, and times.
        auto words = split_words(line);
        if (words.size() > 1 && parse_number(words[1])) {
            names.add(words[0]);
        }
    }
}

Result<FunctionNames> functions_run_by(const KernelPaths& paths,
                                       const std::function<Result<>()>& work) {
    auto profiler = paths.tracefs / "function_profile_enabled";
    auto enabled = read_file(profiler);
    if (!enabled || trim(*enabled) != "0") {
        return cannot_run(enabled ? "the kernel's function profiler is in use"
                                  : "this kernel has no function profiler",
                          "it needs CONFIG_FUNCTION_PROFILER");
    }
    Result<> done = write_once(profiler, "1");
    if (done) {
        done = work();
        stop_function_profiler(paths);
    }
    if (!done) {
        return done.error();
    }
    FunctionNames names;
    std::error_code problem;
    for (const auto& file :
         std::filesystem::directory_iterator(paths.tracefs / "trace_stat", problem)) {
        if (!file.path().filename().string().starts_with("function")) {
            continue;
        }
        auto text = read_file(file.path());
        if (!text) {
            return text.error();
        }
        add_profiled_functions(*text, names);
    }
    return names;
}

void stop_function_profiler(const KernelPaths& paths) {
    (void)write_once(paths.tracefs / "function_profile_enabled", "0").ok();
}

} // namespace fdirect
