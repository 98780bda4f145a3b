// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <poll.h>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "bpf/bpf_tracer.h"
#include "verify/workload.h"

namespace fdirect {

/// BPF without a kernel: links count the calls of their functions until their descriptor is
/// closed.
class SimulatedBpf : public BpfTracer {
  public:
    Result<FileDescriptor> load(BpfKind kind, BpfCounter counter,
                                const BpfTarget& function) override {
        if (takes_many(kind) && lacking.contains(kind) && !loads_lacking) {
            return failure("no such kind", {}, lacking_error);
        }
        if (!takes_many(kind) && refused_to_load.contains(function.name)) {
            return failure("no", {}, EINVAL);
        }
        loads++;
        auto [ours, theirs] = descriptors();
        counters_[theirs.get()] = counter;
        return std::move(theirs);
    }

    Result<FileDescriptor> attach(BpfKind kind, const FileDescriptor& program,
                                  const std::vector<BpfTarget>& functions,
                                  std::uint64_t slot) override {
        if (lacking.contains(kind)) {
            return failure("no such kind", {}, lacking_error);
        }
        tries++;
        for (const BpfTarget& function : functions) {
            if (refused_by_links.contains(function.name) && is_tracing_multi(kind)) {
                return failure("no", {}, EINVAL);
            }
            if (kind == BpfKind::fmod_ret_multi && unmodifiable.contains(function.name)) {
                return failure("no", {}, EINVAL);
            }
            if (refused_to_attach.contains(function.name)) {
                return failure("no", {}, EBUSY);
            }
        }
        if (!keep_counting) {
            std::erase_if(links_, [](const Link& link) { return !alive(link); });
        }
        auto [ours, theirs] = descriptors();
        links_.push_back({std::move(ours), functions, slot, counters_.at(program.get()),
                          is_tracing_multi(kind)});
        return std::move(theirs);
    }

    [[nodiscard]] std::vector<std::uint64_t> hits(std::size_t count) const override {
        return {hits_.begin(), hits_.begin() + static_cast<std::ptrdiff_t>(count)};
    }
    void clear_hits() override { hits_.assign(slots, 0); }

    Result<std::size_t> functions_in_use() override {
        bool any = std::any_of(links_.begin(), links_.end(), alive);
        std::set<std::string> names = any && others_pause ? std::set<std::string>() : others;
        for (const Link& link : links_) {
            for (const BpfTarget& function : link.functions) {
                if (alive(link)) {
                    names.insert(function.name);
                }
            }
        }
        return names.size();
    }

    /// Two for each link that has any, and one of others
    Result<std::set<std::string>> images() override {
        std::set<std::string> names = {"other"};
        for (std::size_t i = 0; i < links_.size(); i++) {
            if (alive(links_[i]) && links_[i].images) {
                names.insert(std::to_string(i));
                names.insert(std::to_string(i) + " again");
            }
        }
        return names;
    }

    /// 100 bytes for each function of a link
    Result<MemoryUse> memory() override {
        if (unsettled) {
            return failure("it does not settle");
        }
        std::uint64_t functions = 0;
        for (const Link& link : links_) {
            functions += alive(link) ? link.functions.size() : 0;
        }
        return MemoryUse{5000 + 60 * functions, 40 * functions};
    }

    Result<FunctionNames> functions_run_by(const std::function<Result<>()>& work) override {
        if (no_profiler) {
            return cannot_run("no profiler");
        }
        if (Result<> done = work(); !done) {
            return done.error();
        }
        FunctionNames names;
        for (const std::string& name : busy) {
            names.add(name);
        }
        return names;
    }

    /// The kernel runs a function so often.
    void call(const std::string& name, std::uint64_t times) {
        for (const Link& link : links_) {
            for (std::size_t i = 0; i < link.functions.size(); i++) {
                std::size_t slot = link.counter == BpfCounter::first ? 0 : link.slot + i;
                if (link.functions[i].name == name && slot < slots &&
                    (alive(link) || keep_counting)) {
                    hits_[slot] += times;
                }
            }
        }
    }

    std::set<std::string> refused_to_load;
    std::set<std::string> refused_to_attach;
    std::set<std::string> refused_by_links; ///< for many functions
    std::set<std::string> unmodifiable;     ///< by a link that changes results
    std::set<BpfKind> lacking;
    bool loads_lacking = false; // and refuses to attach it, as Linux 7.3 does on some architectures
    int lacking_error = EOPNOTSUPP;
    std::set<std::string> others; ///< functions that somebody else has attached
    bool others_pause = false;    ///< not while something is attached here
    std::set<std::string> busy;   ///< functions that attaching runs
    bool no_profiler = false;
    bool keep_counting = false; ///< also what was detached
    bool unsettled = false;     ///< the use of memory
    int loads = 0;
    int tries = 0; ///< to attach

  private:
    struct Link {
        FileDescriptor ours; ///< the other end of what the caller has
        std::vector<BpfTarget> functions;
        std::uint64_t slot = 0;
        BpfCounter counter = BpfCounter::slot;
        bool images = false;
    };

    static std::pair<FileDescriptor, FileDescriptor> descriptors() {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) {
            return {};
        }
        return {FileDescriptor(ends[1]), FileDescriptor(ends[0])};
    }

    static bool alive(const Link& link) {
        pollfd watched{link.ours.get(), 0, 0};
        return ::poll(&watched, 1, 0) == 0;
    }

    std::map<int, BpfCounter> counters_;
    std::vector<Link> links_;
    std::vector<std::uint64_t> hits_ = std::vector<std::uint64_t>(slots, 0);
};

/// Calls of "known_0" and so on in a SimulatedBpf, and of "busy".
class SimulatedBpfCalls : public Workload {
  public:
    SimulatedBpfCalls(SimulatedBpf& bpf, std::size_t known) : bpf_(bpf) {
        for (std::size_t i = 0; i < known; i++) {
            known_.push_back({"known_" + std::to_string(i), 5 + i});
        }
    }

    [[nodiscard]] const std::vector<KnownCall>& known_calls() const override { return known_; }
    void run_known_calls() override {
        for (const KnownCall& call : known_) {
            bpf_.call(call.function, call.count + extra);
        }
        extra = extra_once ? 0 : extra;
    }
    void exercise() override { bpf_.call("busy", 1000); }
    void settle() override {}

    std::uint64_t extra = 0; ///< calls that it makes and does not tell of
    bool extra_once = false; ///< the first time only

  private:
    SimulatedBpf& bpf_;
    std::vector<KnownCall> known_;
};

} // namespace fdirect
