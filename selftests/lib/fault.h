/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations that fail, one after the other.
 *
 * sweep() makes a call again and again. In the first run nothing fails. In the next ones the
 * 1st, the 2nd, the 3rd ... allocation of the call fails, until there is none left to fail.
 * After a call that has failed everything is as before, and the same call then succeeds. A
 * call may also succeed without the memory. Either way the result is that of the first run,
 * and what undoes it leads back.
 *
 * The kernel counts the allocations of the calling task (fail-nth, see
 * Documentation/fault-injection/ in its source), by size and by page alike. Allocations
 * of the kernel's checkers are none of the call's, and are left out.
 *
 * Options of a program: -e EVERY takes the first and the last allocations of each call, and
 * every EVERY-th between them. -a takes all, of calls with hundreds as well. -b does not leave
 * out the calls that take long, with thousands of functions. -f FIRST begins at that allocation.
 * -v has the kernel log where each fault was. Names are parts of the names of the calls to
 * sweep. FDIRECT_FAULTS in the environment has options, too.
 */
#ifndef FAULT_H
#define FAULT_H

#include <dirent.h>
#include <linux/bpf.h>
#include <sys/mman.h>

#include "fdirect.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define KMEMLEAK	DEBUGFS "kmemleak"

/* More than any call takes */
#define NEVER		1000000000U
/* Allocations at either end of a call that are never left out */
#define EDGE		12

/* A call: one write of @text to @file, or @run. All return 0 or the errno. */
struct op {
	const char *name;
	const char *file;
	const char *text;
	int (*run)(void);
	const char *undo_text;		/* one write to @file */
	int (*undo)(void);
	/* Allocations under this function do not fail, instead of those under SPARED */
	const char *spared;
	void (*ready)(void);		/* before each call, with nothing failing */
	/* Whether each function calls what it should, @done: after the call */
	void (*look)(bool done);
	int also[3];			/* errors besides ENOMEM that Linux 6.12 has for it */
	bool any_error;			/* and there is no telling which */
	unsigned int every;		/* of its allocations that fails; 0: the default */
	bool thousands;			/* has thousands of them, most of them alike */
	bool called;			/* the kernel calls the functions, which counts */
	bool interface;			/* count the allocations of what fdirect_api calls */
	bool sure;			/* it never fails */
	bool silent;			/* it does not say that it has failed */
	bool loose;			/* less may have been done without an error */
	bool moves;			/* a module lies elsewhere once it is undone */
	bool no_filter;			/* it uses up what @ready has made, even if it fails */
};

extern bool fault_big;			/* calls with thousands of functions, too */

/* -------------------------------------------------------------------------- */
/* The state                                                                    */

/* -------------------------------------------------------------------------- */
/* The kernel's faults                                                          */

int carry_out(const struct op *op, int fd);

int undo(const struct op *op);

/*
 * Linux 6.12 warns if it has no memory for the static keys of a module, and is tainted then.
 * Allocations under this function are not made to fail.
 */
#define SPARED	"jump_label_module_notify"

/*
 * Linux 6.12 goes on without the tracepoints that the names of tasks take, and warns when it
 * removes what is not there. With an event on that takes them, nobody else has to.
 */
#define RARE_EVENT	TRACEFS "events/initcall/initcall_level/enable"

/* Skips the whole program where nothing can be made to fail. */
void start_faults(int argc, char **argv);

/* -------------------------------------------------------------------------- */
/* The sweep                                                                    */

bool wanted(const char *name);

void look(const struct op *op, bool done);

/* To be called after each test: one of which nothing was asked for is skipped. */
void sweeps_end(void);

struct sweep {
	const struct op *op;
	char *before, *after;
	unsigned int faults, errors, fallbacks;
	bool ok;
};

/* Sweeps over all allocations of a call. The state before the sweep is the state after it. */
void sweep(const struct op *op);

/* -------------------------------------------------------------------------- */
/* The last test: all that was swept, and memory                                */

void no_leaks(void);

#endif /* FAULT_H */
