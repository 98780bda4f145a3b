/* SPDX-License-Identifier: GPL-2.0 */
/* What the test modules share. */
#ifndef TEST_MODULE_H
#define TEST_MODULE_H

#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/module.h>

/* A file that is only written to: __name_write() into __name_fops */
#define DEFINE_WRITE_ATTRIBUTE(__name)					\
static const struct file_operations __name ## _fops = {		\
	.owner	= THIS_MODULE,						\
	.open	= simple_open,						\
	.write	= __name ## _write,					\
	.llseek	= noop_llseek,						\
}

/*
 * The address of a function that is not exported, or 0: a kprobe that is never armed
 * knows any.
 */
static inline unsigned long address_of(const char *name)
{
	struct kprobe kp = {
		.symbol_name	= name,
		.flags		= KPROBE_FLAG_DISABLED,
	};
	unsigned long addr;

	if (register_kprobe(&kp))
		return 0;
	addr = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return addr;
}

#endif /* TEST_MODULE_H */
