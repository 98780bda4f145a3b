// SPDX-License-Identifier: GPL-2.0
#include "bench_result.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

/// Whole numbers without a point, so that the median of whole numbers reads as one where it is one.
Json number(double value) {
    constexpr double exact = 9007199254740992.0; // 2^53: beyond it a double is not exact anyway
    if (value == std::floor(value) && value < exact) {
        return static_cast<std::uint64_t>(value);
    }
    return std::round(value * 1000) / 1000;
}

Json samples_json(const Samples& samples) {
    return {{"samples", samples.values()},
            {"min", samples.min()},
            {"median", number(samples.median())},
            {"max", samples.max()},
            {"stddev", number(samples.stddev())}};
}

Json run_json(const BenchRun& run) {
    Json json = {{"method", name_of(run.method)},
                 {"functions", run.functions},
                 {"targets", run.targets},
                 {"measured", run.measured},
                 {"attached_before", run.attached_before},
                 {"verified", run.verified},
                 {"called", run.called}};
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
            json[key] = samples_json(*samples);
        }
    }
    return json;
}

/// Takes values out of JSON and remembers the first one that was not as it should be.
class Reader {
  public:
    const Json* find(const Json& object, const char* key, const std::string& where) {
        if (!object.is_object() || !object.contains(key)) {
            complain(fmt::format("{}{} is missing", where, key));
            return nullptr;
        }
        return &object.at(key);
    }

    std::uint64_t number(const Json& object, const char* key, const std::string& where) {
        const Json* value = find(object, key, where);
        if (value == nullptr || !value->is_number_unsigned()) {
            complain(fmt::format("{}{} is no whole number", where, key));
            return 0;
        }
        return value->get<std::uint64_t>();
    }

    bool flag(const Json& object, const char* key, const std::string& where) {
        const Json* value = find(object, key, where);
        if (value == nullptr || !value->is_boolean()) {
            complain(fmt::format("{}{} is neither true nor false", where, key));
            return false;
        }
        return value->get<bool>();
    }

    std::string text(const Json& object, const char* key, const std::string& where) {
        const Json* value = find(object, key, where);
        if (value == nullptr || !value->is_string()) {
            complain(fmt::format("{}{} is no text", where, key));
            return {};
        }
        return value->get<std::string>();
    }

    Samples samples(const Json& object, const std::string& key, const std::string& where) {
        std::string place = where + key + ".";
        const Json* block = find(object, key.c_str(), where);
        const Json* values = block == nullptr ? nullptr : find(*block, "samples", place);
        if (values == nullptr || !values->is_array() || values->empty()) {
            complain(place + "samples is no list of numbers");
            return {};
        }
        Samples samples;
        for (const Json& value : *values) {
            if (!value.is_number_unsigned()) {
                complain(place + "samples has something that is no whole number");
                return {};
            }
            samples.add(value.get<std::uint64_t>());
        }
        return samples;
    }

    Samples samples_if_any(const Json& object, const std::string& key, const std::string& where) {
        return object.contains(key) ? samples(object, key, where) : Samples();
    }

    void complain(std::string text) {
        if (!complaint_) {
            complaint_ = std::move(text);
        }
    }

    [[nodiscard]] const std::optional<std::string>& complaint() const { return complaint_; }

  private:
    std::optional<std::string> complaint_;
};

BenchRun read_run(Reader& reader, const Json& json, const std::string& where) {
    BenchRun run;
    std::string method = reader.text(json, "method", where);
    if (auto known = method_named(method)) {
        run.method = *known;
    } else {
        reader.complain(fmt::format("{}method '{}' is not known", where, method));
    }
    run.functions = reader.number(json, "functions", where);
    run.targets = reader.number(json, "targets", where);
    run.measured = reader.number(json, "measured", where);
    run.attached_before = reader.number(json, "attached_before", where);
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

Samples CallSamples::waiting() const {
    Samples waiting;
    for (std::size_t i = 0; i < running.values().size() && i < elapsed.values().size(); i++) {
        std::uint64_t all = elapsed.values()[i];
        std::uint64_t own = running.values()[i];
        waiting.add(all > own ? all - own : 0);
    }
    return waiting;
}

Json to_json(const BenchResult& result) {
    Json json = {{"schema", schema},        {"base", result.base},
                 {"kernel", result.kernel}, {"arch", result.arch},
                 {"accel", result.accel},   {"unit", result.unit},
                 {"vcpus", result.vcpus},   {"functions_available", result.functions_available},
                 {"env", result.env},       {"runs", Json::array()}};
    for (const BenchRun& run : result.runs) {
        json["runs"].push_back(run_json(run));
    }
    return json;
}

Result<BenchResult> parse_bench_result(std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
        return failure("it is no JSON object");
    }
    Reader reader;
    if (reader.number(json, "schema", "") != schema && !reader.complaint()) {
        return failure("it has another schema than 1", "it was written by another version");
    }
    BenchResult result;
    result.base = reader.text(json, "base", "");
    result.kernel = reader.text(json, "kernel", "");
    result.arch = reader.text(json, "arch", "");
    result.accel = reader.text(json, "accel", "");
    result.unit = reader.text(json, "unit", "");
    result.vcpus = reader.number(json, "vcpus", "");
    result.functions_available = reader.number(json, "functions_available", "");
    if (json.contains("env") && json["env"].is_object()) {
        for (const auto& [key, value] : json["env"].items()) {
            result.env[key] = value.is_string() ? value.get<std::string>() : value.dump();
        }
    }
    const Json* runs = reader.find(json, "runs", "");
    if (runs != nullptr && !runs->is_array()) {
        reader.complain("runs is no list");
    } else if (runs != nullptr) {
        for (std::size_t i = 0; i < runs->size(); i++) {
            result.runs.push_back(read_run(reader, (*runs)[i], fmt::format("runs[{}].", i)));
        }
    }
    if (reader.complaint()) {
        return failure(*reader.complaint(), "docs/results.md describes the format");
    }
    return result;
}

} // namespace fdirect
