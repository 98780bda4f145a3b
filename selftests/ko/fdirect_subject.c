// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_subject - functions to be traced by BPF, replaced, and both at once
 *
 * Nothing in the kernel calls fdirect_subject_0 ... fdirect_subject_7. Function N returns
 * 100 * N + A + 2 * B, and has others that stand in for it and return more than that. The
 * return value tells which of them ran. All of them may have their return value changed by
 * BPF.
 *
 * A write of "NAME A B [TIMES]" to /sys/kernel/debug/fdirect_subject/call calls a function.
 * The same open file then has what the last call returned. NAME is the number of one of
 * these functions, or
 *
 *	wide		takes ten arguments, some of them on the stack: A, B, A + 1, B + 1 ...,
 *			and is called once
 *	seven		takes seven arguments of 4 bytes, the last one B, and is called once;
 *			the other half of the last one's place is not 0
 *	untraceable	cannot be traced
 *
 * The functions whose numbers are written to the file "redirect" are replaced, all others are
 * themselves again. One ftrace_ops with FTRACE_OPS_FL_IPMODIFY, the flag of livepatches, does
 * it for all of them, on architectures without livepatch as well. A write first gives back
 * what the last one took, and fails with the error of register_ftrace_function().
 *
 * A write of a number to the file "override" puts a kprobe on that function, which ends each
 * call with SUBJECT_OVERRIDDEN, as bpf_override_return() does. With "post" behind the number the
 * kprobe has a post_handler, too, as that of fail_function. Its ops is one with
 * FTRACE_OPS_FL_IPMODIFY then. A write of -1 takes the kprobe away.
 *
 * A write of a number to the file "nest" has an ftrace_ops trace that function, which asks to be
 * protected from recursion and calls the function in its callback. A read has how many of these
 * calls were within each other since, NEST_LIMIT at most. A write of -1 ends it.
 *
 * A read from the memory that the file "slow" is mapped to sleeps for SLOW_MS
 * milliseconds, and ends with SIGBUS.
 *
 * A write of "rcu", "rcu_tasks" or "rcu_tasks_trace" to the file "wait" waits for a grace period
 * of that.
 *
 * A write of "PROG ADDRESS" to the file "run" runs the syscall program with that descriptor, as
 * the kernel runs its own. ADDRESS, in hexadecimal, is all of its context.
 *
 * After "1" was written to the file "busy" a task runs and does not sleep. No grace period
 * of RCU tasks ends then. The task stops on "0", or after BUSY_MS milliseconds.
 *
 * A write of an address to the file "text" has TEXT_BYTES bytes from there to be read from
 * the same open file.
 *
 * A write of a number to the file "spoil", on x86_64, changes the call site of that
 * function, which calls a trampoline directly. It calls code of this module then, which
 * jumps there. Ftrace finds what it has not written, cannot patch the call site, and turns
 * itself off.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_trace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_64
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>
#endif

#include "fdirect_subject.h"
#include "test_module.h"

#define UNREPLACED(n) SUBJECT_FUNCTION(fdirect_subject_##n, n, 0)
#define REDIRECTED(n) SUBJECT_FUNCTION(redirected_##n, n, SUBJECT_REDIRECTED)

EACH_SUBJECT(UNREPLACED)
EACH_SUBJECT(REDIRECTED)

