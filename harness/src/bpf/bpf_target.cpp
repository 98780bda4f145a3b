// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_target.h"

#include <algorithm>
#include <bpf/btf.h>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

/// The kernel's MAX_BPF_FUNC_ARGS
constexpr unsigned most_arguments = 12;
constexpr unsigned largest_argument = 16;
constexpr unsigned register_bytes = 8;

struct FreeBtf {
    void operator()(btf* types) const { btf__free(types); }
};

const btf_type* plain_type(const btf* types, std::uint32_t id) {
    const btf_type* type = btf__type_by_id(types, id);
    while (type != nullptr && (btf_is_mod(type) || btf_is_typedef(type))) {
        type = btf__type_by_id(types, type->type);
    }
    return type;
}

/// Bytes of a value that a trampoline can handle; 0 for any other.
unsigned bytes_of(const btf_type* type) {
    if (type == nullptr) {
        return 0;
    }
    if (btf_is_ptr(type)) {
        return register_bytes;
    }
    bool known = btf_is_int(type) || btf_is_any_enum(type) || btf_is_struct(type);
    return known ? type->size : 0;
}

/// As the kernel's btf_distill_func_proto() decides.
FunctionType type_of(const btf* types, std::uint32_t id, const btf_type* function) {
    FunctionType found{id, "", ""};
    const btf_type* prototype = btf__type_by_id(types, function->type);
    if (prototype == nullptr || !btf_is_func_proto(prototype)) {
        found.obstacle = "no prototype";
        return found;
    }
    unsigned count = btf_vlen(prototype);
    const btf_param* arguments = btf_params(prototype);
    if (count > most_arguments) {
        found.obstacle = "more than 12 arguments";
    } else if (count != 0 && arguments[count - 1].type == 0) {
        found.obstacle = "a variable number of arguments";
    } else if (std::any_of(arguments, arguments + count, [&](const btf_param& argument) {
                   unsigned bytes = bytes_of(plain_type(types, argument.type));
                   return bytes == 0 || bytes > largest_argument;
               })) {
        found.obstacle = "an argument that is passed in memory";
    } else if (prototype->type != 0) {
        const btf_type* value = plain_type(types, prototype->type);
        unsigned bytes = bytes_of(value);
        bool none = value != nullptr && btf_is_void(value);
        if (!none && (bytes == 0 || btf_is_struct(value))) {
            found.obstacle = "a return value that is passed in memory";
        } else if (bytes > register_bytes) {
            found.return_obstacle = "a return value of more than 8 bytes";
        }
    }
    return found;
}

using Types = std::unique_ptr<btf, FreeBtf>;

/// The types of the kernel, and of the modules that functions are in. A module may have none.
Result<TypesByModule> running_types(const KernelPaths& paths,
                                    const std::vector<Function>& functions, Modules modules) {
    auto directory = paths.sysfs / "kernel/btf";
    Types kernel(btf__parse((directory / "vmlinux").c_str(), nullptr));
    if (!kernel) {
        return cannot_run("this kernel does not tell the types of its functions",
                          "it needs CONFIG_DEBUG_INFO_BTF, for " + (directory / "vmlinux").string(),
                          errno);
    }
    TypesByModule found;
    found[""] = function_types(kernel.get());
    for (const Function& function : functions) {
        if (modules == Modules::left_out || found.contains(function.module)) {
            continue;
        }
        FunctionTypes& types = found[function.module];
        Types own(btf__parse_split((directory / function.module).c_str(), kernel.get()));
        if (own) {
            types = function_types(own.get(), btf__type_cnt(kernel.get()));
        }
    }
    return found;
}

/// A function that the images of programs call. Linux 7.3 attaches a program to it, which then
/// calls itself until the stack is full.
bool is_called_by_images(const Function& function) {
    return function.module.empty() && function.name == "rcu_read_unlock_special";
}

/// Where a name is, and how often.
struct SymbolPlace {
    std::uint64_t address = 0;
    std::size_t count = 0;
};

