/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the fdirect selftests: writing a file and seeing the exact errno,
 * and a picture of everything that a refused call must leave alone. A driver
 * checks after each test that nothing was left behind.
 *
 * A program is a table of struct test and a main() that hands it to suite(). A
 * test calls REQUIRE() for what it cannot go on without and CHECK() for the rest;
 * one that checked nothing has failed.
 */
#ifndef FDIRECT_H
#define FDIRECT_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if __has_include("../../kselftest.h")
#include "../../kselftest.h"
#else
#include <kselftest.h>
#endif

#define DEBUGFS		"/sys/kernel/debug/"
#define TRACEFS		"/sys/kernel/tracing/"
#define FDIRECT		DEBUGFS "fdirect/"
#define PEER		DEBUGFS "fdirect_peer/"
#define SUBJECT		DEBUGFS "fdirect_subject/"
#define API		DEBUGFS "fdirect_api/"

#define PEERS		1024	/* functions in fdirect_peer.ko */
#define STUBS		65536	/* stubs in fdirect.ko */
#define FEWEST		10000	/* functions in a small kernel, where a test takes all */

#define __maybe_unused	__attribute__((__unused__))

/* -------------------------------------------------------------------------- */
/* One test, and what it found                                                  */

enum needs {
	ANY_KERNEL,
	HASH,		/* direct calls with a target for each call site, by a hash */
	REGISTER_HASH,	/* by register_ftrace_direct_hash() */
	UPDATE_DIRECT,	/* by update_ftrace_direct_add(), of Linux 7 */
	NO_HASH,	/* a kernel without it */
	FAR,		/* an architecture whose call instruction does not reach all */
	HASH_FAR,	/* both */
	NO_FAR,
};

struct test {
	const char *promise;
	void (*run)(void);
	enum needs needs;
};

extern int checks_done, checks_failed;
extern char skip_reason[256];

__printf(4, 5) bool check(bool ok, int line, const char *what, const char *fmt, ...);

