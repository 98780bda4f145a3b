// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_faults - one fault of a kind that a checker of the kernel must report
 *
 *	insmod fdirect_faults.ko fault=leak
 *
 * For guests that are thrown away: a run is only clean if the checkers would have told
 * otherwise. The module never stays loaded.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timer.h>

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "sleep, rcu, lock, list, object, memory, leak or race");

struct thing {
	struct list_head list;
	struct timer_list timer;
	unsigned long value;
};

static void sleep_in_atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static struct thing __rcu *shared;

static void read_unprotected(void)
{
	pr_info("shared: %d\n", !!rcu_dereference(shared));
}

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static void lock_both_ways(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void add_twice(void)
{
	struct thing *thing = kzalloc(sizeof(*thing), GFP_KERNEL);
	LIST_HEAD(head);

	if (!thing)
		return;
	list_add(&thing->list, &head);
	list_add(&thing->list, &head);
	kfree(thing);
}

static void expire(struct timer_list *timer)
{
}

static void free_armed(void)
{
	struct thing *thing = kzalloc(sizeof(*thing), GFP_KERNEL);

	if (!thing)
		return;
	timer_setup(&thing->timer, expire, 0);
	mod_timer(&thing->timer, jiffies + 3600 * HZ);
	kfree(thing);
}

static void read_freed(void)
{
	struct thing *thing = kzalloc(sizeof(*thing), GFP_KERNEL);
	unsigned long value;

	if (!thing)
		return;
	kfree(thing);
	/* Not optimized away */
	OPTIMIZER_HIDE_VAR(thing);
	value = READ_ONCE(thing->value);
	pr_info("freed: %d\n", !!value);
}

static void lose(void)
{
	struct thing *thing = kzalloc(sizeof(*thing), GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(thing);
}

static unsigned long counter;

static int count(void *unused)
{
	while (!kthread_should_stop()) {
		counter++;
		cond_resched();
	}
	return 0;
}

static void count_together(void)
{
	struct task_struct *other = kthread_run(count, NULL, "fdirect_faults");
	unsigned long i;

	if (IS_ERR(other))
		return;
	for (i = 0; i < 10; i++) {
		unsigned long end = jiffies + HZ;

		while (time_before(jiffies, end)) {
			counter++;
			cond_resched();
		}
	}
	kthread_stop(other);
}

static const struct {
	const char *name;
	void (*make)(void);
} faults[] = {
	{ "sleep", sleep_in_atomic },
	{ "rcu", read_unprotected },
	{ "lock", lock_both_ways },
	{ "list", add_twice },
	{ "object", free_armed },
	{ "memory", read_freed },
	{ "leak", lose },
	{ "race", count_together },
};

static int __init fdirect_faults_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(fault, faults[i].name))
			continue;
		faults[i].make();
		return -ECANCELED;
	}
	return -EINVAL;
}

module_init(fdirect_faults_init);

MODULE_DESCRIPTION("Faults for the tests of the checkers");
MODULE_LICENSE("GPL");
