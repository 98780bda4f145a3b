// SPDX-License-Identifier: GPL-2.0
#include "results/record.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace fdirect {
namespace {

constexpr int schema = 2;
constexpr double ns_per_s = 1e9;
/// The fields of an environment that are no free text.
constexpr std::array known = {
    "base", "kernel", "patched", "arch", "accel", "vcpus", "functions_available"};

Json row_json(const Row& row) {
    Json json = {{"key", row.key},
                 {"measured", row.measured},
                 {"verified", row.verified},
                 {"unit", row.unit},
                 {"running", row.running.values()}};
    if (!row.elapsed.empty()) {
        json["elapsed"] = row.elapsed.values();
    }
    if (!row.untraced.empty()) {
        json["untraced"] = row.untraced.values();
    }
    if (!row.details.empty()) {
        json["details"] = row.details;
    }
    return json;
}

Samples samples_if_any(const Json& json, const char* key) {
    return json.contains(key) ? value_of<Samples>(json, key) : Samples();
}

Row read_row(const Json& json) {
    Row row;
    row.key = value_of<Json>(json, "key");
    row.measured = value_of<std::uint64_t>(json, "measured");
    row.verified = value_of<bool>(json, "verified");
    row.unit = value_of<std::string>(json, "unit");
    row.running = value_of<Samples>(json, "running");
    row.elapsed = samples_if_any(json, "elapsed");
    row.untraced = samples_if_any(json, "untraced");
    if (json.contains("details")) {
        row.details = value_of<Json>(json, "details");
    }
    return row;
}

/// The part of a row that both schemas have.
void check_row(const Row& row) {
    for (const auto& item : row.key.items()) {
        const Json& value = item.value();
        if (!value.is_string() && !value.is_number_unsigned() && !value.is_boolean()) {
            throw BadValue(fmt::format("key.{} is no text, number or flag", item.key()));
        }
    }
    if (row.measured == 0 || row.running.empty()) {
        throw BadValue("it measured nothing");
    }
    if (row.key.contains("functions") && row.measured > row.number("functions") &&
        row.text("step") != "call") {
        throw BadValue("measured is more than functions");
    }
}

/// The part of a record that both schemas have.
Record checked_record(Record record) {
    for (std::size_t i = 0; i < record.rows.size(); i++) {
        try {
            check_row(record.rows[i]);
        } catch (const BadValue& bad) {
            throw BadValue(fmt::format("rows[{}]: {}", i, bad.what()));
        }
    }
    for (const char* name : known) {
        record.env.others.erase(name);
    }
    return record;
}

Record read_record(const Json& json) {
    Record record;
    record.benchmark = value_of<std::string>(json, "benchmark");
    auto env = value_of<Json>(json, "env");
    record.env.base = value_of<std::string>(env, "base");
    record.env.kernel = value_of<std::string>(env, "kernel");
    record.env.patched = value_of<bool>(env, "patched");
    record.env.arch = value_of<std::string>(env, "arch");
    record.env.accel = value_of<std::string>(env, "accel");
    record.env.vcpus = value_of<std::uint64_t>(env, "vcpus");
    record.env.functions_available = value_of<std::uint64_t>(env, "functions_available");
    for (const auto& [name, value] : env.items()) {
        if (std::find(known.begin(), known.end(), name) == known.end() && value.is_string()) {
            record.env.others[name] = value.get<std::string>();
        }
    }
    if (json.contains("notes")) {
        record.notes = value_of<std::vector<std::string>>(json, "notes");
    }
    const Json& rows = json.contains("rows") ? json["rows"] : Json();
    if (!rows.is_array()) {
        throw BadValue("rows is no list");
    }
    for (std::size_t i = 0; i < rows.size(); i++) {
        try {
            record.rows.push_back(read_row(rows[i]));
        } catch (const BadValue& bad) {
            throw BadValue(fmt::format("rows[{}]: {}", i, bad.what()));
        }
    }
    return record;
}

template<class T>
T checked(const Json& object, const std::string& key, bool (*is)(const Json&), const char* what) {
    if (!object.is_object() || !object.contains(key)) {
        throw BadValue(key + " is missing");
    }
    if (!is(object[key])) {
        throw BadValue(fmt::format("{} is no {}", key, what));
    }
    return object[key].get<T>();
}

bool is_list_of(const Json& json, bool (*is)(const Json&)) {
    return json.is_array() && std::all_of(json.begin(), json.end(), is);
}

bool is_text(const Json& json) {
    return json.is_string();
}

bool is_whole(const Json& json) {
    return json.is_number_unsigned();
}

const Samples& on_clock(const Row& row) {
    return row.elapsed.empty() ? row.running : row.elapsed;
}

} // namespace

