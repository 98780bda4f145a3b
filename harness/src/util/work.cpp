// SPDX-License-Identifier: GPL-2.0
#include "util/work.h"

namespace fdirect {

int run_command(const std::function<Result<>()>& command) {
    return static_cast<int>(run_work([&]() -> Result<ExitCode> {
        TRY(command());
        return ExitCode::ok;
    }));
}

ExitCode run_work(const std::function<Result<ExitCode>()>& work) {
    auto code = work();
    if (!code) {
        print(code.error());
        return code.error().code;
    }
    return *code;
}

} // namespace fdirect