static noinline __noclone int fdirect_subject_wide(int a, int b, int c, int d, int e,
						   int f, int g, int h, int i, int j)
{
	barrier();
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

static noinline __noclone int fdirect_subject_seven(int a, int b, int c, int d, int e, int f, int g)
{
	barrier();
	return a + b + c + d + e + f + g;
}

static notrace noinline __noclone int fdirect_subject_untraceable(int a, int b)
{
	barrier();
	return a + 2 * b;
}

typedef int (*subject_t)(int a, int b);

#define UNREPLACED_ENTRY(n) fdirect_subject_##n,
#define REDIRECTED_ENTRY(n) redirected_##n,

static const subject_t subjects[SUBJECTS] = { EACH_SUBJECT(UNREPLACED_ENTRY) };
static const subject_t redirected[SUBJECTS] = { EACH_SUBJECT(REDIRECTED_ENTRY) };
static int (*const wide)(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) =
	fdirect_subject_wide;
/* Called as if its last argument had 8 bytes */
static int (*const seven)(int a, int b, int c, int d, int e, int f, long g) =
	(void *)fdirect_subject_seven;
static const subject_t untraceable = fdirect_subject_untraceable;

/* Some of the programs that change return values may sleep. */
BTF_KFUNCS_START(subject_ids)
BTF_ID_FLAGS(func, fdirect_subject_0, KF_SLEEPABLE)
BTF_ID_FLAGS(func, fdirect_subject_1)
BTF_ID_FLAGS(func, fdirect_subject_2)
BTF_ID_FLAGS(func, fdirect_subject_3)
BTF_ID_FLAGS(func, fdirect_subject_4)
BTF_ID_FLAGS(func, fdirect_subject_5)
BTF_ID_FLAGS(func, fdirect_subject_6)
BTF_ID_FLAGS(func, fdirect_subject_7)
BTF_KFUNCS_END(subject_ids)

static const struct btf_kfunc_id_set subject_set = {
	.owner	= THIS_MODULE,
	.set	= &subject_ids,
};

/* -------------------------------------------------------------------------- */
/* Calling them                                                                 */

/* seven() has another type than the function that it calls, which kCFI refuses */
static int __nocfi call_subject(const char *name, int a, int b, unsigned int times, int *result)
{
	subject_t call;
	unsigned int n;

	if (!strcmp(name, "wide")) {
		*result = READ_ONCE(wide)(a, b, a + 1, b + 1, a + 2, b + 2, a + 3, b + 3, a + 4,
					  b + 4);
		return 0;
	}
	if (!strcmp(name, "seven")) {
		*result = READ_ONCE(seven)(a, a, a, a, a, a, -1L << 32 | (u32)b);
		return 0;
	}
	if (!strcmp(name, "untraceable")) {
		call = READ_ONCE(untraceable);
	} else {
		if (kstrtouint(name, 10, &n) || n >= SUBJECTS)
			return -EBADMSG;
		call = READ_ONCE(subjects[n]);
	}
	while (times--)
		*result = call(a, b);
	return 0;
}

static ssize_t call_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	char *text = simple_transaction_get(file, ubuf, count), name[16];
	int a, b, result, ret;
	unsigned int times = 1;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (sscanf(text, "%15s %d %d %u", name, &a, &b, &times) < 3 || !times)
		return -EBADMSG;
	ret = call_subject(name, a, b, times, &result);
	if (ret)
		return ret;
	simple_transaction_set(file, scnprintf(text, SIMPLE_TRANSACTION_LIMIT, "%d\n", result));
	return count;
}

static const struct file_operations call_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= call_write,
	.read		= simple_transaction_read,
	.release	= simple_transaction_release,
	.llseek		= noop_llseek,
};

/* Has @store take what is written, as a string. */
static ssize_t write_text(const char __user *ubuf, size_t count, int (*store)(char *text))
{
	char *text = memdup_user_nul(ubuf, min_t(size_t, count, PAGE_SIZE));
	int ret;

	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = store(text);
	kfree(text);
	return ret ? ret : count;
}

/* -------------------------------------------------------------------------- */
/* Others in their place                                                        */

/* Where the call site of a function is, at most, in bytes from its beginning */
#define SITE_OFFSET	8

static void notrace redirect_func(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	int i;

	for (i = 0; i < SUBJECTS; i++)
		if (ip - (unsigned long)subjects[i] <= SITE_OFFSET)
			ftrace_regs_set_instruction_pointer(fregs, (unsigned long)redirected[i]);
}

static struct ftrace_ops redirect_ops;
static DEFINE_MUTEX(redirect_mutex);

static int redirect_off(void)
{
	int ret;

	if (redirect_ops.flags & FTRACE_OPS_FL_ENABLED) {
		ret = unregister_ftrace_function(&redirect_ops);
		if (ret)
			return ret;
		module_put(THIS_MODULE);
	}
	/* Linux 6.12 leaves the freed filters in the ops. */
	ftrace_free_filter(&redirect_ops);
	memset(&redirect_ops, 0, sizeof(redirect_ops));
	return 0;
}

