// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_churn_livepatch - replaces hot functions of fdirect_churn.ko
 *
 *	insmod fdirect_churn_livepatch.ko functions=0,3,5
 *
 * replaces CHURN_HOT(0), CHURN_HOT(3) and CHURN_HOT(5) by functions that return more. It
 * does not load when the livepatch is refused, and fails with the errno of that.
 */
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/module.h>

#include "fdirect_churn.h"

#define LIVEPATCHED(n) CHURN_FUNCTION(livepatched_##n, 0x##n##UL, CHURN_LIVEPATCHED)

CHURN_EACH_HOT(LIVEPATCHED)

#define NAME(n) "fdirect_churn_" #n,
#define LIVEPATCHED_ENTRY(n) livepatched_##n,

static const char * const names[CHURN_HOTS] = { CHURN_EACH_HOT(NAME) };
static typeof(livepatched_01f) * const livepatched[CHURN_HOTS] = {
	CHURN_EACH_HOT(LIVEPATCHED_ENTRY)
};

static unsigned int functions[CHURN_HOTS];
static int count;
module_param_array(functions, uint, &count, 0444);
MODULE_PARM_DESC(functions, "The numbers of those that are replaced");

/* Both end with an entry that is empty. */
static struct klp_func funcs[CHURN_HOTS + 1];
static struct klp_object objects[] = {
	{ .name = "fdirect_churn", .funcs = funcs }, { }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init fdirect_churn_livepatch_init(void)
{
	int i;

	for (i = 0; i < count; i++) {
		if (functions[i] >= CHURN_HOTS)
			return -EBADMSG;
		funcs[i].old_name = names[functions[i]];
		funcs[i].new_func = livepatched[functions[i]];
	}
	return klp_enable_patch(&patch);
}

static void __exit fdirect_churn_livepatch_exit(void)
{
}

module_init(fdirect_churn_livepatch_init);
module_exit(fdirect_churn_livepatch_exit);

MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("A livepatch for the functions whose direct calls change");
MODULE_LICENSE("GPL");
