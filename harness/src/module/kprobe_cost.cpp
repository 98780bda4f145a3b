// SPDX-License-Identifier: GPL-2.0
#include "module/kprobe_cost.h"

#include <cstddef>
#include <fmt/format.h>

#include "util/key_values.h"

namespace fdirect {

Result<KprobeCost> parse_kprobe_cost(std::string_view text) {
    KeyValues values("kprobe", text);
    auto function = values.number("function", UINT32_MAX);
    if (!function) {
        return function.error();
    }
    auto ftrace = values.number("ftrace");
    if (!ftrace) {
        return ftrace.error();
    }
    KprobeCost cost;
    cost.function = static_cast<std::uint32_t>(*function);
    cost.ftrace = *ftrace != 0;
    for (std::size_t i = 0; i < kprobe_steps.size(); i++) {
        auto elapsed = values.number(fmt::format("{}_elapsed_ns", kprobe_steps[i]));
        if (!elapsed) {
            return elapsed.error();
        }
        auto running = values.number(fmt::format("{}_running_ns", kprobe_steps[i]));
        if (!running) {
            return running.error();
        }
        cost.steps[i] = {*elapsed, *running};
    }
    return cost;
}

} // namespace fdirect
