// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_api - the kernel's direct-call interface, one call per write
 *
 * Each write to /sys/kernel/debug/fdirect_api/call makes one call of that
 * interface and fails with exactly the error that the call returned. So a test
 * can be a program that compares what user space sees before and after:
 *
 *	register_hash   SLOT [FUNC=STUB]...
 *	unregister_hash SLOT [FUNC=STUB]...
 *	modify_hash     SLOT [FUNC=STUB]...
 *	filter          SLOT FUNC...		ftrace_set_filter_ip()
 *	filter_more     SLOT FUNC		the same, to those that are there
 *	filter_less     SLOT FUNC		the same, from them
 *	notrace         SLOT NAME		ftrace_set_notrace()
 *	register        SLOT STUB		register_ftrace_direct()
 *	unregister      SLOT STUB
 *	modify          SLOT STUB
 *	share           SLOT refuse | agree | stub STUB | hash FUNC=STUB...
 *	ipmodify        on FUNC... | more FUNC | off
 *	set             SLOT none | func | trampoline | ipmodify
 *	global          SLOT			ftrace_ops_set_global_filter()
 *	zero            SLOT
 *	helpers
 *
 * SLOT is one of four struct ftrace_ops. FUNC is a
 * function's name, NAME+N is N bytes past its call site, 0xADDR is taken as it
 * is. A list that is only "null" is a NULL hash. STUB is one of 64 trampolines,
 * each of which counts and returns to the traced function, or "null" for address
 * 0. "hits" shows the counters, a write to it clears them.
 *
 * "share" tells ops->ops_func what to do when an IPMODIFY ops comes to one of
 * the slot's functions. That callback runs under the direct mutex. Only from
 * there modify_ftrace_direct_nolock() and modify_ftrace_direct_hash() without
 * locking are legal.
 *
 * N that is written to "fail_nth" makes the N-th allocation of the next call of the
 * interface fail. Allocations of this module around the call do not count.
 * Reading it afterwards gives 0 if it did, and the rest of N if the call took
 * fewer.
 *
 * A command that this module does not understand fails with EBADMSG, one that
 * this kernel cannot do with ENOTTY, a broken promise of a helper with EPROTO.
 * The interface itself returns none of these.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#ifdef CONFIG_X86_64
#include <asm/asm-offsets.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#endif

#include "each_of_64.h"
#include "fdirect_api.h"
#include "test_module.h"

#define SLOTS		4
#define MAX_COMMAND	(128 * 1024)

unsigned long fdirect_api_hits[STUBS];

#if defined(CONFIG_X86_64)
/* Nothing but the flags is touched. */
#define API_STUB							\
	ASM_ENDBR							\
	CALL_DEPTH_ACCOUNT						\
"	lock incq	fdirect_api_hits + 8 * \\n(%rip)\n"		\
	ASM_RET

#elif defined(CONFIG_ARM64)
/*
 * On entry x30 is the return into the traced function and x9 its own return
 * address. x10 to x12 hold nothing at a function's entry.
 */
#define API_STUB							\
"	hint		34\n" /* bti c */				\
"	adrp		x10, fdirect_api_hits + 8 * \\n\n"		\
"	add		x10, x10, #:lo12:fdirect_api_hits + 8 * \\n\n"	\
"1:	ldxr		x11, [x10]\n"					\
"	add		x11, x11, #1\n"					\
"	stxr		w12, x11, [x10]\n"				\
"	cbnz		w12, 1b\n"					\
"	mov		x10, x30\n"					\
"	mov		x30, x9\n"					\
"	ret		x10\n"

#elif defined(CONFIG_RISCV)
/* On entry t0 is the return into the traced function. t1 and t3 hold nothing. */
#define API_STUB							\
"	lla		t1, fdirect_api_hits + 8 * \\n\n"		\
"	li		t3, 1\n"					\
"	amoadd.d	zero, t3, (t1)\n"				\
"	jr		t0\n"

