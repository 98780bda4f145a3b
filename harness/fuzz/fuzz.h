// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace fdirect::fuzz {

/// A reader of text from outside: run() hands it the text and requires what must hold of the answer
/// whatever the text is.
struct Target {
    std::string_view name;
    void (*run)(std::string_view text);
};

std::vector<Target> text_targets();
std::vector<Target> module_targets();
std::vector<Target> kernel_targets();
std::vector<Target> record_targets();

/// Ends the program, which libFuzzer takes for a crash and keeps the input of.
void require(bool holds, std::string_view what);

/// The text up to the first byte 0xff, which is no text, and what is behind it.
std::pair<std::string_view, std::string_view> halves(std::string_view text);

} // namespace fdirect::fuzz
