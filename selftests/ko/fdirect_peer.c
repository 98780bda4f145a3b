// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_peer - 1,024 functions to be traced, in a module that can go away
 *
 * Nothing in the kernel calls fdirect_peer_000 ... fdirect_peer_3ff, so whoever
 * traces them knows exactly how many calls to expect. They are called by writing
 *
 *	FIRST COUNT BASE STEP
 *
 * to /sys/kernel/debug/fdirect_peer/call: function FIRST + i is then called
 * BASE + i % STEP times, for i = 0 ... COUNT - 1. Each takes six arguments and
 * returns a number made from all of them. A trampoline that loses a register
 * makes it return another number, and the write fails with EIO.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "test_module.h"

#define PEERS 1024

typedef unsigned long (*peer_t)(unsigned long a, unsigned long b, unsigned long c,
				unsigned long d, unsigned long e, unsigned long f);

#define MIX(n, a, b, c, d, e, f) \
	((n) + (a) + 3 * (b) + 5 * (c) + 7 * (d) + 11 * (e) + 13 * (f))

#define PEER(n)								\
static noinline __noclone unsigned long					\
fdirect_peer_##n(unsigned long a, unsigned long b, unsigned long c,	\
		 unsigned long d, unsigned long e, unsigned long f)	\
{									\
	barrier();							\
	return MIX(0x##n##UL, a, b, c, d, e, f);			\
}

#define EACH16(M, p)							\
	M(p##0) M(p##1) M(p##2) M(p##3) M(p##4) M(p##5) M(p##6) M(p##7)	\
	M(p##8) M(p##9) M(p##a) M(p##b) M(p##c) M(p##d) M(p##e) M(p##f)

#define EACH256(M, p)							\
	EACH16(M, p##0) EACH16(M, p##1) EACH16(M, p##2) EACH16(M, p##3)	\
	EACH16(M, p##4) EACH16(M, p##5) EACH16(M, p##6) EACH16(M, p##7)	\
	EACH16(M, p##8) EACH16(M, p##9) EACH16(M, p##a) EACH16(M, p##b)	\
	EACH16(M, p##c) EACH16(M, p##d) EACH16(M, p##e) EACH16(M, p##f)

#define EACH_PEER(M)	EACH256(M, 0) EACH256(M, 1) EACH256(M, 2) EACH256(M, 3)

EACH_PEER(PEER)

#define ENTRY(n) fdirect_peer_##n,
static const peer_t peers[PEERS] = { EACH_PEER(ENTRY) };

static int call_peer(unsigned int n, unsigned int times)
{
	while (times--) {
		unsigned long a = times, b = ~a, c = a << 7, d = a * 31, e = a ^ 0x5a5a, f = n;
		peer_t call = READ_ONCE(peers[n]);

		if (call(a, b, c, d, e, f) != MIX(n, a, b, c, d, e, f))
			return -EIO;
	}
	return 0;
}

static ssize_t call_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	unsigned int first, functions, base, step, i;
	char buf[64];
	int ret;

	if (count >= sizeof(buf))
		return -EMSGSIZE;
	if (copy_from_user(buf, ubuf, count))
		return -EFAULT;
	buf[count] = '\0';
	if (sscanf(buf, "%u %u %u %u", &first, &functions, &base, &step) != 4 || !step)
		return -EINVAL;
	if (first > PEERS || functions > PEERS - first)
		return -ERANGE;

	for (i = 0; i < functions; i++) {
		ret = call_peer(first + i, base + i % step);
		if (ret)
			return ret;
		cond_resched();
	}
	return count;
}

DEFINE_WRITE_ATTRIBUTE(call);

static struct dentry *dir;

static int __init fdirect_peer_init(void)
{
	dir = debugfs_create_dir("fdirect_peer", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("call", 0200, dir, NULL, &call_fops);
	return 0;
}

static void __exit fdirect_peer_exit(void)
{
	debugfs_remove(dir);
}

module_init(fdirect_peer_init);
module_exit(fdirect_peer_exit);

MODULE_DESCRIPTION("Functions for tests of direct calls to trace");
MODULE_LICENSE("GPL");
