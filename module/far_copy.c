// SPDX-License-Identifier: GPL-2.0
/*
 * A copy of code that no call site reaches with a BL, on arm64.
 *
 * The kernel and all modules lie in one window of 2 GiB, see module_init_limits() in
 * arch/arm64/mm/init.c, and a BL reaches 128 MiB. So an address that is farther than
 * both together above the kernel or this module, whichever is lower, is out of reach
 * for every call site. There is no interface for executable memory at a chosen place.
 * So the functions that the module loader is made of are looked up by name.
 *
 * The kernel has patched the text for this CPU before the module's first function
 * runs, so the copy needs no patching of its own.
 */
#include <linux/err.h>
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

#include "far_copy.h"

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

static bool find_calls(struct kernel_calls *calls, unsigned long (*find)(const char *name))
{
	/* The suffix came with memory allocation profiling, in 6.10. */
	calls->vmalloc_range = (void *)(find("__vmalloc_node_range_noprof") ?:
					find("__vmalloc_node_range"));
	calls->set_ro = (void *)find("set_memory_ro");
	calls->set_x = (void *)find("set_memory_x");
	calls->clean_caches = (void *)find("caches_clean_inval_pou");
	return calls->vmalloc_range && calls->set_ro && calls->set_x && calls->clean_caches;
}

/* The lowest address that no call site reaches, or 0 if that cannot be told. */
static unsigned long beyond_reach(unsigned long module, unsigned long kernel)
{
	if (!kernel || max(kernel, module) - min(kernel, module) >= SZ_2G)
		return 0;
	return max(PAGE_ALIGN(min(kernel, module) + SZ_2G + SZ_128M), VMALLOC_START);
}

/**
 * far_copy - copy a part of this module's text out of reach of every call site
 * @text: its beginning
 * @size: its size in bytes
 * @find: gives the address of a function of the kernel, or 0
 * @why: gets the reason of an error, in words that go into a sentence
 *
 * Return: the copy, to be freed by vfree() when no task is in it, or an ERR_PTR()
 */
void *far_copy(const void *text, size_t size, unsigned long (*find)(const char *name),
	       const char **why)
{
	unsigned long start = beyond_reach((unsigned long)text, find("_stext"));
	int pages = PAGE_ALIGN(size) >> PAGE_SHIFT, err;
	struct kernel_calls calls;
	void *copy;

	if (!find_calls(&calls, find)) {
		*why = "this kernel lacks a function that is needed for executable memory";
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (!start) {
		*why = "kernel and module are not where an address out of reach can be told";
		return ERR_PTR(-EOPNOTSUPP);
	}
	copy = calls.vmalloc_range(PAGE_ALIGN(size), PAGE_SIZE, start, VMALLOC_END,
				   GFP_KERNEL, PAGE_KERNEL, VM_FLUSH_RESET_PERMS,
				   NUMA_NO_NODE, __builtin_return_address(0));
	if (!copy) {
		*why = "no memory for the copy out of reach";
		return ERR_PTR(-ENOMEM);
	}
	/* The tag of a pointer to data is no part of the address of code. */
	copy = kasan_reset_tag(copy);
	memcpy(copy, text, size);
	/* flush_icache_range() in two parts, of which the kernel exports the second. */
	calls.clean_caches((unsigned long)copy, (unsigned long)copy + size);
	kick_all_cpus_sync();

	/* Never writable and executable at once. */
	err = calls.set_ro((unsigned long)copy, pages) ?: calls.set_x((unsigned long)copy, pages);
	if (err) {
		vfree(copy);
		*why = "the copy out of reach cannot be made executable";
		return ERR_PTR(err);
	}
	return copy;
}
