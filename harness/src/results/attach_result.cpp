// SPDX-License-Identifier: GPL-2.0
#include "results/attach_result.h"

#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

Json run_json(const AttachRun& run) {
    Json json = {{"method", name_of(run.way.method)}, {"reach", name_of(run.way.reach)},
                 {"functions", run.functions},        {"targets", run.targets},
                 {"measured", run.measured},          {"attached_before", run.attached_before},
                 {"verified", run.verified},          {"called", run.called}};
    if (run.before_method) {
        json["before_method"] = name_of(*run.before_method);
    }
    const std::array<std::pair<const char*, const Samples*>, 8> blocks = {{
        {"attach", &run.attach.running},
        {"detach", &run.detach.running},
        {"modify", &run.modify.running},
        {"prepare", &run.prepare.running},
        {"attach_elapsed", &run.attach.elapsed},
        {"detach_elapsed", &run.detach.elapsed},
        {"modify_elapsed", &run.modify.elapsed},
        {"prepare_elapsed", &run.prepare.elapsed},
    }};
    for (const auto& [key, samples] : blocks) {
        if (!samples->empty()) {
            json[key] = to_json(*samples);
        }
    }
    return json;
}

Method read_method(JsonReader& reader, const Json& json, const char* key,
                   const std::string& where) {
    std::string name = reader.text(json, key, where);
    auto method = method_named(name);
    if (!method) {
        reader.complain(fmt::format("{}{} '{}' is not known", where, key, name));
    }
    return method.value_or(Method{});
}

AttachRun read_run(JsonReader& reader, const Json& json, const std::string& where) {
    AttachRun run;
    run.way = read_way(reader, json, where);
    run.functions = reader.number(json, "functions", where);
    run.targets = reader.number(json, "targets", where);
    run.measured = reader.number(json, "measured", where);
    run.attached_before = reader.number(json, "attached_before", where);
    if (json.contains("before_method")) {
        run.before_method = read_method(reader, json, "before_method", where);
    }
    run.verified = reader.flag(json, "verified", where);
    if (json.contains("called")) {
        run.called = reader.number(json, "called", where);
    }
    for (const auto& [name, samples] : operations) {
        std::string key(name);
        (run.*samples).running = reader.samples(json, key, where);
        (run.*samples).elapsed = reader.samples_if_any(json, key + "_elapsed", where);
    }
    run.prepare.running = reader.samples_if_any(json, "prepare", where);
    run.prepare.elapsed = reader.samples_if_any(json, "prepare_elapsed", where);
    if (run.measured == 0 || run.measured > run.functions) {
        reader.complain(where + "measured is not between 1 and functions");
    }
    return run;
}

} // namespace

Way read_way(JsonReader& reader, const Json& json, const std::string& where) {
    Way way;
    way.method = read_method(reader, json, "method", where);
    if (!json.contains("reach")) {
        return way;
    }
    std::string reach = reader.text(json, "reach", where);
    if (auto known = reach_named(reach)) {
        way.reach = *known;
    } else {
        reader.complain(fmt::format("{}reach '{}' is not known", where, reach));
    }
    return way;
}

Samples CallSamples::waiting() const {
    Samples waiting;
    for (std::size_t i = 0; i < running.values().size() && i < elapsed.values().size(); i++) {
        std::uint64_t all = elapsed.values()[i];
        std::uint64_t own = running.values()[i];
        waiting.add(all > own ? all - own : 0);
    }
    return waiting;
}

Json to_json(const AttachResult& result) {
    Json json = to_json(result.header);
    json["functions_available"] = result.functions_available;
    json["runs"] = Json::array();
    for (const AttachRun& run : result.runs) {
        json["runs"].push_back(run_json(run));
    }
    return json;
}

Result<AttachResult> parse_attach_result(std::string_view text) {
    auto json = parse_bench_json(text);
    if (!json) {
        return json.error();
    }
    JsonReader reader;
    AttachResult result;
    result.header = read_bench_header(reader, *json);
    result.functions_available = reader.number(*json, "functions_available", "");
    if (const Json* runs = reader.list(*json, "runs", "")) {
        for (std::size_t i = 0; i < runs->size(); i++) {
            result.runs.push_back(read_run(reader, (*runs)[i], fmt::format("runs[{}].", i)));
        }
    }
    if (reader.complaint()) {
        return bench_complaint(reader);
    }
    return result;
}

} // namespace fdirect
