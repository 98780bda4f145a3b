// SPDX-License-Identifier: GPL-2.0
#include "results/scale_result.h"

#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

Json kprobe_json(const KprobeRun& run) {
    Json json = {{"method", name_of(run.way.method)},
                 {"reach", name_of(run.way.reach)},
                 {"attached_before", run.attached_before},
                 {"ftrace", run.ftrace},
                 {"verified", run.verified}};
    for (std::size_t i = 0; i < kprobe_steps.size(); i++) {
        std::string key(kprobe_steps[i]);
        json[key] = to_json(run.steps[i].running);
        if (!run.steps[i].elapsed.empty()) {
            json[key + "_elapsed"] = to_json(run.steps[i].elapsed);
        }
    }
    return json;
}

/// Bytes per function with one digit behind the point: a page is a tenth of a byte of 40,000.
double rounded(double value) {
    return std::round(value * 10) / 10;
}

Json memory_json(const MemoryGrowth& memory) {
    return {{"method", name_of(memory.way.method)},
            {"reach", name_of(memory.way.reach)},
            {"functions", memory.functions},
            {"slab_bytes", memory.slab},
            {"vmalloc_bytes", memory.vmalloc},
            {"slab", rounded(memory.per_function(memory.slab))},
            {"vmalloc", rounded(memory.per_function(memory.vmalloc))},
            {"total", rounded(memory.per_function(memory.slab + memory.vmalloc))}};
}

KprobeRun read_kprobe(JsonReader& reader, const Json& json, const std::string& where) {
    KprobeRun run;
    run.way = read_way(reader, json, where);
    run.attached_before = reader.number(json, "attached_before", where);
    run.ftrace = reader.flag(json, "ftrace", where);
    run.verified = reader.flag(json, "verified", where);
    for (std::size_t i = 0; i < kprobe_steps.size(); i++) {
        std::string key(kprobe_steps[i]);
        run.steps[i].running = reader.samples(json, key, where);
        run.steps[i].elapsed = reader.samples_if_any(json, key + "_elapsed", where);
    }
    return run;
}

MemoryGrowth read_memory(JsonReader& reader, const Json& json) {
    const std::string where = "memory_per_function.";
    MemoryGrowth memory;
    memory.way = read_way(reader, json, where);
    memory.functions = reader.number(json, "functions", where);
    memory.slab = reader.whole(json, "slab_bytes", where);
    memory.vmalloc = reader.whole(json, "vmalloc_bytes", where);
    if (memory.functions == 0) {
        reader.complain(where + "functions is 0");
    }
    return memory;
}

} // namespace

Json to_json(const ScaleResult& result) {
    Json json = to_json(static_cast<const AttachResult&>(result));
    json["kprobe"] = Json::array();
    for (const KprobeRun& run : result.kprobe) {
        json["kprobe"].push_back(kprobe_json(run));
    }
    if (result.memory) {
        json["memory_per_function"] = memory_json(*result.memory);
    }
    return json;
}

bool is_scale_result(const Json& json) {
    return json.contains("kprobe");
}

Result<ScaleResult> parse_scale_result(std::string_view text) {
    auto attach = parse_attach_result(text);
    if (!attach) {
        return attach.error();
    }
    auto json = parse_bench_json(text);
    if (!json) {
        return json.error();
    }
    JsonReader reader;
    ScaleResult result{std::move(*attach), {}, {}};
    if (const Json* runs = reader.list(*json, "kprobe", "")) {
        for (std::size_t i = 0; i < runs->size(); i++) {
            result.kprobe.push_back(read_kprobe(reader, (*runs)[i], fmt::format("kprobe[{}].", i)));
        }
    }
    if (json->contains("memory_per_function")) {
        result.memory = read_memory(reader, (*json)["memory_per_function"]);
    }
    if (reader.complaint()) {
        return bench_complaint(reader);
    }
    return result;
}

} // namespace fdirect