/// By the module, as "[module]", and by the name.
using SymbolPlaces =
    std::unordered_map<std::string_view, std::unordered_map<std::string_view, SymbolPlace>>;

SymbolPlaces places_in(std::string_view symbols) {
    SymbolPlaces places;
    for (std::string_view line : split_lines(symbols)) {
        auto words = split_words(line);
        auto address = words.size() < 3 ? std::nullopt : parse_address(words[0]);
        if (address) {
            SymbolPlace& place = places[words.size() == 3 ? "" : words[3]][words[2]];
            place.address = *address;
            place.count++;
        }
    }
    return places;
}

SymbolPlace place_of(const Function& function, const SymbolPlaces& places) {
    auto names = places.find(function.module.empty() ? "" : "[" + function.module + "]");
    if (names == places.end()) {
        return {};
    }
    auto place = names->second.find(function.name);
    return place == names->second.end() ? SymbolPlace() : place->second;
}

} // namespace

std::string display_name(const BpfTarget& target) {
    return display_name(Function{target.address, target.name, target.module});
}

FunctionTypes function_types(const btf* types, std::uint32_t first) {
    FunctionTypes found;
    for (std::uint32_t id = first; id < btf__type_cnt(types); id++) {
        const btf_type* type = btf__type_by_id(types, id);
        if (btf_is_func(type)) {
            found.try_emplace(btf__name_by_offset(types, type->name_off), type_of(types, id, type));
        }
    }
    return found;
}

BpfTargets bpf_targets(const std::vector<Function>& functions, const Wanted& wanted,
                       const TypesByModule& types, std::string_view symbols, bool returns) {
    SymbolPlaces places = places_in(symbols);
    BpfTargets sorted;
    std::set<std::pair<std::string_view, std::string_view>> traceable;
    for (const Function& function : functions) {
        bool again = !traceable.emplace(function.module, function.name).second;
        if (!wanted(function)) {
            continue;
        }
        auto of_module = types.find(function.module);
        if (of_module == types.end()) {
            sorted.left_out.push_back({display_name(function), "in a module"});
            continue;
        }
        auto type = of_module->second.find(function.name);
        SymbolPlace place = place_of(function, places);
        if (again && place.count == 1) {
            continue; // a weak function that another one replaced: its code has no name
        }
        std::string reason;
        if (type == of_module->second.end()) {
            reason = "no type in BTF";
        } else if (place.count == 0) {
            reason = "no symbol";
        } else if (place.count != 1) {
            reason = "several symbols of its name";
        } else if (is_called_by_images(function)) {
            reason = "images of programs call it";
        } else if (returns && type->second.obstacle.empty()) {
            reason = type->second.return_obstacle;
        } else {
            reason = type->second.obstacle;
        }
        if (reason.empty()) {
            sorted.targets.push_back(
                {function.name, place.address, type->second.id, function.module});
        } else {
            sorted.left_out.push_back({display_name(function), std::move(reason)});
        }
    }
    std::stable_sort(sorted.targets.begin(), sorted.targets.end(),
                     [](const BpfTarget& a, const BpfTarget& b) { return a.module < b.module; });
    std::vector<LeftOut> untraceable;
    for (const auto& [module, of_module] : types) {
        for (const auto& [name, type] : of_module) {
            Function function{0, name, module};
            if (!traceable.contains({module, name}) && wanted(function)) {
                untraceable.push_back({display_name(function), "not traceable"});
            }
        }
    }
    std::sort(untraceable.begin(), untraceable.end(),
              [](const LeftOut& a, const LeftOut& b) { return a.function < b.function; });
    sorted.left_out.insert(sorted.left_out.end(), untraceable.begin(), untraceable.end());
    return sorted;
}

Result<BpfTargets> load_bpf_targets(const KernelPaths& paths,
                                    const std::vector<Function>& functions, const Wanted& wanted,
                                    bool returns, Modules modules) {
    auto types = TRY(running_types(paths, functions, modules));
    auto symbols = TRY(read_file(paths.procfs / "kallsyms"));
    return bpf_targets(functions, wanted, types, symbols, returns);
}

} // namespace fdirect