#elif defined(CONFIG_S390)
/* On entry r0 is the return into the traced function, and only r1 is free. */
#define API_STUB							\
"	larl		%r1, fdirect_api_hits + 8 * \\n\n"		\
"	agsi		0(%r1), 1\n"					\
"	lgr		%r1, %r0\n"					\
"	br		%r1\n"

#else
#error "no stubs for this architecture"
#endif

ASSEMBLE_64("fdirect_api_stubs", "fdirect_api_stub", "", API_STUB, "");

/* One ftrace_ops, and what its owner says to an IPMODIFY ops on the same site. */
struct slot {
	struct ftrace_ops	ops;
	struct ftrace_hash	*share_hash;
	unsigned long		share_addr;
	bool			share_agree;
	int			share_calls;
	int			unshare_calls;
	int			share_ret;
	bool			held;
};

static struct slot slots[SLOTS];
static DEFINE_MUTEX(command_mutex);

DEFINE_STATIC_CALL_NULL(find_symbol, kallsyms_lookup_name);
DEFINE_STATIC_CALL_NULL(find_location, ftrace_location);

/* -------------------------------------------------------------------------- */
/* Allocations that fail                                                        */

static unsigned int fail_nth;

#ifdef CONFIG_FAULT_INJECTION
static unsigned int faults_begin(void)
{
	unsigned int outer = current->fail_nth;

	if (fail_nth)
		current->fail_nth = fail_nth;
	return outer;
}

static int faults_end(int ret, unsigned int outer)
{
	if (fail_nth) {
		fail_nth = current->fail_nth;
		current->fail_nth = outer;
	}
	return ret;
}
#else
static unsigned int faults_begin(void)			{ return 0; }
static int faults_end(int ret, unsigned int outer)	{ return ret; }
#endif

#define INTERFACE(call)							\
({									\
	unsigned int __outer = faults_begin();				\
									\
	faults_end(call, __outer);					\
})

/* -------------------------------------------------------------------------- */

/* The call site that @text stands for, 0 when it stands for none. */
static unsigned long parse_func(char *text)
{
	unsigned long addr, offset = 0;
	char *plus;

	if (!strncmp(text, "0x", 2))
		return kstrtoul(text, 16, &addr) ? 0 : addr;
	plus = strchr(text, '+');
	if (plus) {
		*plus++ = '\0';
		if (kstrtoul(plus, 0, &offset))
			return 0;
	}
	addr = static_call(find_symbol)(text);
	addr = addr ? static_call(find_location)(addr) : 0;
	return addr ? addr + offset : 0;
}

static int parse_stub(const char *text, unsigned long *addr)
{
	unsigned int stub;

	*addr = 0;
	if (text && !strcmp(text, "null"))
		return 0;
	if (!text || kstrtouint(text, 10, &stub) || stub >= STUBS)
		return -EBADMSG;
	*addr = fdirect_api_stubs[stub];
	return 0;
}

static char *next_word(char **text)
{
	char *word;

	do {
		word = strsep(text, " \t\n");
	} while (word && !*word);
	return word;
}

static int parse_slot(char **text, struct ftrace_ops **ops)
{
	char *word = next_word(text);
	unsigned int slot;

	if (!word || kstrtouint(word, 10, &slot) || slot >= SLOTS)
		return -EBADMSG;
	*ops = &slots[slot].ops;
	return 0;
}

#ifdef FDIRECT_HASH_API
/* FUNC=STUB... to a hash; NULL for the word "null". */
static struct ftrace_hash *parse_hash(char **text)
{
	struct ftrace_hash *hash;
	unsigned long ip, addr;
	char *word, *stub;
	int ret;

	hash = alloc_ftrace_hash(0);
	if (!hash)
		return ERR_PTR(-ENOMEM);

	while ((word = next_word(text))) {
		if (!strcmp(word, "null")) {
			free_ftrace_hash(hash);
			return NULL;
		}
		ret = -EBADMSG;
		stub = strchr(word, '=');
		if (!stub)
			goto err;
		*stub++ = '\0';
		ip = parse_func(word);
		if (!ip || parse_stub(stub, &addr))
			goto err;
		ret = -ENOMEM;
		if (!add_ftrace_hash_entry_direct(hash, ip, addr))
			goto err;
	}
	return hash;

err:
	free_ftrace_hash(hash);
	return ERR_PTR(ret);
}

