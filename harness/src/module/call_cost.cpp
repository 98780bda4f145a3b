// SPDX-License-Identifier: GPL-2.0
#include "module/call_cost.h"

#include <fmt/format.h>

#include "util/key_values.h"

namespace fdirect {
namespace {

Result<CallSpec> read_spec(const KeyValues& values) {
    auto name = TRY(values.word("kind"));
    auto kind = call_kind_named(name);
    if (!kind) {
        return failure(fmt::format("the module measured a kind '{}' that is not known", name));
    }
    CallSpec spec;
    spec.kind = *kind;
    spec.relevant = static_cast<std::uint32_t>(TRY(values.number("relevant", UINT32_MAX)));
    spec.irrelevant = static_cast<std::uint32_t>(TRY(values.number("irrelevant", UINT32_MAX)));
    spec.save_regs = TRY(values.number("regs")) != 0;
    spec.recursion = TRY(values.number("recursion")) != 0;
    spec.rcu = TRY(values.number("rcu")) != 0;
    spec.trampoline = TRY(values.number("trampoline")) != 0;
    return spec;
}

} // namespace

Result<CallCost> parse_call_cost(std::string_view text) {
    KeyValues values("call", text);
    CallCost cost;
    cost.spec = TRY(read_spec(values));
    cost.calls = TRY(values.number("calls"));
    cost.total = TRY(values.number("total_ns"));
    cost.chunk_calls = TRY(values.number("chunk_calls"));
    cost.best = TRY(values.number("best_ns"));
    cost.baseline_best = TRY(values.number("baseline_best_ns"));
    if (cost.chunk_calls == 0) {
        return failure("the module's call says chunk_calls '0'");
    }
    return cost;
}

} // namespace fdirect
