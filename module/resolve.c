// SPDX-License-Identifier: GPL-2.0
/*
 * From the names in a list to call sites.
 *
 * A plain name means the function of the kernel proper, and one of a module only if
 * the kernel has none that can be traced. Among equals a name must be unique. That
 * several symbols lead to one call site is no ambiguity.
 *
 * The kernel keeps its names compressed. Looking one up costs a search in which
 * every step unpacks a name, some 20,000 instructions in all. Walking over all of
 * them costs a few hundred for each. So a long list is looked up in one walk, with
 * the list in a hash table.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "fdirect.h"

/* From so many names on, one walk is cheaper than a search for each. */
#define WALK_FROM	2048

/**
 * struct resolver - a list in a hash table
 * @list: the list
 * @mask: number of buckets - 1
 * @buckets: first line of each, as index + 1
 */
struct resolver {
	struct fdirect_list *list;
	u32 mask;
	u32 *buckets;
};

/* There is a symbol of the name in @line, at @addr. */
static void found(struct fdirect_line *line, unsigned long addr)
{
	unsigned long ip = fdirect_location(addr);

	line->seen = true;
	if (!ip || ip == line->ip)
		return;
	if (line->ip)
		line->ambiguous = true;
	else
		line->ip = ip;
}

static int found_in_kernel(void *data, unsigned long addr)
{
	struct fdirect_line *line = data;

	found(line, addr);
	line->in_kernel = line->ip;
	return 0;
}

/* The next line of the name after @at, which is 0 to begin with. */
static u32 next_match(const struct resolver *r, u32 at, u32 hash, const char *name)
{
	at = at ? r->list->lines[at - 1].next : r->buckets[hash & r->mask];
	while (at) {
		const struct fdirect_line *line = &r->list->lines[at - 1];

		if (line->hash == hash && !strcmp(line->name, name))
			break;
		at = line->next;
	}
	return at;
}

static int match_kernel(void *data, const char *name, unsigned long addr)
{
	u32 hash = full_name_hash(NULL, name, strlen(name));
	const struct resolver *r = data;
	u32 at = 0;

	while ((at = next_match(r, at, hash, name))) {
		struct fdirect_line *line = &r->list->lines[at - 1];

		if (!line->module)
			found_in_kernel(line, addr);
	}
	return 0;
}

static bool in_module(unsigned long addr, const char *name)
{
	struct module *mod;
	bool in;

	preempt_disable();
	mod = fdirect_module_at(addr);
	in = mod && !strcmp(mod->name, name);
	preempt_enable();
	return in;
}

static int match_module(void *data, const char *name, unsigned long addr)
{
	u32 hash = full_name_hash(NULL, name, strlen(name));
	const struct resolver *r = data;
	u32 at = 0;

	while ((at = next_match(r, at, hash, name))) {
		struct fdirect_line *line = &r->list->lines[at - 1];

		if (line->module ? in_module(addr, line->module) : !line->in_kernel)
			found(line, addr);
	}
	return 0;
}

static int resolver_init(struct resolver *r, struct fdirect_list *list)
{
	u32 nr = roundup_pow_of_two(max(list->names, 16U) * 2);
	unsigned int i;

	r->list = list;
	r->mask = nr - 1;
	r->buckets = kvcalloc(nr, sizeof(*r->buckets), GFP_KERNEL);
	if (!r->buckets)
		return fdirect_fail(-ENOMEM, "functions: out of memory");

	for (i = 0; i < list->nr; i++) {
		struct fdirect_line *line = &list->lines[i];
		u32 *bucket;

		if (!line->name)
			continue;
		line->hash = full_name_hash(NULL, line->name, strlen(line->name));
		bucket = &r->buckets[line->hash & r->mask];
		line->next = *bucket;
		*bucket = i + 1;
	}
	return 0;
}

static void search_kernel(struct resolver *r)
{
	unsigned int i;

	if (r->list->names >= WALK_FROM) {
		fdirect_each_symbol(match_kernel, r);
		return;
	}
	for (i = 0; i < r->list->nr; i++) {
		struct fdirect_line *line = &r->list->lines[i];

		if (line->name && !line->module)
			fdirect_each_symbol_named(line->name, found_in_kernel, line);
	}
}

static bool needs_modules(const struct fdirect_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		const struct fdirect_line *line = &list->lines[i];

		if (line->name && (line->module || !line->in_kernel))
			return true;
	}
	return false;
}

/**
 * fdirect_resolve - find the call sites of all names in a list
 * @list: the list; @ip, @seen, @in_kernel and @ambiguous of its lines are set
 *
 * A call site in a module is valid only as long as the module stays.
 *
 * Return: 0, or -ENOMEM; that a name is not found is noted in its line
 */
int fdirect_resolve(struct fdirect_list *list)
{
	struct resolver r;
	int err;

	if (!list->names)
		return 0;
	err = resolver_init(&r, list);
	if (err)
		return err;
	search_kernel(&r);
	if (needs_modules(list))
		fdirect_each_module_symbol(match_module, &r);
	kvfree(r.buckets);
	return 0;
}
