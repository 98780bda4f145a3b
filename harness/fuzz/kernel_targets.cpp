// SPDX-License-Identifier: GPL-2.0
//
// Files of the kernel: lists of functions, its configuration, its use of memory.
#include <fmt/format.h>

#include "fuzz.h"
#include "kernel/busy_functions.h"
#include "kernel/enabled_functions.h"
#include "kernel/environment.h"
#include "kernel/function_list.h"
#include "kernel/kernel_config.h"
#include "kernel/memory_use.h"
#include "util/text.h"

namespace fdirect::fuzz {
namespace {

void functions(std::string_view text) {
    auto list = parse_functions_with_addresses(text);
    if (!list) {
        return;
    }
    std::string written;
    for (const Function& function : list->functions) {
        written += fmt::format("0x{:x} {}\n", function.address, display_name(function));
    }
    auto again = parse_functions_with_addresses(written);
    require(again && again->functions == list->functions, "a list is the functions in it");
}

/// The first half is available_filter_functions, the second kallsyms.
void functions_by_name(std::string_view text) {
    auto [names, symbols] = halves(text);
    FunctionList list = parse_functions_by_name(names, symbols);
    require(list.functions.size() + list.left_out <= split_lines(names).size(),
            "no more functions than names");
    for (const Function& function : list.functions) {
        require(function.address != 0 && !function.name.empty(), "a function has an address");
    }
}

void enabled(std::string_view text) {
    require(count_enabled_functions(text) <= split_lines(text).size(), "a line for each");
}

void config(std::string_view text) {
    auto config = KernelConfig::parse(text);
    Answer answer = config.has("CONFIG_KPROBES");
    require((answer == Answer::unknown) == !config.known(), "who knows answers");
    if (answer == Answer::yes) {
        require(text.find("CONFIG_KPROBES") != std::string_view::npos, "what is set is there");
    }
}

void memory(std::string_view text) {
    auto use = parse_memory_use(text);
    if (!use) {
        return;
    }
    std::string written =
        fmt::format("Slab: {} kB\nVmallocUsed: {} kB\n", use->slab / 1024, use->vmalloc / 1024);
    for (std::string_view line : split_lines(written)) {
        auto words = split_words(line);
        require(text.find(words[1]) != std::string_view::npos, "the figures are in the text");
    }
    auto again = parse_memory_use(written);
    require(again && *again == *use, "the use of memory is its figures");
}

void profile(std::string_view text) {
    auto [name, lines] = halves(text);
    FunctionNames names;
    add_profiled_functions(lines, names);
    require(!names.contains(name) || !names.empty(), "nothing contains no name");
}

void environment(std::string_view text) {
    auto [key, rest] = halves(text);
    require(value_in(rest, key).size() <= rest.size(), "a value is in the text");
    require(arch_of(text).size() <= text.size() + 1, "an architecture has a name");
}

} // namespace

std::vector<Target> kernel_targets() {
    return {{"functions", functions},    {"functions_by_name", functions_by_name},
            {"enabled", enabled},        {"config", config},
            {"memory", memory},          {"profile", profile},
            {"environment", environment}};
}

} // namespace fdirect::fuzz
