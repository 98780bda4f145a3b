// SPDX-License-Identifier: GPL-2.0
#include "kernel/function_choice.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace fdirect {

std::vector<Function> choose_functions(const std::vector<Function>& functions, std::size_t count,
                                       const std::vector<std::string>& wanted) {
    count = std::min(count, functions.size());
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < functions.size(); i++) {
        places.emplace(functions[i].name, i);
    }

    std::vector<bool> taken(functions.size(), false);
    std::size_t chosen = 0;
    for (const std::string& name : wanted) {
        auto place = places.find(name);
        if (chosen < count && place != places.end() && !taken[place->second]) {
            taken[place->second] = true;
            chosen++;
        }
    }

    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < functions.size(); i++) {
        if (!taken[i]) {
            others.push_back(i);
        }
    }
    std::size_t missing = count - chosen;
    for (std::size_t i = 0; i < missing; i++) {
        taken[others[i * others.size() / missing]] = true;
    }

    std::vector<Function> result;
    for (std::size_t i = 0; i < functions.size(); i++) {
        if (taken[i]) {
            result.push_back(functions[i]);
        }
    }
    return result;
}

std::vector<Function> choose_functions_beside(const std::vector<Function>& functions,
                                              std::size_t before, std::size_t count,
                                              const std::vector<std::string>& wanted) {
    auto all = choose_functions(functions, before + count, wanted);
    if (before == 0) {
        return all;
    }
    auto last = choose_functions(all, count, wanted);
    std::unordered_set<std::uint64_t> addresses;
    for (const Function& function : last) {
        addresses.insert(function.address);
    }
    std::erase_if(all,
                  [&](const Function& function) { return addresses.contains(function.address); });
    all.insert(all.end(), last.begin(), last.end());
    return all;
}

std::string addresses_of(const std::vector<Function>& functions) {
    std::string text;
    for (const Function& function : functions) {
        fmt::format_to(std::back_inserter(text), "0x{:x}\n", function.address);
    }
    return text;
}

} // namespace fdirect