static int share_hash_nolock(struct slot *slot)
{
	return modify_ftrace_direct_hash(&slot->ops, slot->share_hash, false);
}

static void share_hash_free(struct slot *slot)
{
	free_ftrace_hash(slot->share_hash);
	slot->share_hash = NULL;
}

static int share_hash_set(struct slot *slot, char **text)
{
	struct ftrace_hash *hash = parse_hash(text);

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	slot->share_hash = hash;
	return 0;
}

/*
 * The hash stays the caller's. After the call it holds what it held before, and
 * nothing of it is used any more, so it is freed at once.
 */
static int hash_call(const char *verb, char *text)
{
	struct ftrace_hash *hash;
	struct ftrace_ops *ops;
	unsigned long count = 0;
	int ret;

	ret = parse_slot(&text, &ops);
	if (ret)
		return ret;
	hash = parse_hash(&text);
	if (IS_ERR(hash))
		return PTR_ERR(hash);
	if (hash)
		count = hash_count(hash);

	if (!strcmp(verb, "register_hash"))
		ret = INTERFACE(register_ftrace_direct_hash(ops, hash));
	else if (!strcmp(verb, "unregister_hash"))
		ret = INTERFACE(unregister_ftrace_direct_hash(ops, hash));
	else
		ret = INTERFACE(modify_ftrace_direct_hash(ops, hash, true));

	if (hash && hash_count(hash) != count)
		ret = -EPROTO;
	free_ftrace_hash(hash);
	return ret;
}

static int helpers_call(void)
{
	struct ftrace_func_entry *entry;
	struct ftrace_hash *hash;
	int i, bits, ret = 0;

	free_ftrace_hash(NULL);

	for (bits = 0; bits <= 10 && !ret; bits++) {
		hash = alloc_ftrace_hash(bits);
		if (!hash)
			return -ENOMEM;
		if (hash_count(hash))
			ret = -EPROTO;
		for (i = 0; i < 3000 && !ret; i++) {
			entry = add_ftrace_hash_entry_direct(hash, 0x1000 + 16 * i, 0x100000 + i);
			if (!entry)
				ret = -ENOMEM;
			else if (entry->ip != 0x1000 + 16 * i || entry->direct != 0x100000 + i ||
				 hash_count(hash) != i + 1)
				ret = -EPROTO;
		}
		/*
		 * Once more: a call site is held once, with its last target. Linux 7 holds it
		 * twice.
		 */
		for (i = 0; LINUX_VERSION_MAJOR < 7 && i < 3000 && !ret; i += 7) {
			entry = add_ftrace_hash_entry_direct(hash, 0x1000 + 16 * i, 0x200000 + i);
			if (!entry)
				ret = -ENOMEM;
			else if (entry->direct != 0x200000 + i || hash_count(hash) != 3000)
				ret = -EPROTO;
		}
		free_ftrace_hash(hash);
	}
	return ret;
}
#else
static int share_hash_nolock(struct slot *slot)			{ return -ENOTTY; }
static void share_hash_free(struct slot *slot)			{ }
static int share_hash_set(struct slot *slot, char **text)	{ return -ENOTTY; }
static int hash_call(const char *verb, char *text)		{ return -ENOTTY; }
static int helpers_call(void)					{ return -ENOTTY; }
#endif

static int slot_ops_func(struct ftrace_ops *ops, enum ftrace_ops_cmd cmd)
{
	struct slot *slot = container_of(ops, struct slot, ops);

	if (!slot->share_agree)
		return -EBUSY;
	if (cmd == FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER)
		slot->unshare_calls++;
	if (cmd != FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER)
		return 0;

	slot->share_calls++;
	slot->share_ret = 0;
	if (slot->share_hash)
		slot->share_ret = share_hash_nolock(slot);
	else if (slot->share_addr)
		slot->share_ret = modify_ftrace_direct_nolock(ops, slot->share_addr);
	return slot->share_ret;
}

