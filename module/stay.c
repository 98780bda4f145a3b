// SPDX-License-Identifier: GPL-2.0
/*
 * The module's lock, and the module that stays for good after detaching has failed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>

#include "fdirect.h"

/* See fdirect.h for what it protects. */
DEFINE_MUTEX(fdirect_lock);

static bool stays;

/**
 * fdirect_stay - keep the module for good, since call sites may call it for good
 * @err: what ftrace has given: -EIO, or whatever detaching has failed with
 *
 * The call sites stay as they are, and so must everything they refer to. Unloading the
 * module then fails with -EWOULDBLOCK, instead of waiting for ever in detach_all().
 */
void fdirect_stay(int err)
{
	lockdep_assert_held(&fdirect_lock);
	if (stays)
		return;
	stays = true;
	__module_get(THIS_MODULE);
	pr_err("call sites cannot be patched (%d), so cannot be unloaded\n", err);
}

/**
 * fdirect_checked - look at what a function of ftrace has returned
 * @err: that: after -EIO, call sites are patched in part, and the module stays
 *
 * Return: @err
 */
int fdirect_checked(int err)
{
	if (err == -EIO)
		fdirect_stay(err);
	return err;
}

/**
 * fdirect_stays - whether call sites may call the module for good
 *
 * Return: true if so: no ftrace_ops that ftrace has seen may be freed any more
 */
bool fdirect_stays(void)
{
	lockdep_assert_held(&fdirect_lock);
	return stays;
}