#define CHECK(cond, ...) check(cond, __LINE__, #cond, __VA_ARGS__)
#define REQUIRE(cond, ...) \
	do { if (!check(cond, __LINE__, #cond, __VA_ARGS__)) return; } while (0)

/* For a test that finds out only while running that it cannot be done here. */
#define SKIP(...) \
	do { snprintf(skip_reason, sizeof(skip_reason), __VA_ARGS__); return; } while (0)

#define NEED_TWO_CPUS(why) \
	do { if (sysconf(_SC_NPROCESSORS_ONLN) < 2) SKIP(why); } while (0)

long long now_ms(void);

#define STUCK	60000	/* milliseconds: nothing takes as long */

/* -------------------------------------------------------------------------- */
/* Files                                                                        */

/* The whole file as a string that the caller frees; NULL with errno set. */
char *slurp(const char *path);

char *must_slurp(const char *path);

/* One write(2) of all of it: 0, or the errno. A short write is EMSGSIZE. */
int write_file(const char *path, const char *buf, size_t len);

/*
 * For a file like set_ftrace_filter, which takes a word a write: 0 or the errno. Text that
 * does not end with a newline or a space is looked at when the file is closed. Nobody
 * learns then if it was wrong.
 */
int write_words(const char *path, int flags, const char *text);

__printf(2, 3) int put(const char *path, const char *fmt, ...);

const char *errname(int err);

/* One write to a file of the module, all of it, and nothing but it. */
#define fdirect(file, ...) put(FDIRECT file, __VA_ARGS__)

/* A file that only root may read, without the newline at its end. */
char *first_line(const char *path);

/* -------------------------------------------------------------------------- */
/* Status of the module                                                         */

/* The number after @key in the text of the status file. */
long long value_in(const char *text, const char *key);

/* The same, in the text of this file. */
long long value_of(const char *path, const char *key);

/* The same, of the status file. Each call has the module look at every site of the selection. */
long long status(const char *key);

struct hit {
	unsigned int index;
	unsigned long site;
	long stub;		/* -1: not attached */
	unsigned long hits;
	char name[128];
};

/* The hits file; the caller frees *hits. */
size_t read_hits(struct hit **hits);

/* -------------------------------------------------------------------------- */
/* A picture of all that a refused call must leave as it was                    */

struct picture {
	char *enabled;		/* every traced call site, its users, its direct target */
	char *functions;
	char *hits;
	char *status;
	char *method;
	char *ops;
	char *reach;
};

#define TRACE_INSTANCE	TRACEFS "instances/fdirect/"

/*
 * The content of the trace buffer in @dir, read once and gone, until the next
 * call. The tracer can't be changed while somebody has its trace_pipe open.
 */
char *read_trace(const char *dir);

/*
 * The content of enabled_functions without the sizes of symbols. An image at another address
 * can have another size, since a number takes as many instructions as it needs.
 */
char *enabled_functions(void);

struct picture take_picture(void);

void free_picture(struct picture *p);

/* True when both are the same; says where they part otherwise. */
bool same_text(const char *what, const char *before, const char *after);

/* Compares with the state of now, and frees @before. */
bool as_before(struct picture *before);

/* -------------------------------------------------------------------------- */
/* Refusals: the errno, the reason in last_error, and nothing changed           */

bool last_error_is_empty(void);

bool last_error_has(const char *part);

void refused_at(int line, const char *file, const char *text, size_t len, int want);

#define REFUSED(file, text, want) refused_at(__LINE__, file, text, strlen(text), want)

/* -------------------------------------------------------------------------- */
/* Functions to trace                                                           */

#if defined(__x86_64__)
#define SYSCALL_PREFIX "__x64_sys_"
#elif defined(__aarch64__)
#define SYSCALL_PREFIX "__arm64_sys_"
#elif defined(__riscv)
#define SYSCALL_PREFIX "__riscv_sys_"
#elif defined(__s390x__)
#define SYSCALL_PREFIX "__s390x_sys_"
#else
#define SYSCALL_PREFIX "sys_"
#endif

/*
 * What to put behind a function's name for a kprobe at its entry. A call site takes a kprobe only
 * by way of ftrace, which riscv64 does not have. There the probe goes behind the call site.
 */
#if defined(__riscv)
#define PROBE_OFFSET "+8"
#else
#define PROBE_OFFSET ""
#endif

/* A few system calls have a function of the architecture's own. */
#if defined(__aarch64__)
#define SYS_NAME_PERSONALITY "arm64_personality"
#elif defined(__s390x__)
#define SYS_NAME_PERSONALITY "s390_personality"
#else
#define SYS_NAME_PERSONALITY "personality"
#endif

/* System calls that nobody but a test makes in an idle guest. */
struct rare_syscall {
	const char *name;
	long number, arg[4];
};

#define RARE_SYSCALLS	24
extern const struct rare_syscall rare_syscalls[RARE_SYSCALLS];

void call_syscall(size_t i, unsigned int times);

/* Peer FIRST + i is called BASE + i % STEP times. */
int call_peers(int first, int count, int base, int step);

/* The name of a peer. A few live at a time. */
const char *peer_name(int peer);

/* The call sites of all peers, in their order: how many there are. */
size_t peer_sites(unsigned long sites[PEERS]);

/* A growing text, for lists of functions. */
struct text {
	char *s;
	size_t len, size;
};

__printf(2, 3) void add(struct text *t, const char *fmt, ...);

void add_peers(struct text *t, int first, int count);

void add_syscalls(struct text *t, size_t count);

/* Writes it as the selection, and lets go of it: 0 or the errno. */
int choose(struct text *t);

int choose_peers(int count);

/* The current selection, as a list that selects it again. */
struct text selection(void);

/*
 * Up to @count functions of the kernel itself, each @step-th of them, as addresses of
 * their call sites, without rare_syscalls. Returns how many there were.
 */
size_t add_each_kernel_function(struct text *t, size_t count, size_t step);

size_t add_kernel_functions(struct text *t, size_t count);

/* Of elements that are strings, for qsort() and bsearch() */
int by_text(const void *a, const void *b);

/* A name that two functions of the kernel share, or NULL; the caller frees it. */
char *ambiguous_name(void);

/* -------------------------------------------------------------------------- */
/* Tasks that work while the test watches                                       */

int lines_of(const char *text);

int sites_enabled(void);

/* Functions in enabled_functions; what else it says about each follows a tab. */
int count_enabled(const char *text);

int functions_enabled(void);

/* Waits until so many more or fewer lines are in enabled_functions than @from. */
bool wait_for_change(int from, int change);

/* The signal that ended the child; 0: it ended by itself. */
int signal_of(pid_t child);

/* How many are asked for in the environment: above 0, or 0 if nothing that makes sense is. */
int asked_for(const char *variable);

/*
 * A wait for a grace period of tasks RCU is mostly a wait for ordinary ones. In a program
 * that calls expedite() these are not patient.
 */
#define EXPEDITED	"/sys/kernel/rcu_expedited"

void expedite(void);

/* -------------------------------------------------------------------------- */
/* Modules                                                                      */

bool loaded(const char *module);

/* Looks in $FDIRECT_MODULES, then beside the program, then where the guest has them. */
int open_module(const char *module);

bool module_file_there(const char *module);

/* 0 or the errno; ENOENT also for a module with symbols that the kernel lacks. */
int load_with(const char *module, const char *parameters);

int load(const char *module);

/* delete_module(2) of a module that somebody uses */
#define IN_USE	EWOULDBLOCK

int unload(const char *module);

/* The same, once programs or a livepatch have let go of it */
int unload_soon(const char *module);

/* Loads fdirect.ko anew, so that nobody has used it. */
bool reloaded(void);

/* Nowhere but on this CPU from now on */
bool stay_on(int cpu);

/* Whether the kernel checks all it does, its own tracing included, and takes its time. */
bool is_checked(void);

/* Whether there are targets that a call site does not reach with one instruction. */
bool has_far(void);

/* An ops can have all registers saved, and a trampoline of its own. */
bool has_regs(void);
bool has_trampolines(void);

/* The kernel refuses a probe of a kind that it lacks with EINVAL, as it does a wrong one. */
bool has_fprobes(void);

bool has_hash(void);

bool is_linux_7(void);

/* Programs that one function takes. An image of Linux 7 has less room for each. */
#define MOST_PROGRAMS	38
int most_programs(void);

/*
 * So many always fit into an image, which is a page at most. On some architectures its size
 * depends on the addresses in it, and the last of most_programs() may be too many.
 */
int programs_that_fit(void);

/* -------------------------------------------------------------------------- */
/* The driver                                                                   */

extern void (*suite_restore)(void);	/* after each test, before the comparison */

/* Why a test cannot run here; NULL: it can. */
const char *lacks(enum needs needs, bool hash);

void mount_at(const char *type, const char *dir, const char *probe);

/* Every test in turn, with @modules (NULL at the end) loaded; exits. */
__noreturn void suite(const struct test *tests, size_t count, const char *const *modules);

#define SUITE(tests, ...) \
	suite(tests, ARRAY_SIZE(tests), (const char *const[]){ __VA_ARGS__, NULL })

#endif /* FDIRECT_H */
