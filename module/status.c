// SPDX-License-Identifier: GPL-2.0
/*
 * The file status: what is there, what is attached, what the call sites say.
 */
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "fdirect.h"

/* Compare the call sites with what the functions should call. */
static void check_sites(const struct fdirect_selection *sel, unsigned int *patched,
			unsigned int *misdirected)
{
	unsigned int i;

	for (i = 0; i < sel->nr; i++) {
		const struct fdirect_func *f = &sel->funcs[i];
		unsigned long target = fdirect_site_target(f->ip);

		if (!(i % 1024))
			cond_resched();
		if (!fdirect_is_stub(target))
			continue;
		if (f->method != FDIRECT_NONE && target == fdirect_target_addr(f->target))
			(*patched)++;
		else
			(*misdirected)++;
	}
}

/**
 * fdirect_status_show - the file status
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_status_show(struct seq_file *m)
{
	const struct fdirect_selection *sel = fdirect_selection();
	unsigned int patched = 0, misdirected = 0;
	u64 total, stray;

	lockdep_assert_held(&fdirect_lock);
	if (sel)
		check_sites(sel, &patched, &misdirected);
	fdirect_hits_sum(&total, &stray);

	seq_printf(m, "functions %u\n", sel ? sel->nr : 0);
	seq_printf(m, "attached %u\n", sel ? sel->attached : 0);
	seq_printf(m, "method %s\n", fdirect_method_now()->name);
	seq_printf(m, "ops %u\n", fdirect_slot_now());
	seq_printf(m, "stubs %u\n", FDIRECT_STUBS);
	seq_printf(m, "hits_total %llu\n", total);
	seq_printf(m, "stray_hits %llu\n", stray);
	seq_printf(m, "patched %u\n", patched);
	seq_printf(m, "misdirected %u\n", misdirected);
	seq_puts(m, "reach ");
	return fdirect_reach_show(m);
}
