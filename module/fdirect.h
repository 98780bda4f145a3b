/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fdirect: attach many kernel functions to many direct call targets.
 *
 * Locks, outermost first:
 *
 *   fdirect_lock	everything in this module that can change after the module
 *			is loaded: selection, method, slots, reach, times, last
 *			error, the users of the stubs, the last measurements of calls
 *			and kprobe samples. Taken by every debugfs handler, readers
 *			included, in process context. Held over the calls into
 *			ftrace, kprobes and kallsyms, which take kprobe_mutex,
 *			direct_mutex, ftrace_lock, text_mutex and module_mutex
 *			below it.
 *   gone_lock		(selection.c) the current selection's pointer and the owners
 *			of its functions, against the notifier of modules that go
 *			away, which must not wait for a long attach. Nothing is taken
 *			below it.
 *
 * The counters are the one thing written without a lock: by the stubs, from any
 * context, NMI included. They are only ever added to or exchanged atomically.
 */
#ifndef FDIRECT_H
#define FDIRECT_H

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/version.h>

#include "stub_layout.h"

#if LINUX_VERSION_MAJOR < 6 || \
	(LINUX_VERSION_MAJOR == 6 && LINUX_VERSION_PATCHLEVEL < 4)
#error "fdirect needs Linux 6.4 or later: register_ftrace_direct(ops, addr)"
#endif

#if !defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)
#error "fdirect needs a kernel with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS"
#endif

#if !defined(CONFIG_KPROBES) || !defined(CONFIG_KALLSYMS) || !defined(CONFIG_DEBUG_FS)
#error "fdirect needs a kernel with CONFIG_KPROBES, CONFIG_KALLSYMS and CONFIG_DEBUG_FS"
#endif

struct module;
struct seq_file;

/* How many ftrace_ops the methods multi and hash can choose from. */
#define FDIRECT_SLOTS	4

/* The most functions a selection may have: each can have a stub of its own. */
#define FDIRECT_MAX_FUNCTIONS	FDIRECT_STUBS

/* The largest list of functions that is read, in bytes. */
#define FDIRECT_MAX_LIST	(16U << 20)

/* stay.c: the lock; a module that call sites may call for good cannot be unloaded */
extern struct mutex fdirect_lock;
void fdirect_stay(int err);
int fdirect_checked(int err);
bool fdirect_stays(void);

/* symbols.c: functions of the kernel that it does not export */
int fdirect_symbols_init(void);
unsigned long fdirect_symbol(const char *name);
unsigned long fdirect_location(unsigned long addr);
unsigned long fdirect_entry(unsigned long addr);
struct module *fdirect_module_at(unsigned long addr);
int fdirect_each_symbol(int (*fn)(void *data, const char *name, unsigned long addr),
			void *data);
int fdirect_each_symbol_named(const char *name, int (*fn)(void *data, unsigned long addr),
			      void *data);
int fdirect_each_module_symbol(int (*fn)(void *data, const char *name, unsigned long addr),
			       void *data);
u64 fdirect_cpu_time(void);

/* error.c */
__printf(2, 3) int fdirect_fail(int err, const char *fmt, ...);
int fdirect_unreadable(const char *file);
void fdirect_fail_clear(void);
const char *fdirect_quote(char *buf, size_t size, const char *text, size_t len);
int fdirect_last_error_show(struct seq_file *m);
const char *fdirect_ftrace_reason(int err);

/* stubs.S */
extern const u8 fdirect_stubs[];
extern const u8 fdirect_call_stub[];
#ifdef CONFIG_ARM64
extern const u8 fdirect_stub_text[];
extern const u8 fdirect_stub_text_end[];
#endif

/* reach.c: the two copies of the stubs */

/**
 * enum fdirect_reach - which copy of a stub
 * @FDIRECT_NEAR: the one in the text of the module
 * @FDIRECT_FAR: the one that no call instruction reaches, where there is one
 */
enum fdirect_reach {
	FDIRECT_NEAR,
	FDIRECT_FAR,
};

/**
 * struct fdirect_target - where a direct call goes
 * @stub: number of the stub
 * @reach: enum fdirect_reach, which copy of it
 */
struct fdirect_target {
	u16 stub;
	u8 reach;
};

int fdirect_reach_init(void);
enum fdirect_reach fdirect_reach_now(void);
unsigned long fdirect_target_addr(struct fdirect_target target);
unsigned long fdirect_call_stub_addr(enum fdirect_reach reach);
bool fdirect_is_stub(unsigned long addr);
int fdirect_reach_show(struct seq_file *m);
int fdirect_reach_store(char *value);

/* far.c */
#ifdef CONFIG_ARM64
int fdirect_far_init(const char **why);
void fdirect_far_exit(void);
unsigned long fdirect_far_offset(void);
#else
static inline int fdirect_far_init(const char **why)
{
	*why = "a call reaches every stub on this architecture";
	return -EOPNOTSUPP;
}

