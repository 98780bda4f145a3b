// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/function.h"
#include "module/call_spec.h"
#include "module/kprobe_cost.h"
#include "module/method.h"
#include "module/module_files.h"
#include "module/reach.h"
#include "util/text.h"
#include "verify/workload.h"

namespace fdirect {

/// A kernel with the module loaded, in memory: it keeps a selection, attaches, counts the calls
/// that call() makes, and answers like the module's files. Its faults can be switched on one by
/// one.
class SimulatedKernel {
  public:
    explicit SimulatedKernel(std::vector<Function> functions) : functions_(std::move(functions)) {}

    // Faults.
    bool swaps_first_two = false;    ///< the first two attached functions call each other's stub
    bool loses_a_hit = false;        ///< the first hit of each function is not counted
    bool stays_patched = false;      ///< detaching leaves the call sites as they are
    bool stray = false;              ///< a hit on a stub that is nobody's
    std::uint64_t other_callers = 0; ///< so many times somebody else makes each call, too
    std::map<std::string, int> refusals; ///< errno of the first write of this text
    std::string methods = "each multi hash";
    bool has_far = true;                 ///< it has far stubs
    std::set<std::string> lacks_in_call; ///< words that the file call refuses
    std::vector<std::string> commands;   ///< everything that was written to control
    std::vector<Method> methods_used;    ///< by each of them
    std::vector<std::string> probed;     ///< the function of each kprobe that came and went
    std::uint64_t chunk_calls = 10000;   ///< calls in a chunk of the next measurement
    std::uint64_t fewer_calls = 0;       ///< than in this chunk in that of the one after

