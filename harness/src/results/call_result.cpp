// SPDX-License-Identifier: GPL-2.0
#include "results/call_result.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const CallRow& row) {
    return {{"kind", name_of(row.spec.kind)},
            {"relevant", row.spec.relevant},
            {"irrelevant", row.spec.irrelevant},
            {"save_regs", row.spec.save_regs},
            {"recursion", row.spec.recursion},
            {"rcu", row.spec.rcu},
            {"trampoline", row.spec.trampoline},
            {"calls", row.calls},
            {"total", row.total},
            {"per_call", row.per_call},
            {"overhead", row.overhead}};
}

CallRow read_row(JsonReader& reader, const Json& json, const std::string& where) {
    CallRow row;
    std::string kind = reader.text(json, "kind", where);
    if (auto known = call_kind_named(kind)) {
        row.spec.kind = *known;
    } else {
        reader.complain(fmt::format("{}kind '{}' is not known", where, kind));
    }
    row.spec.relevant =
        static_cast<std::uint32_t>(reader.number(json, "relevant", where, UINT32_MAX));
    row.spec.irrelevant =
        static_cast<std::uint32_t>(reader.number(json, "irrelevant", where, UINT32_MAX));
    row.spec.save_regs = reader.flag(json, "save_regs", where);
    row.spec.recursion = reader.flag(json, "recursion", where);
    row.spec.rcu = reader.flag(json, "rcu", where);
    row.spec.trampoline = reader.flag(json, "trampoline", where);
    row.calls = reader.number(json, "calls", where);
    row.total = reader.number(json, "total", where);
    row.per_call = reader.real(json, "per_call", where);
    row.overhead = reader.real(json, "overhead", where);
    return row;
}

} // namespace

const CallRow* find_row(const CallResult& result, const CallSpec& spec) {
    auto found = std::find_if(result.rows.begin(), result.rows.end(),
                              [&](const CallRow& row) { return row.spec == spec; });
    return found == result.rows.end() ? nullptr : &*found;
}

Json to_json(const CallResult& result) {
    Json json = to_json(result.header);
    json["rows"] = Json::array();
    for (const CallRow& row : result.rows) {
        json["rows"].push_back(row_json(row));
    }
    return json;
}

Result<CallResult> parse_call_result(std::string_view text) {
    auto json = parse_bench_json(text);
    if (!json) {
        return json.error();
    }
    JsonReader reader;
    CallResult result;
    result.header = read_bench_header(reader, *json);
    if (const Json* rows = reader.list(*json, "rows", "")) {
        for (std::size_t i = 0; i < rows->size(); i++) {
            result.rows.push_back(read_row(reader, (*rows)[i], fmt::format("rows[{}].", i)));
        }
    }
    if (reader.complaint()) {
        return bench_complaint(reader);
    }
    return result;
}

} // namespace fdirect
