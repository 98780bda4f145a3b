// SPDX-License-Identifier: GPL-2.0
#include "module/kprobe_cost.h"

#include <cstddef>
#include <fmt/format.h>

#include "util/key_values.h"

namespace fdirect {

Result<KprobeCost> parse_kprobe_cost(std::string_view text) {
    KeyValues values("kprobe", text);
    KprobeCost cost;
    cost.function = static_cast<std::uint32_t>(TRY(values.number("function", UINT32_MAX)));
    cost.ftrace = TRY(values.number("ftrace")) != 0;
    for (std::size_t i = 0; i < kprobe_steps.size(); i++) {
        cost.steps[i].elapsed = TRY(values.number(fmt::format("{}_elapsed_ns", kprobe_steps[i])));
        cost.steps[i].running = TRY(values.number(fmt::format("{}_running_ns", kprobe_steps[i])));
    }
    return cost;
}

} // namespace fdirect
