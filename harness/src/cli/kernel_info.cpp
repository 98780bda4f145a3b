// SPDX-License-Identifier: GPL-2.0
#include "cli/kernel_info.h"

#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "kernel/function_list.h"
#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// Whether a file exists, where its directory can be seen.
Answer presence_of(const std::filesystem::path& path) {
    std::error_code problem;
    if (std::filesystem::exists(path, problem)) {
        return Answer::yes;
    }
    return problem || !std::filesystem::exists(path.parent_path(), problem) ? Answer::unknown
                                                                            : Answer::no;
}

/// The first answer if it is one, else the second.
Answer either(Answer first, Answer second) {
    return first == Answer::unknown ? second : first;
}

/// A sign proves something there; its absence proves nothing.
Answer if_there(const std::filesystem::path& sign) {
    return presence_of(sign) == Answer::yes ? Answer::yes : Answer::unknown;
}

Answer fprobe_events(const KernelPaths& paths) {
    auto text = read_file(paths.tracefs / "README");
    if (!text) {
        return Answer::unknown;
    }
    return text->find("f[:") != std::string::npos ? Answer::yes : Answer::unknown;
}

std::vector<std::pair<const char*, Answer>> answers_of(const KernelInfo& info) {
    return {{"direct calls", info.direct_calls},
            {"shared direct ops", info.shared_ops},
            {"BTF", info.btf},
            {"kprobes", info.kprobes},
            {"fprobe", info.fprobe},
            {"livepatch", info.livepatch},
            {"module loaded", info.module_loaded}};
}

} // namespace

KernelInfo KernelInfo::collect(const KernelPaths& paths) {
    KernelInfo info;
    info.environment = Environment::collect(paths);
    auto config = KernelConfig::load(paths, info.environment.kernel);

    info.module_loaded =
        either(if_there(paths.module()), presence_of(paths.sysfs / "module" / "fdirect"));
    if (auto text = read_file(paths.module() / "available_methods")) {
        info.methods = methods_in(*text);
    }
    if (auto list = FunctionList::load(paths)) {
        info.functions = list->functions.size();
    }

    info.direct_calls = config.has("CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS");
    info.shared_ops = config.has("CONFIG_SINGLE_FTRACE_DIRECT_OPS");
    if (info.shared_ops == Answer::no) {
        // Linux 7.x has this one alone.
        info.shared_ops = config.has("CONFIG_HAVE_SINGLE_FTRACE_DIRECT_OPS");
    }
    if (info.methods) {
        bool hash = false;
        for (Method method : *info.methods) {
            hash = hash || method == Method::hash;
        }
        info.direct_calls = info.methods->empty() ? Answer::no : Answer::yes;
        info.shared_ops = hash ? Answer::yes : Answer::no;
    }
    info.btf =
        either(if_there(paths.sysfs / "kernel/btf/vmlinux"), config.has("CONFIG_DEBUG_INFO_BTF"));
    info.kprobes = either(config.has("CONFIG_KPROBES"), if_there(paths.tracefs / "kprobe_events"));
    info.fprobe = either(config.has("CONFIG_FPROBE"), fprobe_events(paths));
    info.livepatch =
        either(config.has("CONFIG_LIVEPATCH"), if_there(paths.sysfs / "kernel/livepatch"));
    return info;
}

std::string to_text(const KernelInfo& info) {
    std::string text =
        fmt::format("{:<22}{}\n{:<22}{}\n{:<22}{}\n", "kernel:", info.environment.kernel,
                    "architecture:", info.environment.arch, "CPUs:", info.environment.vcpus);
    for (const auto& [name, answer] : answers_of(info)) {
        text += fmt::format("{:<22}{}\n", fmt::format("{}:", name), name_of(answer));
    }
    text +=
        fmt::format("{:<22}{}\n", "methods:", info.methods ? names_of(*info.methods) : "unknown");
    text += fmt::format("{:<22}{}\n", "traceable functions:",
                        info.functions ? with_thousands(*info.functions) : "unknown");
    return text;
}

nlohmann::ordered_json to_json(const KernelInfo& info) {
    nlohmann::ordered_json json = {{"kernel", info.environment.kernel},
                                   {"arch", info.environment.arch},
                                   {"vcpus", info.environment.vcpus}};
    for (const auto& [name, answer] : answers_of(info)) {
        std::string key;
        for (char c : std::string_view(name)) {
            key += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        json[key] = answer == Answer::unknown ? nlohmann::ordered_json(nullptr)
                                              : nlohmann::ordered_json(answer == Answer::yes);
    }
    json["methods"] = nullptr;
    if (info.methods) {
        json["methods"] = nlohmann::ordered_json::array();
        for (Method method : *info.methods) {
            json["methods"].push_back(name_of(method));
        }
    }
    json["functions"] = nullptr;
    if (info.functions) {
        json["functions"] = *info.functions;
    }
    return json;
}

} // namespace fdirect