    [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
    [[nodiscard]] std::size_t attached() const { return attached_.size(); }

    static constexpr std::uint64_t untraced_call = 7; ///< what a call costs, in ns

    /// How much more it costs when that is attached. The shared list is walked for every ops that
    /// has no trampoline of its own.
    static std::uint64_t cost_of(const CallSpec& spec) {
        std::uint64_t ops = spec.relevant + (spec.trampoline ? 0 : spec.irrelevant);
        std::uint64_t cost = spec.relevant == 0 ? 0 : 20 + 10 * ops + (spec.save_regs ? 30 : 0);
        switch (spec.kind) {
        case CallKind::ops:
            return cost;
        case CallKind::plain:
        case CallKind::direct_near:
        case CallKind::hash_near:
            return cost + 5;
        case CallKind::direct_far:
        case CallKind::hash_far:
            break;
        }
        return cost + 17;
    }

    /// A kernel function runs.
    void call(const std::string& name, std::uint64_t times) {
        for (std::uint32_t i = 0; i < selection_.size(); i++) {
            if (selection_[i].name == name) {
                count(i, times);
            }
        }
    }

    Result<std::string> read(std::string_view file) {
        std::string text;
        auto out = std::back_inserter(text);
        if (file == "available_methods") {
            return methods + "\n";
        }
        if (file == "method") {
            return std::string(name_of(method_)) + "\n";
        }
        if (file == "reach") {
            return std::string(name_of(reach_)) + "\n";
        }
        if (file == "ops") {
            return fmt::format("{}\n", ops_);
        }
        if (file == "call") {
            return call_;
        }
        if (file == "kprobe") {
            return kprobe_;
        }
        if (file == "last_error") {
            return last_error_ + "\n";
        }
        if (file == "functions") {
            for (std::size_t i = 0; i < selection_.size(); i++) {
                fmt::format_to(out, "{} 0x{:x} {}\n", i, selection_[i].address,
                               display_name(selection_[i]));
            }
            return text;
        }
        if (file == "hits") {
            for (std::uint32_t i = 0; i < selection_.size(); i++) {
                auto stub = attached_.find(i);
                fmt::format_to(out, "{} 0x{:x} {} {} {}\n", i, selection_[i].address,
                               stub == attached_.end() ? "-" : std::to_string(stub->second.stub),
                               stub == attached_.end() ? 0 : hits_[stub->second.stub],
                               display_name(selection_[i]));
            }
            return text;
        }
        if (file == "status") {
            std::uint64_t total = 0;
            for (const auto& [stub, hits] : hits_) {
                total += hits;
            }
            return fmt::format(
                "functions {}\nattached {}\nmethod {}\nops {}\nstubs 65536\n"
                "hits_total {}\nstray_hits {}\npatched {}\nmisdirected {}\nreach {}\n",
                selection_.size(), attached_.size(), name_of(method_), ops_, total, stray ? 1 : 0,
                patched_, swaps_first_two ? misdirected_ : 0, name_of(reach_));
        }
        if (file == "times") {
            for (const auto& [kind, line] : times_) {
                text += kind + " " + line + "\n";
            }
            return text;
        }
        return failure("no such file", "", ENOENT);
    }

    Result<> write(std::string_view file, std::string_view text) {
        last_error_.clear();
        std::string key = fmt::format("{}: {}", file, trim(text));
        if (auto refusal = refusals.find(key); refusal != refusals.end()) {
            int number = refusal->second;
            refusals.erase(refusal);
            return refuse(number, "simulated: " + key);
        }
        if (file == "hits") {
            hits_.clear();
            misdirected_ = 0;
            lost_.clear();
            return {};
        }
        if (file == "method") {
            auto method = method_named(trim(text));
            bool there = method && (" " + methods + " ").find(fmt::format(" {} ", trim(text))) !=
                                       std::string::npos;
            if (!there) {
                return refuse(method ? EOPNOTSUPP : EINVAL, "method: not here");
            }
            method_ = *method;
            return {};
        }
        if (file == "reach") {
            auto reach = reach_named(trim(text));
            if (!reach || (*reach == Reach::far && !has_far)) {
                return refuse(reach ? EOPNOTSUPP : EINVAL, "reach: not here");
            }
            reach_ = *reach;
            return {};
        }
        if (file == "ops") {
            ops_ = *parse_number(trim(text));
            return {};
        }
        if (file == "functions") {
            return select(text);
        }
        if (file == "call") {
            return measure_call(text);
        }
        if (file == "kprobe") {
            return measure_kprobe(text);
        }
        return file == "control" ? control(text) : Result<>(failure("no such file", "", ENOENT));
    }

  private:
    struct Target {
        std::uint32_t stub = 0;
        Reach reach = Reach::near;
    };

    Result<> refuse(int number, std::string reason) {
        last_error_ = std::move(reason);
        return failure("refused", "", number);
    }

    Result<> select(std::string_view text) {
        if (!attached_.empty()) {
            return refuse(EBUSY, "functions: some are attached");
        }
        std::vector<Function> selection;
        for (std::string_view line : split_lines(text)) {
            auto address = parse_address(line);
            for (const Function& function : functions_) {
                if (address ? function.address == *address : function.name == line) {
                    selection.push_back(function);
                }
            }
            if (selection.empty() ||
                (address ? selection.back().address != *address : selection.back().name != line)) {
                return refuse(ENOENT, fmt::format("functions: no function named \"{}\"", line));
            }
        }
        if (selection.empty()) {
            return refuse(EINVAL, "functions: the list is empty");
        }
        selection_ = std::move(selection);
        return {};
    }

    Result<> control(std::string_view text) {
        commands.emplace_back(trim(text));
        methods_used.push_back(method_);
        auto words = split_words(text);
        auto argument = [&](std::size_t i, std::size_t otherwise) {
            return static_cast<std::uint32_t>(words.size() > i ? *parse_number(words[i])
                                                               : otherwise);
        };
        if (selection_.empty()) {
            return refuse(ENODATA, "control: no functions are selected");
        }
        std::uint32_t first = argument(1, 0);
        std::uint32_t count = argument(2, selection_.size());
        std::uint32_t stub = argument(3, first);
        if (std::uint64_t{first} + count > selection_.size()) {
            return refuse(ERANGE, "control: outside the selection");
        }
        for (std::uint32_t i = first; i < first + count; i++) {
            if (words[0] == "detach") {
                attached_.erase(i);
            } else {
                attached_[i] = {stub_of(method_, stub, i - first), reach_};
            }
        }
        if (words[0] != "detach" || !stays_patched) {
            patched_ = 0;
            for (const auto& [index, target] : attached_) {
                patched_ += target.reach == Reach::near ? 1U : 0U;
            }
        }
        clock_ += 10;
        std::string line =
            fmt::format("{} {} {} {}", name_of(method_), count, clock_ + 1000, clock_);
        times_[std::string(words[0])] = line;
        times_["prepare"] = line;
        return {};
    }

    Result<> measure_call(std::string_view text) {
        auto words = split_words(text);
        for (std::string_view word : words) {
            if (lacks_in_call.contains(std::string(word))) {
                return refuse(EOPNOTSUPP, fmt::format("call: no {} here", word));
            }
        }
        auto has = [&](std::string_view word) {
            return std::find(words.begin(), words.end(), word) != words.end();
        };
        auto calls = *parse_number(words[1]);
        CallSpec spec{*call_kind_named(words[0]),
                      static_cast<std::uint32_t>(*parse_number(words[2])),
                      static_cast<std::uint32_t>(*parse_number(words[3])),
                      has("regs"),
                      has("recursion"),
                      has("rcu"),
                      has("trampoline")};
        std::uint64_t own = cost_of(spec) + untraced_call;
        std::uint64_t chunk = std::min<std::uint64_t>(calls, chunk_calls);
        chunk_calls -= fewer_calls;
        call_ = fmt::format("kind {}\ncalls {}\nrelevant {}\nirrelevant {}\nregs {:d}\n"
                            "recursion {:d}\nrcu {:d}\ntrampoline {:d}\ntotal_ns {}\n"
                            "baseline_ns {}\nchunk_calls {}\nbest_ns {}\nbaseline_best_ns {}\n"
                            "hits {}\n",
                            words[0], calls, spec.relevant, spec.irrelevant, spec.save_regs,
                            spec.recursion, spec.rcu, spec.trampoline, calls * own + 100,
                            calls * untraced_call + 100, chunk, chunk * own, chunk * untraced_call,
                            calls * spec.relevant);
        return {};
    }

    Result<> measure_kprobe(std::string_view text) {
        auto function = *parse_number(trim(text));
        if (function >= selection_.size()) {
            return refuse(ERANGE, "kprobe: no such function");
        }
        probed.push_back(selection_[function].name);
        clock_ += 10;
        kprobe_ = fmt::format("function {}\nftrace 1\n", function);
        for (std::string_view step : kprobe_steps) {
            fmt::format_to(std::back_inserter(kprobe_), "{0}_elapsed_ns {1}\n{0}_running_ns {2}\n",
                           step, clock_ + 1000, clock_);
        }
        return {};
    }

    void count(std::uint32_t index, std::uint64_t times) {
        auto own = attached_.find(index);
        if (own == attached_.end()) {
            return;
        }
        std::uint32_t stub = own->second.stub;
        times += other_callers;
        if (loses_a_hit && lost_.emplace(index, true).second) {
            times--;
        }
        if (swaps_first_two && attached_.size() >= 2) {
            auto one = attached_.begin();
            auto two = std::next(one);
            if (own == one || own == two) {
                stub = own == one ? two->second.stub : one->second.stub;
                misdirected_ += times;
            }
        }
        hits_[stub] += times;
    }

    std::vector<Function> functions_;
    std::vector<Function> selection_;
    std::map<std::uint32_t, Target> attached_;
    std::map<std::uint32_t, std::uint64_t> hits_;
    std::map<std::uint32_t, bool> lost_;
    std::map<std::string, std::string> times_;
    std::string last_error_;
    std::string call_;
    std::string kprobe_;
    Method method_ = Method::hash;
    Reach reach_ = Reach::near;
    std::uint64_t ops_ = 0;
    std::uint64_t patched_ = 0;
    std::uint64_t misdirected_ = 0;
    std::uint64_t clock_ = 0;
};

/// The files of a SimulatedKernel, which must live longer.
class SimulatedFiles : public ModuleFiles {
  public:
    explicit SimulatedFiles(SimulatedKernel& kernel) : kernel_(kernel) {}