static int redirect(char *text)
{
	char *word;
	unsigned int n;
	int ret, count = 0;

	guard(mutex)(&redirect_mutex);
	ret = redirect_off();
	if (ret)
		return ret;

	redirect_ops.func = redirect_func;
	redirect_ops.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION;
	if (!IS_ENABLED(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS))
		redirect_ops.flags |= FTRACE_OPS_FL_SAVE_REGS;
	while (!ret && (word = strsep(&text, "\n "))) {
		if (!*word)
			continue;
		ret = kstrtouint(word, 10, &n) || n >= SUBJECTS ? -EBADMSG :
			ftrace_set_filter_ip(&redirect_ops, (unsigned long)subjects[n], 0, !count);
		count++;
	}
	if (!ret && count)
		ret = register_ftrace_function(&redirect_ops);
	if (!ret && count)
		__module_get(THIS_MODULE);
	else
		redirect_off();
	return ret;
}

static ssize_t redirect_write(struct file *file, const char __user *ubuf, size_t count,
			      loff_t *pos)
{
	return write_text(ubuf, count, redirect);
}

DEFINE_WRITE_ATTRIBUTE(redirect);

/* -------------------------------------------------------------------------- */
/* A callback that its own function is traced in                                */

#define NEST_LIMIT 5

static subject_t nested;
static int nest_depth, nest_deepest;	/* one task calls the function */

static void notrace nest_func(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	nest_depth++;
	nest_deepest = max(nest_deepest, nest_depth);
	if (nest_depth < NEST_LIMIT)
		READ_ONCE(nested)(0, 0);
	nest_depth--;
}

static struct ftrace_ops nest_ops;
static DEFINE_MUTEX(nest_mutex);

static int nest_set(void *data, u64 value)
{
	int ret, n = value;

	if (n >= SUBJECTS)
		return -EBADMSG;
	guard(mutex)(&nest_mutex);
	if (nest_ops.flags & FTRACE_OPS_FL_ENABLED) {
		ret = unregister_ftrace_function(&nest_ops);
		if (ret)
			return ret;
		/* Linux 6.12 leaves the freed filters in the ops. */
		ftrace_free_filter(&nest_ops);
	}
	memset(&nest_ops, 0, sizeof(nest_ops));
	if (n < 0)
		return 0;

	nested = subjects[n];
	nest_deepest = 0;
	nest_ops.func = nest_func;
	nest_ops.flags = FTRACE_OPS_FL_RECURSION;
	ret = ftrace_set_filter_ip(&nest_ops, (unsigned long)nested, 0, 0);
	ret = ret ?: register_ftrace_function(&nest_ops);
	if (ret)
		ftrace_free_filter(&nest_ops);
	return ret;
}

