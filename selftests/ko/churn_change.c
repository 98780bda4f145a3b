// SPDX-License-Identifier: GPL-2.0
/*
 * Changes by the kernel's interface, with the oracle told before and after.
 *
 * Ops 0 ... 6 are for the calls that take a hash, ops 7 is for register_ftrace_direct(): one
 * target for all that it holds. Even ones share their functions with a livepatch, odd ones
 * do not.
 */
#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "churn.h"
#include "test_module.h"

static struct ftrace_ops ops[CHURN_OPS];
static unsigned long one_target;

/* A trampoline returns to the function, whichever that is, so there is nothing to do. */
static int agree_to_share(struct ftrace_ops *op, enum ftrace_ops_cmd cmd)
{
	return 0;
}

DEFINE_OPS_FUNC(agree_to_share)

#ifdef FDIRECT_HASH_API
static struct ftrace_hash *make_hash(const struct churn_change *change)
{
	struct ftrace_hash *hash = alloc_ftrace_hash(fls(change->count / 2));
	unsigned int i;

	for (i = 0; hash && i < change->count; i++) {
		const struct churn_entry *e = &change->entries[i];

		if (!add_ftrace_hash_entry_direct(hash, churn_sites[e->function],
						  churn_target(e->target))) {
			free_ftrace_hash(hash);
			return NULL;
		}
	}
	return hash;
}

static int change_by_hash(const struct churn_change *change)
{
	struct ftrace_hash *hash = make_hash(change);
	int ret = -ENOMEM;

	if (!hash)
		return ret;
	switch (change->kind) {
	case CHURN_REGISTER:
		ret = register_ftrace_direct_hash(&ops[change->ops], hash);
		break;
	case CHURN_UNREGISTER:
		ret = unregister_ftrace_direct_hash(&ops[change->ops], hash);
		break;
	case CHURN_MODIFY:
	case CHURN_TRESPASS:
		ret = modify_ftrace_direct_hash(&ops[change->ops], hash, true);
		break;
	}
	free_ftrace_hash(hash);
	return ret;
}
#else
static int change_by_hash(const struct churn_change *change)
{
	return -ENOTTY;
}
#endif

/* Linux 6.12 leaves the freed filters in the ops, so nothing of it is used again. */
static void free_one_target(void)
{
	ftrace_free_filter(&ops[CHURN_ONE_TARGET]);
	memset(&ops[CHURN_ONE_TARGET], 0, sizeof(ops[0]));
}

static int set_filter(const struct churn_change *change, int remove, int reset)
{
	unsigned long *sites = kcalloc(change->count, sizeof(*sites), GFP_KERNEL);
	unsigned int i;
	int ret;

	if (!sites)
		return -ENOMEM;
	for (i = 0; i < change->count; i++)
		sites[i] = churn_sites[change->entries[i].function];
	ret = ftrace_set_filter_ips(&ops[change->ops], sites, change->count, remove, reset);
	kfree(sites);
	return ret;
}

static int register_one_target(const struct churn_change *change)
{
	struct ftrace_ops *op = &ops[CHURN_ONE_TARGET];
	int ret;

	ret = set_filter(change, 0, 1);
	if (!ret)
		ret = register_ftrace_direct(op, churn_target(change->entries[0].target));
	if (ret)
		free_one_target();
	else
		one_target = churn_target(change->entries[0].target);
	return ret;
}

static int change_one_target(const struct churn_change *change)
{
	int ret;

	switch (change->kind) {
	case CHURN_REGISTER:
		return register_one_target(change);
	case CHURN_UNREGISTER:
		ret = unregister_ftrace_direct(&ops[CHURN_ONE_TARGET], one_target, false);
		if (!ret)
			free_one_target();
		return ret;
	case CHURN_MODIFY:
		ret = modify_ftrace_direct(&ops[CHURN_ONE_TARGET],
					   churn_target(change->entries[0].target));
		if (!ret)
			one_target = churn_target(change->entries[0].target);
		return ret;
	}
	return -EBADMSG;
}

