// SPDX-License-Identifier: GPL-2.0
/* A copy of the trampolines that no call site reaches with a BL, on arm64 (far_copy.c). */
#include <linux/err.h>
#include <linux/printk.h>
#include <linux/vmalloc.h>

#include "churn.h"
#include "far_copy.h"
#include "test_module.h"

static void *far_text;

int churn_far_init(void)
{
	const char *why = "no kprobe on kallsyms_lookup_name";
	unsigned long (*find)(const char *name);

	find = (void *)address_of("kallsyms_lookup_name");
	far_text = find ? far_copy(churn_targets_text, churn_targets_end - churn_targets_text,
				   find, &why) : ERR_PTR(-ENOENT);
	if (!IS_ERR(far_text))
		return 0;
	pr_err("fdirect_churn: %s (%pe)\n", why, far_text);
	return PTR_ERR(far_text);
}

void churn_far_exit(void)
{
	if (!IS_ERR(far_text))
		vfree(far_text);
	far_text = NULL;
}

long churn_far_distance(void)
{
	return (unsigned long)far_text - (unsigned long)churn_targets_text;
}