template<>
std::string value_of(const Json& object, const std::string& key) {
    return checked<std::string>(object, key, is_text, "text");
}

template<>
std::uint64_t value_of(const Json& object, const std::string& key) {
    return checked<std::uint64_t>(object, key, is_whole, "whole number");
}

template<>
double value_of(const Json& object, const std::string& key) {
    return checked<double>(
        object, key, [](const Json& json) { return json.is_number(); }, "number");
}

template<>
bool value_of(const Json& object, const std::string& key) {
    return checked<bool>(
        object, key, [](const Json& json) { return json.is_boolean(); }, "flag");
}

template<>
Json value_of(const Json& object, const std::string& key) {
    return checked<Json>(
        object, key, [](const Json& json) { return json.is_object(); }, "object");
}

template<>
std::vector<std::string> value_of(const Json& object, const std::string& key) {
    return checked<std::vector<std::string>>(
        object, key, [](const Json& json) { return is_list_of(json, is_text); }, "list of texts");
}

template<>
Samples value_of(const Json& object, const std::string& key) {
    return Samples(checked<std::vector<std::uint64_t>>(
        object, key, [](const Json& json) { return is_list_of(json, is_whole); },
        "list of whole numbers"));
}

bool RecordEnvironment::is_own() const {
    return base.starts_with('/') || base == unknown_base;
}

std::string RecordEnvironment::kind() const {
    if (is_own()) {
        return kernel;
    }
    return patched ? "patched" : "stock";
}

std::string Row::text(const char* name) const {
    return key.contains(name) && key[name].is_string() ? key[name].get<std::string>() : "";
}

std::uint64_t Row::number(const char* name) const {
    return key.contains(name) && is_whole(key[name]) ? key[name].get<std::uint64_t>() : 0;
}

bool Row::extrapolated() const {
    return text("step") != "call" && measured < number("functions");
}

double Row::stands_for() const {
    return static_cast<double>(extrapolated() ? number("functions") : measured);
}

Samples Row::waiting() const {
    Samples waiting;
    for (std::size_t i = 0; i < running.values().size() && i < elapsed.values().size(); i++) {
        std::uint64_t all = elapsed.values()[i];
        std::uint64_t own = running.values()[i];
        waiting.add(all > own ? all - own : 0);
    }
    return waiting;
}

double Row::seconds() const {
    return on_clock(*this).median() / static_cast<double>(measured) * stands_for() / ns_per_s;
}

double Row::seconds_of_all_runs() const {
    const auto& runs = on_clock(*this).values();
    return std::accumulate(runs.begin(), runs.end(), 0.0) / ns_per_s;
}

double Row::cost() const {
    return untraced.empty() ? running.median() / static_cast<double>(measured) : least();
}

double Row::least() const {
    return (static_cast<double>(running.min()) - static_cast<double>(untraced.min())) /
           static_cast<double>(measured);
}

double Row::most() const {
    return untraced.empty() ? static_cast<double>(running.max()) / static_cast<double>(measured)
                            : least();
}

std::string Record::unit() const {
    auto timed =
        std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.unit != "bytes"; });
    return timed == rows.end() ? "" : timed->unit;
}

const Row* find_row(const Record& record, const Json& key) {
    auto found = std::find_if(record.rows.begin(), record.rows.end(),
                              [&](const Row& row) { return row.key == key; });
    return found == record.rows.end() ? nullptr : &*found;
}

bool verified(const Record& record) {
    return std::all_of(record.rows.begin(), record.rows.end(),
                       [](const Row& row) { return row.verified; });
}

Json to_json(const Record& record) {
    Json env = {{"base", record.env.base},
                {"kernel", record.env.kernel},
                {"patched", record.env.patched},
                {"arch", record.env.arch},
                {"accel", record.env.accel},
                {"vcpus", record.env.vcpus},
                {"functions_available", record.env.functions_available}};
    for (const auto& [name, value] : record.env.others) {
        env[name] = value;
    }
    Json json = {{"schema", schema}, {"benchmark", record.benchmark}, {"env", std::move(env)}};
    if (!record.notes.empty()) {
        json["notes"] = record.notes;
    }
    json["rows"] = Json::array();
    for (const Row& row : record.rows) {
        json["rows"].push_back(row_json(row));
    }
    return json;
}

std::string json_text(const Json& json) {
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Record> parse_record(std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
        return failure("it is no JSON object");
    }
    try {
        auto number = value_of<std::uint64_t>(json, "schema");
        if (number == 1) {
            return checked_record(record_of_schema1(json));
        }
        if (number == schema) {
            return checked_record(read_record(json));
        }
    } catch (const BadValue& bad) {
        return failure(bad.what(), "docs/results.md describes the format");
    }
    return failure("it has another schema than 1 and 2", "it was written by another version");
}

} // namespace fdirect