    Result<std::string> read(std::string_view name) override { return kernel_.read(name); }
    Result<> write(std::string_view name, std::string_view text) override {
        return kernel_.write(name, text);
    }

  private:
    SimulatedKernel& kernel_;
};

/// Calls of functions of a SimulatedKernel: "known_0" and so on as often as it says, "busy" as
/// exercise.
class SimulatedCalls : public Workload {
  public:
    SimulatedCalls(SimulatedKernel& kernel, std::size_t known) : kernel_(kernel) {
        for (std::size_t i = 0; i < known; i++) {
            known_.push_back({"known_" + std::to_string(i), 5 + i});
        }
    }

    [[nodiscard]] const std::vector<KnownCall>& known_calls() const override { return known_; }
    void run_known_calls() override {
        for (const KnownCall& call : known_) {
            kernel_.call(call.function, call.count);
        }
    }
    void exercise() override { kernel_.call("busy", 1000); }
    void settle() override { settled++; }

    int settled = 0;

  private:
    SimulatedKernel& kernel_;
    std::vector<KnownCall> known_;
};

/// `known` functions "known_N", one "busy", and others up to `count`, in that order.
inline std::vector<Function> simulated_functions(std::size_t count, std::size_t known) {
    std::vector<Function> functions;
    for (std::size_t i = 0; i < count; i++) {
        std::string name = i < known    ? "known_" + std::to_string(i)
                           : i == known ? "busy"
                                        : "other_" + std::to_string(i);
        functions.push_back({0xffffffff81000000 + 16 * i, name, ""});
    }
    return functions;
}

} // namespace fdirect
