// SPDX-License-Identifier: GPL-2.0
/*
 * The call sample: the functions that are called, and the loop that calls them.
 *
 * There is one loop for all of them, so that the difference of two measurements is
 * the difference of what was called. It calls through a pointer, since the functions
 * differ; what that costs is in every measurement.
 */
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "call.h"

/*
 * How long interrupts are off, about, and the calls in such a chunk. The more there
 * are, the less it matters that the clock goes in steps, of 16 ns for instance, and
 * takes time to be read. But a call of a thousand callbacks is long.
 */
#define CHUNK_NS	(2 * NSEC_PER_MSEC)
#define CHUNK_MAX	10000
#define CHUNK_MIN	100

/**
 * fdirect_call_target - the function whose calls are measured
 */
noinline __used void fdirect_call_target(void)
{
	barrier();
}

/**
 * fdirect_call_bystander - a function that nobody calls
 */
noinline __used void fdirect_call_bystander(void)
{
	barrier();
}

/*
 * No interrupt comes in between. The raw clock is not slewed by NTP, so it does not
 * change its speed from one measurement to the next.
 */
static noinline notrace u64 time_chunk(void (*fn)(void), unsigned int calls)
{
	unsigned long flags;
	unsigned int i;
	u64 start, end;

	local_irq_save(flags);
	start = ktime_get_raw_ns();
	for (i = 0; i < calls; i++)
		fn();
	end = ktime_get_raw_ns();
	local_irq_restore(flags);
	return end - start;
}

/**
 * fdirect_call_chunk - how many calls to make with interrupts off
 * @fn: the function, which is called a few times to find out
 * @calls: how many calls there will be
 *
 * Return: the number, at most @calls
 */
unsigned int fdirect_call_chunk(void (*fn)(void), unsigned int calls)
{
	u64 ns = time_chunk(fn, CHUNK_MIN) ?: 1;
	u64 chunk = div64_u64(CHUNK_NS * CHUNK_MIN, ns);

	return min_t(u64, calls, clamp_t(u64, chunk, CHUNK_MIN, CHUNK_MAX));
}

/**
 * fdirect_call_time - call a function and take the time
 * @fn: the function
 * @calls: how often
 * @chunk: how often with interrupts off, at most @calls
 * @times: gets the times; the best is one of a whole chunk
 *
 * Return: 0, or -EINTR if a signal came
 */
int fdirect_call_time(void (*fn)(void), unsigned int calls, unsigned int chunk,
		      struct fdirect_call_times *times)
{
	times->total = 0;
	times->best = U64_MAX;
	while (calls) {
		unsigned int now = min(calls, chunk);
		u64 ns;

		cond_resched();
		if (signal_pending(current))
			return -EINTR;
		ns = time_chunk(fn, now);
		times->total += ns;
		if (now == chunk)
			times->best = min(times->best, ns);
		calls -= now;
	}
	return 0;
}
