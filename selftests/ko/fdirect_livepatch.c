// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect_livepatch - replaces functions of fdirect_subject.ko
 *
 *	insmod fdirect_livepatch.ko functions=0,3,5
 *
 * replaces fdirect_subject_0, _3 and _5, in this order, by functions that return more. It
 * does not load when the livepatch is refused, and fails with the errno of that.
 */
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/module.h>

#include "fdirect_subject.h"

#define LIVEPATCHED(n) SUBJECT_FUNCTION(livepatched_##n, n, SUBJECT_LIVEPATCHED)

EACH_SUBJECT(LIVEPATCHED)

#define NAME(n) "fdirect_subject_" #n,
#define LIVEPATCHED_ENTRY(n) livepatched_##n,

static const char * const names[SUBJECTS] = { EACH_SUBJECT(NAME) };
static void * const livepatched[SUBJECTS] = { EACH_SUBJECT(LIVEPATCHED_ENTRY) };

static unsigned int functions[SUBJECTS];
static int count;
module_param_array(functions, uint, &count, 0444);
MODULE_PARM_DESC(functions, "The numbers of those that are replaced");

/* Both end with an entry that is empty. */
static struct klp_func funcs[SUBJECTS + 1];
static struct klp_object objects[] = {
	{ .name = "fdirect_subject", .funcs = funcs }, { }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init fdirect_livepatch_init(void)
{
	int i;

	for (i = 0; i < count; i++) {
		if (functions[i] >= SUBJECTS)
			return -EBADMSG;
		funcs[i].old_name = names[functions[i]];
		funcs[i].new_func = livepatched[functions[i]];
	}
	return klp_enable_patch(&patch);
}

static void __exit fdirect_livepatch_exit(void)
{
}

module_init(fdirect_livepatch_init);
module_exit(fdirect_livepatch_exit);

MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("A livepatch for tests beside BPF");
MODULE_LICENSE("GPL");
