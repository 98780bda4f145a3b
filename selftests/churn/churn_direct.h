/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks that call the functions of fdirect_churn.ko, and those that change their
 * direct calls.
 */
#ifndef CHURN_DIRECT_H
#define CHURN_DIRECT_H

#include "churn_task.h"

/* -------------------------------------------------------------------------- */
/* Calls                                                                        */

static void write_calls(struct task *t, const struct churn_calls *calls)
{
	int err = write_file(CHURN "call", (const char *)calls, sizeof(*calls));

	answered(t, err, 0, 0, "calling");
}

/* Each caller has a CPU, while that is there; those with higher numbers take any. */
static void bind_caller(struct task *t)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(t->number, &cpus);
	if ((int)t->number < sysconf(_SC_NPROCESSORS_CONF))
		sched_setaffinity(0, sizeof(cpus), &cpus);
}

/*
 * A task that changes something goes first, but not always. A grace period of tasks RCU
 * ends when each task has got on with its work.
 */
static void start_calls(struct task *t)
{
	if (nice(10) < 0)
		fail(t, "the scheduler: %s", strerror(errno));
}

static void call_some(struct task *t)
{
	struct churn_calls calls = {
		.seed = next_random(&t->random), .function = -1, .count = 64,
		.irq = chance(t, 20) ? 4 : 0, .lie = shared->lie,
	};

	bind_caller(t);
	write_calls(t, &calls);
}

/* -------------------------------------------------------------------------- */
/* Changes                                                                      */

/* The owners of the functions. Nobody attaches those before the first. */
static const struct ground {
	unsigned int ops, first, end;
} grounds[CHURN_CHANGERS] = {
	{ 0, 32, 288 }, { 1, 32, 288 },			/* two compete */
	{ 2, 288, 480 }, { 2, 480, 672 },		/* two share an ops */
	{ 4, 672, 928 },				/* one by itself, but for */
	{ CHURN_ONE_TARGET, 928, 1024 },		/* one target for all, but for */
	{ 6, 672, 1024 },				/* who takes from the last two */
};

#define UNTOUCHED	32

/* The targets that a changer holds, by function; -1: none. */
static short held[CHURN_FUNCTIONS];

/* Functions that it holds, or does not, one of them, some, or many: how many. */
static int choose_functions(struct task *t, struct churn_change *c, bool want_held)
{
	const struct ground *g = &grounds[t->number];
	unsigned int size = any(t, 10), hot = any(t, 2), n, i, j, there = 0;
	unsigned short list[CHURN_FUNCTIONS], swap;

	size = size < 4 ? 1 : size < 8 ? 2 + any(t, 15) : 1 + any(t, g->end - g->first);
	for (n = g->first; n < g->end; n++) {
		if (want_held ? held[n] < 0 : held[n] >= 0)
			continue;
		if (hot && size <= 16 && n % CHURN_HOT_STEP != CHURN_HOT_STEP - 1)
			continue;
		list[there++] = n;
	}
	for (i = 0; i < size && i < there; i++) {
		j = i + any(t, there - i);
		swap = list[i];
		list[i] = list[j];
		list[j] = swap;
		c->entries[i].function = list[i];
		c->entries[i].target = any(t, CHURN_TARGETS);
	}
	c->count = i;
	return c->count;
}

static void same_target(struct churn_change *c)
{
	unsigned int i;

	for (i = 1; i < c->count; i++)
		c->entries[i].target = c->entries[0].target;
}

/* All that the changer holds. */
static int choose_all_held(struct task *t, struct churn_change *c)
{
	unsigned int n;

	c->count = 0;
	for (n = 0; n < CHURN_FUNCTIONS; n++) {
		if (held[n] < 0)
			continue;
		c->entries[c->count].function = n;
		c->entries[c->count++].target = any(t, CHURN_TARGETS);
	}
	return c->count;
}

static int write_change(const struct churn_change *c)
{
	return write_file(CHURN "change", (const char *)c,
			  offsetof(struct churn_change, entries[c->count]));
}

