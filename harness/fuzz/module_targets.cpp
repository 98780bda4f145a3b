// SPDX-License-Identifier: GPL-2.0
//
// The files of fdirect.ko. The value that was read is written as the module would write
// it, and read once more.
#include <fmt/format.h>

#include "fuzz.h"
#include "module/call_cost.h"
#include "module/hit_counts.h"
#include "module/kprobe_cost.h"
#include "module/module_status.h"
#include "module/step_times.h"
#include "util/key_values.h"
#include "util/text.h"

namespace fdirect::fuzz {
namespace {

void key_values(std::string_view text) {
    auto [key, rest] = halves(text);
    KeyValues values("file", rest);
    auto word = values.word(key);
    auto number = values.number(key);
    require(word.ok() || !number.ok(), "a number is a word");
    if (number) {
        require(parse_number(*word) == *number, "the number is that of the word");
    }
}

std::string written(const ModuleStatus& s) {
    return fmt::format("functions {}\nattached {}\nmethod {}\nops {}\nstubs {}\nhits_total {}\n"
                       "stray_hits {}\npatched {}\nmisdirected {}\nreach {}\n",
                       s.functions, s.attached, s.method, s.ops, s.stubs, s.hits_total,
                       s.stray_hits, s.patched, s.misdirected, s.reach);
}

void status(std::string_view text) {
    if (auto status = parse_status(text)) {
        auto again = parse_status(written(*status));
        require(again && written(*again) == written(*status), "status is what is in it");
    }
}

std::string written(const std::vector<HitCount>& counts) {
    std::string text;
    for (const HitCount& count : counts) {
        std::string stub = count.stub ? std::to_string(*count.stub) : "-";
        text += fmt::format("{} 0x{:x} {} {} {}\n", count.index, count.address, stub, count.hits,
                            count.name);
    }
    return text;
}

void hits(std::string_view text) {
    if (auto counts = parse_hits(text)) {
        require(counts->size() == split_lines(text).size(), "each line is a function");
        auto again = parse_hits(written(*counts));
        require(again && written(*again) == written(*counts), "hits are what is in them");
    }
}

std::string written(const StepTimes& times) {
    std::string text;
    const std::initializer_list<std::pair<const char*, const std::optional<StepTime>*>> kinds = {
        {"prepare", &times.prepare},
        {"attach", &times.attach},
        {"modify", &times.modify},
        {"detach", &times.detach},
    };
    for (const auto& [kind, time] : kinds) {
        if (*time) {
            text += fmt::format("{} {} {} {} {}\n", kind, (*time)->method, (*time)->functions,
                                (*time)->elapsed, (*time)->running);
            require((*time)->waiting() <= (*time)->elapsed, "who waits does so while it lasts");
        }
    }
    return text;
}

void times(std::string_view text) {
    if (auto times = parse_times(text)) {
        auto again = parse_times(written(*times));
        require(again && written(*again) == written(*times), "times are what is in them");
    }
}

std::string written(const CallCost& cost) {
    return fmt::format("kind {}\ncalls {}\nrelevant {}\nirrelevant {}\nregs {:d}\nrecursion {:d}\n"
                       "rcu {:d}\ntrampoline {:d}\ntotal_ns {}\nbaseline_ns 0\nchunk_calls {}\n"
                       "best_ns {}\nbaseline_best_ns {}\nhits 0\n",
                       name_of(cost.spec.kind), cost.calls, cost.spec.relevant,
                       cost.spec.irrelevant, cost.spec.save_regs, cost.spec.recursion,
                       cost.spec.rcu, cost.spec.trampoline, cost.total, cost.chunk_calls, cost.best,
                       cost.baseline_best);
}

void call(std::string_view text) {
    auto cost = parse_call_cost(text);
    if (!cost) {
        return;
    }
    for (const char* key : {"relevant", "irrelevant"}) {
        auto number = KeyValues("call", text).number(key);
        auto read = key[0] == 'r' ? cost->spec.relevant : cost->spec.irrelevant;
        require(number && *number == read, "no digit of a number is lost");
    }
    auto again = parse_call_cost(written(*cost));
    require(again && written(*again) == written(*cost), "a cost is what is in it");
    require(!call_command(cost->spec, cost->calls).empty() && !describe(cost->spec).empty(),
            "a specification in words");
}

void kprobe(std::string_view text) {
    if (auto cost = parse_kprobe_cost(text)) {
        auto function = KeyValues("kprobe", text).number("function");
        require(function && *function == cost->function, "no digit of a number is lost");
    }
}

} // namespace

std::vector<Target> module_targets() {
    return {{"key_values", key_values}, {"status", status}, {"hits", hits},
            {"times", times},           {"call", call},     {"kprobe", kprobe}};
}

} // namespace fdirect::fuzz