/* Each function that is attached keeps this module in place. */
static int make_change(const struct churn_change *change)
{
	unsigned int i;
	int ret;

	ret = change->ops == CHURN_ONE_TARGET ? change_one_target(change) : change_by_hash(change);
	if (ret)
		return ret;
	for (i = 0; i < change->count; i++) {
		if (change->kind == CHURN_REGISTER)
			__module_get(THIS_MODULE);
		else if (change->kind == CHURN_UNREGISTER)
			module_put(THIS_MODULE);
	}
	return 0;
}

static int check_change(const struct churn_change *change)
{
	DECLARE_BITMAP(there, CHURN_FUNCTIONS) = { };
	unsigned int i;

	if (change->kind >= CHURN_KINDS || change->ops >= CHURN_OPS ||
	    change->changer >= CHURN_CHANGERS || change->lie >= CHURN_LIES || !change->count ||
	    change->count > CHURN_FUNCTIONS)
		return -EBADMSG;
	for (i = 0; i < change->count; i++) {
		const struct churn_entry *e = &change->entries[i];

		if (e->function >= CHURN_FUNCTIONS || e->target >= CHURN_TARGETS ||
		    __test_and_set_bit(e->function, there))
			return -EBADMSG;
		if (change->ops == CHURN_ONE_TARGET && change->kind == CHURN_MEDDLE)
			return -EBADMSG;
		if (change->ops == CHURN_ONE_TARGET && e->target != change->entries[0].target)
			return -EBADMSG;
	}
	return 0;
}

/*
 * Takes functions out of the filter of an ops, whoever changes its direct calls meanwhile.
 * An ops that is not registered has no function in its filter.
 */
static int meddle(const struct churn_change *change)
{
	int ret = set_filter(change, 1, 0);

	if (ret != -EBUSY && ret != -ENOENT)
		churn_promise_broken(change, ret, "must be -EBUSY or -ENOENT");
	churn_trespassed(change->kind, ret);
	return ret;
}

/* A few calls of each function, before the oracle is told that the change was refused. */
static void call_meanwhile(const struct churn_change *change)
{
	unsigned int i;

	for (i = 0; i < change->count; i++) {
		const struct churn_calls calls = {
			.function = change->entries[i].function, .count = 3,
		};

		churn_call(&calls);
	}
}

/**
 * churn_change - make one change
 * @change: what to change, as user space has it
 *
 * Return: what the kernel's call returned
 */
int churn_change(struct churn_change *change)
{
	struct noted *noted;
	int ret;

	ret = check_change(change);
	if (ret)
		return ret;
	if (change->lie == CHURN_LIE_STRAY)
		return make_change(change);
	if (change->kind == CHURN_MEDDLE)
		return meddle(change);
	if (change->kind == CHURN_TRESPASS) {
		ret = make_change(change);
		if (ret != -EINVAL)
			churn_promise_broken(change, ret, "must be -EINVAL");
		churn_trespassed(change->kind, ret);
		return ret;
	}

	noted = churn_begin(change);
	if (!noted)
		return -ENOMEM;
	ret = change->lie == CHURN_LIE_LOST ? 0 : make_change(change);
	if (change->lie == CHURN_LIE_REFUSED) {
		call_meanwhile(change);
		ret = -EBUSY;
	}
	churn_end(noted, change, ret);
	return ret;
}

/**
 * churn_reset - let go of all functions, and forget all calls and changes
 *
 * For the beginning, while nobody calls or changes anything.
 *
 * Return: 0 or a negative errno
 */
int churn_reset(void)
{
	struct churn_change *change = kvzalloc(sizeof(*change), GFP_KERNEL);
	int ret = 0;

	if (!change)
		return -ENOMEM;
	change->kind = CHURN_UNREGISTER;
	for (change->ops = 0; change->ops < CHURN_OPS && !ret; change->ops++)
		if (churn_held_by_ops(change->ops, change))
			ret = make_change(change);
	kvfree(change);
	if (!ret)
		churn_oracle_clear();
	return ret;
}

void churn_change_init(void)
{
	int i;

	for (i = 0; i < CHURN_OPS; i += 2)
		ops[i].ops_func = OPS_FUNC(agree_to_share);
	/* This prepares the locks of the ops, which two tasks may take at once later */
	for (i = 0; i < CHURN_OPS; i++)
		ftrace_free_filter(&ops[i]);
}
