// SPDX-License-Identifier: GPL-2.0
#include "bpf/kernel_bpf_tracer.h"

#include <algorithm>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <utility>

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

    [[nodiscard]] const bpf_program* of(BpfKind kind, BpfCounter counter) const {
        const auto& all = skeleton->progs;
        switch (kind) {
        case BpfKind::fentry:
            return counter == BpfCounter::slot ? all.fentry_slot : all.fentry_plain;
        case BpfKind::fexit:
            return all.fexit_plain;
        case BpfKind::kprobe:
            return all.kprobe_plain;
        case BpfKind::kprobe_multi:
            return counter == BpfCounter::slot ? all.multi_slot : all.multi_plain;
        case BpfKind::raw_tracepoint:
            return all.raw_tracepoint_plain;
        }
        return nullptr;
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

int silent(libbpf_print_level /*level*/, const char* /*format*/, va_list /*arguments*/) {
    return 0;
}

} // namespace

Result<std::uint32_t> kprobe_event_type(const KernelPaths& paths) {
    auto file = paths.sysfs / "bus/event_source/devices/kprobe/type";
    auto text = read_file(file);
    if (!text && text.error().system == ENOENT) {
        return failure("this kernel has no perf events for kprobes", {}, EOPNOTSUPP);
    }
    if (!text) {
        return text.error();
    }
    auto type = parse_number(trim(*text));
    if (!type || *type > UINT32_MAX) {
        return failure(fmt::format("{} has no number", file.string()));
    }
    return static_cast<std::uint32_t>(*type);
}

KernelBpfTracer::KernelBpfTracer(KernelPaths paths, std::unique_ptr<Programs> programs)
    : paths_(std::move(paths)), programs_(std::move(programs)) {}

KernelBpfTracer::~KernelBpfTracer() = default;

Result<std::unique_ptr<BpfTracer>> KernelBpfTracer::open(const KernelPaths& paths,
                                                         const std::string& function) {
    raise_open_files();
    libbpf_set_print(silent);
    auto programs = std::make_unique<Programs>(bpf_count_bpf::open());
    bpf_count_bpf* skeleton = programs->skeleton;
    int failed = skeleton == nullptr ? -errno : 0;
    if (failed == 0) {
        for (bpf_program* program : {skeleton->progs.fentry_slot, skeleton->progs.fentry_plain,
                                     skeleton->progs.fexit_plain}) {
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
    const bpf_program* program = programs_->of(kind, counter);
    auto options = sized<bpf_prog_load_opts>();
    options.expected_attach_type = bpf_program__expected_attach_type(program);
    if (kind == BpfKind::fentry || kind == BpfKind::fexit) {
        options.attach_btf_id = function.type;
    }
    FileDescriptor loaded(bpf_prog_load(bpf_program__type(program), bpf_program__name(program),
                                        "GPL", bpf_program__insns(program),
                                        bpf_program__insn_cnt(program), &options));
    if (!loaded.valid()) {
        return kernel_error("load", kind, function.name);
    }
    return loaded;
}

Result<FileDescriptor> KernelBpfTracer::attach(BpfKind kind, const FileDescriptor& program,
                                               const std::vector<BpfTarget>& functions,
                                               std::uint64_t slot) {
    auto options = sized<bpf_link_create_opts>();
    const BpfTarget& first = functions.front();
    std::vector<unsigned long> addresses;
    std::vector<__u64> cookies;
    FileDescriptor link;
    switch (kind) {
    case BpfKind::fentry:
    case BpfKind::fexit:
        options.tracing.cookie = slot;
        link = FileDescriptor(bpf_link_create(
            program.get(), 0, kind == BpfKind::fentry ? BPF_TRACE_FENTRY : BPF_TRACE_FEXIT,
            &options));
        break;
    case BpfKind::kprobe:
        return attach_kprobe(program, first, slot);
    case BpfKind::kprobe_multi:
        for (const BpfTarget& function : functions) {
            addresses.push_back(function.address);
            cookies.push_back(slot + cookies.size());
        }
        options.kprobe_multi.addrs = addresses.data();
        options.kprobe_multi.cookies = cookies.data();
        options.kprobe_multi.cnt = static_cast<__u32>(addresses.size());
        link = FileDescriptor(bpf_link_create(program.get(), 0, BPF_TRACE_KPROBE_MULTI, &options));
        break;
    case BpfKind::raw_tracepoint:
        link = FileDescriptor(bpf_raw_tracepoint_open(first.name.c_str(), program.get()));
        break;
    }
    if (!link.valid()) {
        return kernel_error("attach", kind, first.name);
    }
    return link;
}

Result<FileDescriptor> KernelBpfTracer::attach_kprobe(const FileDescriptor& program,
                                                      const BpfTarget& function,
                                                      std::uint64_t slot) const {
    auto type = TRY(kprobe_event_type(paths_));
    perf_event_attr event{};
    event.size = sizeof(event);
    event.type = type;
    event.config1 = reinterpret_cast<std::uintptr_t>(function.name.c_str());
    FileDescriptor probe(
        static_cast<int>(::syscall(SYS_perf_event_open, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!probe.valid()) {
        return kernel_error("attach", BpfKind::kprobe, function.name);
    }
    // The link keeps the probe.
    auto options = sized<bpf_link_create_opts>();
    options.perf_event.bpf_cookie = slot;
    FileDescriptor link(bpf_link_create(program.get(), probe.get(), BPF_PERF_EVENT, &options));
    if (!link.valid()) {
        return kernel_error("attach", BpfKind::kprobe, function.name);
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

Result<FunctionNames> KernelBpfTracer::functions_run_by(const std::function<Result<>()>& work) {
    return fdirect::functions_run_by(paths_, work);
}

} // namespace fdirect
