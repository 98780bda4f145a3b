// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect - attach many kernel functions to many direct call targets
 *
 * A sample user of ftrace's direct calls, and the means to measure and test them at
 * scale. It brings 65,536 targets of its own, stubs that count and return, so that
 * 40,000 functions can really go to 40,000 targets. The files in debugfs choose
 * the functions, the interface and the stubs; see docs/ABI/debugfs-fdirect. No
 * address from user space is ever called.
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "fdirect.h"

static int __init fdirect_init(void)
{
	int err;

	err = fdirect_symbols_init();
	if (err)
		return err;
	err = fdirect_reach_init();
	if (err)
		return err;
	err = fdirect_selection_init();
	if (err)
		goto err_reach;
	err = fdirect_debugfs_init();
	if (err)
		goto err_selection;
	return 0;

err_selection:
	fdirect_selection_exit();
err_reach:
	fdirect_far_exit();
	return err;
}

/*
 * No call site may keep a call into this module, so there is no giving up. Memory
 * comes back. If ftrace has shut itself down since the last call, all that is lost
 * is a module that is being unloaded for ever.
 */
static void __exit detach_all(void)
{
	int err;

	mutex_lock(&fdirect_lock);
	while (fdirect_selection() && fdirect_selection()->attached) {
		err = fdirect_detach_all();
		if (!err)
			continue;
		if (err != -ENOMEM)
			fdirect_stay(err);
		mutex_unlock(&fdirect_lock);
		schedule_timeout_idle(HZ);
		mutex_lock(&fdirect_lock);
	}
	mutex_unlock(&fdirect_lock);
}

static void __exit fdirect_exit(void)
{
	fdirect_debugfs_exit();
	detach_all();

	/*
	 * The call sites are patched, but a task may still be in a stub. It was
	 * preempted there, or it runs on another CPU where tasks RCU does not
	 * look.
	 */
	synchronize_rcu_tasks();
#ifdef CONFIG_TASKS_RUDE_RCU
	synchronize_rcu_tasks_rude();
#endif
	fdirect_selection_exit();
	fdirect_far_exit();
}

module_init(fdirect_init);
module_exit(fdirect_exit);

MODULE_DESCRIPTION("Attach many functions to many ftrace direct call targets");
MODULE_LICENSE("GPL");
