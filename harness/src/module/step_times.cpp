// SPDX-License-Identifier: GPL-2.0
#include "module/step_times.h"

#include <fmt/format.h>

#include "util/text.h"

namespace fdirect {
namespace {

std::optional<StepTime>* place_of(StepTimes& times, std::string_view step) {
    return step == "prepare"  ? &times.prepare
           : step == "attach" ? &times.attach
           : step == "modify" ? &times.modify
           : step == "detach" ? &times.detach
                              : nullptr;
}

} // namespace

Result<StepTimes> parse_times(std::string_view text) {
    StepTimes times;
    for (std::string_view line : split_lines(text)) {
        auto words = split_words(line);
        Error unreadable = failure(fmt::format("the module's times: cannot read '{}'", line));
        if (words.size() != 5) {
            return unreadable;
        }
        auto functions = parse_number(words[2]);
        auto elapsed = parse_number(words[3]);
        auto running = parse_number(words[4]);
        if (!functions || !elapsed || !running) {
            return unreadable;
        }
        if (auto* place = place_of(times, words[0])) {
            *place = StepTime{std::string(words[1]), *functions, *elapsed, *running};
        }
    }
    return times;
}

} // namespace fdirect
