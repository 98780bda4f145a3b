// SPDX-License-Identifier: GPL-2.0
/*
 * The users of the stubs, and the hits that the stubs have counted.
 *
 * A counter belongs to the functions that are attached to its stub. When the last
 * of them goes, their count moves to settled_hits. A later hit has come from a call
 * site that should not call the stub any more, and is a stray hit. A call that was
 * already on its way when its function was detached or modified looks like one,
 * too. It must have been interrupted between the call and the first instruction of
 * the stub.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/lockdep.h>
#include <linux/mm.h>

#include "fdirect.h"

/*
 * Stub i adds to element i, from any context, whichever copy of it runs. Nobody else
 * writes but atomically. The last element is that of the call sample.
 */
atomic64_t fdirect_hits[FDIRECT_STUBS + 1] ____cacheline_aligned;

/* Under fdirect_lock, as all that follows. */
static u32 users[FDIRECT_STUBS];

/* Hits since the last reset that are no longer in a counter. */
static u64 settled_hits;
static u64 settled_stray;

/**
 * fdirect_stub_get - a function is about to be attached to a stub
 * @stub: the stub
 *
 * To be called before the call site can reach the stub.
 */
void fdirect_stub_get(unsigned int stub)
{
	lockdep_assert_held(&fdirect_lock);
	if (!users[stub]++)
		settled_stray += atomic64_xchg(&fdirect_hits[stub], 0);
}

/**
 * fdirect_stub_put - a function has left a stub
 * @stub: the stub
 *
 * To be called after the call site has been patched.
 */
void fdirect_stub_put(unsigned int stub)
{
	lockdep_assert_held(&fdirect_lock);
	if (!--users[stub])
		settled_hits += atomic64_xchg(&fdirect_hits[stub], 0);
}

/**
 * fdirect_stub_hits - hits of a stub
 * @stub: the stub
 *
 * Return: the hits since a function was attached to it or since the last reset
 */
u64 fdirect_stub_hits(unsigned int stub)
{
	return atomic64_read(&fdirect_hits[stub]);
}

/**
 * fdirect_hits_sum - hits of all stubs since the last reset
 * @total: gets all of them
 * @stray: gets those on stubs that no function was attached to
 */
void fdirect_hits_sum(u64 *total, u64 *stray)
{
	unsigned int i;

	lockdep_assert_held(&fdirect_lock);
	*stray = settled_stray;
	*total = settled_hits + settled_stray;
	for (i = 0; i < FDIRECT_STUBS; i++) {
		u64 hits = atomic64_read(&fdirect_hits[i]);

		*total += hits;
		if (!users[i])
			*stray += hits;
	}
}

/**
 * fdirect_hits_reset - count from 0 again
 */
void fdirect_hits_reset(void)
{
	unsigned int i;

	lockdep_assert_held(&fdirect_lock);
	for (i = 0; i < FDIRECT_STUBS; i++)
		atomic64_set(&fdirect_hits[i], 0);
	settled_hits = 0;
	settled_stray = 0;
}

/**
 * fdirect_call_stub_hits - hits of the stub of the call sample
 *
 * They belong to no function and are in no sum.
 *
 * Return: the hits since the module was loaded
 */
u64 fdirect_call_stub_hits(void)
{
	return atomic64_read(&fdirect_hits[FDIRECT_CALL_STUB]);
}