static inline void fdirect_far_exit(void) { }
static inline unsigned long fdirect_far_offset(void) { return 0; }
#endif

/* value.c */
ssize_t fdirect_write_value(const char *file, int (*store)(char *value),
			    const char __user *from, size_t count);

/* hits.c */
void fdirect_stub_get(unsigned int stub);
void fdirect_stub_put(unsigned int stub);
u64 fdirect_stub_hits(unsigned int stub);
void fdirect_hits_sum(u64 *total, u64 *stray);
void fdirect_hits_reset(void);
u64 fdirect_call_stub_hits(void);

/* site.c */
unsigned long fdirect_site_target(unsigned long ip);

/*
 * How far behind its entry a function takes a kprobe. A call site takes one only by way of ftrace,
 * which riscv does not have. There its AUIPC and JALR are the first instructions.
 */
#define FDIRECT_PROBE_OFFSET	(IS_ENABLED(CONFIG_RISCV) ? 8 : 0)

/* times.c */

/**
 * struct fdirect_clock - time spent in the kernel calls of one operation
 * @elapsed: nanoseconds that passed
 * @running: nanoseconds of those in which the task was on a CPU
 * @elapsed_start: when the span now open began
 * @running_start: CPU time of the task at that moment
 */
struct fdirect_clock {
	u64 elapsed;
	u64 running;
	u64 elapsed_start;
	u64 running_start;
};

enum fdirect_kind {
	FDIRECT_PREPARE,
	FDIRECT_ATTACH,
	FDIRECT_MODIFY,
	FDIRECT_DETACH,
	FDIRECT_KINDS,
};

void fdirect_clock_start(struct fdirect_clock *clock);
void fdirect_clock_stop(struct fdirect_clock *clock);
void fdirect_clock_add(struct fdirect_clock *to, const struct fdirect_clock *from);
void fdirect_times_record(enum fdirect_kind kind, const char *method,
			  unsigned int functions, const struct fdirect_clock *clock);
int fdirect_times_show(struct seq_file *m);

/* list.c: the text of a list of functions, taken apart */

/**
 * struct fdirect_line - one line that names a function
 * @name: name of the function, NULL if the line gives an address
 * @module: name of the module that the line gives, or NULL
 * @addr: address that the line gives, if @name is NULL
 * @ip: call site found for @name, 0 if there is none
 * @hash: hash of @name
 * @next: next line in the same bucket of the resolver, as index + 1
 * @number: number of the line, from 1
 * @seen: there is a symbol @name
 * @in_kernel: @ip is in the kernel proper, so modules are not searched
 * @ambiguous: @name leads to more than one call site
 */
struct fdirect_line {
	const char *name;
	const char *module;
	unsigned long addr;
	unsigned long ip;
	u32 hash;
	u32 next;
	u32 number;
	bool seen;
	bool in_kernel;
	bool ambiguous;
};

/**
 * struct fdirect_list - a list of functions as it was written
 * @text: the text, cut into words; @lines point into it
 * @lines: the lines that name a function, in order
 * @nr: how many there are
 * @names: how many of them give a name
 * @err: what is wrong with the first line that could not be read, or 0; @lines
 *	 holds those before it, and last_error the reason
 */
struct fdirect_list {
	char *text;
	struct fdirect_line *lines;
	unsigned int nr;
	unsigned int names;
	int err;
};

int fdirect_list_parse(struct fdirect_list *list, char *text, size_t len);
void fdirect_list_free(struct fdirect_list *list);

/* resolve.c */
int fdirect_resolve(struct fdirect_list *list);

/* selection.c */

enum fdirect_method_id {
	FDIRECT_NONE,
	FDIRECT_EACH,
	FDIRECT_MULTI,
	FDIRECT_HASH,
	FDIRECT_METHODS,
};

/**
 * struct fdirect_func - one function of the selection
 * @ip: its call site
 * @name: "name" or "name [module]", part of the selection
 * @owner: module that it is in, NULL for the kernel proper; under gone_lock
 *	   while no reference is held
 * @ops: the ftrace_ops of its own that method each uses, otherwise NULL
 * @target: its stub, if @held
 * @other: while it is being modified: the stub to come, then the one before
 * @method: enum fdirect_method_id, FDIRECT_NONE if it is not attached
 * @slot: which shared ftrace_ops it is attached by
 * @held: a reference on @owner and a use of the stub of @target belong to it
 * @gone: its module has been unloaded; under gone_lock
 */
struct fdirect_func {
	unsigned long ip;
	const char *name;
	struct module *owner;
	struct ftrace_ops *ops;
	struct fdirect_target target;
	struct fdirect_target other;
	u8 method;
	u8 slot;
	bool held;
	bool gone;
};

struct fdirect_strings;

