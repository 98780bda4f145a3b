// SPDX-License-Identifier: GPL-2.0
/*
 * A copy of the stubs that no call site reaches with a BL, on arm64.
 *
 * The kernel and all modules lie in one window of 2 GiB, see module_init_limits() in
 * arch/arm64/mm/init.c, and a BL reaches 128 MiB. What is more than both together
 * above the lower end of the kernel and of this module is therefore out of reach for
 * every call site. There is no interface for executable memory at a chosen place, so
 * the functions that the module loader is made of are looked up by name.
 *
 * The text has been patched for this CPU before the module came to life, and can be
 * copied as it is; see stubs.S.
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kasan.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/pgtable.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "fdirect.h"

/* Under fdirect_lock, or while nobody else is in this module. */
static void *far_text;

/**
 * struct kernel_calls - functions of the kernel that it does not export
 * @vmalloc_range: allocates memory in a range of addresses
 * @set_ro: makes pages read-only
 * @set_x: makes pages executable, with landing pads where the kernel has them
 * @clean_caches: makes what was written visible to the fetching of instructions
 */
struct kernel_calls {
	void *(*vmalloc_range)(unsigned long size, unsigned long align, unsigned long start,
			       unsigned long end, gfp_t gfp, pgprot_t prot,
			       unsigned long vm_flags, int node, const void *caller);
	int (*set_ro)(unsigned long addr, int numpages);
	int (*set_x)(unsigned long addr, int numpages);
	void (*clean_caches)(unsigned long start, unsigned long end);
};

static bool find_calls(struct kernel_calls *calls)
{
	/* The suffix came with memory allocation profiling, in 6.10. */
	calls->vmalloc_range = (void *)(fdirect_symbol("__vmalloc_node_range_noprof") ?:
					fdirect_symbol("__vmalloc_node_range"));
	calls->set_ro = (void *)fdirect_symbol("set_memory_ro");
	calls->set_x = (void *)fdirect_symbol("set_memory_x");
	calls->clean_caches = (void *)fdirect_symbol("caches_clean_inval_pou");
	return calls->vmalloc_range && calls->set_ro && calls->set_x && calls->clean_caches;
}

/* The lowest address that no call site reaches, or 0 if that cannot be told. */
static unsigned long beyond_reach(void)
{
	unsigned long kernel = fdirect_symbol("_stext");
	unsigned long module = (unsigned long)fdirect_stub_text;

	if (!kernel || max(kernel, module) - min(kernel, module) >= SZ_2G)
		return 0;
	return max(PAGE_ALIGN(min(kernel, module) + SZ_2G + SZ_128M), VMALLOC_START);
}

/**
 * fdirect_far_init - make the copy, unless there is one
 * @why: gets the reason of an error, in words that go into a sentence
 *
 * Return: 0 or a negative errno
 */
int fdirect_far_init(const char **why)
{
	size_t size = fdirect_stub_text_end - fdirect_stub_text;
	unsigned long start = beyond_reach();
	struct kernel_calls calls;
	void *text;
	int err;

	if (far_text)
		return 0;
	if (!find_calls(&calls)) {
		*why = "this kernel lacks a function that is needed for executable memory";
		return -EOPNOTSUPP;
	}
	if (!start) {
		*why = "kernel and module are not where an address out of reach can be told";
		return -EOPNOTSUPP;
	}
	text = calls.vmalloc_range(PAGE_ALIGN(size), PAGE_SIZE, start, VMALLOC_END,
				   GFP_KERNEL, PAGE_KERNEL, VM_FLUSH_RESET_PERMS,
				   NUMA_NO_NODE, __builtin_return_address(0));
	if (!text) {
		*why = "no memory for the far stubs";
		return -ENOMEM;
	}
	/* The tag of a pointer to data is no part of the address of code. */
	text = kasan_reset_tag(text);
	memcpy(text, fdirect_stub_text, size);
	/* flush_icache_range() in two parts, of which the kernel exports the second. */
	calls.clean_caches((unsigned long)text, (unsigned long)text + size);
	kick_all_cpus_sync();

	/* Never writable and executable at once. */
	err = calls.set_ro((unsigned long)text, PAGE_ALIGN(size) >> PAGE_SHIFT) ?:
	      calls.set_x((unsigned long)text, PAGE_ALIGN(size) >> PAGE_SHIFT);
	if (err) {
		vfree(text);
		*why = "the far stubs cannot be made executable";
		return err;
	}
	far_text = text;
	return 0;
}

/**
 * fdirect_far_exit - free the copy
 *
 * Nothing may be attached to it, and no task may be in it.
 */
void fdirect_far_exit(void)
{
	/* The area has VM_FLUSH_RESET_PERMS: its pages become ordinary ones again. */
	vfree(far_text);
	far_text = NULL;
}

/**
 * fdirect_far_offset - how far it is from a near stub to the far one
 *
 * Return: the distance in bytes, 0 if there are no far stubs
 */
unsigned long fdirect_far_offset(void)
{
	return far_text ? (unsigned long)far_text - (unsigned long)fdirect_stub_text : 0;
}
