// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_late - a reader of an earlier direct call, held up until a later one is refused
 *
 * A call site has a direct call, and loses it. Ftrace may still be on its way to the target
 * then. A task was preempted with the ops, about to call ops->func, or on arm64 with the
 * pointer that it took from the literal. Now the same call site is registered with a new
 * target, which is refused, and whose owner frees it. The late reader must not find it.
 *
 * No race is needed. An ops with IPMODIFY is on the function, so registering asks ops_func of
 * the direct ops. That refuses, and does what the late reader does: at this moment nothing has
 * been promised to the owner of the target.
 *
 * Another reader comes early. On riscv64 ftrace_caller loads the literal of the call site, and
 * loads it again if the first object had no target. Another ops may have left the function in
 * between. So the second object is that of a direct call, whose func must find the target.
 *
 * "first NAME" or "more NAME OTHER" that is written to /sys/kernel/debug/fdirect_late/run
 * is the late reader with an ops that is new, or that holds OTHER meanwhile. "again NAME" is
 * the other one. "result" then has lines "KEY VALUE":
 *
 *	error	what registering returned
 *	asked	how often ops_func was asked
 *	list	how often ops->func found a target
 *	object	how often what the literal points at had a target, or its func found it;
 *		"objects" were looked at
 *	listed	how often a new ops was on the list of ftrace
 *	later	the same as list, when registering had returned
 *	again	what registering returned when the other ops was gone
 */
#include <linux/align.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "test_module.h"

#ifdef FDIRECT_HASH_API

/* Neither is ever called: no function is called while it has one of these as a target */
#define OLD_TARGET	((unsigned long)ftrace_stub_target + 0)
#define NEW_TARGET	((unsigned long)ftrace_stub_target + 16)

static char ftrace_stub_target[32];

DEFINE_STATIC_CALL_NULL(find_symbol, kallsyms_lookup_name);
DEFINE_STATIC_CALL_NULL(find_location, ftrace_location);

static struct {
	int error, asked, list, object, objects, listed, later, again;
} result;

static struct ftrace_ops direct_ops, other_ops;
static struct ftrace_ops *object;	/* what the literal of the call site points at */
static bool is_new;
static unsigned long site;
static DEFINE_MUTEX(run_mutex);

/*
 * What the literal of the call site points at: an ops, or the object of a direct call, which
 * has of an ops what ftrace_caller loads.
 */
static struct ftrace_ops *loaded_object(void)
{
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS))
		return NULL;
	return *(struct ftrace_ops **)ALIGN_DOWN(site - 12, 8);
}

/* Ftrace has chosen @ops for a call of the function, and calls it now */
static unsigned long target_by(struct ftrace_ops *ops)
{
	struct __arch_ftrace_regs *regs = kzalloc(sizeof(*regs), GFP_KERNEL);
	unsigned long target;

	if (WARN_ON(!regs))
		return 0;
	ops->func(site, 0, ops, (struct ftrace_regs *)regs);
#ifdef CONFIG_X86_64
	target = regs->regs.orig_ax;
#elif defined(CONFIG_RISCV)
	target = regs->t1;
#elif defined(CONFIG_S390)
	target = regs->regs.orig_gpr2;
#else
	target = regs->direct_tramp;
#endif
	kfree(regs);
	return target;
}

static int late_ops_func(struct ftrace_ops *ops, enum ftrace_ops_cmd cmd)
{
	if (cmd != FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF)
		return 0;

	result.asked++;
	result.list += target_by(&direct_ops) != 0;
	if (object) {
		result.objects++;
		result.object += READ_ONCE(object->direct_call) != 0;
	}
	result.listed += is_new && ops->next;
	return -EAGAIN;
}

DEFINE_OPS_FUNC(late_ops_func)

