// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "results/record.h"

namespace fdirect {

/// A record without rows. No two of its values are the same, so that a swapped one is seen.
inline Record record_of(const std::string& benchmark, bool patched) {
    Record record;
    record.benchmark = benchmark;
    record.env = {patched ? "6.12" : "6.12-stock",
                  patched ? "6.12.107" : "6.12.106",
                  patched,
                  "x86_64",
                  "tcg",
                  2,
                  43175,
                  {{"compiler", "gcc 12"}, {"cpu", "QEMU"}}};
    return record;
}

inline Row row_of(Json key, std::uint64_t measured, std::vector<std::uint64_t> running,
                  std::vector<std::uint64_t> elapsed = {}) {
    Row row;
    row.key = std::move(key);
    row.measured = measured;
    row.verified = true;
    row.unit = "insn";
    row.running = Samples(std::move(running));
    row.elapsed = Samples(std::move(elapsed));
    return row;
}

inline Row attach_row(const std::string& method, std::uint64_t functions, std::uint64_t beside,
                      const std::string& step, std::uint64_t measured,
                      std::vector<std::uint64_t> running, std::vector<std::uint64_t> elapsed = {}) {
    return row_of(
        {{"method", method}, {"functions", functions}, {"beside", beside}, {"step", step}},
        measured, std::move(running), std::move(elapsed));
}

/// A kind of call that costs so much more than an untraced one, which costs 7.
inline Row call_row(const std::string& kind, std::uint64_t relevant, std::uint64_t irrelevant,
                    double more, bool trampoline = false) {
    constexpr std::uint64_t calls = 1000;
    Row row = row_of({{"kind", kind},
                      {"relevant", relevant},
                      {"irrelevant", irrelevant},
                      {"save_regs", false},
                      {"recursion", false},
                      {"rcu", false},
                      {"trampoline", trampoline},
                      {"step", "call"}},
                     calls,
                     {static_cast<std::uint64_t>((more + 7) * calls) + 5000,
                      static_cast<std::uint64_t>((more + 7) * calls)});
    row.untraced = Samples({8000, 7000});
    return row;
}

/// Records of 40,000 functions on the patched and the stock kernel.
inline std::vector<Record> attach_records() {
    Record patched = record_of("attach", true);
    patched.rows = {
        attach_row("hash", 40000, 0, "attach", 40000, {50640000, 50600000, 50680000},
                   {50650000, 50610000, 50690000}),
        attach_row("hash", 40000, 0, "detach", 40000, {40560000}, {51660000}),
        attach_row("hash", 40000, 0, "prepare", 40000, {123}),
        attach_row("each", 40000, 0, "attach", 200, {1778800}, {1779190}),
    };
    Record stock = record_of("attach", false);
    stock.rows = {
        attach_row("each", 40000, 0, "attach", 200, {1760505400, 1760000000, 1761000000},
                   {1760519650, 1760014250, 1761014250}),
        attach_row("each", 40000, 0, "detach", 200, {1759037200}, {22543852200}),
    };
    return {patched, stock};
}

} // namespace fdirect
