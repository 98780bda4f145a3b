// SPDX-License-Identifier: GPL-2.0
#include "kernel/kernel_config.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <zlib.h>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// The content of a file that gzip has packed; empty where it is damaged, or not packed.
std::string unpacked(const std::filesystem::path& path) {
    gzFile file = ::gzopen(path.c_str(), "rb");
    if (file == nullptr) {
        return "";
    }
    std::string text;
    std::array<char, 4096> buffer{};
    int count = 0;
    while ((count = ::gzread(file, buffer.data(), buffer.size())) > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    bool whole = count == 0 && ::gzdirect(file) == 0;
    return ::gzclose(file) == Z_OK && whole ? text : "";
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
