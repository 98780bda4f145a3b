// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that a job is about, what a method notes of them, and the ftrace_ops
 * that functions share.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "fdirect.h"

/* Under fdirect_lock. */
struct fdirect_slot fdirect_slots[FDIRECT_SLOTS];

/**
 * fdirect_uses_slot - do functions that a method attaches share an ftrace_ops?
 * @id: the method
 *
 * Return: whether they do
 */
bool fdirect_uses_slot(enum fdirect_method_id id)
{
	return id == FDIRECT_MULTI || id == FDIRECT_HASH;
}

/**
 * fdirect_job_has - is a job about a function?
 * @job: the job
 * @f: a function of its range
 *
 * Return: whether it is
 */
bool fdirect_job_has(const struct fdirect_job *job, const struct fdirect_func *f)
{
	if (f->method != job->from)
		return false;
	return !fdirect_uses_slot(job->from) || f->slot == job->slot;
}

static struct fdirect_func *job_from(const struct fdirect_job *job, struct fdirect_func *f)
{
	struct fdirect_func *end = &job->sel->funcs[job->first + job->count];

	for (; f < end; f++) {
		if (fdirect_job_has(job, f))
			return f;
	}
	return NULL;
}

/**
 * fdirect_job_first - the first function of a job
 * @job: the job
 *
 * Return: the function; every job has one
 */
struct fdirect_func *fdirect_job_first(const struct fdirect_job *job)
{
	return job_from(job, &job->sel->funcs[job->first]);
}

/**
 * fdirect_job_next - the next function of a job
 * @job: the job
 * @f: the one before, which may have been attached or detached meanwhile
 *
 * Return: the function, or NULL if there are no more
 */
struct fdirect_func *fdirect_job_next(const struct fdirect_job *job, struct fdirect_func *f)
{
	return job_from(job, f + 1);
}

/**
 * fdirect_job_refused - a call that a job makes for all of its functions has failed
 * @job: the job
 * @call: the name of the called function
 * @err: what it has returned; after -EIO the module stays
 *
 * Return: @err
 */
int fdirect_job_refused(const struct fdirect_job *job, const char *call, int err)
{
	return fdirect_fail(fdirect_checked(err),
			    "control: %u functions from %u on: %s(): %s (%d)", job->nr, job->first,
			    call, fdirect_ftrace_reason(err), err);
}

/**
 * fdirect_attached - a function has been attached
 * @job: the job
 * @f: the function
 * @id: by which method
 */
void fdirect_attached(struct fdirect_job *job, struct fdirect_func *f,
		      enum fdirect_method_id id)
{
	lockdep_assert_held(&fdirect_lock);
	f->method = id;
	f->slot = job->slot;
	job->sel->attached++;
	if (fdirect_uses_slot(id)) {
		fdirect_slots[job->slot].method = id;
		fdirect_slots[job->slot].nr++;
	}
}

/**
 * fdirect_modified - a function has got its other stub
 * @f: the function; a second call takes it back
 */
void fdirect_modified(struct fdirect_func *f)
{
	lockdep_assert_held(&fdirect_lock);
	swap(f->target, f->other);
}

/**
 * fdirect_detached - a function has been detached
 * @job: the job
 * @f: the function
 */
void fdirect_detached(struct fdirect_job *job, struct fdirect_func *f)
{
	lockdep_assert_held(&fdirect_lock);
	if (fdirect_uses_slot(f->method))
		fdirect_slots[f->slot].nr--;
	job->sel->attached--;
	f->method = FDIRECT_NONE;
}

/**
 * fdirect_slot_reset - make an ftrace_ops that nobody is attached by as new
 * @slot: its number; nothing happens if somebody is, or may be for good
 *
 * To be called when the last function has gone, and when the first has not come.
 * Unregistering has waited for everybody who could still see the ftrace_ops.
 *
 * ftrace_free_filter() leaves the pointers to what it has freed in place, so what it
 * has been called for cannot be used again as it is.
 */
void fdirect_slot_reset(unsigned int slot)
{
	struct ftrace_ops *ops = &fdirect_slots[slot].ops;

	lockdep_assert_held(&fdirect_lock);
	if (fdirect_slots[slot].nr || fdirect_stays())
		return;
	ftrace_free_filter(ops);
	memset(ops, 0, sizeof(*ops));
}
