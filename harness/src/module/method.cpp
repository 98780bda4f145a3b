// SPDX-License-Identifier: GPL-2.0
#include "module/method.h"

#include <cerrno>
#include <fmt/format.h>

#include "util/names.h"
#include "util/text.h"

namespace fdirect {
namespace {

constexpr Names<Method, 3> method_names = {{
    {Method::each, "each"},
    {Method::multi, "multi"},
    {Method::hash, "hash"},
}};

} // namespace

std::string_view name_of(Method method) {
    return name_in(method_names, method);
}

std::optional<Method> method_named(std::string_view name) {
    return value_named(method_names, name);
}

std::vector<Method> methods_in(std::string_view text) {
    std::vector<Method> methods;
    for (std::string_view word : split_words(text)) {
        if (auto method = method_named(word)) {
            methods.push_back(*method);
        }
    }
    return methods;
}

std::string names_of(const std::vector<Method>& methods) {
    std::string text;
    for (Method method : methods) {
        text += text.empty() ? "" : " ";
        text += name_of(method);
    }
    return text;
}

Error missing_method(Method method, const std::vector<Method>& available) {
    return cannot_run(fmt::format("this kernel has no method '{}'", name_of(method)),
                      fmt::format("it has: {}; hash needs a kernel with the patches (BASE=6.12)",
                                  names_of(available)),
                      EOPNOTSUPP);
}

std::uint32_t stub_of(Method method, std::uint32_t stub, std::uint32_t index) {
    return method == Method::multi ? stub : (stub + index) % stub_count;
}

} // namespace fdirect
