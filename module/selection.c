// SPDX-License-Identifier: GPL-2.0
/*
 * The selection: the ordered list of functions that commands are about.
 *
 * It is replaced as a whole, under fdirect_lock and only while nothing is attached.
 * A reference keeps a function of another module there only while it is attached.
 * So a module may go and leave its functions behind in the selection. The module
 * notifier marks them then, and they cannot be attached any more, whatever comes to
 * lie at their addresses.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/overflow.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fdirect.h"

/**
 * struct fdirect_strings - a piece of the memory that holds the names
 * @next: the piece before it
 * @used: bytes of @text that are taken
 * @text: the strings, one after the other
 */
struct fdirect_strings {
	struct fdirect_strings *next;
	size_t used;
	char text[SZ_64K - 2 * sizeof(void *)];
};

/*
 * Protects @current_selection's pointer, and @owner and @gone of its functions.
 * Writers of the pointer hold fdirect_lock as well, so that either is enough to read
 * it; the notifier has only this one.
 */
static DEFINE_MUTEX(gone_lock);
static struct fdirect_selection *current_selection;

/**
 * fdirect_selection - the current selection
 *
 * Return: the selection, valid under fdirect_lock, or NULL if there is none yet
 */
struct fdirect_selection *fdirect_selection(void)
{
	lockdep_assert_held(&fdirect_lock);
	return current_selection;
}

static const char *keep_string(struct fdirect_selection *sel, const char *text)
{
	struct fdirect_strings *piece = sel->strings;
	size_t size = strlen(text) + 1;

	if (!piece || size > sizeof(piece->text) - piece->used) {
		piece = kvmalloc(sizeof(*piece), GFP_KERNEL);
		if (!piece)
			return NULL;
		piece->next = sel->strings;
		piece->used = 0;
		sel->strings = piece;
	}
	text = memcpy(piece->text + piece->used, text, size);
	piece->used += size;
	return text;
}

static void selection_free(struct fdirect_selection *sel)
{
	struct fdirect_strings *piece, *next;

	if (!sel)
		return;
	for (piece = sel->strings; piece; piece = next) {
		next = piece->next;
		kvfree(piece);
	}
	kvfree(sel);
}

/* Drop the references that keep modules in place while a selection is built. */
static void put_owners(struct fdirect_selection *sel)
{
	unsigned int i;

	for (i = 0; i < sel->nr; i++)
		module_put(sel->funcs[i].owner);
}

/* The words for a line in a sentence. */
static const char *line_name(const struct fdirect_line *line, char *buf, size_t size)
{
	if (!line->name)
		snprintf(buf, size, "0x%lx", line->addr);
	else if (line->module)
		snprintf(buf, size, "\"%s\" in module \"%s\"", line->name, line->module);
	else
		snprintf(buf, size, "\"%s\"", line->name);
	return buf;
}

/* The call site that a line means, into line->ip. */
static int find_site(struct fdirect_line *line, const char *name)
{
	if (!line->name) {
		line->ip = fdirect_location(line->addr);
		/* ftrace_location() takes any byte of the instruction. */
		if (!line->ip || line->addr > line->ip)
			return fdirect_fail(-ENODEV,
					    "functions:%u: %s is neither a function that can be traced nor the call site of one",
					    line->number, name);
		return 0;
	}
	if (!line->seen)
		return fdirect_fail(-ENOENT, "functions:%u: no function named %s",
				    line->number, name);
	if (!line->ip)
		return fdirect_fail(-ENODEV, "functions:%u: %s cannot be traced",
				    line->number, name);
	if (line->ambiguous)
		return fdirect_fail(-ENOTUNIQ,
				    "functions:%u: more than one function is named %s; give the address",
				    line->number, name);
	return 0;
}

/* Find the module that a function is in, and take a reference. */
static int find_owner(struct fdirect_func *f, const struct fdirect_line *line,
		      const char *name)
{
	struct module *mod;
	int err = 0;

	preempt_disable();
	mod = fdirect_module_at(f->ip);
	/*
	 * A module that is still being loaded may fail and be freed whatever
	 * references there are; its init code is freed in any case.
	 */
	if (mod == THIS_MODULE)
		err = -EINVAL;
	else if (mod && (mod->state != MODULE_STATE_LIVE || !within_module_core(f->ip, mod) ||
			 !try_module_get(mod)))
		err = -ENODEV;
	preempt_enable();

	if (err == -EINVAL)
		return fdirect_fail(err, "functions:%u: %s belongs to fdirect itself",
				    line->number, name);
	if (err)
		return fdirect_fail(err,
				    "functions:%u: %s is in a module that is being loaded or unloaded",
				    line->number, name);
	f->owner = mod;
	return 0;
}