DEFINE_OPS_FUNC(slot_ops_func)

static void share_reset(struct slot *slot)
{
	share_hash_free(slot);
	slot->share_addr = 0;
	slot->share_agree = false;
	slot->share_calls = 0;
	slot->unshare_calls = 0;
	slot->share_ret = 0;
}

static int share_call(char *text)
{
	struct ftrace_ops *ops;
	struct slot *slot;
	char *word;
	int ret;

	ret = parse_slot(&text, &ops);
	if (ret)
		return ret;
	word = next_word(&text);
	if (!word)
		return -EBADMSG;

	slot = container_of(ops, struct slot, ops);
	share_reset(slot);
	if (!strcmp(word, "stub"))
		ret = parse_stub(next_word(&text), &slot->share_addr);
	else if (!strcmp(word, "hash"))
		ret = share_hash_set(slot, &text);
	else if (strcmp(word, "agree") && strcmp(word, "refuse"))
		ret = -EBADMSG;
	if (ret)
		return ret;
	slot->share_agree = strcmp(word, "refuse");
	ops->ops_func = OPS_FUNC(slot_ops_func);
	return 0;
}

static unsigned long ipmodify_hits;

static void notrace ipmodify_func(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ipmodify_hits++;
}

static struct ftrace_ops ipmodify_ops;
static bool ipmodify_held;

/* Linux 6.12 leaves the freed filters in the ops, so nothing of it is used again. */
static void free_ops(struct ftrace_ops *ops)
{
	/* One that an ops took from the function tracer stays */
	if (!ops->func_hash || ops->func_hash == &ops->local_hash)
		ftrace_free_filter(ops);
	memset(ops, 0, sizeof(*ops));
}

static int ipmodify_call(char *text)
{
	char *verb = next_word(&text), *func = next_word(&text);
	int ret = 0, reset = 1;
	unsigned long ip;

	if (verb && !strcmp(verb, "off")) {
		if (!ipmodify_held)
			return -EBADMSG;
		ret = INTERFACE(unregister_ftrace_function(&ipmodify_ops));
		if (ret)
			return ret;
		free_ops(&ipmodify_ops);
		ipmodify_held = false;
		module_put(THIS_MODULE);
		return 0;
	}
	/* To the filter of an ops that is there already, as a kprobe does */
	if (verb && !strcmp(verb, "more") && func && ipmodify_held) {
		ip = parse_func(func);
		return ip ? INTERFACE(ftrace_set_filter_ip(&ipmodify_ops, ip, 0, 0)) : -EBADMSG;
	}
	if (!verb || strcmp(verb, "on") || !func || ipmodify_held)
		return -EBADMSG;
	ipmodify_ops.func = ipmodify_func;
	ipmodify_ops.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION;
	if (!IS_ENABLED(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS))
		ipmodify_ops.flags |= FTRACE_OPS_FL_SAVE_REGS;
	for (; !ret && func; func = next_word(&text), reset = 0) {
		ip = parse_func(func);
		ret = ip ? INTERFACE(ftrace_set_filter_ip(&ipmodify_ops, ip, 0, reset)) : -EBADMSG;
	}
	if (!ret)
		ret = INTERFACE(register_ftrace_function(&ipmodify_ops));
	if (ret) {
		free_ops(&ipmodify_ops);
		return ret;
	}
	ipmodify_held = true;
	__module_get(THIS_MODULE);
	return 0;
}

static int filter_call(char *text)
{
	struct ftrace_ops *ops;
	unsigned long ip;
	int ret, reset = 1;
	char *word;

	ret = parse_slot(&text, &ops);
	if (ret)
		return ret;
	while ((word = next_word(&text))) {
		ip = parse_func(word);
		if (!ip)
			return -EBADMSG;
		ret = INTERFACE(ftrace_set_filter_ip(ops, ip, 0, reset));
		if (ret)
			return ret;
		reset = 0;
	}
	return 0;
}

