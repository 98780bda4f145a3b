// SPDX-License-Identifier: GPL-2.0
/*
 * The call sample: attaching to the function that is measured, and detaching.
 *
 * Every ftrace_ops of a module counts as dynamically allocated, wherever it lies, so
 * all come from the heap here. On x86 ftrace makes a trampoline for each of them,
 * which calls the callback of this one alone. To measure without that, they bring
 * the trampoline that all share, as the ftrace_ops of a direct call does. That
 * goes through the list of all that are registered.
 */
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "call.h"
#include "direct_hash.h"

/**
 * struct fdirect_call_ops - one ftrace_ops of the sample
 * @ops: the ftrace_ops
 * @hits: how often its callback ran
 */
struct fdirect_call_ops {
	struct ftrace_ops ops;
	u64 hits;
};

/* Trivial, but for the proof that it ran. The loop keeps to one CPU at a time. */
static void notrace count_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	container_of(ops, struct fdirect_call_ops, ops)->hits++;
}

static int refused(const char *call, int err)
{
	return fdirect_fail(fdirect_checked(err), "call: %s(): %s (%d)", call,
			    fdirect_ftrace_reason(err), err);
}

/* The trampoline that the ftrace_ops bring, or 0 if that is left to ftrace. */
static int find_trampoline(const struct fdirect_call_spec *spec, unsigned long *addr)
{
	const char *name = spec->flags & FTRACE_OPS_FL_SAVE_REGS ? "ftrace_regs_caller" :
								   "ftrace_caller";

	*addr = 0;
	if (!IS_ENABLED(CONFIG_X86_64) || spec->trampoline)
		return 0;
	*addr = fdirect_symbol(name);
	return *addr ? 0 : fdirect_fail(-EOPNOTSUPP, "call: this kernel has no %s", name);
}

static int register_one(struct fdirect_call_attached *attached, void (*fn)(void),
			const struct fdirect_call_spec *spec, unsigned long trampoline)
{
	struct ftrace_ops *ops = &attached->ops[attached->nr].ops;
	int err;

	ops->func = count_call;
	ops->flags = spec->flags;
	ops->trampoline = trampoline;
	err = ftrace_set_filter_ip(ops, (unsigned long)fn, 0, 0);
	if (err) {
		ftrace_free_filter(ops);
		return refused("ftrace_set_filter_ip", err);
	}
	err = register_ftrace_function(ops);
	if (err) {
		ftrace_free_filter(ops);
		return refused("register_ftrace_function", err);
	}
	attached->nr++;
	/* Without memory for a trampoline, ftrace goes on and does without. */
	if (spec->trampoline && !(ops->flags & FTRACE_OPS_FL_ALLOC_TRAMP))
		return fdirect_fail(-ENOMEM, "call: out of memory for a trampoline");
	return 0;
}

static int attach_ops(const struct fdirect_call_spec *spec,
		      struct fdirect_call_attached *attached)
{
	unsigned int nr = spec->relevant + spec->irrelevant;
	unsigned long trampoline;
	int err;

	if (!nr)
		return 0;
	err = find_trampoline(spec, &trampoline);
	if (err)
		return err;
	attached->ops = kvcalloc(nr, sizeof(*attached->ops), GFP_KERNEL);
	if (!attached->ops)
		return refused("kvcalloc", -ENOMEM);
	while (!err && attached->nr < nr) {
		cond_resched();
		if (signal_pending(current))
			return fdirect_fail(-EINTR, "call: interrupted");
		err = register_one(attached,
				   attached->nr < spec->relevant ? fdirect_call_target :
								   fdirect_call_bystander,
				   spec, trampoline);
	}
	return err;
}

static int register_direct(struct ftrace_ops *ops, unsigned long stub)
{
	int err = ftrace_set_filter_ip(ops, (unsigned long)fdirect_call_target, 0, 0);

	if (err)
		return refused("ftrace_set_filter_ip", err);
	err = register_ftrace_direct(ops, stub);
	return err ? refused("register_ftrace_direct", err) : 0;
}

#ifdef FDIRECT_HASH_API

/* The hash is kept, so that it takes no memory to unregister. */
static int register_hash(struct ftrace_ops *ops, unsigned long stub, struct ftrace_hash **hash)
{
	unsigned long ip = fdirect_location((unsigned long)fdirect_call_target);
	int err;

	if (!ip)
		return refused("ftrace_location", -ENODEV);
	*hash = alloc_ftrace_hash(0);
	if (!*hash || !add_ftrace_hash_entry_direct(*hash, ip, stub))
		return refused("alloc_ftrace_hash", -ENOMEM);
	err = register_ftrace_direct_hash(ops, *hash);
	return err ? refused("register_ftrace_direct_hash", err) : 0;
}

