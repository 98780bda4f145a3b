// SPDX-License-Identifier: GPL-2.0
#include "bpf/function_counter.h"

#include <algorithm>
#include <array>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <string>
#include <sys/mman.h>
#include <utility>

#include "bpf/quiet_libbpf.h"
#include "bpf/tracing_multi.h"
#include "count_calls.skel.h"

namespace fdirect {
namespace {

/// Helpers of count_call().
constexpr std::array<std::string_view, 2> helpers = {"bpf_get_attach_cookie",
                                                     "bpf_get_smp_processor_id"};

Error kernel_error(std::string_view what, int number) {
    return failure(fmt::format("the kernel does not {}: {}", what, system_message(number)), {},
                   number);
}

/// The kernel's BTF of a module. Invalid, with errno, where there is none.
FileDescriptor types_of_module(const std::string& module) {
    std::uint32_t id = 0;
    while (bpf_btf_get_next_id(id, &id) == 0) {
        FileDescriptor types(bpf_btf_get_fd_by_id(id));
        std::array<char, 64> name{};
        bpf_btf_info info{};
        info.name = reinterpret_cast<std::uintptr_t>(name.data());
        info.name_len = name.size();
        std::uint32_t size = sizeof(info);
        if (types.valid() && bpf_obj_get_info_by_fd(types.get(), &info, &size) == 0 &&
            info.kernel_btf != 0 && module == name.data()) {
            return types;
        }
    }
    return {};
}

} // namespace

struct FunctionCounter::Program {
    BpfKind kind = BpfKind::fentry_multi;
    std::size_t functions = 0;
    std::size_t cpus = 0;
    count_calls_bpf* skeleton = nullptr;
    std::map<std::string, FileDescriptor> loaded; ///< by the module
    void* counts = MAP_FAILED;                    ///< those of each CPU, one after the other

    Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    Program(Program&&) = delete;
    Program& operator=(Program&&) = delete;
    ~Program() {
        if (counts != MAP_FAILED) {
            ::munmap(counts, bytes());
        }
        count_calls_bpf::destroy(skeleton);
    }

    [[nodiscard]] std::size_t bytes() const { return cpus * functions * sizeof(std::uint64_t); }

    /// Loads the program for functions of a module, unless it is loaded.
    Result<> load(const std::string& module);
};

Result<> FunctionCounter::Program::load(const std::string& module) {
    if (loaded.contains(module)) {
        return {};
    }
    FileDescriptor types;
    if (!module.empty()) {
        types = types_of_module(module);
        if (!types.valid()) {
            return kernel_error("tell the types of the module " + module, errno);
        }
    }
    bpf_prog_load_opts options{};
    options.sz = sizeof(options);
    options.expected_attach_type = multi_attach_type(kind);
    options.attach_btf_obj_fd = types.valid() ? static_cast<__u32>(types.get()) : 0;
    const bpf_program* prepared = skeleton->progs.count_call;
    FileDescriptor program(bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(prepared), "GPL",
                                         bpf_program__insns(prepared),
                                         bpf_program__insn_cnt(prepared), &options));
    if (!program.valid()) {
        return kernel_error("load the program that counts", errno);
    }
    loaded.emplace(module, std::move(program));
    return {};
}

FunctionCounter::FunctionCounter(std::unique_ptr<Program> program) : program_(std::move(program)) {}
FunctionCounter::FunctionCounter(FunctionCounter&& other) noexcept = default;
FunctionCounter& FunctionCounter::operator=(FunctionCounter&& other) noexcept = default;
FunctionCounter::~FunctionCounter() = default;

Result<FunctionCounter> FunctionCounter::load(BpfKind kind, std::size_t functions) {
    TRY(check_tracing_multi(kind));
    quiet_libbpf();
    auto program = std::make_unique<Program>();
    program->kind = kind;
    program->functions = functions;
    int cpus = libbpf_num_possible_cpus();
    program->cpus = static_cast<std::size_t>(std::max(cpus, 1));
    std::size_t entries = program->cpus * functions;
    if (cpus < 0 || entries == 0 || entries > UINT32_MAX) {
        return failure(
            fmt::format("cannot count the calls of {} functions on {} CPUs", functions, cpus));
    }
    program->skeleton = count_calls_bpf::open();
    count_calls_bpf* skeleton = program->skeleton;
    int failed = skeleton == nullptr ? -errno : 0;
    if (failed == 0) {
        skeleton->rodata->functions = static_cast<std::uint32_t>(functions);
        failed =
            bpf_map__set_max_entries(skeleton->maps.calls, static_cast<std::uint32_t>(entries));
    }
    failed = failed == 0 ? count_calls_bpf::load(skeleton) : failed;
    if (failed != 0) {
        return kernel_error("load the program that counts", -failed);
    }
    TRY(program->load(""));
    program->counts = ::mmap(nullptr, program->bytes(), PROT_READ, MAP_SHARED | MAP_POPULATE,
                             bpf_map__fd(skeleton->maps.calls), 0);
    if (program->counts == MAP_FAILED) {
        return kernel_error("show the counts", errno);
    }
    return FunctionCounter(std::move(program));
}

Result<FileDescriptor> FunctionCounter::attach(const std::vector<BpfTarget>& functions,
                                               std::size_t first) {
    const std::string& module = functions.front().module;
    TRY(program_->load(module));
    std::vector<std::uint32_t> ids;
    ids.reserve(functions.size());
    for (const BpfTarget& function : functions) {
        ids.push_back(function.type);
    }
    std::vector<std::uint64_t> cookies(functions.size());
    std::iota(cookies.begin(), cookies.end(), first);
    FileDescriptor link =
        link_tracing_multi(program_->loaded[module], program_->kind, ids, cookies);
    if (!link.valid()) {
        return kernel_error(fmt::format("attach to {} functions", functions.size()), errno);
    }
    return link;
}

std::vector<std::uint64_t> FunctionCounter::calls() const {
    std::vector<std::uint64_t> sums(program_->functions);
    const auto* counts = static_cast<const std::uint64_t*>(program_->counts);
    for (std::size_t i = 0; i < program_->cpus * program_->functions; i++) {
        // The kernel writes it at any time.
        sums[i % program_->functions] += __atomic_load_n(&counts[i], __ATOMIC_RELAXED);
    }
    return sums;
}

Result<std::uint64_t> FunctionCounter::missed() const {
    std::uint64_t sum = 0;
    for (const auto& [module, loaded] : program_->loaded) {
        bpf_prog_info info{};
        std::uint32_t size = sizeof(info);
        if (bpf_obj_get_info_by_fd(loaded.get(), &info, &size) != 0) {
            return kernel_error("tell about the program that counts", errno);
        }
        sum += info.recursion_misses;
    }
    return sum;
}

std::string_view counting_obstacle(std::string_view function) {
    bool helper = std::any_of(helpers.begin(), helpers.end(),
                              [&](std::string_view name) { return function.starts_with(name); });
    return helper ? "counting runs it itself" : "";
}

} // namespace fdirect
