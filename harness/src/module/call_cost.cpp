// SPDX-License-Identifier: GPL-2.0
#include "module/call_cost.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "util/key_values.h"

namespace fdirect {
namespace {

Result<CallSpec> read_spec(const KeyValues& values) {
    auto name = values.word("kind");
    if (!name) {
        return name.error();
    }
    auto kind = call_kind_named(*name);
    if (!kind) {
        return failure(fmt::format("the module measured a kind '{}' that is not known", *name));
    }
    CallSpec spec;
    spec.kind = *kind;
    const std::array<std::pair<std::string_view, std::uint32_t*>, 2> numbers = {{
        {"relevant", &spec.relevant},
        {"irrelevant", &spec.irrelevant},
    }};
    for (const auto& [key, place] : numbers) {
        auto number = values.number(key, UINT32_MAX);
        if (!number) {
            return number.error();
        }
        *place = static_cast<std::uint32_t>(*number);
    }
    const std::array<std::pair<std::string_view, bool*>, 4> flags = {{
        {"regs", &spec.save_regs},
        {"recursion", &spec.recursion},
        {"rcu", &spec.rcu},
        {"trampoline", &spec.trampoline},
    }};
    for (const auto& [key, place] : flags) {
        auto number = values.number(key);
        if (!number) {
            return number.error();
        }
        *place = *number != 0;
    }
    return spec;
}

} // namespace

Result<CallCost> parse_call_cost(std::string_view text) {
    KeyValues values("call", text);
    auto spec = read_spec(values);
    if (!spec) {
        return spec.error();
    }
    CallCost cost;
    cost.spec = *spec;
    const std::array<std::pair<std::string_view, std::uint64_t*>, 5> numbers = {{
        {"calls", &cost.calls},
        {"total_ns", &cost.total},
        {"chunk_calls", &cost.chunk_calls},
        {"best_ns", &cost.best},
        {"baseline_best_ns", &cost.baseline_best},
    }};
    for (const auto& [key, place] : numbers) {
        auto number = values.number(key);
        if (!number) {
            return number.error();
        }
        *place = *number;
    }
    if (cost.chunk_calls == 0) {
        return failure("the module's call says chunk_calls '0'");
    }
    return cost;
}

} // namespace fdirect
