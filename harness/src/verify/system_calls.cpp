// SPDX-License-Identifier: GPL-2.0
#include "verify/system_calls.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "kernel/environment.h"
#include "util/file_descriptor.h"

namespace fdirect {
namespace {

struct Call {
    std::string_view name;
    void (*make)();
    bool arguments = true; ///< whether the system call takes any
};

// Straight to the kernel: a C library may answer some of these from memory.
template<class... Arguments>
void call(long number, Arguments... arguments) {
    (void)::syscall(number, arguments...);
}

// Every architecture takes these from the generic code; arm64 and s390x have a personality() of
// their own.
const std::array call_list = {
    Call{"getppid", [] { call(SYS_getppid); }, false},
    Call{"getpgid", [] { call(SYS_getpgid, 0); }},
    Call{"getsid", [] { call(SYS_getsid, 0); }},
    Call{"sched_get_priority_max", [] { call(SYS_sched_get_priority_max, SCHED_FIFO); }},
    Call{"sched_get_priority_min", [] { call(SYS_sched_get_priority_min, SCHED_FIFO); }},
    Call{"sched_getscheduler", [] { call(SYS_sched_getscheduler, 0); }},
    Call{"getpriority", [] { call(SYS_getpriority, PRIO_PROCESS, 0); }},
    Call{"getgroups", [] { call(SYS_getgroups, 0, nullptr); }},
    Call{"getuid", [] { call(SYS_getuid); }, false},
    Call{"geteuid", [] { call(SYS_geteuid); }, false},
    Call{"getgid", [] { call(SYS_getgid); }, false},
    Call{"getegid", [] { call(SYS_getegid); }, false},
    Call{"sched_rr_get_interval",
         [] {
             timespec interval{};
             call(SYS_sched_rr_get_interval, 0, &interval);
         }},
    Call{"sched_getparam",
         [] {
             sched_param parameter{};
             call(SYS_sched_getparam, 0, &parameter);
         }},
    Call{"getresuid",
         [] {
             std::array<uid_t, 3> ids{};
             call(SYS_getresuid, ids.data(), &ids[1], &ids[2]);
         }},
    Call{"getresgid",
         [] {
             std::array<gid_t, 3> ids{};
             call(SYS_getresgid, ids.data(), &ids[1], &ids[2]);
         }},
    Call{"getitimer",
         [] {
             itimerval timer{};
             call(SYS_getitimer, ITIMER_VIRTUAL, &timer);
         }},
    Call{"times",
         [] {
             tms times{};
             call(SYS_times, &times);
         }},
};

constexpr std::uint64_t fewest_calls = 101;
constexpr std::uint64_t more_calls_each = 7;

/// The functions that the kernel runs for a system call, whichever of them it has.
std::vector<std::string> functions_of(const Call& call, std::string_view machine) {
    std::string name(call.name);
    if (machine == "x86_64" && !call.arguments) {
        // The body is shared with the 32-bit entry, so it mostly is a function of its own.
        return {"__do_sys_" + name, system_call_prefix(machine) + name};
    }
    return {system_call_prefix(machine) + name};
}

std::uint64_t count_of(std::size_t index) {
    return fewest_calls + more_calls_each * index;
}

// The steps below run parts of the kernel for the hits alone. Nobody needs what they return. A
// kernel that lacks something is hit in fewer places.

template<class T>
void drop(const T& result) {
    (void)result;
}

void read_files() {
    for (const char* path :
         {"/proc/stat", "/proc/meminfo", "/proc/vmstat", "/proc/interrupts", "/proc/mounts",
          "/proc/self/status", "/proc/self/maps", "/proc/self/limits", "/proc/filesystems",
          "/proc/modules", "/proc/partitions", "/proc/self/io", "/sys/kernel/uevent_seqnum"}) {
        FileDescriptor file(::open(path, O_RDONLY | O_CLOEXEC));
        std::array<char, 4096> buffer{};
        while (file.valid() && ::read(file.get(), buffer.data(), buffer.size()) > 0) {
        }
    }
}

void use_a_directory() {
    std::string directory = "/tmp/fdirect-XXXXXX";
    if (::mkdtemp(directory.data()) == nullptr) {
        return;
    }
    std::string one = directory + "/one";
    std::string two = directory + "/two";
    {
        FileDescriptor file(::open(one.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (file.valid()) {
            drop(::write(file.get(), "fdirect", 7));
            drop(::fsync(file.get()));
            drop(::ftruncate(file.get(), 3));
            drop(::lseek(file.get(), 0, SEEK_SET));
        }
    }
    struct stat information {};
    drop(::link(one.c_str(), two.c_str()));
    drop(::stat(two.c_str(), &information));
    drop(::chmod(two.c_str(), 0400));
    drop(::unlink(one.c_str()));
    drop(::rename(two.c_str(), one.c_str()));
    drop(::unlink(one.c_str()));
    drop(::rmdir(directory.c_str()));
}

void talk_to_itself() {
    std::array<int, 2> ends{};
    std::array<char, 16> buffer{};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
        FileDescriptor reader(ends[0]);
        FileDescriptor writer(ends[1]);
        drop(::write(writer.get(), "pipe", 4));
        pollfd watched{reader.get(), POLLIN, 0};
        drop(::poll(&watched, 1, 0));
        drop(::read(reader.get(), buffer.data(), buffer.size()));
    }
    for (int type : {SOCK_STREAM, SOCK_DGRAM}) {
        if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) == 0) {
            FileDescriptor left(ends[0]);
            FileDescriptor right(ends[1]);
            drop(::send(left.get(), "socket", 6, MSG_NOSIGNAL));
            drop(::recv(right.get(), buffer.data(), buffer.size(), 0));
        }
    }
    FileDescriptor event(::eventfd(1, EFD_CLOEXEC));
    FileDescriptor poller(::epoll_create1(EPOLL_CLOEXEC));
    if (event.valid() && poller.valid()) {
        epoll_event wanted{};
        wanted.events = EPOLLIN;
        drop(::epoll_ctl(poller.get(), EPOLL_CTL_ADD, event.get(), &wanted));
        drop(::epoll_wait(poller.get(), &wanted, 1, 0));
    }
}

void use_memory() {
    constexpr std::size_t size = std::size_t{64} * 4096;
    void* memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return;
    }
    for (std::size_t at = 0; at < size; at += 4096) {
        static_cast<volatile char*>(memory)[at] = 1;
    }
    drop(::mprotect(memory, size, PROT_READ));
    drop(::madvise(memory, size, MADV_DONTNEED));
    drop(::munmap(memory, size));
}

void start_a_process() {
    pid_t child = ::fork();
    if (child == 0) {
        ::_exit(0);
    }
    if (child > 0) {
        drop(::waitpid(child, nullptr, 0));
    }
}

void use_a_timer() {
    FileDescriptor timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    if (timer.valid()) {
        itimerspec soon{{0, 0}, {0, 100000}};
        drop(::timerfd_settime(timer.get(), 0, &soon, nullptr));
        std::uint64_t fired = 0;
        drop(::read(timer.get(), &fired, sizeof(fired)));
    }
}

} // namespace

SystemCalls::SystemCalls(std::string_view machine) {
    for (std::size_t i = 0; i < call_list.size(); i++) {
        for (std::string& function : functions_of(call_list[i], machine)) {
            known_.push_back({std::move(function), count_of(i)});
        }
    }
}

void SystemCalls::run_known_calls() {
    for (std::size_t i = 0; i < call_list.size(); i++) {
        for (std::uint64_t n = 0; n < count_of(i); n++) {
            call_list[i].make();
        }
    }
}

void SystemCalls::exercise() {
    read_files();
    use_a_directory();
    talk_to_itself();
    use_memory();
    start_a_process();
    use_a_timer();
}

void SystemCalls::settle() {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

} // namespace fdirect