static void make_change(struct task *t, struct churn_change *c)
{
	static const char * const names[] = { "registering", "unregistering", "modifying",
					      "trespassing" };
	int err, allowed = c->kind == CHURN_TRESPASS ? EINVAL :
			   c->kind == CHURN_REGISTER ? EBUSY : 0;
	unsigned int i;

	c->ops = grounds[t->number].ops;
	c->changer = t->number;
	/* Linux 7 asks for the targets that are there, the series for 6.12 for none */
	for (i = 0; is_linux_7() && c->kind == CHURN_UNREGISTER && i < c->count; i++)
		c->entries[i].target = held[c->entries[i].function];
	err = write_change(c);
	answered(t, err, allowed, 0, "%s %u functions", names[c->kind], c->count);
	for (i = 0; !err && i < c->count; i++)
		held[c->entries[i].function] =
			c->kind == CHURN_UNREGISTER ? -1 : c->entries[i].target;
}

/* One that somebody holds: the changer itself, which is as bad as if another did. */
static void add_one_held(struct task *t, struct churn_change *c)
{
	static struct churn_change other;

	if (c->count < CHURN_FUNCTIONS && choose_functions(t, &other, true))
		c->entries[c->count++] = other.entries[0];
}

/* With the last one the ops goes, which takes a grace period that all others wait for, too. */
static void keep_one(struct task *t, struct churn_change *c)
{
	unsigned int n, all = 0;

	for (n = 0; n < CHURN_FUNCTIONS; n++)
		all += held[n] >= 0;
	if (c->count == all && c->count > 1 && !chance(t, 5))
		c->count--;
}

static void change_some(struct task *t)
{
	static struct churn_change c;
	unsigned int what = any(t, 100);

	memset(&c, 0, sizeof(c));
	c.lie = chance(t, 20) ? shared->lie : CHURN_HONEST;
	if (what < 5 && choose_functions(t, &c, true)) {
		c.kind = CHURN_TRESPASS;
		c.lie = CHURN_HONEST;
		if (c.count < CHURN_FUNCTIONS)
			c.entries[c.count++].function = any(t, UNTOUCHED);
	} else if (what < 35 && choose_functions(t, &c, true)) {
		c.kind = CHURN_UNREGISTER;
		keep_one(t, &c);
	} else if (what < 65 && choose_functions(t, &c, true)) {
		c.kind = CHURN_MODIFY;
	} else if (choose_functions(t, &c, false)) {
		c.kind = CHURN_REGISTER;
		if (what > 94)
			add_one_held(t, &c);
	} else {
		return;
	}
	make_change(t, &c);
}

/* The same for who has one target for all that it holds. */
static void change_one_target(struct task *t)
{
	static struct churn_change c;

	memset(&c, 0, sizeof(c));
	if (choose_all_held(t, &c))
		c.kind = chance(t, 95) ? CHURN_MODIFY : CHURN_UNREGISTER;
	else if (choose_functions(t, &c, false))
		c.kind = CHURN_REGISTER;
	else
		return;
	same_target(&c);
	make_change(t, &c);
}

/*
 * Somebody else sets the filter of an ops while its changer adds and removes direct calls. A
 * function that the ops does not hold is no answer, so several are tried.
 */
static void meddle(struct task *t)
{
	static struct churn_change c;
	const struct ground *g;
	int err, tries;

	do {
		g = &grounds[any(t, CHURN_CHANGERS)];
	} while (g->ops == CHURN_ONE_TARGET || g->first == g->end);
	c = (struct churn_change){ .kind = CHURN_MEDDLE, .ops = g->ops, .count = 1 };
	for (tries = 16, err = ENOENT; tries && err == ENOENT; tries--) {
		c.entries[0].function = g->first + any(t, g->end - g->first);
		err = write_change(&c);
	}
	answered(t, err == EBUSY ? 0 : err ?: EBADMSG, ENOENT, 0, "setting a filter");
}

static void start_changes(struct task *t)
{
	memset(held, -1, sizeof(held));
}

static void end_changes(struct task *t)
{
	static struct churn_change c;

	memset(&c, 0, sizeof(c));
	c.kind = CHURN_UNREGISTER;
	if (choose_all_held(t, &c)) {
		same_target(&c);
		make_change(t, &c);
	}
}

#endif /* CHURN_DIRECT_H */
