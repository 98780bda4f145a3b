// SPDX-License-Identifier: GPL-2.0
#include "kernel/environment.h"

#include <array>
#include <ctime>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

std::string now() {
    std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    std::array<char, 32> text{};
    ::gmtime_r(&seconds, &parts);
    (void)std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::string content_of(const std::filesystem::path& path) {
    auto text = read_file(path);
    return text ? std::string(trim(*text)) : std::string();
}

} // namespace

std::string arch_of(std::string_view machine) {
    return std::string(machine == "aarch64" ? "arm64" : machine);
}

std::string system_call_prefix(std::string_view machine) {
    if (machine == "x86_64") {
        return "__x64_sys_";
    }
    if (machine == "aarch64") {
        return "__arm64_sys_";
    }
    if (machine == "riscv64") {
        return "__riscv_sys_";
    }
    if (machine == "s390x") {
        return "__s390x_sys_";
    }
    return "sys_";
}

std::string value_in(std::string_view text, std::string_view key) {
    for (std::string_view line : split_lines(text)) {
        auto colon = line.find(':');
        if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key) {
            return std::string(trim(line.substr(colon + 1)));
        }
    }
    return {};
}

Environment Environment::collect(const KernelPaths& paths) {
    Environment environment;
    utsname names{};
    if (::uname(&names) == 0) {
        environment.kernel = static_cast<const char*>(names.release);
        environment.machine = static_cast<const char*>(names.machine);
    }
    environment.arch = arch_of(environment.machine);
    long online = ::sysconf(_SC_NPROCESSORS_ONLN);
    environment.vcpus = online > 0 ? static_cast<std::uint64_t>(online) : 0;

    std::string memory = value_in(content_of(paths.procfs / "meminfo"), "MemTotal");
    auto& details = environment.details;
    details["compiler"] = content_of(paths.procfs / "version");
    details["cmdline"] = content_of(paths.procfs / "cmdline");
    details["cpu"] = value_in(content_of(paths.procfs / "cpuinfo"), "model name");
    details["memory_kib"] = memory.substr(0, memory.find(' '));
    details["time"] = now();
    details["program"] = "fdirect " FDIRECT_VERSION;
    std::erase_if(details, [](const auto& entry) { return entry.second.empty(); });
    return environment;
}

} // namespace fdirect
