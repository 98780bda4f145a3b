// SPDX-License-Identifier: GPL-2.0
/*
 * The methods, and which method and which shared ftrace_ops are chosen.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "fdirect.h"

static const struct fdirect_method * const methods[FDIRECT_METHODS] = {
	[FDIRECT_EACH]	= &fdirect_each,
	[FDIRECT_MULTI]	= &fdirect_multi,
#ifdef FDIRECT_HASH_API
	[FDIRECT_HASH]	= &fdirect_hash,
#endif
};

static const char * const method_names[FDIRECT_METHODS] = {
	[FDIRECT_EACH]	= "each",
	[FDIRECT_MULTI]	= "multi",
	[FDIRECT_HASH]	= "hash",
};

/* Under fdirect_lock. */
static enum fdirect_method_id method_now =
#ifdef FDIRECT_HASH_API
	FDIRECT_HASH;
#else
	FDIRECT_MULTI;
#endif

/* Under fdirect_lock. */
static unsigned int slot_now;

/**
 * fdirect_method - a method by its number
 * @id: the number
 *
 * Return: the method, or NULL if this kernel lacks it
 */
const struct fdirect_method *fdirect_method(enum fdirect_method_id id)
{
	return methods[id];
}

/**
 * fdirect_method_now - the method that commands use
 *
 * Return: the method
 */
const struct fdirect_method *fdirect_method_now(void)
{
	return methods[method_now];
}

/**
 * fdirect_slot_now - the slot that commands use
 *
 * Return: its number
 */
unsigned int fdirect_slot_now(void)
{
	return slot_now;
}

/**
 * fdirect_method_show - the file method
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_method_show(struct seq_file *m)
{
	seq_printf(m, "%s\n", method_names[method_now]);
	return 0;
}

/**
 * fdirect_method_store - choose a method
 * @value: its name
 *
 * Return: 0 or a negative errno
 */
int fdirect_method_store(char *value)
{
	unsigned int id;

	for (id = FDIRECT_NONE + 1; id < FDIRECT_METHODS; id++) {
		if (strcmp(value, method_names[id]))
			continue;
		if (!methods[id])
			return fdirect_fail(-EOPNOTSUPP,
					    "method: this kernel has no register_ftrace_direct_hash()");
		method_now = id;
		return 0;
	}
	return fdirect_fail(-EINVAL, "method: no method is named \"%s\"", value);
}

/**
 * fdirect_available_show - the file available_methods
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_available_show(struct seq_file *m)
{
	unsigned int id;

	for (id = FDIRECT_NONE + 1; id < FDIRECT_METHODS; id++) {
		if (methods[id])
			seq_printf(m, "%s%s", id > FDIRECT_NONE + 1 ? " " : "", method_names[id]);
	}
	seq_putc(m, '\n');
	return 0;
}

/**
 * fdirect_slot_show - the file ops
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_slot_show(struct seq_file *m)
{
	seq_printf(m, "%u\n", slot_now);
	return 0;
}

/**
 * fdirect_slot_store - choose a slot
 * @value: its number
 *
 * Return: 0 or a negative errno
 */
int fdirect_slot_store(char *value)
{
	unsigned int slot;

	if (kstrtouint(value, 10, &slot) || slot >= FDIRECT_SLOTS)
		return fdirect_fail(-EINVAL, "ops: \"%s\" is no number from 0 to %u", value,
				    FDIRECT_SLOTS - 1);
	slot_now = slot;
	return 0;
}
