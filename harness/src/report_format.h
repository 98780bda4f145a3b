// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fdirect {

/// How results are written.
enum class Format { table, json, markdown, csv };

/// Results as JSON: one as it is in its file, several as a list.
template<class BenchResult>
std::string json_text(const std::vector<BenchResult>& results) {
    if (results.size() == 1) {
        return to_json(results[0]).dump(2) + "\n";
    }
    auto list = nlohmann::ordered_json::array();
    for (const BenchResult& result : results) {
        list.push_back(to_json(result));
    }
    return list.dump(2) + "\n";
}

} // namespace fdirect