static void notrace other_func(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

static int change(int (*call)(struct ftrace_ops *ops, struct ftrace_hash *hash),
		  unsigned long ip, unsigned long target)
{
	struct ftrace_hash *hash = alloc_ftrace_hash(0);
	int err = -ENOMEM;

	if (hash && add_ftrace_hash_entry_direct(hash, ip, target))
		err = call(&direct_ops, hash);
	free_ftrace_hash(hash);
	return err;
}

static unsigned long location(const char *name)
{
	unsigned long addr = name ? static_call(find_symbol)(name) : 0;

	return addr ? static_call(find_location)(addr) : 0;
}

/* The function has a direct call, and none any more: what is left of it in @object */
static int earlier_call(void)
{
	int err;

	err = change(register_ftrace_direct_hash, site, OLD_TARGET);
	if (err)
		return err;
	object = loaded_object();
	if (object && WARN_ON(object->direct_call != OLD_TARGET))
		object = NULL;
	return change(unregister_ftrace_direct_hash, site, OLD_TARGET);
}

static int run_again(void)
{
	int err = change(register_ftrace_direct_hash, site, OLD_TARGET);

	if (err)
		return err;
	if (IS_ENABLED(CONFIG_RISCV))
		object = loaded_object();
	if (object) {
		result.objects = 1;
		result.object = target_by(object) == OLD_TARGET;
	}
	return change(unregister_ftrace_direct_hash, site, OLD_TARGET);
}

static int run_late(unsigned long other)
{
	int err;

	is_new = !other;
	if (other) {
		err = change(register_ftrace_direct_hash, other, OLD_TARGET) ?: earlier_call();
		if (err)
			return err;
	}

	direct_ops.ops_func = OPS_FUNC(late_ops_func);
	other_ops.func = other_func;
	other_ops.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION;
	err = ftrace_set_filter_ip(&other_ops, site, 0, 1) ?:
	      register_ftrace_function(&other_ops);
	if (err)
		return err;

	result.error = -change(register_ftrace_direct_hash, site, NEW_TARGET);
	result.later = direct_ops.func && target_by(&direct_ops);

	unregister_ftrace_function(&other_ops);
	ftrace_free_filter(&other_ops);

	result.again = -change(register_ftrace_direct_hash, site, NEW_TARGET);
	if (!result.again)
		err = change(unregister_ftrace_direct_hash, site, NEW_TARGET);
	if (!err && other)
		err = change(unregister_ftrace_direct_hash, other, OLD_TARGET);
	return err;
}

static ssize_t run_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	char text[256] = { }, *next = text, *verb, *name;
	unsigned long other = 0;
	bool more, again;
	int err;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, ubuf, count))
		return -EFAULT;

	verb = strsep(&next, "\n ");
	more = verb && !strcmp(verb, "more");
	again = verb && !strcmp(verb, "again");
	name = strsep(&next, "\n ");

	guard(mutex)(&run_mutex);
	site = location(name);
	if (more)
		other = location(strsep(&next, "\n "));
	if (!site || more != !!other)
		return -ENOENT;
	memset(&result, 0, sizeof(result));
	memset(&direct_ops, 0, sizeof(direct_ops));
	memset(&other_ops, 0, sizeof(other_ops));
	object = NULL;
	err = again ? run_again() : run_late(other);
	return err ?: count;
}

DEFINE_WRITE_ATTRIBUTE(run);

static int result_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "error %d\nasked %d\nlist %d\nobject %d\nobjects %d\nlisted %d\n",
		   result.error, result.asked, result.list, result.object, result.objects,
		   result.listed);
	seq_printf(m, "later %d\nagain %d\n", result.later, result.again);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static struct dentry *dir;

static int __init fdirect_late_init(void)
{
	if (!find_function(find_symbol, kallsyms_lookup_name) ||
	    !find_function(find_location, ftrace_location))
		return -ENOENT;

	dir = debugfs_create_dir("fdirect_late", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	return 0;
}

static void __exit fdirect_late_exit(void)
{
	debugfs_remove(dir);
}
#else
static int __init fdirect_late_init(void) { return 0; }
static void __exit fdirect_late_exit(void) { }
#endif

module_init(fdirect_late_init);
module_exit(fdirect_late_exit);

MODULE_DESCRIPTION("A late reader of a direct call");
MODULE_LICENSE("GPL");
