/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call sample: what one traced call costs. See call.c.
 *
 * All of it happens under fdirect_lock, within one write to debugfs.
 */
#ifndef FDIRECT_CALL_H
#define FDIRECT_CALL_H

#include <linux/ftrace.h>
#include <linux/types.h>

#include "fdirect.h"

/* The most ftrace_ops of either sort, and the most calls. */
#define FDIRECT_CALL_MAX_OPS	1000
#define FDIRECT_CALL_MAX_CALLS	100000000

/**
 * enum fdirect_call_interface - how a call gets to its target
 * @FDIRECT_CALL_OPS: no direct call, only ftrace_ops
 * @FDIRECT_CALL_DIRECT: register_ftrace_direct()
 * @FDIRECT_CALL_HASH: register_ftrace_direct_hash()
 * @FDIRECT_CALL_PLAIN: a call instruction that is part of the function
 */
enum fdirect_call_interface {
	FDIRECT_CALL_OPS,
	FDIRECT_CALL_DIRECT,
	FDIRECT_CALL_HASH,
	FDIRECT_CALL_PLAIN,
};

/**
 * struct fdirect_call_spec - what to measure
 * @kind: name of the interface and the reach
 * @interface: enum fdirect_call_interface
 * @reach: which copy of the stub a direct call goes to
 * @calls: how many calls
 * @relevant: ftrace_ops of the function that is called
 * @irrelevant: ftrace_ops of another function
 * @flags: FTRACE_OPS_FL_* of both
 * @trampoline: they have trampolines of their own
 */
struct fdirect_call_spec {
	const char *kind;
	enum fdirect_call_interface interface;
	enum fdirect_reach reach;
	unsigned int calls;
	unsigned int relevant;
	unsigned int irrelevant;
	unsigned long flags;
	bool trampoline;
};

/* call_loop.c */

/**
 * struct fdirect_call_times - how long the calls of one loop took
 * @total: all of them, in nanoseconds
 * @best: the fastest chunk
 */
struct fdirect_call_times {
	u64 total;
	u64 best;
};

void fdirect_call_target(void);
void fdirect_call_bystander(void);
unsigned int fdirect_call_chunk(void (*fn)(void), unsigned int calls);
int fdirect_call_time(void (*fn)(void), unsigned int calls, unsigned int chunk,
		      struct fdirect_call_times *times);

/* plain.S: the target with a call instruction in it, and with the NOP in its place */
void fdirect_call_plain(void);
void fdirect_call_plain_off(void);

/* call_attach.c */

struct fdirect_call_ops;

/**
 * struct fdirect_call_attached - what is attached for a measurement
 * @ops: the ftrace_ops, first the relevant ones
 * @nr: how many of them are registered
 * @direct: the ftrace_ops of the direct call, if it is registered
 * @hash: its call site and target, if it was registered with a hash
 */
struct fdirect_call_attached {
	struct fdirect_call_ops *ops;
	unsigned int nr;
	struct ftrace_ops *direct;
	struct ftrace_hash *hash;
};

int fdirect_call_attach(const struct fdirect_call_spec *spec,
			struct fdirect_call_attached *attached);
int fdirect_call_detach(const struct fdirect_call_spec *spec,
			struct fdirect_call_attached *attached);
u64 fdirect_call_ops_hits(const struct fdirect_call_attached *attached, unsigned int first,
			  unsigned int nr);

#endif /* FDIRECT_CALL_H */