/**
 * struct fdirect_selection - the functions that commands are about
 * @nr: number of functions
 * @attached: how many of them are attached
 * @generation: differs from that of every selection before
 * @strings: memory of the names
 * @funcs: the functions, in the order of the list
 */
struct fdirect_selection {
	unsigned int nr;
	unsigned int attached;
	u64 generation;
	struct fdirect_strings *strings;
	struct fdirect_func funcs[];
};

int fdirect_selection_init(void);
void fdirect_selection_exit(void);
struct fdirect_selection *fdirect_selection(void);
int fdirect_selection_write(char *text, size_t len);
int fdirect_selection_hold(struct fdirect_selection *sel, unsigned int first,
			   unsigned int count, unsigned int stub, bool one_stub);
void fdirect_selection_settle(struct fdirect_selection *sel, unsigned int first,
			      unsigned int count);
int fdirect_func_get(struct fdirect_func *f);
void fdirect_func_put(struct fdirect_func *f);

/* method.c */

/**
 * struct fdirect_job - one attach, modify or detach, by one method and one slot
 * @sel: the selection
 * @first: index of the first function
 * @count: number of functions in the range
 * @nr: number of functions in the range that the job is about
 * @from: what these are attached by now, FDIRECT_NONE for an attach
 * @slot: which shared ftrace_ops
 * @prepare: time for building the filter or the hash
 * @call: time of the calls that do it
 *
 * To attach, a function gets to its @target. To modify, it gets to its @other.
 */
struct fdirect_job {
	struct fdirect_selection *sel;
	unsigned int first;
	unsigned int count;
	unsigned int nr;
	enum fdirect_method_id from;
	unsigned int slot;
	struct fdirect_clock prepare;
	struct fdirect_clock call;
};

/**
 * struct fdirect_method - a method of attaching functions
 * @name: as it is written in debugfs
 * @id: which one it is
 * @one_stub: all functions of a slot share one stub
 * @attach: attach all functions of the job or none
 * @modify: the same for a change of the stubs
 * @detach: the same for detaching
 *
 * The three run under fdirect_lock. They tell what they have done with
 * fdirect_attached(), fdirect_modified() and fdirect_detached(), and a failure
 * with fdirect_fail().
 */
struct fdirect_method {
	const char *name;
	enum fdirect_method_id id;
	bool one_stub;
	int (*attach)(struct fdirect_job *job);
	int (*modify)(struct fdirect_job *job);
	int (*detach)(struct fdirect_job *job);
};

/**
 * struct fdirect_slot - an ftrace_ops that many functions share
 * @ops: the ftrace_ops
 * @nr: how many functions are attached by it
 * @method: by which method, if there are any
 */
struct fdirect_slot {
	struct ftrace_ops ops;
	unsigned int nr;
	enum fdirect_method_id method;
};

/* job.c */
extern struct fdirect_slot fdirect_slots[FDIRECT_SLOTS];
bool fdirect_uses_slot(enum fdirect_method_id id);
bool fdirect_job_has(const struct fdirect_job *job, const struct fdirect_func *f);
struct fdirect_func *fdirect_job_first(const struct fdirect_job *job);
struct fdirect_func *fdirect_job_next(const struct fdirect_job *job, struct fdirect_func *f);
int fdirect_job_refused(const struct fdirect_job *job, const char *call, int err);
void fdirect_attached(struct fdirect_job *job, struct fdirect_func *f,
		      enum fdirect_method_id id);
void fdirect_modified(struct fdirect_func *f);
void fdirect_detached(struct fdirect_job *job, struct fdirect_func *f);
void fdirect_slot_reset(unsigned int slot);

/* each.c, multi.c, hash.c */
extern const struct fdirect_method fdirect_each;
extern const struct fdirect_method fdirect_multi;
#ifdef FDIRECT_HASH_API
extern const struct fdirect_method fdirect_hash;
#endif

/* method.c */
const struct fdirect_method *fdirect_method(enum fdirect_method_id id);
const struct fdirect_method *fdirect_method_now(void);
unsigned int fdirect_slot_now(void);
int fdirect_method_show(struct seq_file *m);
int fdirect_method_store(char *value);
int fdirect_available_show(struct seq_file *m);
int fdirect_slot_show(struct seq_file *m);
int fdirect_slot_store(char *value);

/* control.c */
int fdirect_control_store(char *command);
int fdirect_detach_all(void);

/* call.c */
int fdirect_call_show(struct seq_file *m);
int fdirect_call_store(char *command);

/* kprobe.c */
int fdirect_kprobe_show(struct seq_file *m);
int fdirect_kprobe_store(char *value);

/* status.c */
int fdirect_status_show(struct seq_file *m);

/* table.c: files with a line for each function */
extern const struct file_operations fdirect_functions_fops;
extern const struct file_operations fdirect_hits_fops;

/* debugfs.c */
int fdirect_debugfs_init(void);
void fdirect_debugfs_exit(void);

#endif /* FDIRECT_H */
