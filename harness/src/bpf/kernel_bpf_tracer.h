// SPDX-License-Identifier: GPL-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "bpf/bpf_tracer.h"
#include "kernel/kernel_paths.h"

namespace fdirect {

/// The kernel's type of perf events that are kprobes. Errors: failed, with EOPNOTSUPP where it has
/// none.
Result<std::uint32_t> kprobe_event_type(const KernelPaths& paths);

/// The names of the images of BPF trampolines in the text of kallsyms.
std::set<std::string> image_names(std::string_view symbols);

/// BPF in the kernel that runs, by libbpf. The programs are loaded once, so that libbpf prepares
/// them for this kernel. From then on the system calls alone load them, as often as they are
/// needed.
class KernelBpfTracer : public BpfTracer {
  public:
    /// `function` is one that the programs can be prepared for. Errors: cannot_run where this
    /// kernel or user cannot.
    static Result<std::unique_ptr<BpfTracer>> open(const KernelPaths& paths,
                                                   const std::string& function);
    KernelBpfTracer(const KernelBpfTracer&) = delete;
    KernelBpfTracer& operator=(const KernelBpfTracer&) = delete;
    KernelBpfTracer(KernelBpfTracer&&) = delete;
    KernelBpfTracer& operator=(KernelBpfTracer&&) = delete;
    ~KernelBpfTracer() override;

    Result<FileDescriptor> load(BpfKind kind, BpfCounter counter,
                                const BpfTarget& function) override;
    Result<FileDescriptor> attach(BpfKind kind, const FileDescriptor& program,
                                  const std::vector<BpfTarget>& functions,
                                  std::uint64_t slot) override;
    [[nodiscard]] std::vector<std::uint64_t> hits(std::size_t count) const override;
    void clear_hits() override;
    Result<std::size_t> functions_in_use() override;
    Result<std::set<std::string>> images() override;
    Result<MemoryUse> memory() override;
    Result<FunctionNames> functions_run_by(const std::function<Result<>()>& work) override;

  private:
    struct Programs;

    KernelBpfTracer(KernelPaths paths, std::unique_ptr<Programs> programs);
    [[nodiscard]] Result<FileDescriptor> attach_event(BpfKind kind, const FileDescriptor& program,
                                                      const BpfTarget& function,
                                                      std::uint64_t slot) const;

    KernelPaths paths_;
    std::unique_ptr<Programs> programs_;
};

} // namespace fdirect
