// SPDX-License-Identifier: GPL-2.0
/*
 * How long the kernel calls took, the last time of each kind.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>

#include "fdirect.h"

/* Under fdirect_lock. The method is NULL until there has been one of the kind. */
static struct {
	const char *method;
	unsigned int functions;
	u64 elapsed;
	u64 running;
} times[FDIRECT_KINDS];

/**
 * fdirect_clock_start - a call begins
 * @clock: the clock, zeroed before the first call
 */
void fdirect_clock_start(struct fdirect_clock *clock)
{
	clock->elapsed_start = ktime_get_ns();
	clock->running_start = fdirect_cpu_time();
}

/**
 * fdirect_clock_stop - the call has returned
 * @clock: the clock, to which the span is added
 */
void fdirect_clock_stop(struct fdirect_clock *clock)
{
	clock->running += fdirect_cpu_time() - clock->running_start;
	clock->elapsed += ktime_get_ns() - clock->elapsed_start;
}

/**
 * fdirect_clock_add - add the time of one clock to another
 * @to: the other
 * @from: the one, stopped
 */
void fdirect_clock_add(struct fdirect_clock *to, const struct fdirect_clock *from)
{
	to->elapsed += from->elapsed;
	to->running += from->running;
}

/**
 * fdirect_times_record - keep the times of an operation that succeeded
 * @kind: what it was
 * @method: name of the method
 * @functions: how many functions it was about
 * @clock: the times
 */
void fdirect_times_record(enum fdirect_kind kind, const char *method,
			  unsigned int functions, const struct fdirect_clock *clock)
{
	lockdep_assert_held(&fdirect_lock);
	times[kind].method = method;
	times[kind].functions = functions;
	times[kind].elapsed = clock->elapsed;
	times[kind].running = clock->running;
}

/**
 * fdirect_times_show - the file times
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_times_show(struct seq_file *m)
{
	static const char * const kinds[FDIRECT_KINDS] = {
		[FDIRECT_PREPARE]	= "prepare",
		[FDIRECT_ATTACH]	= "attach",
		[FDIRECT_MODIFY]	= "modify",
		[FDIRECT_DETACH]	= "detach",
	};
	unsigned int i;

	for (i = 0; i < FDIRECT_KINDS; i++) {
		if (!times[i].method)
			continue;
		seq_printf(m, "%s %s %u %llu %llu\n", kinds[i], times[i].method,
			   times[i].functions, times[i].elapsed, times[i].running);
	}
	return 0;
}
