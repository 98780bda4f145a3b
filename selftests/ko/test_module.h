/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers of the test modules. */
#ifndef TEST_MODULE_H
#define TEST_MODULE_H

#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/static_call.h>

#include "direct_hash.h"

/* A file that is only written to: __name_write() into __name_fops */
#define DEFINE_WRITE_ATTRIBUTE(__name)					\
static const struct file_operations __name ## _fops = {		\
	.owner	= THIS_MODULE,						\
	.open	= simple_open,						\
	.write	= __name ## _write,					\
	.llseek	= noop_llseek,						\
}

/*
 * For ftrace_ops::ops_func, a function of the ops and the command. From a patch of the series
 * on the kernel passes the call site, too, as the type tells.
 */
#define DEFINE_OPS_FUNC(__name)							\
static __maybe_unused int __name ## _at(struct ftrace_ops *ops, unsigned long ip,	\
					enum ftrace_ops_cmd cmd)		\
{										\
	return __name(ops, cmd);						\
}

/* Of these two the one that ops_func can be */
#define OPS_FUNC(__name)							\
	__builtin_choose_expr(__same_type(ftrace_ops_func_t, &(__name)), __name, __name ## _at)

/* The first members of struct ftrace_hash, which is the kernel's own (kernel/trace/trace.h) */
struct hash_head {
	unsigned long		size_bits;
	struct hlist_head	*buckets;
	unsigned long		count;
};

/* How many call sites @hash holds; 0 for none */
static inline unsigned long hash_count(struct ftrace_hash *hash)
{
	return hash ? ((struct hash_head *)hash)->count : 0;
}

/*
 * A call site takes a kprobe only by way of ftrace, which riscv does not have. There its AUIPC
 * and JALR are the first of a function, and the first kprobe is behind them.
 */
#define PROBE_OFFSET	(IS_ENABLED(CONFIG_RISCV) ? 8 : 0)

static inline unsigned long address_by(const char *name, unsigned int offset)
{
	struct kprobe kp = {
		.symbol_name	= name,
		.offset		= offset,
		.flags		= KPROBE_FLAG_DISABLED,
	};
	unsigned long addr;

	if (register_kprobe(&kp))
		return 0;
	addr = (unsigned long)kp.addr - offset;
	unregister_kprobe(&kp);
	return addr;
}

/*
 * The address of a function that is not exported, or 0: a kprobe that is never armed
 * knows any.
 */
static inline unsigned long address_of(const char *name)
{
	return address_by(name, 0) ?: address_by(name, PROBE_OFFSET);
}

/*
 * __call is to be a static call of __func(), which is not exported. Is it there? x86 calls it
 * directly then: IBT and kCFI allow no call by a pointer that the kernel does not make itself.
 */
#define find_function(__call, __func)						\
({										\
	unsigned long __addr = address_of(#__func);				\
										\
	if (__addr)								\
		static_call_update(__call, (typeof(__func) *)__addr);		\
	__addr != 0;								\
})

#endif /* TEST_MODULE_H */