/* A slot and what comes behind it, which must be there */
static int parse_slot_and_word(char *text, struct ftrace_ops **ops, char **word)
{
	int ret = parse_slot(&text, ops);

	if (ret)
		return ret;
	*word = next_word(&text);
	return *word ? 0 : -EBADMSG;
}

static int filter_change_call(char *text, bool remove)
{
	struct ftrace_ops *ops;
	unsigned long ip;
	char *word;
	int ret;

	ret = parse_slot_and_word(text, &ops, &word);
	if (ret)
		return ret;
	ip = parse_func(word);
	if (!ip)
		return -EBADMSG;
	return INTERFACE(ftrace_set_filter_ip(ops, ip, remove, 0));
}

static int notrace_call(char *text)
{
	struct ftrace_ops *ops;
	char *word;
	int ret;

	ret = parse_slot_and_word(text, &ops, &word);
	if (ret)
		return ret;
	return INTERFACE(ftrace_set_notrace(ops, word, strlen(word), 1));
}

static int direct_call(const char *verb, char *text)
{
	struct ftrace_ops *ops;
	unsigned long addr;
	int ret;

	ret = parse_slot(&text, &ops);
	if (!ret)
		ret = parse_stub(next_word(&text), &addr);
	if (ret)
		return ret;
	if (!strcmp(verb, "register"))
		return INTERFACE(register_ftrace_direct(ops, addr));
	if (!strcmp(verb, "unregister"))
		return INTERFACE(unregister_ftrace_direct(ops, addr, false));
	return INTERFACE(modify_ftrace_direct(ops, addr));
}

static int set_call(char *text)
{
	struct ftrace_ops *ops;
	char *word;
	int ret;

	ret = parse_slot_and_word(text, &ops, &word);
	if (ret)
		return ret;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;

	ops->func = NULL;
	ops->trampoline = 0;
	ops->flags &= ~FTRACE_OPS_FL_IPMODIFY;
	if (!strcmp(word, "func"))
		ops->func = ipmodify_func;
	else if (!strcmp(word, "trampoline"))
		ops->trampoline = fdirect_api_stubs[0];
	else if (!strcmp(word, "ipmodify"))
		ops->flags |= FTRACE_OPS_FL_IPMODIFY;
	else if (strcmp(word, "none"))
		return -EBADMSG;
	return 0;
}

static int global_call(char *text)
{
	struct ftrace_ops *ops;
	int ret;

	ret = parse_slot(&text, &ops);
	if (ret)
		return ret;
	if (ops->flags & FTRACE_OPS_FL_INITIALIZED)
		return -EBUSY;
	ftrace_ops_set_global_filter(ops);
	return 0;
}

static int zero_call(char *text)
{
	struct ftrace_ops *ops;
	int ret;

	ret = parse_slot(&text, &ops);
	if (ret)
		return ret;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	share_reset(container_of(ops, struct slot, ops));
	free_ops(ops);
	return 0;
}

static int command(char *text)
{
	char *verb = next_word(&text);

	if (!verb)
		return -EBADMSG;
	if (!strcmp(verb, "register_hash") || !strcmp(verb, "unregister_hash") ||
	    !strcmp(verb, "modify_hash"))
		return hash_call(verb, text);
	if (!strcmp(verb, "register") || !strcmp(verb, "unregister") || !strcmp(verb, "modify"))
		return direct_call(verb, text);
	if (!strcmp(verb, "filter"))
		return filter_call(text);
	if (!strcmp(verb, "filter_more") || !strcmp(verb, "filter_less"))
		return filter_change_call(text, !strcmp(verb, "filter_less"));
	if (!strcmp(verb, "notrace"))
		return notrace_call(text);
	if (!strcmp(verb, "share"))
		return share_call(text);
	if (!strcmp(verb, "ipmodify"))
		return ipmodify_call(text);
	if (!strcmp(verb, "set"))
		return set_call(text);
	if (!strcmp(verb, "global"))
		return global_call(text);
	if (!strcmp(verb, "zero"))
		return zero_call(text);
	if (!strcmp(verb, "helpers"))
		return helpers_call();
	return -EBADMSG;
}

