// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_watch - looks at call sites while they are changed
 *
 * On arm64 a call site has two parts, an instruction, and before the function a literal that
 * ftrace's trampoline goes by. The literal is to be written first. The addresses of call
 * sites are written to /sys/kernel/debug/fdirect_watch/sites, as an array of numbers of 64
 * bits. After
 *
 *	1 > watch	what the call sites are now is kept, and a task on the last CPU looks
 *			at all of them, over and over
 *	0 > watch	it ends
 *
 * and "result" has three counts: the rounds through all of them, the rounds in which
 * some had changed and some had not, and the sites with a new instruction and the old
 * literal.
 */
#include <linux/align.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "test_module.h"

#define MAX_SITES 1024

static struct site {
	u64	ip;
	u64	literal;
	u32	insn;
} sites[MAX_SITES];

static unsigned int nr_sites;
static unsigned long passes, halfway, early;
static struct task_struct *watcher;
static DEFINE_MUTEX(watch_mutex);

/* Where the literal is, see ftrace_call_adjust() in arch/arm64/kernel/ftrace.c */
static u64 read_literal(const struct site *site)
{
	return READ_ONCE(*(u64 *)ALIGN_DOWN((unsigned long)site->ip - 12, 8));
}

static u32 read_insn(const struct site *site)
{
	return READ_ONCE(*(u32 *)(unsigned long)site->ip);
}

static int watch(void *unused)
{
	unsigned int i, changed;

	while (!kthread_should_stop()) {
		for (changed = 0, i = 0; i < nr_sites; i++) {
			if (read_insn(&sites[i]) == sites[i].insn)
				continue;
			changed++;
			/* A literal that was written before the instruction is seen now. */
			smp_rmb();
			early += read_literal(&sites[i]) == sites[i].literal;
		}
		passes++;
		halfway += changed && changed < nr_sites;
		/* Under QEMU this lets another CPU go on. Detaching waits for tasks RCU. */
		cpu_relax();
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static int watch_start(void)
{
	unsigned int i;

	if (watcher)
		return -EBUSY;
	if (!nr_sites)
		return -ENODATA;
	for (i = 0; i < nr_sites; i++) {
		sites[i].insn = read_insn(&sites[i]);
		sites[i].literal = read_literal(&sites[i]);
	}
	passes = 0;
	halfway = 0;
	early = 0;
	watcher = kthread_create(watch, NULL, "fdirect_watch");
	if (IS_ERR(watcher)) {
		int err = PTR_ERR(watcher);

		watcher = NULL;
		return err;
	}
	kthread_bind(watcher, cpumask_last(cpu_online_mask));
	wake_up_process(watcher);
	return 0;
}

static int watch_stop(void)
{
	if (!watcher)
		return -ENODATA;
	kthread_stop(watcher);
	watcher = NULL;
	return 0;
}

static ssize_t watch_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	bool on;
	int ret;

	ret = kstrtobool_from_user(ubuf, count, &on);
	if (ret)
		return ret;
	mutex_lock(&watch_mutex);
	ret = on ? watch_start() : watch_stop();
	mutex_unlock(&watch_mutex);
	return ret ?: count;
}

DEFINE_WRITE_ATTRIBUTE(watch);

static ssize_t sites_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	const u64 __user *ips = (const u64 __user *)ubuf;
	ssize_t ret = count;
	unsigned int i;

	if (count % sizeof(u64) || count / sizeof(u64) > MAX_SITES)
		return -EINVAL;
	mutex_lock(&watch_mutex);
	if (watcher) {
		mutex_unlock(&watch_mutex);
		return -EBUSY;
	}
	nr_sites = 0;
	for (i = 0; ret > 0 && i < count / sizeof(u64); i++) {
		if (get_user(sites[i].ip, ips + i))
			ret = -EFAULT;
	}
	if (ret > 0)
		nr_sites = count / sizeof(u64);
	mutex_unlock(&watch_mutex);
	return ret;
}

DEFINE_WRITE_ATTRIBUTE(sites);

static int result_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "passes %lu\nhalfway %lu\nearly %lu\n", passes, halfway, early);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static struct dentry *dir;

static int __init fdirect_watch_init(void)
{
	dir = debugfs_create_dir("fdirect_watch", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("sites", 0200, dir, NULL, &sites_fops);
	debugfs_create_file("watch", 0200, dir, NULL, &watch_fops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	return 0;
}

static void __exit fdirect_watch_exit(void)
{
	debugfs_remove(dir);
	watch_stop();
}

module_init(fdirect_watch_init);
module_exit(fdirect_watch_exit);

MODULE_DESCRIPTION("Looks at call sites while they are changed");
MODULE_LICENSE("GPL");
