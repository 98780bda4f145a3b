// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bpf/bpf_kind.h"
#include "bpf/bpf_target.h"
#include "util/file_descriptor.h"
#include "util/result.h"

namespace fdirect {

/// Counts the calls of many functions with one BPF program for the kernel and one for each module:
/// those that a link has attached, until its file descriptor is closed. Everything is gone with the
/// process, however that ends.
class FunctionCounter {
  public:
    /// For so many functions, at their entry (fentry.multi) or their return (fexit.multi). Errors:
    /// cannot_run where this kernel or user cannot; failed, with the kernel's errno.
    static Result<FunctionCounter> load(BpfKind kind, std::size_t functions);

    FunctionCounter(const FunctionCounter&) = delete;
    FunctionCounter& operator=(const FunctionCounter&) = delete;
    FunctionCounter(FunctionCounter&& other) noexcept;
    FunctionCounter& operator=(FunctionCounter&& other) noexcept;
    ~FunctionCounter();

    /// Attaches it to these functions, which are the kernel's or those of one module. Their counts
    /// are in their order, from the number `first` on. Errors: failed, with the kernel's errno.
    [[nodiscard]] Result<FileDescriptor> attach(const std::vector<BpfTarget>& functions,
                                                std::size_t first);

    /// The calls of each function since load(), on all CPUs.
    [[nodiscard]] std::vector<std::uint64_t> calls() const;

    /// How many calls were not counted since load(), as their program was running on their CPU
    /// already. Errors: failed, with the kernel's errno.
    [[nodiscard]] Result<std::uint64_t> missed() const;

  private:
    struct Program;

    explicit FunctionCounter(std::unique_ptr<Program> program);

    std::unique_ptr<Program> program_;
};

/// Why counting the calls of a function is left out, as counting runs it itself; empty for others.
std::string_view counting_obstacle(std::string_view function);

} // namespace fdirect