/* A site that calls a stub of this module keeps the module here. */
static void hold_module(void)
{
	int i;

	for (i = 0; i < SLOTS; i++) {
		bool enabled = slots[i].ops.flags & FTRACE_OPS_FL_ENABLED;

		if (enabled && !slots[i].held)
			__module_get(THIS_MODULE);
		if (!enabled && slots[i].held)
			module_put(THIS_MODULE);
		slots[i].held = enabled;
	}
}

static ssize_t call_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	char *text;
	int ret;

	if (count > MAX_COMMAND)
		return -EBADMSG;
	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);

	mutex_lock(&command_mutex);
	ret = command(text);
	hold_module();
	mutex_unlock(&command_mutex);

	kfree(text);
	return ret ? ret : count;
}

DEFINE_WRITE_ATTRIBUTE(call);

static int hits_show(struct seq_file *m, void *unused)
{
	int i;

	for (i = 0; i < STUBS; i++)
		if (READ_ONCE(fdirect_api_hits[i]))
			seq_printf(m, "%d %lu\n", i, READ_ONCE(fdirect_api_hits[i]));
	if (READ_ONCE(ipmodify_hits))
		seq_printf(m, "ipmodify %lu\n", READ_ONCE(ipmodify_hits));
	return 0;
}

static int hits_open(struct inode *inode, struct file *file)
{
	return single_open(file, hits_show, NULL);
}

static ssize_t hits_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	int i;

	for (i = 0; i < STUBS; i++)
		WRITE_ONCE(fdirect_api_hits[i], 0);
	WRITE_ONCE(ipmodify_hits, 0);
	return count;
}

static const struct file_operations hits_fops = {
	.owner		= THIS_MODULE,
	.open		= hits_open,
	.read		= seq_read,
	.write		= hits_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int fail_nth_get(void *unused, u64 *value)
{
	*value = fail_nth;
	return 0;
}

static int fail_nth_set(void *unused, u64 value)
{
	if (!IS_ENABLED(CONFIG_FAULT_INJECTION))
		return -EOPNOTSUPP;
	fail_nth = value;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(fail_nth_fops, fail_nth_get, fail_nth_set, "%llu\n");

/* How many functions are in the filter, when no call is changing it */
static unsigned long filter_count(struct ftrace_ops *ops)
{
#ifdef FDIRECT_HASH_API
	if (ops->func_hash)
		return hash_count(ops->func_hash->filter_hash);
#endif
	return 0;
}

/* SLOT ENABLED SHARE_CALLS SHARE_RESULT FILTERED UNSHARE_CALLS */
static int slots_show(struct seq_file *m, void *unused)
{
	int i;

	mutex_lock(&command_mutex);
	for (i = 0; i < SLOTS; i++)
		seq_printf(m, "%d %d %d %d %lu %d\n", i,
			   !!(slots[i].ops.flags & FTRACE_OPS_FL_ENABLED),
			   slots[i].share_calls, slots[i].share_ret,
			   filter_count(&slots[i].ops), slots[i].unshare_calls);
	mutex_unlock(&command_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slots);

static struct dentry *dir;

static int __init fdirect_api_init(void)
{
	if (!find_function(find_symbol, kallsyms_lookup_name) ||
	    !find_function(find_location, ftrace_location))
		return -ENOENT;

	dir = debugfs_create_dir("fdirect_api", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("call", 0200, dir, NULL, &call_fops);
	debugfs_create_file("hits", 0600, dir, NULL, &hits_fops);
	debugfs_create_file("slots", 0400, dir, NULL, &slots_fops);
	debugfs_create_file_unsafe("fail_nth", 0600, dir, NULL, &fail_nth_fops);
	return 0;
}

static void __exit fdirect_api_exit(void)
{
	int i;

	debugfs_remove(dir);
	for (i = 0; i < SLOTS; i++) {
		share_reset(&slots[i]);
		free_ops(&slots[i].ops);
	}
}

module_init(fdirect_api_init);
module_exit(fdirect_api_exit);

MODULE_DESCRIPTION("The direct-call interface of ftrace, driven from user space");
MODULE_LICENSE("GPL");
