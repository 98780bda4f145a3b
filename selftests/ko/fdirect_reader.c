// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_reader - readers of RCU tasks trace that report to RCU tasks, and are preempted
 *
 * A BPF program of type BPF_PROG_TYPE_SYSCALL is such a reader while it creates a link. The
 * code that attaches the link reports to RCU tasks by cond_resched_tasks_rcu_qs(), which lists
 * a reader as blocked. So does a preemption, and one of them must not list it beside the other.
 *
 * A number of seconds that is written to /sys/kernel/debug/fdirect_reader/run lets four tasks
 * on one CPU do nothing else for so long. "result" then has lines "KEY VALUE":
 *
 *	checked	1 if the kernel reports a list that is damaged
 *	rounds	how often they reported
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_trace.h>
#include <linux/seq_file.h>

#include "test_module.h"

#define READERS		4
#define MAX_SECONDS	600

static const bool checked = IS_ENABLED(CONFIG_TASKS_TRACE_RCU) && IS_ENABLED(CONFIG_DEBUG_LIST) &&
			    IS_ENABLED(CONFIG_PREEMPTION);

static struct task_struct *tasks[READERS];
static unsigned long rounds[READERS];
static DEFINE_MUTEX(run_mutex);

static int read_and_report(void *number)
{
	unsigned long *mine = &rounds[(long)number];
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 1000; i++) {
			rcu_read_lock_trace();
			cond_resched_tasks_rcu_qs();
			rcu_read_unlock_trace();
		}
		*mine += i;
		cond_resched();
	}
	return 0;
}

static ssize_t run_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	unsigned int seconds;
	long i;
	int err;

	err = kstrtouint_from_user(ubuf, count, 10, &seconds);
	if (err)
		return err;
	if (seconds > MAX_SECONDS)
		return -ERANGE;

	guard(mutex)(&run_mutex);
	for (i = 0; i < READERS; i++) {
		rounds[i] = 0;
		tasks[i] = kthread_create(read_and_report, (void *)i, "fdirect_reader");
		if (IS_ERR(tasks[i])) {
			err = PTR_ERR(tasks[i]);
			break;
		}
		kthread_bind(tasks[i], num_online_cpus() - 1);
		wake_up_process(tasks[i]);
	}
	if (!err)
		msleep_interruptible(seconds * 1000);
	while (i--)
		kthread_stop(tasks[i]);
	return err ?: count;
}

DEFINE_WRITE_ATTRIBUTE(run);

static int result_show(struct seq_file *m, void *unused)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < READERS; i++)
		sum += rounds[i];
	seq_printf(m, "checked %d\nrounds %lu\n", checked, sum);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static struct dentry *dir;

static int __init fdirect_reader_init(void)
{
	dir = debugfs_create_dir("fdirect_reader", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	return 0;
}

static void __exit fdirect_reader_exit(void)
{
	debugfs_remove(dir);
}

module_init(fdirect_reader_init);
module_exit(fdirect_reader_exit);

MODULE_DESCRIPTION("Readers of RCU tasks trace that report to RCU tasks");
MODULE_LICENSE("GPL");