static int unregister_hash(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return unregister_ftrace_direct_hash(ops, hash);
}

static void free_hash(struct ftrace_hash *hash)
{
	if (hash)
		free_ftrace_hash(hash);
}

#else

static int register_hash(struct ftrace_ops *ops, unsigned long stub, struct ftrace_hash **hash)
{
	return fdirect_fail(-EOPNOTSUPP,
			    "call: this kernel has no register_ftrace_direct_hash()");
}

static int unregister_hash(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return -EOPNOTSUPP;
}

static void free_hash(struct ftrace_hash *hash) { }

#endif

static int attach_direct(const struct fdirect_call_spec *spec,
			 struct fdirect_call_attached *attached)
{
	struct ftrace_ops *ops;
	unsigned long stub;
	const char *why;
	int err;

	if (spec->interface != FDIRECT_CALL_DIRECT && spec->interface != FDIRECT_CALL_HASH)
		return 0;
	if (spec->reach == FDIRECT_FAR) {
		err = fdirect_far_init(&why);
		if (err)
			return fdirect_fail(err, "call: %s (%d)", why, err);
	}
	stub = fdirect_call_stub_addr(spec->reach);
	ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	if (!ops)
		return refused("kzalloc", -ENOMEM);
	if (spec->interface == FDIRECT_CALL_HASH)
		err = register_hash(ops, stub, &attached->hash);
	else
		err = register_direct(ops, stub);
	if (err) {
		/* The call site may refer to it for good if the module stays. */
		if (!fdirect_stays()) {
			ftrace_free_filter(ops);
			kfree(ops);
		}
		return err;
	}
	attached->direct = ops;
	return 0;
}

/**
 * fdirect_call_attach - attach what a measurement needs
 * @spec: the measurement
 * @attached: gets what has been attached, for fdirect_call_detach(), which is to be
 *	      called after an error as well
 *
 * Return: 0 or a negative errno
 */
int fdirect_call_attach(const struct fdirect_call_spec *spec,
			struct fdirect_call_attached *attached)
{
	memset(attached, 0, sizeof(*attached));
	return attach_ops(spec, attached) ?: attach_direct(spec, attached);
}

static int detach_direct(const struct fdirect_call_spec *spec,
			 struct fdirect_call_attached *attached)
{
	struct ftrace_ops *ops = attached->direct;
	int err = 0;

	if (ops && spec->interface == FDIRECT_CALL_HASH)
		err = unregister_hash(ops, attached->hash);
	else if (ops)
		err = unregister_ftrace_direct(ops, fdirect_call_stub_addr(spec->reach), false);
	if (err)
		return err;
	free_hash(attached->hash);
	if (ops)
		ftrace_free_filter(ops);
	kfree(ops);
	return 0;
}

static int detach_ops(struct fdirect_call_attached *attached)
{
	int err;

	for (; attached->nr; attached->nr--) {
		struct ftrace_ops *ops = &attached->ops[attached->nr - 1].ops;

		cond_resched();
		err = unregister_ftrace_function(ops);
		if (err)
			return err;
		ftrace_free_filter(ops);
	}
	kvfree(attached->ops);
	return 0;
}

/**
 * fdirect_call_detach - detach what has been attached, and free it
 * @spec: the measurement
 * @attached: what has been attached
 *
 * This fails only if ftrace has shut itself down. Then the call sites stay as they
 * are, and so must everything they refer to: the memory, and the module.
 *
 * Return: 0 or a negative errno
 */
int fdirect_call_detach(const struct fdirect_call_spec *spec,
			struct fdirect_call_attached *attached)
{
	int err = detach_direct(spec, attached) ?: detach_ops(attached);

	if (!err)
		return 0;
	fdirect_stay(err);
	return fdirect_fail(err, "call: cannot detach: %s (%d)", fdirect_ftrace_reason(err),
			    err);
}

/**
 * fdirect_call_ops_hits - how often callbacks ran
 * @attached: the ftrace_ops
 * @first: index of the first
 * @nr: how many of them
 *
 * Return: the sum
 */
u64 fdirect_call_ops_hits(const struct fdirect_call_attached *attached, unsigned int first,
			  unsigned int nr)
{
	unsigned int i;
	u64 sum = 0;

	for (i = first; i < first + nr; i++)
		sum += attached->ops[i].hits;
	return sum;
}
