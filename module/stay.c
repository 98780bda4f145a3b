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

/**
 * fdirect_stay - keep the module for good, since detaching has failed for good
 * @err: what detaching has given
 *
 * The call sites stay as they are, and so must everything they refer to. Unloading the
 * module then fails with -EWOULDBLOCK, instead of waiting for ever in detach_all().
 */
void fdirect_stay(int err)
{
	static bool stays;

	lockdep_assert_held(&fdirect_lock);
	if (stays)
		return;
	stays = true;
	__module_get(THIS_MODULE);
	pr_err("cannot detach (%d), so cannot be unloaded\n", err);
}
