// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of the kernel that this module needs and that it does not export.
 *
 * Names must become call sites as in ftrace itself, or a list taken from
 * available_filter_functions would mean something else here. A kprobe belongs at the
 * entry of a function, not at its call site. The time that a task ran, without the
 * time it waited, has no other source. So they are looked up by name, once. The
 * lookup function is not exported either, but a kprobe that is registered and never
 * enabled gives its address and changes no code.
 *
 * They are called through static calls, which are direct calls on x86. A kernel
 * with indirect branch tracking removes the landing pad of a function whose
 * address is taken nowhere. Direct calls to it still work.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/cputime.h>
#include <linux/static_call.h>

#include "fdirect.h"

DEFINE_STATIC_CALL_NULL(fdirect_sc_lookup, kallsyms_lookup_name);
DEFINE_STATIC_CALL_NULL(fdirect_sc_each, kallsyms_on_each_symbol);
DEFINE_STATIC_CALL_NULL(fdirect_sc_each_named, kallsyms_on_each_match_symbol);
DEFINE_STATIC_CALL_NULL(fdirect_sc_each_module, module_kallsyms_on_each_symbol);
DEFINE_STATIC_CALL_NULL(fdirect_sc_module_at, __module_address);
DEFINE_STATIC_CALL_NULL(fdirect_sc_location, ftrace_location);
DEFINE_STATIC_CALL_NULL(fdirect_sc_size_offset, kallsyms_lookup_size_offset);
DEFINE_STATIC_CALL_NULL(fdirect_sc_runtime, task_sched_runtime);

static int __init find_lookup_by(unsigned int offset, unsigned long *addr)
{
	struct kprobe probe = {
		.symbol_name	= "kallsyms_lookup_name",
		.offset		= offset,
		.flags		= KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&probe);

	if (err)
		return err;
	*addr = (unsigned long)probe.addr - offset;
	unregister_kprobe(&probe);
	return 0;
}

static int __init find_lookup(unsigned long *addr)
{
	int err = find_lookup_by(FDIRECT_PROBE_OFFSET, addr);

	if (err) {
		pr_err("no kprobe on kallsyms_lookup_name (%d), so names cannot be looked up\n",
		       err);
		return err == -ENOMEM ? err : -EOPNOTSUPP;
	}
	return 0;
}

#define FDIRECT_RESOLVE(key, fn)						\
({										\
	unsigned long __addr = static_call(fdirect_sc_lookup)(#fn);		\
										\
	if (__addr)								\
		static_call_update(key, (typeof(fn) *)__addr);			\
	else									\
		pr_err("this kernel has no function " #fn "\n");		\
	__addr != 0;								\
})

/**
 * fdirect_symbols_init - find the functions that the kernel does not export
 *
 * Nothing else in this file may be called before it has succeeded.
 *
 * Return: 0, or -EOPNOTSUPP or -ENOMEM with the reason in the kernel log
 */
int __init fdirect_symbols_init(void)
{
	unsigned long addr;
	int err = find_lookup(&addr);

	if (err)
		return err;
	static_call_update(fdirect_sc_lookup, (typeof(kallsyms_lookup_name) *)addr);

	if (!FDIRECT_RESOLVE(fdirect_sc_each, kallsyms_on_each_symbol) ||
	    !FDIRECT_RESOLVE(fdirect_sc_each_named, kallsyms_on_each_match_symbol) ||
	    !FDIRECT_RESOLVE(fdirect_sc_each_module, module_kallsyms_on_each_symbol) ||
	    !FDIRECT_RESOLVE(fdirect_sc_module_at, __module_address) ||
	    !FDIRECT_RESOLVE(fdirect_sc_location, ftrace_location) ||
	    !FDIRECT_RESOLVE(fdirect_sc_size_offset, kallsyms_lookup_size_offset) ||
	    !FDIRECT_RESOLVE(fdirect_sc_runtime, task_sched_runtime))
		return -EOPNOTSUPP;
	return 0;
}

/**
 * fdirect_symbol - address of a function by its name
 * @name: the name
 *
 * For what is needed so seldom, or by one architecture only, that it has no static
 * call of its own.
 *
 * Return: the address, or 0 if there is no such symbol
 */
unsigned long fdirect_symbol(const char *name)
{
	return static_call(fdirect_sc_lookup)(name);
}

/**
 * fdirect_location - find the call site of a function
 * @addr: its entry, or a call site
 *
 * Return: the call site, or 0 if there is none
 */
unsigned long fdirect_location(unsigned long addr)
{
	return static_call(fdirect_sc_location)(addr);
}

/**
 * fdirect_entry - find the function that an address is in
 * @addr: the address
 *
 * Return: the entry of the function, or @addr if it is in none
 */
unsigned long fdirect_entry(unsigned long addr)
{
	unsigned long size, offset;

	return static_call(fdirect_sc_size_offset)(addr, &size, &offset) ? addr - offset : addr;
}

/**
 * fdirect_module_at - find the module that an address is in
 * @addr: the address
 *
 * The module may go away as soon as preemption is possible. So the caller disables
 * that, and takes a reference if it needs the module for longer.
 *
 * Return: the module, or NULL
 */
struct module *fdirect_module_at(unsigned long addr)
{
	return static_call(fdirect_sc_module_at)(addr);
}

/**
 * fdirect_each_symbol - call a function for every symbol of the kernel proper
 * @fn: the function; anything but 0 ends the walk
 * @data: handed to it
 *
 * Return: what @fn returned last
 */
int fdirect_each_symbol(int (*fn)(void *data, const char *name, unsigned long addr),
			void *data)
{
	return static_call(fdirect_sc_each)(fn, data);
}

/**
 * fdirect_each_symbol_named - the same for the symbols of one name
 * @name: the name
 * @fn: the function
 * @data: handed to it
 *
 * Return: what @fn returned last, 0 if there is no such symbol
 */
int fdirect_each_symbol_named(const char *name, int (*fn)(void *data, unsigned long addr),
			      void *data)
{
	return static_call(fdirect_sc_each_named)(fn, name, data);
}

/**
 * fdirect_each_module_symbol - the same for the symbols of all modules
 * @fn: the function, called with module_mutex held
 * @data: handed to it
 *
 * Return: what @fn returned last
 */
int fdirect_each_module_symbol(int (*fn)(void *data, const char *name, unsigned long addr),
			       void *data)
{
	return static_call(fdirect_sc_each_module)(NULL, fn, data);
}

/**
 * fdirect_cpu_time - time that the current task has been on a CPU
 *
 * Return: nanoseconds, up to this moment
 */
u64 fdirect_cpu_time(void)
{
	return static_call(fdirect_sc_runtime)(current);
}