/* Names as they are shown later; for an address it is the kernel that knows it. */
static int set_name(struct fdirect_selection *sel, struct fdirect_func *f,
		    const struct fdirect_line *line, char *buf)
{
	if (!line->name)
		sprint_symbol_no_offset(buf, f->ip);
	else if (f->owner)
		snprintf(buf, KSYM_SYMBOL_LEN, "%s [%s]", line->name, f->owner->name);
	f->name = keep_string(sel, line->name && !f->owner ? line->name : buf);
	return f->name ? 0 : fdirect_fail(-ENOMEM, "functions: out of memory");
}

/**
 * struct sites - the call sites met so far, to find duplicates
 * @bits: log2 of the size of the table
 * @table: index + 1 of functions; open addressing, never more than half full
 */
struct sites {
	unsigned int bits;
	u32 *table;
};

static int sites_init(struct sites *sites, unsigned int nr)
{
	sites->bits = ilog2(roundup_pow_of_two(max(nr, 16U))) + 1;
	sites->table = kvcalloc(1U << sites->bits, sizeof(*sites->table), GFP_KERNEL);
	return sites->table ? 0 : fdirect_fail(-ENOMEM, "functions: out of memory");
}

/* The earlier function of the same call site, or NULL and @index has been added. */
static const struct fdirect_func *sites_add(struct sites *sites, struct fdirect_selection *sel,
					    unsigned int index)
{
	u32 mask = (1U << sites->bits) - 1;
	u32 at = hash_long(sel->funcs[index].ip, sites->bits);

	for (; sites->table[at]; at = (at + 1) & mask) {
		const struct fdirect_func *f = &sel->funcs[sites->table[at] - 1];

		if (f->ip == sel->funcs[index].ip)
			return f;
	}
	sites->table[at] = index + 1;
	return NULL;
}

/*
 * Make functions out of the lines. sel->nr grows with them. So the functions with a
 * reference on their module are known when one of them fails.
 */
static int add_functions(struct fdirect_selection *sel, struct fdirect_list *list, char *buf)
{
	const struct fdirect_func *same;
	struct sites sites;
	unsigned int i;
	int err;

	err = sites_init(&sites, list->nr);
	for (i = 0; !err && i < list->nr; i++) {
		struct fdirect_line *line = &list->lines[i];
		struct fdirect_func *f = &sel->funcs[i];
		const char *name = line_name(line, buf, KSYM_SYMBOL_LEN);

		if (!(i % 256))
			cond_resched();
		err = find_site(line, name);
		if (err)
			break;
		f->ip = line->ip;
		err = find_owner(f, line, name);
		if (err)
			break;
		sel->nr++;
		same = sites_add(&sites, sel, i);
		if (same)
			err = fdirect_fail(-EEXIST,
					   "functions:%u: %s is the function of line %u again",
					   line->number, name,
					   list->lines[same - sel->funcs].number);
		else
			err = set_name(sel, f, line, buf);
	}
	kvfree(sites.table);
	return err ?: list->err;
}

static struct fdirect_selection *selection_build(struct fdirect_list *list)
{
	struct fdirect_selection *sel;
	static u64 generation;
	char *buf;
	int err;

	sel = kvzalloc(struct_size(sel, funcs, list->nr), GFP_KERNEL);
	buf = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	if (!sel || !buf)
		err = fdirect_fail(-ENOMEM, "functions: out of memory");
	else
		err = add_functions(sel, list, buf);
	kfree(buf);
	if (err) {
		if (sel)
			put_owners(sel);
		selection_free(sel);
		return ERR_PTR(err);
	}
	sel->generation = ++generation;
	return sel;
}

static void selection_publish(struct fdirect_selection *sel)
{
	struct fdirect_selection *old;

	mutex_lock(&gone_lock);
	old = current_selection;
	current_selection = sel;
	mutex_unlock(&gone_lock);
	selection_free(old);
}

/**
 * fdirect_selection_write - replace the selection
 * @text: the list; it is changed
 * @len: its length
 *
 * Return: 0, or a negative errno and nothing has changed
 */
