// SPDX-License-Identifier: GPL-2.0
#include "kernel/function_filter.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fnmatch.h>
#include <string_view>
#include <utility>

namespace fdirect {
namespace {

/// Where the module part ends: at the first ':' that is in no brackets, as in "[[:digit:]]".
std::size_t colon_in(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == ':' && depth == 0) {
            return i;
        }
        if (text[i] == '[') {
            depth++;
        } else if (text[i] == ']' && depth != 0) {
            depth--;
        }
    }
    return std::string_view::npos;
}

} // namespace

Result<FunctionFilter> FunctionFilter::parse(const std::vector<std::string>& patterns) {
    FunctionFilter filter;
    for (const std::string& text : patterns) {
        Pattern pattern{text, "", text};
        if (auto colon = colon_in(text); colon != std::string::npos) {
            pattern.module = text.substr(0, colon);
            pattern.name = text.substr(colon + 1);
            if (pattern.module.empty()) {
                pattern.name.clear();
            }
        }
        if (pattern.name.empty()) {
            return misuse(fmt::format("'{}' is no pattern", text),
                          "write NAME or MODULE:NAME with the shell's wildcards, e.g. 'ksys_*' or "
                          "'vmlinux:vfs_*'");
        }
        filter.patterns_.push_back(std::move(pattern));
    }
    return filter;
}

bool FunctionFilter::Pattern::matches(const Function& function) const {
    const char* owner = function.module.empty() ? "vmlinux" : function.module.c_str();
    return (module.empty() || ::fnmatch(module.c_str(), owner, 0) == 0) &&
           ::fnmatch(name.c_str(), function.name.c_str(), 0) == 0;
}

bool FunctionFilter::matches(const Function& function) const {
    return patterns_.empty() ||
           std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const Pattern& pattern) { return pattern.matches(function); });
}

Result<std::vector<Function>> FunctionFilter::choose(const std::vector<Function>& functions) const {
    if (patterns_.empty()) {
        return functions;
    }
    std::vector<Function> chosen;
    std::vector<bool> used(patterns_.size(), false);
    for (const Function& function : functions) {
        bool fits = false;
        for (std::size_t i = 0; i < patterns_.size(); i++) {
            if (patterns_[i].matches(function)) {
                used[i] = true;
                fits = true;
            }
        }
        if (fits) {
            chosen.push_back(function);
        }
    }
    auto unused = std::find(used.begin(), used.end(), false);
    if (unused != used.end()) {
        const Pattern& pattern = patterns_[static_cast<std::size_t>(unused - used.begin())];
        return failure(
            fmt::format("no traceable function matches '{}'", pattern.text),
            "inlined and notrace functions cannot be attached; fdirect list shows what can");
    }
    return chosen;
}

} // namespace fdirect
