// SPDX-License-Identifier: GPL-2.0
/*
 * A copy of the trampolines that no call site reaches with a BL, on arm64, made as in
 * module/far.c, which says why it is done this way.
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kasan.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "churn.h"
#include "test_module.h"

static void *far_text;

/* None of what is needed is exported. */
static unsigned long (*find_symbol)(const char *name);

static void *allocate_beyond_reach(size_t size)
{
	void *(*vmalloc_range)(unsigned long size, unsigned long align, unsigned long start,
			       unsigned long end, gfp_t gfp, pgprot_t prot,
			       unsigned long vm_flags, int node, const void *caller);
	unsigned long kernel = find_symbol("_stext");
	unsigned long module = (unsigned long)churn_targets_text, start;

	vmalloc_range = (void *)(find_symbol("__vmalloc_node_range_noprof") ?:
				 find_symbol("__vmalloc_node_range"));
	if (!vmalloc_range || !kernel)
		return NULL;
	/* Kernel and modules are in one window of 2 GiB, a BL reaches 128 MiB. */
	if (max(kernel, module) - min(kernel, module) >= SZ_2G)
		return NULL;
	start = max(PAGE_ALIGN(min(kernel, module) + SZ_2G + SZ_128M), VMALLOC_START);
	return vmalloc_range(size, PAGE_SIZE, start, VMALLOC_END, GFP_KERNEL, PAGE_KERNEL,
			     VM_FLUSH_RESET_PERMS, NUMA_NO_NODE, __builtin_return_address(0));
}

int churn_far_init(void)
{
	size_t size = churn_targets_end - churn_targets_text, pages;
	void (*clean_caches)(unsigned long start, unsigned long end);
	int (*set_ro)(unsigned long addr, int numpages);
	int (*set_x)(unsigned long addr, int numpages);
	unsigned long text;

	find_symbol = (void *)address_of("kallsyms_lookup_name");
	if (!find_symbol)
		return -ENOENT;
	set_ro = (void *)find_symbol("set_memory_ro");
	set_x = (void *)find_symbol("set_memory_x");
	clean_caches = (void *)find_symbol("caches_clean_inval_pou");
	if (!set_ro || !set_x || !clean_caches)
		return -ENOENT;

	pages = PAGE_ALIGN(size) >> PAGE_SHIFT;
	far_text = kasan_reset_tag(allocate_beyond_reach(PAGE_ALIGN(size)));
	if (!far_text)
		return -ENOMEM;
	memcpy(far_text, churn_targets_text, size);
	text = (unsigned long)far_text;
	clean_caches(text, text + size);
	kick_all_cpus_sync();
	return set_ro(text, pages) ?: set_x(text, pages);
}

void churn_far_exit(void)
{
	vfree(far_text);
	far_text = NULL;
}

long churn_far_distance(void)
{
	return (unsigned long)far_text - (unsigned long)churn_targets_text;
}