static int nest_get(void *data, u64 *value)
{
	*value = nest_deepest;
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE_SIGNED(nest_fops, nest_get, nest_set, "%lld\n");

/* -------------------------------------------------------------------------- */
/* A kprobe that ends calls                                                     */

extern char override_return[];

asm(".pushsection .text\n"
	".type override_return, @function\n"
	"override_return:\n"
#ifdef CONFIG_X86_64
	ASM_ENDBR
	ASM_RET
#elif defined(CONFIG_S390)
	"br %r14\n"
#else
	"ret\n"
#endif
	".size override_return, . - override_return\n"
	".popsection\n");

DEFINE_STATIC_CALL_NULL(find_symbol, kallsyms_lookup_name);

/* The kernel's own way, where it has one. No kprobe finds its address. */
#ifdef CONFIG_FUNCTION_ERROR_INJECTION
DEFINE_STATIC_CALL_NULL(kernel_override, override_function_with_return);

static bool find_kernel_override(void)
{
	unsigned long addr = 0;

	if (find_function(find_symbol, kallsyms_lookup_name))
		addr = static_call(find_symbol)("override_function_with_return");
	if (addr)
		static_call_update(kernel_override,
				   (typeof(override_function_with_return) *)addr);
	return addr;
}
#endif

static int override_call(struct kprobe *probe, struct pt_regs *regs)
{
	regs_set_return_value(regs, SUBJECT_OVERRIDDEN);
#ifdef CONFIG_FUNCTION_ERROR_INJECTION
	static_call(kernel_override)(regs);
#else
	instruction_pointer_set(regs, (unsigned long)override_return);
#endif
	return 1;
}

NOKPROBE_SYMBOL(override_call);

static void override_post(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

NOKPROBE_SYMBOL(override_post);

static struct kprobe override_probe;
static DEFINE_MUTEX(override_mutex);

static int override(int n, bool post)
{
	int ret;

	if (n >= SUBJECTS)
		return -EBADMSG;
	guard(mutex)(&override_mutex);
	if (override_probe.addr)
		unregister_kprobe(&override_probe);
	memset(&override_probe, 0, sizeof(override_probe));
	if (n < 0)
		return 0;
#ifdef CONFIG_FUNCTION_ERROR_INJECTION
	if (!find_kernel_override())
		return -ENOENT;
#endif
	override_probe.addr = (void *)subjects[n] + PROBE_OFFSET;
	override_probe.pre_handler = override_call;
	override_probe.post_handler = post ? override_post : NULL;
	ret = register_kprobe(&override_probe);
	if (ret)
		override_probe.addr = NULL;
	return ret;
}

static int store_override(char *text)
{
	char *words = strim(text), *n = strsep(&words, " ");
	int number, ret = kstrtoint(n, 10, &number);

	if (!ret && words && strcmp(words, "post"))
		ret = -EINVAL;
	return ret ?: override(number, words);
}

static ssize_t override_write(struct file *file, const char __user *ubuf, size_t count,
			      loff_t *pos)
{
	return write_text(ubuf, count, store_override);
}

DEFINE_WRITE_ATTRIBUTE(override);

/* -------------------------------------------------------------------------- */
/* Memory to wait for                                                           */

#define SLOW_MS 1500

static vm_fault_t slow_fault(struct vm_fault *vmf)
{
	msleep(SLOW_MS);
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct slow_vm_ops = { .fault = slow_fault };

static int slow_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &slow_vm_ops;
	return 0;
}

static const struct file_operations slow_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.mmap	= slow_mmap,
};

/* -------------------------------------------------------------------------- */
/* Grace periods                                                                */

static int wait(char *text)
{
	if (sysfs_streq(text, "rcu"))
		synchronize_rcu();
	else if (sysfs_streq(text, "rcu_tasks"))
		synchronize_rcu_tasks();
	else if (sysfs_streq(text, "rcu_tasks_trace"))
		synchronize_rcu_tasks_trace();
	else
		return -EBADMSG;
	return 0;
}

static ssize_t wait_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	return write_text(ubuf, count, wait);
}

DEFINE_WRITE_ATTRIBUTE(wait);

/* For light skeletons in the kernel. It is not in a header. */
int kern_sys_bpf(int cmd, union bpf_attr *attr, unsigned int size);
DEFINE_STATIC_CALL_NULL(sys_bpf, kern_sys_bpf);

static int run(char *text)
{
	union bpf_attr attr = { };
	u64 context;

	if (sscanf(text, "%u %llx", &attr.test.prog_fd, &context) != 2)
		return -EINVAL;
	if (!static_call_query(sys_bpf) && !find_function(sys_bpf, kern_sys_bpf))
		return -ENOENT;
	attr.test.ctx_in = (uintptr_t)&context;
	attr.test.ctx_size_in = sizeof(context);
	return static_call(sys_bpf)(BPF_PROG_TEST_RUN, &attr, sizeof(attr));
}

static ssize_t run_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	return write_text(ubuf, count, run);
}

DEFINE_WRITE_ATTRIBUTE(run);

#define BUSY_MS 300000

static struct task_struct *busy_task;
static DEFINE_MUTEX(busy_mutex);

static int be_busy(void *unused)
{
	unsigned long end = jiffies + msecs_to_jiffies(BUSY_MS);

	while (!kthread_should_stop() && time_before(jiffies, end))
		cpu_relax();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int set_busy(bool busy)
{
	struct task_struct *task;

	guard(mutex)(&busy_mutex);
	if (busy == !!busy_task)
		return 0;
	if (!busy) {
		kthread_stop(busy_task);
		busy_task = NULL;
		return 0;
	}
	task = kthread_run(be_busy, NULL, "fdirect_busy");
	if (!IS_ERR(task))
		busy_task = task;
	return PTR_ERR_OR_ZERO(task);
}

static ssize_t busy_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	bool busy;
	int ret = kstrtobool_from_user(ubuf, count, &busy);

	ret = ret ?: set_busy(busy);
	return ret ?: count;
}

