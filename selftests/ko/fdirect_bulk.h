/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fdirect_bulk_0 ... fdirect_bulk_b - 2,048 functions each that nobody calls
 *
 * Together with those of the kernel they are more than fdirect.ko has stubs for.
 * /sys/kernel/debug/fdirect_bulk_0 has the addresses, one a line. There are twelve
 * of these modules instead of a big one. The kernel takes time in proportion to the
 * size of a module for the name of each function in it.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#define BULK(n)								\
static noinline __noclone unsigned long bulk_##n(void)			\
{									\
	barrier();							\
	return 0x##n##UL;						\
}

#define EACH16(M, p)							\
	M(p##0) M(p##1) M(p##2) M(p##3) M(p##4) M(p##5) M(p##6) M(p##7)	\
	M(p##8) M(p##9) M(p##a) M(p##b) M(p##c) M(p##d) M(p##e) M(p##f)

#define EACH256(M, p)							\
	EACH16(M, p##0) EACH16(M, p##1) EACH16(M, p##2) EACH16(M, p##3)	\
	EACH16(M, p##4) EACH16(M, p##5) EACH16(M, p##6) EACH16(M, p##7)	\
	EACH16(M, p##8) EACH16(M, p##9) EACH16(M, p##a) EACH16(M, p##b)	\
	EACH16(M, p##c) EACH16(M, p##d) EACH16(M, p##e) EACH16(M, p##f)

#define EACH_BULK(M)							\
	EACH256(M, 0) EACH256(M, 1) EACH256(M, 2) EACH256(M, 3)		\
	EACH256(M, 4) EACH256(M, 5) EACH256(M, 6) EACH256(M, 7)

EACH_BULK(BULK)

#define ENTRY(n) bulk_##n,
static unsigned long (* const bulk[])(void) = { EACH_BULK(ENTRY) };

static int addresses_show(struct seq_file *m, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bulk); i++)
		seq_printf(m, "0x%lx\n", (unsigned long)READ_ONCE(bulk[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(addresses);

static struct dentry *file;

static int __init fdirect_bulk_init(void)
{
	file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL, &addresses_fops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit fdirect_bulk_exit(void)
{
	debugfs_remove(file);
}

module_init(fdirect_bulk_init);
module_exit(fdirect_bulk_exit);

MODULE_DESCRIPTION("More functions than fdirect.ko can attach");
MODULE_LICENSE("GPL");
