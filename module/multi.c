// SPDX-License-Identifier: GPL-2.0
/*
 * Method multi: one ftrace_ops and one target for many functions, as
 * register_ftrace_direct() has it. All of them come and go together.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "fdirect.h"

static int check_whole(struct fdirect_job *job)
{
	const struct fdirect_slot *slot = &fdirect_slots[job->slot];

	if (job->nr == slot->nr)
		return 0;
	return fdirect_fail(-EINVAL,
			    "control: method multi has one target for all it has attached (%u); a part (%u) cannot change",
			    slot->nr, job->nr);
}

static int set_filter(struct fdirect_job *job)
{
	struct ftrace_ops *ops = &fdirect_slots[job->slot].ops;
	struct fdirect_func *f;
	unsigned int nr = 0;
	unsigned long *ips;
	int err;

	ips = kvmalloc_array(job->nr, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return fdirect_job_refused(job, "kvmalloc", -ENOMEM);
	fdirect_clock_start(&job->prepare);
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f))
		ips[nr++] = f->ip;
	err = ftrace_set_filter_ips(ops, ips, nr, 0, 1);
	fdirect_clock_stop(&job->prepare);
	kvfree(ips);
	return err ? fdirect_job_refused(job, "ftrace_set_filter_ips", err) : 0;
}

static int multi_attach(struct fdirect_job *job)
{
	struct fdirect_slot *slot = &fdirect_slots[job->slot];
	unsigned long addr = fdirect_target_addr(fdirect_job_first(job)->target);
	struct fdirect_func *f;
	int err;

	if (slot->nr)
		return fdirect_fail(-EBUSY,
				    "control: ops %u is in use (%u attached); method multi cannot add to it",
				    job->slot, slot->nr);
	err = set_filter(job);
	if (!err) {
		fdirect_clock_start(&job->call);
		err = register_ftrace_direct(&slot->ops, addr);
		fdirect_clock_stop(&job->call);
		if (err)
			fdirect_job_refused(job, "register_ftrace_direct", err);
	}
	if (err) {
		fdirect_slot_reset(job->slot);
		return err;
	}
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f))
		fdirect_attached(job, f, FDIRECT_MULTI);
	return 0;
}

static int multi_modify(struct fdirect_job *job)
{
	unsigned long addr = fdirect_target_addr(fdirect_job_first(job)->other);
	struct fdirect_func *f;
	int err;

	err = check_whole(job);
	if (err)
		return err;
	fdirect_clock_start(&job->call);
	err = modify_ftrace_direct(&fdirect_slots[job->slot].ops, addr);
	fdirect_clock_stop(&job->call);
	if (err)
		return fdirect_job_refused(job, "modify_ftrace_direct", err);
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f))
		fdirect_modified(f);
	return 0;
}

static int multi_detach(struct fdirect_job *job)
{
	unsigned long addr = fdirect_target_addr(fdirect_job_first(job)->target);
	struct fdirect_func *f;
	int err;

	err = check_whole(job);
	if (err)
		return err;
	fdirect_clock_start(&job->call);
	err = unregister_ftrace_direct(&fdirect_slots[job->slot].ops, addr, false);
	fdirect_clock_stop(&job->call);
	if (err)
		return fdirect_job_refused(job, "unregister_ftrace_direct", err);
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f))
		fdirect_detached(job, f);
	fdirect_slot_reset(job->slot);
	return 0;
}

const struct fdirect_method fdirect_multi = {
	.name		= "multi",
	.id		= FDIRECT_MULTI,
	.one_stub	= true,
	.attach		= multi_attach,
	.modify		= multi_modify,
	.detach		= multi_detach,
};
