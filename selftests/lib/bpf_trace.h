/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs on functions, for the tests of BPF trampolines. Each counts in a cell of its
 * own, and one that has been detached counts no more.
 */
#ifndef BPF_TRACE_H
#define BPF_TRACE_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf_cell.h"
#include "bpf_trace.skel.h"
#include "fdirect.h"
#include "ko/fdirect_subject.h"

/* Errnos of the kernel's own, that no header for programs has */
#ifndef ENOTSUPP
#define ENOTSUPP	524
#endif

enum kind {
	FENTRY, FEXIT, FMOD_RET, LSM,
	FENTRY_SLEEPABLE, FEXIT_SLEEPABLE, FMOD_RET_SLEEPABLE, LSM_SLEEPABLE,
	FENTRY_LATE, FEXIT_LATE, FENTRY_SLOW,
	/* one program on all functions of fdirect_subject.ko */
	FENTRY_MULTI, FEXIT_MULTI, FMOD_RET_MULTI
};

struct program_kind {
	const char *name;
	enum bpf_attach_type type;
	__u32 flags;
	const char *callback;	/* of bpf_loop(), or NULL */
};

extern const struct program_kind kinds[FMOD_RET_MULTI + 1];

/* A loaded program, by its number. The cell with this number is its own; none is 0. */
struct tracer {
	enum kind kind;
	int prog, link;			/* -1: not loaded, not attached */
	unsigned long long last_hits;	/* when it was detached */
};

extern struct tracer tracers[CELLS];
extern int used_tracers;

extern struct bpf_trace_bpf *bpf_trace;
extern struct cell *cells;

/* -------------------------------------------------------------------------- */
/* Types of the kernel and its modules                                          */

/* The types of one module: its own are those from @first on. */
struct types {
	char module[32];
	struct btf *btf;
	__u32 first;
	int fd;
};

/* The types of the module asked for last, until forget_types(). */
struct types *types_of(const char *module);

/* Types of a module are gone with it, and others when it is back. */
void forget_types(const char *module);

int find_type(const struct types *types, const char *name, __u32 kind);

/* -------------------------------------------------------------------------- */
/* Programs                                                                     */

const struct bpf_program *model(enum kind kind);

/* A program for the type with this number: a file descriptor or -errno. */
int load_program(enum kind kind, int btf_fd, int type);

/* @function is a name, or "MODULE:NAME". The tracer's number, or -errno. */
int load_tracer(enum kind kind, const char *function);

/* All of these are given a tracer's number, and return 0 or the errno. */
int attach_tracer(int id);

unsigned long long hits(int id);

/*
 * The program sees the @count calls that @call makes, and those of others. In two cases it does
 * not see a call, and all are made again:
 *
 * - A task was preempted in the program on this CPU. The kernel counts the call as a miss.
 * - Another program came to the function, or went, during the call. The new image has the
 *   program, but the call returns to the old one, which skips all fexit programs by then.
 *
 * Returns NULL, or how many calls the program did not see.
 */
const char *unseen_calls(int id, unsigned int count, void (*call)(void *data), void *data);

void detach_tracer(int id);

void drop_tracer(int id);

/* Loaded and attached: the tracer's number, or -errno. */
int trace(enum kind kind, const char *function);

#define ATTACHED(id) \
	CHECK((id) > 0, "attaching: %s", errname(-(id)))

/* Runs what BPF_PROG_TEST_RUN does for programs of this kind: what it returned, or -errno. */
long run_tracer(int id);

/* -------------------------------------------------------------------------- */
/* Links of one program to many functions                                       */

#define FENTRY_MULTI_TYPE	((enum bpf_attach_type)59)
#define FEXIT_MULTI_TYPE	((enum bpf_attach_type)60)
/* Not mainline's: CONFIG_BPF_TRACING_MULTI_MODIFY_RETURN */
#define FMOD_RET_MULTI_TYPE	((enum bpf_attach_type)128)

/* As in the headers of a kernel that has these links */
struct multi_attr {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 ids, cookies;
	__u32 cnt;
	__u32 rest[9];
};

/* A link, or -errno */
int create_multi(const struct multi_attr *attr);

int attach_multi(int prog, int type, const __u32 *ids, const __u64 *cookies, __u32 cnt);

/*
 * Does the kernel load programs for many functions? FDIRECT_NO_LINKS in the environment says
 * that it has not all there is to their links.
 */
bool has_multi(void);

#define NEED_MULTI() \
	do { \
		if (!has_multi()) \
			SKIP("this kernel has no links of one program to many functions"); \
	} while (0)

/* And those that modify return values? */
bool has_fmod_ret_multi(void);

#define NEED_FMOD_RET_MULTI() \
	do { \
		if (!has_fmod_ret_multi()) \
			SKIP("this kernel has no links of programs that modify return values"); \
	} while (0)

/* -------------------------------------------------------------------------- */
/* The functions of fdirect_subject.ko                                          */

/* The number of each in its types */
void subject_ids(__u32 ids[SUBJECTS]);

/* Their names, for trace(). A few live at a time. */
const char *subject(int n);

/* One call; INT_MIN when it could not be made. */
int call_function(const char *name, int a, int b);

/*
 * Calls function @n with arguments that have not been there before. Returns how much
 * more than by itself it has returned, which tells who has run in its place.
 */
int call_subject(int n);

/* The functions in @mask are replaced, all others are not: 0 or the errno. */
int redirect(unsigned int mask);

/* -------------------------------------------------------------------------- */
/* Tasks that run programs                                                      */

/* Waits for what is to come: is it there? */
bool comes(bool (*what)(int), int id);

/* Has the tracer been called? */
bool is_hit(int id);

/* The kernel's number for a program, or 0 */
int prog_id(int fd);

/* Does the kernel have no program with this number any more? */
bool is_freed(int prog);

/*
 * Memory of fdirect_subject.ko that keeps a reader for 1.5 seconds, and is not there then;
 * or NULL
 */
const void *slow_memory(void);

/* Links and programs are closed when all tasks that have them do it. */
pid_t fork_without_tracers(void);

/* -------------------------------------------------------------------------- */
/* Before and after                                                             */

/* Takes down what a test has left, and sees that nothing counts any more. */
void restore_bpf(void);

/* Skips the whole program where the kernel lacks what it needs. */
void start_bpf(void);

#endif /* BPF_TRACE_H */
