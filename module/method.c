// SPDX-License-Identifier: GPL-2.0
/*
 * The methods, the ftrace_ops that they share, and which of them is chosen.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "fdirect.h"

static const struct fdirect_method * const methods[FDIRECT_METHODS] = {
	[FDIRECT_EACH]	= &fdirect_each,
	[FDIRECT_MULTI]	= &fdirect_multi,
#ifdef CONFIG_SINGLE_FTRACE_DIRECT_OPS
	[FDIRECT_HASH]	= &fdirect_hash,
#endif
};

static const char * const method_names[FDIRECT_METHODS] = {
	[FDIRECT_EACH]	= "each",
	[FDIRECT_MULTI]	= "multi",
	[FDIRECT_HASH]	= "hash",
};

/* Under fdirect_lock, as the two that follow. */
struct fdirect_slot fdirect_slots[FDIRECT_SLOTS];

static enum fdirect_method_id method_now =
#ifdef CONFIG_SINGLE_FTRACE_DIRECT_OPS
	FDIRECT_HASH;
#else
	FDIRECT_MULTI;
#endif

static unsigned int slot_now;

/**
 * fdirect_method - a method by its number
 * @id: the number
 *
 * Return: the method, or NULL if this kernel lacks it
 */
const struct fdirect_method *fdirect_method(enum fdirect_method_id id)
{
	return methods[id];
}

/**
 * fdirect_method_now - the method that commands use
 *
 * Return: the method
 */
const struct fdirect_method *fdirect_method_now(void)
{
	return methods[method_now];
}

/**
 * fdirect_slot_now - the slot that commands use
 *
 * Return: its number
 */
unsigned int fdirect_slot_now(void)
{
	return slot_now;
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
	return !methods[job->from] || !methods[job->from]->shared || f->slot == job->slot;
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
 * @err: what it has returned
 *
 * Return: @err
 */
int fdirect_job_refused(const struct fdirect_job *job, const char *call, int err)
{
	return fdirect_fail(err, "control: %u functions from %u on: %s(): %s (%d)", job->nr,
			    job->first, call, fdirect_ftrace_reason(err), err);
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
	if (methods[id]->shared) {
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
	if (methods[f->method]->shared)
		fdirect_slots[f->slot].nr--;
	job->sel->attached--;
	f->method = FDIRECT_NONE;
}

/**
 * fdirect_slot_reset - make an ftrace_ops that nobody is attached by as new
 * @slot: its number; nothing happens if somebody is
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
	if (fdirect_slots[slot].nr)
		return;
	ftrace_free_filter(ops);
	memset(ops, 0, sizeof(*ops));
}

/**
 * fdirect_method_show - the file method
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_method_show(struct seq_file *m)
{
	seq_printf(m, "%s\n", method_names[method_now]);
	return 0;
}

/**
 * fdirect_method_store - choose a method
 * @value: its name
 *
 * Return: 0 or a negative errno
 */
int fdirect_method_store(char *value)
{
	unsigned int id;

	for (id = FDIRECT_NONE + 1; id < FDIRECT_METHODS; id++) {
		if (strcmp(value, method_names[id]))
			continue;
		if (!methods[id])
			return fdirect_fail(-EOPNOTSUPP,
					    "method: this kernel has no register_ftrace_direct_hash()");
		method_now = id;
		return 0;
	}
	return fdirect_fail(-EINVAL, "method: no method is named \"%s\"", value);
}

/**
 * fdirect_available_show - the file available_methods
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_available_show(struct seq_file *m)
{
	unsigned int id;

	for (id = FDIRECT_NONE + 1; id < FDIRECT_METHODS; id++) {
		if (methods[id])
			seq_printf(m, "%s%s", id > FDIRECT_NONE + 1 ? " " : "", method_names[id]);
	}
	seq_putc(m, '\n');
	return 0;
}

/**
 * fdirect_slot_show - the file ops
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_slot_show(struct seq_file *m)
{
	seq_printf(m, "%u\n", slot_now);
	return 0;
}

/**
 * fdirect_slot_store - choose a slot
 * @value: its number
 *
 * Return: 0 or a negative errno
 */
int fdirect_slot_store(char *value)
{
	unsigned int slot;

	if (kstrtouint(value, 10, &slot) || slot >= FDIRECT_SLOTS)
		return fdirect_fail(-EINVAL, "ops: \"%s\" is no number from 0 to %u", value,
				    FDIRECT_SLOTS - 1);
	slot_now = slot;
	return 0;
}
