// SPDX-License-Identifier: GPL-2.0
#include "cli/attach_preview.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "util/text.h"

namespace fdirect {
namespace {

/// A function begins at most so many bytes before its call site.
constexpr std::uint64_t most_before_call_site = 16;

/// Functions by their addresses and names.
class Lookup {
  public:
    explicit Lookup(const std::vector<Function>& functions) {
        for (const Function& function : functions) {
            by_address_.push_back(&function);
            by_name_.emplace(function.name, &function);
        }
        std::sort(by_address_.begin(), by_address_.end(),
                  [](const Function* one, const Function* other) {
                      return one->address < other->address;
                  });
    }

    /// The function with this call site, or the one that begins there.
    [[nodiscard]] const Function* at(std::uint64_t address) const {
        auto found = std::lower_bound(by_address_.begin(), by_address_.end(), address,
                                      [](const Function* function, std::uint64_t wanted) {
                                          return function->address < wanted;
                                      });
        return found != by_address_.end() && (*found)->address - address <= most_before_call_site
                   ? *found
                   : nullptr;
    }

    /// The functions of this name: in the module if there is one, else of the kernel if it has any.
    [[nodiscard]] std::vector<const Function*> named(std::string_view name,
                                                     std::string_view module) const {
        std::vector<const Function*> kernel;
        std::vector<const Function*> modules;
        auto [first, last] = by_name_.equal_range(name);
        for (auto entry = first; entry != last; ++entry) {
            const Function* function = entry->second;
            if (function->module.empty()) {
                kernel.push_back(function);
            } else if (module.empty() || function->module == module) {
                modules.push_back(function);
            }
        }
        return module.empty() && !kernel.empty() ? kernel : modules;
    }

  private:
    std::vector<const Function*> by_address_;
    std::unordered_multimap<std::string_view, const Function*> by_name_;
};

/// The functions that a line of a selection may mean.
std::vector<const Function*> meant_by(std::string_view line, const Lookup& lookup) {
    if (line.starts_with("0x")) {
        auto address = parse_address(line);
        const Function* function = address ? lookup.at(*address) : nullptr;
        return function != nullptr ? std::vector<const Function*>{function}
                                   : std::vector<const Function*>{};
    }
    if (auto colon = line.find(':'); colon != std::string_view::npos) {
        return lookup.named(line.substr(colon + 1), line.substr(0, colon));
    }
    auto name = parse_function_name(line);
    return name ? lookup.named(name->name, name->module) : std::vector<const Function*>{};
}

/// Why a function is refused; empty if it is not.
std::string obstacle_of(const EnabledFunction* enabled, bool only_one) {
    std::string_view what = only_one ? "it" : "a function of this name";
    if (enabled != nullptr && enabled->direct) {
        return fmt::format("{} has a direct call already", what);
    }
    if (enabled != nullptr && enabled->ipmodify) {
        return fmt::format("{} has a livepatch or a kprobe that changes where calls go", what);
    }
    return {};
}

/// The lines of a selection that name something.
Result<std::vector<std::string_view>> lines_of(std::string_view selection,
                                               std::optional<Range> range) {
    std::vector<std::string_view> lines;
    for (std::string_view line : split_lines(selection)) {
        line = trim(line);
        if (!line.empty() && !line.starts_with('#')) {
            lines.push_back(line);
        }
    }
    if (!range) {
        return lines;
    }
    if (std::uint64_t{range->first} + range->count > lines.size()) {
        return misuse(fmt::format("the selection has {}, not {}", counted(lines.size(), "function"),
                                  with_thousands(std::uint64_t{range->first} + range->count)),
                      "choose fewer with --first and --count");
    }
    return std::vector<std::string_view>(lines.begin() + range->first,
                                         lines.begin() + range->first + range->count);
}

} // namespace

Result<AttachPreview> preview_attachment(std::string_view selection, std::optional<Range> range,
                                         const std::vector<Function>& all,
                                         const std::vector<EnabledFunction>& enabled) {
    auto lines = TRY(lines_of(selection, range));
    Lookup lookup(all);
    std::unordered_map<std::string, std::size_t> namesakes;
    for (const Function& function : all) {
        namesakes[display_name(function)]++;
    }
    std::unordered_map<std::string_view, const EnabledFunction*> held;
    for (const EnabledFunction& function : enabled) {
        auto [place, added] = held.emplace(function.name, &function);
        if (!added && (function.direct || function.ipmodify)) {
            place->second = &function;
        }
    }

    AttachPreview preview;
    std::unordered_set<const Function*> taken;
    for (std::string_view line : lines) {
        auto meant = meant_by(line, lookup);
        if (meant.size() != 1) {
            preview.refused.push_back(
                {std::string(line), meant.empty() ? "no function that can be traced"
                                                  : "more than one function has this name"});
            continue;
        }
        const Function& function = *meant.front();
        std::string name = display_name(function);
        auto holder = held.find(name);
        std::string obstacle =
            obstacle_of(holder == held.end() ? nullptr : holder->second, namesakes[name] == 1);
        if (!taken.insert(&function).second) {
            obstacle = "it is there twice";
        }
        if (obstacle.empty()) {
            preview.functions.push_back(std::move(name));
        } else {
            preview.refused.push_back({std::move(name), std::move(obstacle)});
        }
    }
    return preview;
}

std::string preview_text(const AttachPreview& preview, std::string_view method, bool verbose) {
    std::string text;
    if (verbose) {
        for (const std::string& function : preview.functions) {
            text += function + "\n";
        }
    }
    for (const LeftOut& function : preview.refused) {
        fmt::format_to(std::back_inserter(text), "refused: {}: {}\n", function.function,
                       function.reason);
    }
    return text + (preview.refused.empty()
                       ? fmt::format("would attach {} with {}\n",
                                     counted(preview.functions.size(), "function"), method)
                       : fmt::format("would attach nothing: {} of {} refused\n",
                                     with_thousands(preview.refused.size()),
                                     counted(preview.refused.size() + preview.functions.size(),
                                             "function")));
}

} // namespace fdirect
