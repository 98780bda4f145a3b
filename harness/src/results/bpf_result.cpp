// SPDX-License-Identifier: GPL-2.0
#include "results/bpf_result.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

void write_samples(Json& json, const std::string& key, const CallSamples& samples) {
    json[key] = to_json(samples.running);
    if (!samples.elapsed.empty()) {
        json[key + "_elapsed"] = to_json(samples.elapsed);
    }
}

CallSamples read_samples(JsonReader& reader, const Json& json, const std::string& key,
                         const std::string& where) {
    return {reader.samples(json, key, where), reader.samples_if_any(json, key + "_elapsed", where)};
}

BpfKind known_kind(JsonReader& reader, const std::string& name, const std::string& where) {
    auto kind = bpf_kind_named(name);
    if (!kind) {
        reader.complain(fmt::format("{}kind '{}' is not known", where, name));
    }
    return kind.value_or(BpfKind{});
}

BpfKind read_kind(JsonReader& reader, const Json& json, const std::string& where) {
    return known_kind(reader, reader.text(json, "kind", where), where);
}

Json one_json(const BpfLoops& loops) {
    Json json = {{"kind", name_of(loops.kind)},
                 {"function", loops.function},
                 {"loops", loops.loops},
                 {"verified", loops.verified}};
    write_samples(json, "loop", loops.loop);
    return json;
}

Json one_json(const BpfRun& run) {
    Json json = {{"kind", name_of(run.kind)}, {"functions", run.functions},
                 {"programs", run.programs},  {"verified", run.verified},
                 {"called", run.called},      {"hits_meanwhile", run.meanwhile}};
    for (const auto& [name, samples] : bpf_operations) {
        write_samples(json, std::string(name), run.*samples);
    }
    return json;
}

Json one_json(const BpfCall& call) {
    return {{"kind", name_of(call.kind)}, {"calls", call.calls},       {"total", call.total},
            {"per_call", call.per_call},  {"overhead", call.overhead}, {"verified", call.verified}};
}

Json one_json(const BpfRefusal& refusal) {
    return {{"function", refusal.function}, {"errno", refusal.error}};
}

Json one_json(BpfKind kind) {
    return name_of(kind);
}

template<class T>
Json list_json(const std::vector<T>& items) {
    Json json = Json::array();
    for (const T& item : items) {
        json.push_back(one_json(item));
    }
    return json;
}

void read_one(JsonReader& reader, const Json& json, const std::string& where, BpfLoops& loops) {
    loops.kind = read_kind(reader, json, where);
    loops.function = reader.text(json, "function", where);
    loops.loops = reader.number(json, "loops", where);
    loops.verified = reader.flag(json, "verified", where);
    loops.loop = read_samples(reader, json, "loop", where);
}

void read_one(JsonReader& reader, const Json& json, const std::string& where, BpfRun& run) {
    run.kind = read_kind(reader, json, where);
    run.functions = reader.number(json, "functions", where);
    run.programs = reader.number(json, "programs", where);
    run.verified = reader.flag(json, "verified", where);
    run.called = reader.number(json, "called", where);
    run.meanwhile = reader.number(json, "hits_meanwhile", where);
    for (const auto& [name, samples] : bpf_operations) {
        run.*samples = read_samples(reader, json, std::string(name), where);
    }
    if (run.functions == 0) {
        reader.complain(where + "functions is 0");
    }
}

void read_one(JsonReader& reader, const Json& json, const std::string& where, BpfCall& call) {
    call.kind = read_kind(reader, json, where);
    call.calls = reader.number(json, "calls", where);
    call.total = reader.number(json, "total", where);
    call.per_call = reader.real(json, "per_call", where);
    call.overhead = reader.real(json, "overhead", where);
    call.verified = reader.flag(json, "verified", where);
}

void read_one(JsonReader& reader, const Json& json, const std::string& where, BpfRefusal& refusal) {
    refusal.function = reader.text(json, "function", where);
    refusal.error = static_cast<int>(reader.number(json, "errno", where, INT_MAX));
}

void read_one(JsonReader& reader, const Json& json, const std::string& where, BpfKind& kind) {
    kind = known_kind(reader, json.is_string() ? json.get<std::string>() : "", where);
}

template<class T>
void read_list(JsonReader& reader, const Json& json, const char* key, std::vector<T>& items) {
    if (const Json* list = reader.list(json, key, "")) {
        for (std::size_t i = 0; i < list->size(); i++) {
            read_one(reader, (*list)[i], fmt::format("{}[{}].", key, i), items.emplace_back());
        }
    }
}

template<class T>
bool all_verified(const std::vector<T>& items) {
    return std::all_of(items.begin(), items.end(), [](const T& item) { return item.verified; });
}

} // namespace

bool verified(const BpfResult& result) {
    return all_verified(result.loops) && all_verified(result.runs) && all_verified(result.calls);
}

Json to_json(const BpfResult& result) {
    Json json = to_json(result.header);
    json["functions_available"] = result.functions_available;
    if (result.functions_busy) {
        json["functions_busy"] = *result.functions_busy;
    }
    json["refused"] = list_json(result.refused);
    json["unsupported"] = list_json(result.unsupported);
    json["loops"] = list_json(result.loops);
    json["runs"] = list_json(result.runs);
    json["calls"] = list_json(result.calls);
    return json;
}

bool is_bpf_result(const Json& json) {
    return json.contains("loops");
}

Result<BpfResult> parse_bpf_result(std::string_view text) {
    auto json = parse_bench_json(text);
    if (!json) {
        return json.error();
    }
    JsonReader reader;
    BpfResult result;
    result.header = read_bench_header(reader, *json);
    result.functions_available = reader.number(*json, "functions_available", "");
    if (json->contains("functions_busy")) {
        result.functions_busy = reader.number(*json, "functions_busy", "");
    }
    read_list(reader, *json, "refused", result.refused);
    read_list(reader, *json, "unsupported", result.unsupported);
    read_list(reader, *json, "loops", result.loops);
    read_list(reader, *json, "runs", result.runs);
    read_list(reader, *json, "calls", result.calls);
    if (reader.complaint()) {
        return bench_complaint(reader);
    }
    return result;
}

} // namespace fdirect
