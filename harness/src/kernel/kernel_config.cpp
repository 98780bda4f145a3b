// SPDX-License-Identifier: GPL-2.0
#include "kernel/kernel_config.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// A file that gzip unpacks; empty where it cannot.
std::string unpacked(const std::filesystem::path& path) {
    auto command = "gzip -dc '" + path.string() + "' 2>/dev/null";
    std::FILE* pipe = ::popen(command.c_str(), "r"); // NOLINT(cert-env33-c)
    std::string text;
    std::array<char, 4096> buffer{};
    while (pipe != nullptr) {
        std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe);
        if (count == 0) {
            break;
        }
        text.append(buffer.data(), count);
    }
    return pipe != nullptr && ::pclose(pipe) == 0 ? text : "";
}

} // namespace

std::string_view name_of(Answer answer) {
    switch (answer) {
    case Answer::no:
        return "no";
    case Answer::yes:
        return "yes";
    case Answer::unknown:
        break;
    }
    return "unknown";
}

KernelConfig KernelConfig::parse(std::string_view text) {
    KernelConfig config;
    for (std::string_view line : split_lines(text)) {
        auto equals = line.find('=');
        if (line.starts_with("CONFIG_") && equals != std::string_view::npos) {
            config.options_[std::string(line.substr(0, equals))] = trim(line.substr(equals + 1));
        }
    }
    return config;
}

KernelConfig KernelConfig::load(const KernelPaths& paths, std::string_view release) {
    auto packed = paths.procfs / "config.gz";
    if (std::filesystem::exists(packed)) {
        if (std::string text = unpacked(packed); !text.empty()) {
            return parse(text);
        }
    }
    auto text = read_file(paths.boot / ("config-" + std::string(release)));
    return text ? parse(*text) : KernelConfig();
}

Answer KernelConfig::has(const std::string& option) const {
    if (!known()) {
        return Answer::unknown;
    }
    auto found = options_.find(option);
    bool set = found != options_.end() && (found->second == "y" || found->second == "m");
    return set ? Answer::yes : Answer::no;
}

} // namespace fdirect
