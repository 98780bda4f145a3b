// SPDX-License-Identifier: GPL-2.0
/*
 * The two copies of the stubs, and which of them the commands use.
 *
 * A call instruction does not reach everything on some architectures. A direct call
 * is then the instruction alone, or it goes through ftrace's trampoline. The near
 * stubs, in the text of this module, are for the first, the far ones for the second.
 * Both count in the same counters. A function remembers which copy it is attached
 * to, so that it can go from one to the other.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "fdirect.h"

static bool far;
module_param(far, bool, 0444);
MODULE_PARM_DESC(far, "Attach to the far stubs unless told otherwise");

static const char * const reach_names[] = {
	[FDIRECT_NEAR]	= "near",
	[FDIRECT_FAR]	= "far",
};

/* Under fdirect_lock. */
static enum fdirect_reach reach_now;

/**
 * fdirect_reach_init - take the reach that the module is loaded with
 *
 * Return: 0, or a negative errno with the reason in the kernel log
 */
int __init fdirect_reach_init(void)
{
	const char *why;
	int err;

	if (!far)
		return 0;
	err = fdirect_far_init(&why);
	if (err) {
		pr_err("far=1: %s (%d)\n", why, err);
		return err;
	}
	reach_now = FDIRECT_FAR;
	return 0;
}

/**
 * fdirect_reach_now - the copy of the stubs that commands use
 *
 * Return: which
 */
enum fdirect_reach fdirect_reach_now(void)
{
	lockdep_assert_held(&fdirect_lock);
	return reach_now;
}

/**
 * fdirect_target_addr - address of a target
 * @target: the target
 *
 * Return: the address to hand to ftrace
 */
unsigned long fdirect_target_addr(struct fdirect_target target)
{
	unsigned long addr = (unsigned long)fdirect_stubs +
			     (unsigned long)target.stub * FDIRECT_STUB_SIZE;

	return target.reach == FDIRECT_FAR ? addr + fdirect_far_offset() : addr;
}

/**
 * fdirect_call_stub_addr - address of the stub that the call sample has for itself
 * @reach: which copy
 *
 * Return: the address to hand to ftrace
 */
unsigned long fdirect_call_stub_addr(enum fdirect_reach reach)
{
	unsigned long addr = (unsigned long)fdirect_call_stub;

	return reach == FDIRECT_FAR ? addr + fdirect_far_offset() : addr;
}

static bool in_stubs(unsigned long addr, unsigned long stubs)
{
	return addr >= stubs && addr - stubs < (unsigned long)FDIRECT_STUBS * FDIRECT_STUB_SIZE;
}

/**
 * fdirect_is_stub - does an address lie in a stub for functions?
 * @addr: the address
 *
 * Return: whether it does, in whichever copy
 */
bool fdirect_is_stub(unsigned long addr)
{
	unsigned long near = (unsigned long)fdirect_stubs;

	return in_stubs(addr, near) || in_stubs(addr, near + fdirect_far_offset());
}

/**
 * fdirect_reach_show - the file reach
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_reach_show(struct seq_file *m)
{
	seq_printf(m, "%s\n", reach_names[reach_now]);
	return 0;
}

/**
 * fdirect_reach_store - choose a copy of the stubs
 * @value: its name
 *
 * Return: 0 or a negative errno
 */
int fdirect_reach_store(char *value)
{
	const char *why;
	int err;

	if (!strcmp(value, reach_names[FDIRECT_NEAR])) {
		reach_now = FDIRECT_NEAR;
		return 0;
	}
	if (strcmp(value, reach_names[FDIRECT_FAR]))
		return fdirect_fail(-EINVAL, "reach: \"%s\" is neither near nor far", value);
	err = fdirect_far_init(&why);
	if (err)
		return fdirect_fail(err, "reach: %s (%d)", why, err);
	reach_now = FDIRECT_FAR;
	return 0;
}
