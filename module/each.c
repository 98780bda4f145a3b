// SPDX-License-Identifier: GPL-2.0
/*
 * Method each: an ftrace_ops for every function, register_ftrace_direct().
 *
 * This is what a kernel without a shared direct ops has for functions that go to
 * different targets. One call costs millions of instructions, and each detach waits
 * for a grace period, so a signal that kills the task ends a long operation. The
 * steps before a failure are undone, which takes its time as well. Unloading the
 * module cannot be undone, and goes on.
 *
 * A function has f->ops from the preparation of its attaching until the end of the
 * job that detaches it. So a job can be undone without memory.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "fdirect.h"

static int interrupted(void)
{
	cond_resched();
	return module_is_live(THIS_MODULE) && fatal_signal_pending(current) ? -EINTR : 0;
}

static int refused(struct fdirect_job *job, struct fdirect_func *f, const char *call, int err)
{
	return fdirect_fail(err, "control: function %u, %s: %s(): %s (%d)",
			    (unsigned int)(f - job->sel->funcs), f->name, call,
			    fdirect_ftrace_reason(err), err);
}

/*
 * Free the ftrace_ops of all functions in the range that are not attached. The call site of
 * one may refer to it for good if the module stays.
 */
static void sweep(struct fdirect_job *job)
{
	unsigned int i;

	if (fdirect_stays())
		return;
	for (i = job->first; i < job->first + job->count; i++) {
		struct fdirect_func *f = &job->sel->funcs[i];

		if (!f->ops || f->method != FDIRECT_NONE)
			continue;
		ftrace_free_filter(f->ops);
		kfree(f->ops);
		f->ops = NULL;
	}
}

static int prepare(struct fdirect_job *job, struct fdirect_func *f)
{
	int err;

	f->ops = kzalloc(sizeof(*f->ops), GFP_KERNEL);
	if (!f->ops)
		return refused(job, f, "kzalloc", -ENOMEM);
	err = ftrace_set_filter_ip(f->ops, f->ip, 0, 0);
	return err ? refused(job, f, "ftrace_set_filter_ip", err) : 0;
}

/*
 * unregister_ftrace_direct() fails only if ftrace has shut itself down. Then the call
 * site stays as it is, and so must everything it refers to.
 */
static int detach_one(struct fdirect_job *job, struct fdirect_func *f)
{
	int err = fdirect_checked(unregister_ftrace_direct(f->ops, fdirect_target_addr(f->target),
							   false));

	if (!err)
		fdirect_detached(job, f);
	return err;
}

static int attach_one(struct fdirect_job *job, struct fdirect_func *f)
{
	int err = fdirect_checked(register_ftrace_direct(f->ops, fdirect_target_addr(f->target)));

	if (!err)
		fdirect_attached(job, f, FDIRECT_EACH);
	return err;
}

static int modify_one(struct fdirect_func *f)
{
	int err = fdirect_checked(modify_ftrace_direct(f->ops, fdirect_target_addr(f->other)));

	if (!err)
		fdirect_modified(f);
	return err;
}

static int each_attach(struct fdirect_job *job)
{
	struct fdirect_func *f;
	int err = 0, undo;
	unsigned int i;

	fdirect_clock_start(&job->prepare);
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f)) {
		err = interrupted() ?: prepare(job, f);
		if (err)
			break;
	}
	fdirect_clock_stop(&job->prepare);

	fdirect_clock_start(&job->call);
	for (i = 0; !err && i < job->count; i++) {
		f = &job->sel->funcs[job->first + i];
		err = interrupted();
		if (err)
			break;
		err = attach_one(job, f);
		if (err)
			refused(job, f, "register_ftrace_direct", err);
	}
	fdirect_clock_stop(&job->call);

	if (err == -EINTR)
		fdirect_fail(err, "control: interrupted, nothing has been attached");
	for (i = job->count; err && i--;) {
		f = &job->sel->funcs[job->first + i];
		if (f->method != FDIRECT_EACH)
			continue;
		undo = detach_one(job, f);
		if (undo)
			fdirect_stay(undo);
	}
	sweep(job);
	return err;
}

static int each_modify(struct fdirect_job *job)
{
	struct fdirect_func *f;
	unsigned int done = 0;
	int err = 0;

	fdirect_clock_start(&job->call);
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f)) {
		err = interrupted();
		if (err)
			break;
		err = modify_one(f);
		if (err) {
			refused(job, f, "modify_ftrace_direct", err);
			break;
		}
		done++;
	}
	fdirect_clock_stop(&job->call);
	if (!err)
		return 0;

	if (err == -EINTR)
		fdirect_fail(err, "control: interrupted, nothing has been modified");
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f)) {
		if (!done--)
			break;
		modify_one(f);
	}
	return err;
}

static int each_detach(struct fdirect_job *job)
{
	struct fdirect_func *f;
	unsigned int i;
	int err = 0;

	fdirect_clock_start(&job->call);
	for (f = fdirect_job_first(job); f; f = fdirect_job_next(job, f)) {
		err = interrupted();
		if (err)
			break;
		err = detach_one(job, f);
		if (err) {
			refused(job, f, "unregister_ftrace_direct", err);
			break;
		}
	}
	fdirect_clock_stop(&job->call);

	if (err == -EINTR)
		fdirect_fail(err, "control: interrupted, nothing has been detached");
	for (i = 0; err && i < job->count; i++) {
		f = &job->sel->funcs[job->first + i];
		/* Somebody else may have taken the call site by now. */
		if (f->ops && f->method == FDIRECT_NONE && attach_one(job, f))
			fdirect_fail(err, "control: function %u, %s could not be attached again",
				     (unsigned int)(f - job->sel->funcs), f->name);
	}
	sweep(job);
	return err;
}

const struct fdirect_method fdirect_each = {
	.name		= "each",
	.id		= FDIRECT_EACH,
	.attach		= each_attach,
	.modify		= each_modify,
	.detach		= each_detach,
};
