/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A livepatch that replaces functions of the module OBJECT, those with the numbers in the
 * parameter "functions", in this order. It does not load when the livepatch is refused,
 * and fails with the errno of that.
 *
 * EACH(M) is M(n) for each function, OBJECT "_" #n its name, and REPLACEMENT(n) defines
 * livepatched_##n().
 */
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/module.h>

EACH(REPLACEMENT)

#define NAME(n) OBJECT "_" #n,
#define REPLACEMENT_ENTRY(n) livepatched_##n,

static const char * const names[] = { EACH(NAME) };
static void * const replacements[] = { EACH(REPLACEMENT_ENTRY) };

static unsigned int functions[ARRAY_SIZE(names)];
static int count;
module_param_array(functions, uint, &count, 0444);
MODULE_PARM_DESC(functions, "The numbers of those that are replaced");

/* Both end with an entry that is empty. */
static struct klp_func funcs[ARRAY_SIZE(names) + 1];
static struct klp_object objects[] = { { .name = OBJECT, .funcs = funcs }, { } };

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init livepatch_init(void)
{
	int i;

	for (i = 0; i < count; i++) {
		if (functions[i] >= ARRAY_SIZE(names))
			return -EBADMSG;
		funcs[i].old_name = names[functions[i]];
		funcs[i].new_func = replacements[functions[i]];
	}
	return klp_enable_patch(&patch);
}

static void __exit livepatch_exit(void)
{
}

module_init(livepatch_init);
module_exit(livepatch_exit);

MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("A livepatch for tests");
MODULE_LICENSE("GPL");
