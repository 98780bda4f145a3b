// SPDX-License-Identifier: GPL-2.0
#include "bpf/bpf_target.h"

#include <bpf/btf.h>
#include <cerrno>
#include <cstddef>
#include <memory>

#include "kernel/function_list.h"
#include "util/file.h"
#include "util/text.h"

namespace fdirect {
namespace {

struct FreeBtf {
    void operator()(btf* types) const { btf__free(types); }
};

Result<FunctionTypes> kernel_function_types(const KernelPaths& paths) {
    auto file = paths.sysfs / "kernel/btf/vmlinux";
    std::unique_ptr<btf, FreeBtf> types(btf__parse(file.c_str(), nullptr));
    if (!types) {
        return cannot_run("this kernel does not tell the types of its functions",
                          "it needs CONFIG_DEBUG_INFO_BTF, for " + file.string(), errno);
    }
    FunctionTypes ids;
    for (std::uint32_t id = 1; id < btf__type_cnt(types.get()); id++) {
        const btf_type* type = btf__type_by_id(types.get(), id);
        if (btf_is_func(type)) {
            ids.emplace(btf__name_by_offset(types.get(), type->name_off), id);
        }
    }
    return ids;
}

/// Where a name is, and how often.
struct Place {
    std::uint64_t address = 0;
    std::size_t count = 0;
};

} // namespace

std::vector<BpfTarget> bpf_targets(const std::vector<Function>& functions,
                                   const FunctionTypes& types, std::string_view symbols) {
    std::unordered_map<std::string_view, Place> places;
    for (std::string_view line : split_lines(symbols)) {
        auto words = split_words(line);
        auto address = words.size() < 3 ? std::nullopt : parse_address(words[0]);
        if (address) {
            Place& place = places[words[2]];
            place.address = *address;
            place.count++;
        }
    }
    std::vector<BpfTarget> targets;
    for (const Function& function : functions) {
        auto type = types.find(function.name);
        auto place = places.find(function.name);
        if (function.module.empty() && type != types.end() && place != places.end() &&
            place->second.count == 1) {
            targets.push_back({function.name, place->second.address, type->second});
        }
    }
    return targets;
}

Result<std::vector<BpfTarget>> load_bpf_targets(const KernelPaths& paths) {
    auto functions = TRY(FunctionList::load(paths));
    auto types = TRY(kernel_function_types(paths));
    auto symbols = TRY(read_file(paths.procfs / "kallsyms"));
    return bpf_targets(functions.functions, types, symbols);
}

} // namespace fdirect
