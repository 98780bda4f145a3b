// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fdirect {

/// How results are written.
enum class Format { table, json, markdown, csv };

/// JSON as it is written. What is no UTF-8 in it, as a kernel's command line may have, is replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Results as JSON: one as it is in its file, several as a list.
template<class BenchResult>
std::string json_text(const std::vector<BenchResult>& results) {
    if (results.size() == 1) {
        return json_text(to_json(results[0]));
    }
    auto list = nlohmann::ordered_json::array();
    for (const BenchResult& result : results) {
        list.push_back(to_json(result));
    }
    return json_text(list);
}

} // namespace fdirect
