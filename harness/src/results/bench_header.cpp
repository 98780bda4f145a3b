// SPDX-License-Identifier: GPL-2.0
#include "results/bench_header.h"

#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "util/text.h"

namespace fdirect {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

} // namespace

Json to_json(const BenchHeader& header) {
    return {{"schema", schema},      {"base", header.base},   {"kernel", header.kernel},
            {"arch", header.arch},   {"accel", header.accel}, {"unit", header.unit},
            {"vcpus", header.vcpus}, {"env", header.env}};
}

Result<Json> parse_bench_json(std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
        return failure("it is no JSON object");
    }
    JsonReader reader;
    if (reader.number(json, "schema", "") != schema) {
        return reader.complaint()
                   ? bench_complaint(reader)
                   : failure("it has another schema than 1", "it was written by another version");
    }
    return json;
}

BenchHeader read_bench_header(JsonReader& reader, const Json& json) {
    BenchHeader header;
    header.base = reader.text(json, "base", "");
    header.kernel = reader.text(json, "kernel", "");
    header.arch = reader.text(json, "arch", "");
    header.accel = reader.text(json, "accel", "");
    header.unit = reader.text(json, "unit", "");
    header.vcpus = reader.number(json, "vcpus", "");
    if (json.contains("env") && json["env"].is_object()) {
        for (const auto& item : json["env"].items()) {
            header.env[item.key()] = reader.text(json["env"], item.key().c_str(), "env.");
        }
    }
    return header;
}

Error bench_complaint(const JsonReader& reader) {
    return failure(reader.complaint().value_or("it cannot be read"),
                   "docs/results.md describes the format");
}

std::string headline(const BenchHeader& header) {
    return fmt::format("{}: Linux {}, {}, {}, {}", header.base, header.kernel, header.arch,
                       header.accel, counted(header.vcpus, "vCPU"));
}

std::string unit_name(std::string_view unit) {
    return unit == "insn" ? "instructions" : std::string(unit);
}

std::vector<std::string> labels_of(const std::vector<BenchHeader>& headers) {
    std::vector<std::string> labels;
    labels.reserve(headers.size());
    for (const BenchHeader& header : headers) {
        labels.push_back(header.base);
    }
    auto append_unless_distinct = [&](auto&& part) {
        if (std::set<std::string>(labels.begin(), labels.end()).size() == labels.size()) {
            return;
        }
        for (std::size_t i = 0; i < headers.size() && i < labels.size(); i++) {
            labels[i] += part(i);
        }
    };
    append_unless_distinct([&](std::size_t i) { return " " + headers[i].arch; });
    append_unless_distinct([&](std::size_t i) { return " " + headers[i].kernel; });
    append_unless_distinct([&](std::size_t i) { return fmt::format(" ({})", i + 1); });
    return labels;
}

Result<> check_same_unit(const std::vector<BenchHeader>& headers) {
    for (const BenchHeader& header : headers) {
        if (header.unit != headers[0].unit) {
            return misuse(fmt::format("results in {} and in {} cannot be compared",
                                      unit_name(headers[0].unit), unit_name(header.unit)),
                          "give files that were measured in the same unit");
        }
    }
    return {};
}

} // namespace fdirect
