// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bpf/bpf_kind.h"
#include "bpf/bpf_target.h"
#include "kernel/busy_functions.h"
#include "kernel/memory_use.h"
#include "util/file_descriptor.h"
#include "util/result.h"

namespace fdirect {

/// The counter that a program counts in.
enum class BpfCounter {
    slot, ///< that of its link, by the cookie
    first ///< always the first one: nothing but the way to the program and a count
};

/// BPF programs that count their calls, and their links to functions. Both are gone with their file
/// descriptors, so with the process, however that ends.
class BpfTracer {
  public:
    /// How many programs with a slot of their own there can be.
    static constexpr std::size_t slots = 65536;

    BpfTracer() = default;
    BpfTracer(const BpfTracer&) = delete;
    BpfTracer& operator=(const BpfTracer&) = delete;
    BpfTracer(BpfTracer&&) = delete;
    BpfTracer& operator=(BpfTracer&&) = delete;
    virtual ~BpfTracer() = default;

    /// Loads a program; one for fentry, fexit or fmod_ret can be attached to this function only.
    /// Errors: the kernel's, with its errno; EOPNOTSUPP where it does not have the kind.
    virtual Result<FileDescriptor> load(BpfKind kind, BpfCounter counter,
                                        const BpfTarget& function) = 0;

    /// Attaches a program to functions, more than one where the kind takes many, whose hits go to
    /// `slot` and on, or nowhere from `slots` on. For tracepoints the function's name is that of
    /// the tracepoint, GROUP/NAME. Errors: the kernel's, with its errno.
    virtual Result<FileDescriptor> attach(BpfKind kind, const FileDescriptor& program,
                                          const std::vector<BpfTarget>& functions,
                                          std::uint64_t slot) = 0;

    /// The hits in the first `count` slots since clear_hits().
    [[nodiscard]] virtual std::vector<std::uint64_t> hits(std::size_t count) const = 0;
    virtual void clear_hits() = 0;

    /// How many functions have something attached to them, whoever did it, as tracefs tells.
    /// Errors: of read_file().
    virtual Result<std::size_t> functions_in_use() = 0;

    /// The names of the images of BPF trampolines, whoever made them, as kallsyms tells. An image
    /// of a link for many functions has a name of its own. Errors: of read_file().
    virtual Result<std::set<std::string>> images() = 0;

    /// The memory that the kernel has allocated for itself. Errors: of MemoryGauge::settled().
    virtual Result<MemoryUse> memory() = 0;

    /// The functions that run while `work` does. Errors: of functions_run_by().
    virtual Result<FunctionNames> functions_run_by(const std::function<Result<>()>& work) = 0;
};

} // namespace fdirect
