// SPDX-License-Identifier: GPL-2.0
#include "kernel/busy_functions.h"

#include <filesystem>
#include <system_error>

#include "util/file.h"
#include "util/text.h"

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

Result<> check_function_profiler(const KernelPaths& paths) {
    auto enabled = read_file(paths.tracefs / "function_profile_enabled");
    if (!enabled || trim(*enabled) != "0") {
        return cannot_run(enabled ? "the kernel's function profiler is in use"
                                  : "this kernel has no function profiler",
                          "it needs CONFIG_FUNCTION_PROFILER");
    }
    return {};
}

Result<FunctionNames> functions_run_by(const KernelPaths& paths,
                                       const std::function<Result<>()>& work) {
    TRY(check_function_profiler(paths));
    Result<> done = write_once(paths.tracefs / "function_profile_enabled", "1");
    if (done) {
        done = work();
        stop_function_profiler(paths);
    }
    if (!done) {
        return done.error();
    }
    FunctionNames names;
    std::error_code problem;
    std::filesystem::directory_iterator files(paths.tracefs / "trace_stat", problem);
    if (problem) {
        return cannot_run("the kernel's function profiler tells nothing: " +
                              system_message(problem.value()),
                          {}, problem.value());
    }
    for (const auto& file : files) {
        if (!file.path().filename().string().starts_with("function")) {
            continue;
        }
        auto text = TRY(read_file(file.path()));
        add_profiled_functions(text, names);
    }
    return names;
}

void stop_function_profiler(const KernelPaths& paths) {
    (void)write_once(paths.tracefs / "function_profile_enabled", "0").ok();
}

} // namespace fdirect
