// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_churn - 1,024 functions whose direct calls change all the time, and an oracle
 *
 * The oracle knows for every single call which targets were allowed, whatever changes
 * meanwhile. See churn_oracle.c for how, and fdirect_churn.h for what is written to the
 * files in /sys/kernel/debug/fdirect_churn:
 *
 *	call		calls functions
 *	change		attaches, modifies or detaches some
 *	patched		tells what a livepatch does
 *	report		what has been counted
 *	wrong		the first calls that went wrong
 *	reset		any write detaches all and clears what has been counted
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "churn.h"
#include "test_module.h"

static ssize_t call_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	struct churn_calls calls;
	int ret;

	if (count != sizeof(calls))
		return -EBADMSG;
	if (copy_from_user(&calls, ubuf, sizeof(calls)))
		return -EFAULT;
	ret = churn_call(&calls);
	return ret ? ret : count;
}

DEFINE_WRITE_ATTRIBUTE(call);

/* As much of it as has entries. */
static ssize_t change_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	struct churn_change *change;
	int ret = -EBADMSG;

	if (count > sizeof(*change))
		return ret;
	change = kvzalloc(sizeof(*change), GFP_KERNEL);
	if (!change)
		return -ENOMEM;
	if (copy_from_user(change, ubuf, count))
		ret = -EFAULT;
	else if (change->count <= CHURN_FUNCTIONS &&
		 count == offsetof(struct churn_change, entries[change->count]))
		ret = churn_change(change);
	kvfree(change);
	return ret ? ret : count;
}

DEFINE_WRITE_ATTRIBUTE(change);

static ssize_t patched_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	struct churn_patch patch;
	unsigned int i;

	if (count != sizeof(patch))
		return -EBADMSG;
	if (copy_from_user(&patch, ubuf, sizeof(patch)))
		return -EFAULT;
	if (patch.state > CHURN_PATCHED || patch.count > CHURN_HOTS)
		return -EBADMSG;
	for (i = 0; i < patch.count; i++)
		if (patch.functions[i] >= CHURN_FUNCTIONS)
			return -EBADMSG;
	churn_patched(&patch);
	return count;
}

DEFINE_WRITE_ATTRIBUTE(patched);

static ssize_t reset_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	int ret = churn_reset();

	return ret ? ret : count;
}

DEFINE_WRITE_ATTRIBUTE(reset);

DEFINE_SHOW_ATTRIBUTE(churn_report);
DEFINE_SHOW_ATTRIBUTE(churn_wrong);

static struct dentry *dir;

static int __init fdirect_churn_init(void)
{
	int ret;

	ret = churn_functions_init() ?: churn_far_init();
	if (ret)
		goto err;
	churn_oracle_init();
	churn_change_init();

	dir = debugfs_create_dir("fdirect_churn", NULL);
	ret = PTR_ERR_OR_ZERO(dir);
	if (ret)
		goto err;
	debugfs_create_file("call", 0200, dir, NULL, &call_fops);
	debugfs_create_file("change", 0200, dir, NULL, &change_fops);
	debugfs_create_file("patched", 0200, dir, NULL, &patched_fops);
	debugfs_create_file("report", 0400, dir, NULL, &churn_report_fops);
	debugfs_create_file("wrong", 0400, dir, NULL, &churn_wrong_fops);
	debugfs_create_file("reset", 0200, dir, NULL, &reset_fops);
	return 0;

err:
	churn_far_exit();
	return ret;
}

/* Nothing is attached any more, or there would be a reference. A task may be in a target. */
static void __exit fdirect_churn_exit(void)
{
	debugfs_remove(dir);
	synchronize_rcu_tasks();
#ifdef CONFIG_TASKS_RUDE_RCU
	synchronize_rcu_tasks_rude();
#endif
	churn_far_exit();
}

module_init(fdirect_churn_init);
module_exit(fdirect_churn_exit);

MODULE_DESCRIPTION("Functions with changing direct calls, and who knows what is right");
MODULE_LICENSE("GPL");
