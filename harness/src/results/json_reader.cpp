// SPDX-License-Identifier: GPL-2.0
#include "results/json_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace fdirect {

using Json = JsonReader::Json;

const Json* JsonReader::find(const Json& object, const char* key, const std::string& where) {
    if (!object.is_object() || !object.contains(key)) {
        complain(fmt::format("{}{} is missing", where, key));
        return nullptr;
    }
    return &object.at(key);
}

std::uint64_t JsonReader::number(const Json& object, const char* key, const std::string& where,
                                 std::uint64_t most) {
    const Json* value = find(object, key, where);
    if (value == nullptr || !value->is_number_unsigned()) {
        complain(fmt::format("{}{} is no whole number", where, key));
        return 0;
    }
    auto number = value->get<std::uint64_t>();
    if (number > most) {
        complain(fmt::format("{}{} is more than {}", where, key, most));
        return 0;
    }
    return number;
}

std::int64_t JsonReader::whole(const Json& object, const char* key, const std::string& where) {
    // What is beyond is no count of anything, and sums of such numbers would overflow.
    constexpr std::int64_t most = std::int64_t{1} << 53;
    const Json* value = find(object, key, where);
    bool small = value != nullptr && value->is_number_unsigned() &&
                 value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    bool negative = value != nullptr && value->is_number_integer() &&
                    !value->is_number_unsigned() && value->get<std::int64_t>() >= -most;
    if (!small && !negative) {
        complain(fmt::format("{}{} is no whole number", where, key));
        return 0;
    }
    return value->get<std::int64_t>();
}

double JsonReader::real(const Json& object, const char* key, const std::string& where) {
    const Json* value = find(object, key, where);
    if (value == nullptr || !value->is_number()) {
        complain(fmt::format("{}{} is no number", where, key));
        return 0;
    }
    return value->get<double>();
}

bool JsonReader::flag(const Json& object, const char* key, const std::string& where) {
    const Json* value = find(object, key, where);
    if (value == nullptr || !value->is_boolean()) {
        complain(fmt::format("{}{} is neither true nor false", where, key));
        return false;
    }
    return value->get<bool>();
}

std::string JsonReader::text(const Json& object, const char* key, const std::string& where) {
    const Json* value = find(object, key, where);
    if (value == nullptr || !value->is_string()) {
        complain(fmt::format("{}{} is no text", where, key));
        return {};
    }
    return value->get<std::string>();
}

Samples JsonReader::samples(const Json& object, const std::string& key, const std::string& where) {
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

Samples JsonReader::samples_if_any(const Json& object, const std::string& key,
                                   const std::string& where) {
    return object.contains(key) ? samples(object, key, where) : Samples();
}

const Json* JsonReader::list(const Json& object, const char* key, const std::string& where) {
    const Json* value = find(object, key, where);
    if (value != nullptr && !value->is_array()) {
        complain(fmt::format("{}{} is no list", where, key));
        return nullptr;
    }
    return value;
}

void JsonReader::complain(std::string text) {
    if (!complaint_) {
        complaint_ = std::move(text);
    }
}

} // namespace fdirect
