// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bpf/bpf_kind.h"
#include "bpf/bpf_target.h"
#include "kernel/busy_functions.h"
#include "util/file_descriptor.h"
#include "util/result.h"

namespace fdirect {

/// The counter that a program counts in.
enum class BpfCounter {
    slot, ///< that of its link; for fentry and kprobe.multi only
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

    /// Loads a program; one for fentry or fexit can be attached to this function only. Errors: the
    /// kernel's, with its errno.
    virtual Result<FileDescriptor> load(BpfKind kind, BpfCounter counter,
                                        const BpfTarget& function) = 0;

    /// Attaches a program to functions, more than one with kprobe.multi only, whose hits go to
    /// `slot` and on. For a raw tracepoint the function's name is that of the tracepoint. Errors:
    /// the kernel's, with its errno.
    virtual Result<FileDescriptor> attach(BpfKind kind, const FileDescriptor& program,
                                          const std::vector<BpfTarget>& functions,
                                          std::uint64_t slot) = 0;

    /// The hits in the first `count` slots since clear_hits().
    [[nodiscard]] virtual std::vector<std::uint64_t> hits(std::size_t count) const = 0;
    virtual void clear_hits() = 0;

    /// How many functions have something attached to them, whoever did it, as tracefs tells.
    /// Errors: of read_file().
    virtual Result<std::size_t> functions_in_use() = 0;

    /// The functions that run while `work` does. Errors: of functions_run_by().
    virtual Result<FunctionNames> functions_run_by(const std::function<Result<>()>& work) = 0;
};

} // namespace fdirect
