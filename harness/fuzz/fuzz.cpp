// SPDX-License-Identifier: GPL-2.0
//
// usage: fdirect_fuzz --list
//        fdirect_fuzz --target=NAME [option of libFuzzer]...
//
// Hands texts that libFuzzer makes up to one of the program's readers; scripts/fuzz runs them all.
#include "fuzz.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace fdirect::fuzz {
namespace {

const Target* chosen = nullptr;

std::vector<Target> all_targets() {
    std::vector<Target> all;
    for (const auto& some :
         {text_targets(), module_targets(), kernel_targets(), record_targets()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

void choose(std::string_view option) {
    static const auto all = all_targets();
    for (const Target& target : all) {
        if (option == "--list") {
            std::printf("%.*s\n", static_cast<int>(target.name.size()), target.name.data());
        } else if (option.starts_with("--target=") && option.substr(9) == target.name) {
            chosen = &target;
        }
    }
    if (option == "--list") {
        std::exit(0);
    }
}

} // namespace

void require(bool holds, std::string_view what) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
        std::abort();
    }
}

std::pair<std::string_view, std::string_view> halves(std::string_view text) {
    auto end = text.find('\xff');
    return {text.substr(0, end), end == std::string_view::npos ? "" : text.substr(end + 1)};
}

} // namespace fdirect::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    for (int i = 1; i < *argc; i++) {
        fdirect::fuzz::choose((*argv)[i]);
    }
    if (fdirect::fuzz::chosen == nullptr) {
        std::fputs("which --target=NAME? --list tells\n", stderr);
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fdirect::fuzz::chosen->run({reinterpret_cast<const char*>(data), size});
    return 0;
}
