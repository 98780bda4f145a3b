// SPDX-License-Identifier: GPL-2.0
#include "kernel/function_list.h"

#include <cerrno>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// The module's own functions would count the harness's questions, and a module that holds itself
/// cannot go.
constexpr std::string_view own_module = "fdirect";

/// The kernel prints this for a record whose function it dropped, e.g. an overridden weak one.
constexpr std::string_view nameless = "__ftrace_invalid_address__";

bool attachable(const Function& function) {
    return function.module != own_module && !function.name.starts_with(nameless);
}

struct Places {
    std::vector<std::uint64_t> addresses;
    std::size_t wanted = 0;
};

/// A line of kallsyms, "ffffffff81000000 T NAME\t[module]".
std::optional<Function> parse_symbol(std::string_view line) {
    auto words = split_words(line);
    if (words.size() < 3 || words[1].size() != 1 ||
        std::string_view("tTwW").find(words[1][0]) == std::string_view::npos) {
        return std::nullopt;
    }
    auto address = parse_address(words[0]);
    auto function =
        parse_function_name(line.substr(static_cast<std::size_t>(words[2].data() - line.data())));
    if (!address || *address == 0 || !function) {
        return std::nullopt;
    }
    function->address = *address;
    return function;
}

Error unreadable(const KernelPaths& paths, const Error& why) {
    if (why.system == EACCES || why.system == EPERM) {
        return cannot_run(why.message, "only root may read it; run fdirect as root", why.system);
    }
    return cannot_run(
        fmt::format("there is no list of traceable functions in {}", paths.tracefs.string()),
        "mount tracefs (mount -t tracefs nodev /sys/kernel/tracing); the kernel needs "
        "CONFIG_DYNAMIC_FTRACE",
        why.system);
}

} // namespace

Result<FunctionList> parse_functions_with_addresses(std::string_view text) {
    FunctionList list;
    std::size_t number = 0;
    for (std::string_view line : split_lines(text)) {
        number++;
        auto function = parse_function(line);
        if (!function) {
            return failure(
                fmt::format("available_filter_functions_addrs:{}: cannot read '{}'", number, line));
        }
        if (attachable(*function)) {
            list.functions.push_back(std::move(*function));
        }
    }
    return list;
}

FunctionList parse_functions_by_name(std::string_view functions, std::string_view symbols) {
    std::unordered_map<std::string, Places> places;
    std::vector<Function> wanted;
    for (std::string_view line : split_lines(functions)) {
        auto function = parse_function_name(line);
        if (function && attachable(*function)) {
            Places& place = places[display_name(*function)];
            if (place.wanted++ == 0) {
                wanted.push_back(std::move(*function));
            }
        }
    }
    for (std::string_view line : split_lines(symbols)) {
        if (auto symbol = parse_symbol(line)) {
            auto place = places.find(display_name(*symbol));
            if (place != places.end()) {
                place->second.addresses.push_back(symbol->address);
            }
        }
    }
    FunctionList list;
    for (Function& function : wanted) {
        const Places& place = places[display_name(function)];
        if (place.addresses.size() != place.wanted) {
            list.left_out++;
            continue;
        }
        for (std::uint64_t address : place.addresses) {
            function.address = address;
            list.functions.push_back(function);
        }
    }
    return list;
}

Result<FunctionList> FunctionList::load(const KernelPaths& paths) {
    Result<FunctionList> list = FunctionList{};
    auto text = read_file(paths.tracefs / "available_filter_functions_addrs");
    if (text.ok()) {
        list = parse_functions_with_addresses(*text);
    } else if (text.error().system != ENOENT) {
        return unreadable(paths, text.error());
    } else {
        auto names = read_file(paths.tracefs / "available_filter_functions");
        if (!names.ok()) {
            return unreadable(paths, names.error());
        }
        list = parse_functions_by_name(*names, TRY(read_file(paths.procfs / "kallsyms")));
    }
    if (list.ok() && list->functions.empty()) {
        return cannot_run(
            fmt::format("no traceable function with a known address in {}", paths.tracefs.string()),
            "addresses are shown only to root, and with kernel.kptr_restrict below 2");
    }
    return list;
}

} // namespace fdirect
