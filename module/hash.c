// SPDX-License-Identifier: GPL-2.0
/*
 * Method hash: one ftrace_ops for many functions, each with a target of its own.
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/sched.h>

#include "direct_hash.h"
#include "fdirect.h"

static bool fill(struct fdirect_job *job, struct ftrace_hash *hash, bool other)
{
	struct fdirect_func *f;

	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f)) {
		unsigned long addr = fdirect_target_addr(other ? f->other : f->target);

		if (!add_ftrace_hash_entry_direct(hash, f->ip, addr))
			return false;
		if (!((f - job->sel->funcs) % 1024))
			cond_resched();
	}
	return true;
}

/* A hash of the functions of @job with their stubs, or with their others. */
static struct ftrace_hash *build(struct fdirect_job *job, bool other)
{
	struct ftrace_hash *hash;

	fdirect_clock_start(&job->prepare);
	hash = alloc_ftrace_hash(ilog2(job->nr));
	if (hash && !fill(job, hash, other)) {
		free_ftrace_hash(hash);
		hash = NULL;
	}
	fdirect_clock_stop(&job->prepare);
	if (!hash)
		fdirect_job_refused(job, "alloc_ftrace_hash", -ENOMEM);
	return hash;
}

static int hash_attach(struct fdirect_job *job)
{
	struct fdirect_slot *slot = &fdirect_slots[job->slot];
	struct ftrace_hash *hash;
	struct fdirect_func *f;
	int err;

	if (slot->nr && slot->method != FDIRECT_HASH)
		return fdirect_fail(-EBUSY,
				    "control: ops %u is in use by method multi (%u attached)",
				    job->slot, slot->nr);
	hash = build(job, false);
	if (!hash)
		return -ENOMEM;
	fdirect_clock_start(&job->call);
	err = register_ftrace_direct_hash(&slot->ops, hash);
	fdirect_clock_stop(&job->call);
	free_ftrace_hash(hash);
	if (err) {
		fdirect_slot_reset(job->slot);
		return fdirect_job_refused(job, "register_ftrace_direct_hash", err);
	}
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f))
		fdirect_attached(job, f, FDIRECT_HASH);
	return 0;
}

static int hash_modify(struct fdirect_job *job)
{
	struct ftrace_hash *hash = build(job, true);
	struct fdirect_func *f;
	int err;

	if (!hash)
		return -ENOMEM;
	fdirect_clock_start(&job->call);
	err = modify_ftrace_direct_hash(&fdirect_slots[job->slot].ops, hash, true);
	fdirect_clock_stop(&job->call);
	free_ftrace_hash(hash);
	if (err)
		return fdirect_job_refused(job, "modify_ftrace_direct_hash", err);
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f))
		fdirect_modified(f);
	return 0;
}

static int hash_detach(struct fdirect_job *job)
{
	struct ftrace_hash *hash = build(job, false);
	struct fdirect_func *f;
	int err;

	if (!hash)
		return -ENOMEM;
	fdirect_clock_start(&job->call);
	err = unregister_ftrace_direct_hash(&fdirect_slots[job->slot].ops, hash);
	fdirect_clock_stop(&job->call);
	free_ftrace_hash(hash);
	if (err)
		return fdirect_job_refused(job, "unregister_ftrace_direct_hash", err);
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f))
		fdirect_detached(job, f);
	fdirect_slot_reset(job->slot);
	return 0;
}

const struct fdirect_method fdirect_hash = {
	.name		= "hash",
	.id		= FDIRECT_HASH,
	.attach		= hash_attach,
	.modify		= hash_modify,
	.detach		= hash_detach,
};