int fdirect_selection_write(char *text, size_t len)
{
	struct fdirect_selection *sel;
	struct fdirect_list list;
	int err;

	lockdep_assert_held(&fdirect_lock);
	if (current_selection && current_selection->attached)
		return fdirect_fail(-EBUSY,
				    "functions: cannot change while functions are attached (%u are)",
				    current_selection->attached);
	err = fdirect_list_parse(&list, text, len);
	if (err)
		return err;
	err = fdirect_resolve(&list);
	if (!err) {
		sel = selection_build(&list);
		err = PTR_ERR_OR_ZERO(sel);
	}
	fdirect_list_free(&list);
	if (err)
		return err;

	selection_publish(sel);
	/* From here on the notifier sees the modules go. */
	put_owners(sel);
	return 0;
}

static int hold(struct fdirect_func *f)
{
	if (f->gone)
		return -ENODEV;
	return !f->owner || try_module_get(f->owner) ? 0 : -ENODEV;
}

/**
 * fdirect_selection_hold - get functions ready to be attached
 * @sel: the selection
 * @first: index of the first
 * @count: how many
 * @stub: stub of the first
 * @one_stub: it is the stub of all of them
 *
 * Takes a reference on their modules and on their stubs, for
 * fdirect_selection_settle() to give back.
 *
 * Return: 0, or -ENODEV if a module has gone and nothing has changed
 */
int fdirect_selection_hold(struct fdirect_selection *sel, unsigned int first,
			   unsigned int count, unsigned int stub, bool one_stub)
{
	struct fdirect_func *f;
	unsigned int i;
	int err = 0;

	mutex_lock(&gone_lock);
	for (i = 0; i < count; i++) {
		f = &sel->funcs[first + i];
		err = hold(f);
		if (err)
			break;
		f->target.stub = one_stub ? stub : (stub + i) % FDIRECT_STUBS;
		f->target.reach = fdirect_reach_now();
		f->held = true;
		fdirect_stub_get(f->target.stub);
	}
	mutex_unlock(&gone_lock);
	if (!err)
		return 0;
	fdirect_selection_settle(sel, first, count);
	return fdirect_fail(err, "control: function %u, %s: its module has been unloaded",
			    first + i, f->name);
}

/**
 * fdirect_selection_settle - let go of what is not attached any more, or never was
 * @sel: the selection
 * @first: index of the first function to look at
 * @count: how many to look at
 *
 * To be called after every attempt to attach or detach.
 */
void fdirect_selection_settle(struct fdirect_selection *sel, unsigned int first,
			      unsigned int count)
{
	unsigned int i;

	for (i = first; i < first + count; i++) {
		struct fdirect_func *f = &sel->funcs[i];

		if (!f->held || f->method != FDIRECT_NONE)
			continue;
		f->held = false;
		fdirect_stub_put(f->target.stub);
		module_put(f->owner);
	}
}

/**
 * fdirect_func_get - keep the module of a function in place
 * @f: the function
 *
 * Return: 0, or -ENODEV if the module has gone
 */
int fdirect_func_get(struct fdirect_func *f)
{
	int err;

	mutex_lock(&gone_lock);
	err = hold(f);
	mutex_unlock(&gone_lock);
	return err;
}

/**
 * fdirect_func_put - let go of the module of a function
 * @f: the function
 */
void fdirect_func_put(struct fdirect_func *f)
{
	module_put(f->owner);
}

/* Runs before the memory of a module is freed, also if it fails to load. */
static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;
	unsigned int i;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;

	mutex_lock(&gone_lock);
	for (i = 0; current_selection && i < current_selection->nr; i++) {
		struct fdirect_func *f = &current_selection->funcs[i];

		if (f->owner != mod)
			continue;
		f->gone = true;
		f->owner = NULL;
	}
	mutex_unlock(&gone_lock);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_event,
};

/**
 * fdirect_selection_init - start to watch modules
 *
 * Return: 0 or a negative errno
 */
int __init fdirect_selection_init(void)
{
	return register_module_notifier(&module_notifier);
}

/**
 * fdirect_selection_exit - forget the selection
 *
 * Nothing may be attached, and nobody else may be in this module.
 */
void fdirect_selection_exit(void)
{
	unregister_module_notifier(&module_notifier);
	selection_free(current_selection);
	current_selection = NULL;
}