DEFINE_WRITE_ATTRIBUTE(busy);

/* -------------------------------------------------------------------------- */
/* Code                                                                         */

#define TEXT_BYTES 512

static ssize_t text_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	char *text = simple_transaction_get(file, ubuf, count);
	unsigned long addr;
	int ret;

	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = kstrtoul(text, 16, &addr);
	if (!ret)
		ret = copy_from_kernel_nofault(text, (void *)addr, TEXT_BYTES);
	if (ret)
		return ret;
	simple_transaction_set(file, TEXT_BYTES);
	return count;
}

static const struct file_operations text_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= text_write,
	.read		= simple_transaction_read,
	.release	= simple_transaction_release,
	.llseek		= noop_llseek,
};

/* -------------------------------------------------------------------------- */
/* A call site that ftrace cannot patch                                         */

#ifdef CONFIG_X86_64
extern char spoil_thunk[];
unsigned long spoil_target;

asm(".pushsection .text\n"
	".type spoil_thunk, @function\n"
	"spoil_thunk:\n"
	ASM_ENDBR
	ANNOTATE_RETPOLINE_SAFE "\n"
	"jmp *spoil_target(%rip)\n"
	"int3\n"
	".size spoil_thunk, . - spoil_thunk\n"
	".popsection\n");

DEFINE_STATIC_CALL_NULL(find_location, ftrace_location);
DEFINE_STATIC_CALL_NULL(patch, text_poke);

static int spoil(unsigned int n)
{
	struct { u8 opcode; s32 offset; } __packed insn;
	unsigned long site;
	void *mutex;

	if (!find_function(find_symbol, kallsyms_lookup_name) ||
	    !find_function(find_location, ftrace_location) || !find_function(patch, text_poke) ||
	    n >= SUBJECTS)
		return -ENOENT;
	mutex = (void *)static_call(find_symbol)("text_mutex");
	site = static_call(find_location)((unsigned long)subjects[n]);
	if (!mutex || !site)
		return -ENOENT;
	memcpy(&insn, (void *)site, sizeof(insn));
	if (insn.opcode != CALL_INSN_OPCODE)
		return -ENXIO;

	spoil_target = site + CALL_INSN_SIZE + insn.offset;
	insn.offset = (unsigned long)spoil_thunk - site - CALL_INSN_SIZE;
	/* No other task calls the function */
	mutex_lock(mutex);
	static_call(patch)((void *)site, &insn, sizeof(insn));
	mutex_unlock(mutex);
	return 0;
}
#else
static int spoil(unsigned int n) { return -EOPNOTSUPP; }
#endif

static ssize_t spoil_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	unsigned int n;
	int ret = kstrtouint_from_user(ubuf, count, 10, &n);

	ret = ret ?: spoil(n);
	return ret ?: count;
}

DEFINE_WRITE_ATTRIBUTE(spoil);

/* -------------------------------------------------------------------------- */

static struct dentry *dir;

static int __init fdirect_subject_init(void)
{
	int ret = register_btf_fmodret_id_set(&subject_set);
	struct dentry *file;

	if (ret)
		pr_info("no BPF program may change what these functions return: %d\n", ret);
	dir = debugfs_create_dir("fdirect_subject", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	file = debugfs_create_file("call", 0600, dir, NULL, &call_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("redirect", 0200, dir, NULL, &redirect_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("override", 0200, dir, NULL, &override_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file_unsafe("nest", 0600, dir, NULL, &nest_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("wait", 0200, dir, NULL, &wait_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("text", 0600, dir, NULL, &text_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("busy", 0200, dir, NULL, &busy_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("spoil", 0200, dir, NULL, &spoil_fops);
	/* A file that is mapped has no proxy */
	if (!IS_ERR(file))
		file = debugfs_create_file_unsafe("slow", 0400, dir, NULL, &slow_fops);
	if (IS_ERR(file))
		debugfs_remove(dir);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit fdirect_subject_exit(void)
{
	debugfs_remove(dir);
	override(-1, false);
	nest_set(NULL, -1);
	set_busy(false);
}

module_init(fdirect_subject_init);
module_exit(fdirect_subject_exit);

MODULE_DESCRIPTION("Functions for tests of BPF and livepatch");
MODULE_LICENSE("GPL");
