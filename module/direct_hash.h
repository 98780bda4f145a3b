/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct calls of one ftrace_ops with a target for each call site, by the names that the
 * series for 6.12 gives them. Linux 7 has the same functions by other names.
 */
#ifndef DIRECT_HASH_H
#define DIRECT_HASH_H

#include <linux/ftrace.h>
#include <linux/version.h>

#if LINUX_VERSION_MAJOR >= 7

static inline int register_ftrace_direct_hash(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return update_ftrace_direct_add(ops, hash);
}

static inline int unregister_ftrace_direct_hash(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return update_ftrace_direct_del(ops, hash);
}

static inline int modify_ftrace_direct_hash(struct ftrace_ops *ops, struct ftrace_hash *hash,
					    bool do_direct_lock)
{
	return update_ftrace_direct_mod(ops, hash, do_direct_lock);
}

#endif /* LINUX_VERSION_MAJOR >= 7 */
#endif
