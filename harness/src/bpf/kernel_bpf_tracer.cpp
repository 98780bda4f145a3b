// SPDX-License-Identifier: GPL-2.0
#include "bpf/kernel_bpf_tracer.h"

#include <algorithm>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <fmt/format.h>
#include <iterator>
#include <linux/perf_event.h>
#include <numeric>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <utility>

#include "bpf/quiet_libbpf.h"
#include "bpf/tracing_multi.h"
#include "bpf_count.skel.h"
#include "kernel/enabled_functions.h"
#include "util/file.h"
#include "util/text.h"

namespace fdirect {

struct KernelBpfTracer::Programs {
    bpf_count_bpf* skeleton;

    explicit Programs(bpf_count_bpf* owned) : skeleton(owned) {}
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;
    Programs(Programs&&) = delete;
    Programs& operator=(Programs&&) = delete;
    ~Programs() { bpf_count_bpf::destroy(skeleton); }

    [[nodiscard]] const bpf_program* of(BpfCounter counter) const {
        return counter == BpfCounter::slot ? skeleton->progs.slot : skeleton->progs.plain;
    }
};

namespace {

Error kernel_error(std::string_view verb, BpfKind kind, std::string_view function) {
    int number = errno;
    return failure(fmt::format("the kernel does not {} a program for {} of {}: {}", verb,
                               name_of(kind), function, system_message(number)),
                   {}, number);
}

/// A program and its link for each function, and some more.
void raise_open_files() {
    rlimit limit{2 * BpfTracer::slots + 1024, 2 * BpfTracer::slots + 1024};
    // If that is refused, the kernel says so in time.
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Options for libbpf, which tells its versions apart by their size.
template<class Options>
Options sized() {
    Options options{};
    options.sz = sizeof(options);
    return options;
}

bpf_prog_type program_type(BpfKind kind) {
    switch (kind) {
    case BpfKind::kprobe:
    case BpfKind::kretprobe:
    case BpfKind::kprobe_multi:
    case BpfKind::kretprobe_multi:
        return BPF_PROG_TYPE_KPROBE;
    case BpfKind::raw_tracepoint:
        return BPF_PROG_TYPE_RAW_TRACEPOINT;
    case BpfKind::tracepoint:
        return BPF_PROG_TYPE_TRACEPOINT;
    default:
        return BPF_PROG_TYPE_TRACING;
    }
}

/// The kernel attaches a program to this, where its type does not say it.
bpf_attach_type attach_type(BpfKind kind) {
    switch (kind) {
    case BpfKind::fentry:
        return BPF_TRACE_FENTRY;
    case BpfKind::fexit:
        return BPF_TRACE_FEXIT;
    case BpfKind::fmod_ret:
        return BPF_MODIFY_RETURN;
    case BpfKind::fentry_multi:
    case BpfKind::fexit_multi:
    case BpfKind::fmod_ret_multi:
        return multi_attach_type(kind);
    case BpfKind::kprobe_multi:
    case BpfKind::kretprobe_multi:
        return BPF_TRACE_KPROBE_MULTI;
    default:
        return bpf_attach_type{};
    }
}

/// How many bytes behind its entry a function takes a kprobe. A call site of riscv64 takes none.
#ifdef __riscv
constexpr std::uint64_t kprobe_offset = 8;
#else
constexpr std::uint64_t kprobe_offset = 0;
#endif

bool is_for_one_function(BpfKind kind) {
    return kind == BpfKind::fentry || kind == BpfKind::fexit || kind == BpfKind::fmod_ret;
}

/// A number in a file of the kernel, behind a colon if there is one.
Result<std::uint64_t> number_in(const std::filesystem::path& file) {
    auto text = TRY(read_file(file));
    auto number = parse_number(trim(std::string_view(text).substr(text.find(':') + 1)));
    if (!number) {
        return failure(fmt::format("{} has no number", file.string()));
    }
    return *number;
}

} // namespace

Result<std::uint32_t> kprobe_event_type(const KernelPaths& paths) {
    auto file = paths.sysfs / "bus/event_source/devices/kprobe/type";
    auto type = number_in(file);
    if (!type && type.error().system == ENOENT) {
        return failure("this kernel has no perf events for kprobes", {}, EOPNOTSUPP);
    }
    if (!type) {
        return type.error();
    }
    if (*type > UINT32_MAX) {
        return failure(fmt::format("{} has no type", file.string()));
    }
    return static_cast<std::uint32_t>(*type);
}

std::set<std::string> image_names(std::string_view symbols) {
    std::set<std::string> names;
    for (std::string_view line : split_lines(symbols)) {
        auto words = split_words(line);
        if (words.size() > 2 && words[2].starts_with("bpf_trampoline_") &&
            words.back() == "[bpf]") {
            names.emplace(words[2]);
        }
    }
    return names;
}

KernelBpfTracer::KernelBpfTracer(KernelPaths paths, std::unique_ptr<Programs> programs)
    : paths_(std::move(paths)), programs_(std::move(programs)) {}

KernelBpfTracer::~KernelBpfTracer() = default;

Result<std::unique_ptr<BpfTracer>> KernelBpfTracer::open(const KernelPaths& paths,
                                                         const std::string& function) {
    raise_open_files();
    quiet_libbpf();
    auto programs = std::make_unique<Programs>(bpf_count_bpf::open());
    bpf_count_bpf* skeleton = programs->skeleton;
    int failed = skeleton == nullptr ? -errno : 0;
    if (failed == 0) {
        for (bpf_program* program : {skeleton->progs.slot, skeleton->progs.plain}) {
            failed =
                failed == 0 ? bpf_program__set_attach_target(program, 0, function.c_str()) : failed;
        }
        failed = failed == 0 ? bpf_count_bpf::load(skeleton) : failed;
    }
    if (failed != 0) {
        return cannot_run(fmt::format("this kernel does not load BPF programs for tracing: {}",
                                      system_message(-failed)),
                          "it needs CONFIG_BPF_SYSCALL, CONFIG_BPF_JIT and direct calls; run "
                          "fdirect as root",
                          -failed);
    }
    return std::unique_ptr<BpfTracer>(new KernelBpfTracer(paths, std::move(programs)));
}

Result<FileDescriptor> KernelBpfTracer::load(BpfKind kind, BpfCounter counter,
                                             const BpfTarget& function) {
    const bpf_program* program = programs_->of(counter);
    auto options = sized<bpf_prog_load_opts>();
    options.expected_attach_type = attach_type(kind);
    options.attach_btf_id = is_for_one_function(kind) ? function.type : 0;
    FileDescriptor loaded(bpf_prog_load(program_type(kind), bpf_program__name(program), "GPL",
                                        bpf_program__insns(program), bpf_program__insn_cnt(program),
                                        &options));
    if (loaded.valid()) {
        return loaded;
    }
    Error refused = kernel_error("load", kind, function.name);
    Result<> able = is_tracing_multi(kind) ? check_tracing_multi(kind) : Result<>();
    return able ? refused : able.error();
}

Result<FileDescriptor> KernelBpfTracer::attach(BpfKind kind, const FileDescriptor& program,
                                               const std::vector<BpfTarget>& functions,
                                               std::uint64_t slot) {
    auto options = sized<bpf_link_create_opts>();
    const std::string& name = functions.front().name;
    std::vector<unsigned long> addresses;
    std::vector<std::uint32_t> ids;
    std::vector<std::uint64_t> cookies(functions.size());
    std::iota(cookies.begin(), cookies.end(), slot);
    FileDescriptor link;
    switch (kind) {
    case BpfKind::fentry:
    case BpfKind::fexit:
    case BpfKind::fmod_ret:
        options.tracing.cookie = slot;
        link = FileDescriptor(bpf_link_create(program.get(), 0, attach_type(kind), &options));
        break;
    case BpfKind::fentry_multi:
    case BpfKind::fexit_multi:
    case BpfKind::fmod_ret_multi:
        std::transform(functions.begin(), functions.end(), std::back_inserter(ids),
                       [](const BpfTarget& function) { return function.type; });
        link = link_tracing_multi(program, kind, ids, cookies);
        break;
    case BpfKind::kprobe:
    case BpfKind::kretprobe:
    case BpfKind::tracepoint:
        return attach_event(kind, program, functions.front(), slot);
    case BpfKind::kprobe_multi:
    case BpfKind::kretprobe_multi:
        std::transform(functions.begin(), functions.end(), std::back_inserter(addresses),
                       [](const BpfTarget& function) { return function.address; });
        options.kprobe_multi.flags =
            kind == BpfKind::kretprobe_multi ? BPF_F_KPROBE_MULTI_RETURN : 0;
        options.kprobe_multi.addrs = addresses.data();
        static_assert(sizeof(__u64) == sizeof(std::uint64_t));
        options.kprobe_multi.cookies = reinterpret_cast<const __u64*>(cookies.data());
        options.kprobe_multi.cnt = static_cast<__u32>(addresses.size());
        link = FileDescriptor(bpf_link_create(program.get(), 0, attach_type(kind), &options));
        break;
    case BpfKind::raw_tracepoint:
        link = FileDescriptor(
            bpf_raw_tracepoint_open(name.substr(name.find('/') + 1).c_str(), program.get()));
        break;
    }
    if (!link.valid()) {
        return kernel_error("attach", kind, name);
    }
    return link;
}

/// By way of a perf event.
Result<FileDescriptor> KernelBpfTracer::attach_event(BpfKind kind, const FileDescriptor& program,
                                                     const BpfTarget& function,
                                                     std::uint64_t slot) const {
    perf_event_attr event{};
    event.size = sizeof(event);
    if (kind == BpfKind::tracepoint) {
        auto id = number_in(paths_.tracefs / "events" / function.name / "id");
        if (!id) {
            return id.error().system == ENOENT
                       ? failure("this kernel does not have the tracepoint " + function.name, {},
                                 EOPNOTSUPP)
                       : id.error();
        }
        event.type = PERF_TYPE_TRACEPOINT;
        event.config = *id;
    } else {
        event.type = TRY(kprobe_event_type(paths_));
        event.config1 = reinterpret_cast<std::uintptr_t>(function.name.c_str());
        // A kretprobe is at the entry, or nowhere.
        event.config2 = kind == BpfKind::kprobe ? kprobe_offset : 0;
    }
    if (kind == BpfKind::kretprobe) {
        auto bit = TRY(number_in(paths_.sysfs / "bus/event_source/devices/kprobe/format/retprobe"));
        event.config = std::uint64_t{1} << bit;
    }
    FileDescriptor opened(
        static_cast<int>(::syscall(SYS_perf_event_open, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!opened.valid()) {
        Error refused = kernel_error("attach", kind, function.name);
        return kind == BpfKind::kretprobe && kprobe_offset != 0
                   ? failure("this kernel takes no kretprobe on a function that ftrace traces", {},
                             EOPNOTSUPP)
                   : refused;
    }
    // The link keeps the event.
    auto options = sized<bpf_link_create_opts>();
    options.perf_event.bpf_cookie = slot;
    FileDescriptor link(bpf_link_create(program.get(), opened.get(), BPF_PERF_EVENT, &options));
    if (!link.valid()) {
        return kernel_error("attach", kind, function.name);
    }
    return link;
}

std::vector<std::uint64_t> KernelBpfTracer::hits(std::size_t count) const {
    std::vector<std::uint64_t> copy(std::min(count, slots));
    for (std::size_t i = 0; i < copy.size(); i++) {
        // The kernel writes it at any time.
        copy[i] = __atomic_load_n(&programs_->skeleton->bss->hits[i], __ATOMIC_RELAXED);
    }
    return copy;
}

void KernelBpfTracer::clear_hits() {
    for (__u64& hit : programs_->skeleton->bss->hits) {
        __atomic_store_n(&hit, 0, __ATOMIC_RELAXED);
    }
}

Result<std::size_t> KernelBpfTracer::functions_in_use() {
    return count_enabled_functions(paths_);
}

Result<std::set<std::string>> KernelBpfTracer::images() {
    return image_names(TRY(read_file(paths_.procfs / "kallsyms")));
}

Result<MemoryUse> KernelBpfTracer::memory() {
    return MemoryGauge(paths_).settled();
}

Result<FunctionNames> KernelBpfTracer::functions_run_by(const std::function<Result<>()>& work) {
    return fdirect::functions_run_by(paths_, work);
}

} // namespace fdirect
