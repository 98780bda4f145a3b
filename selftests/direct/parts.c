// SPDX-License-Identifier: GPL-2.0
/*
 * Adding to, taking from and changing part of what is attached, in one shared
 * ftrace_ops and in several side by side. A model of what must be where is kept
 * here, and every step is checked against it by calling every function.
 */
#include "fdirect.h"

#define FUNCTIONS	256

/* Function i is in ops model[i].ops with stub model[i].stub; ops -1: nowhere. */
static struct {
	int ops;
	long stub;
} model[FUNCTIONS];

static int calls_of(int i)
{
	return 1 + i % 13;
}

/* The calls that land on function @i's stub, which others may share. */
static unsigned long hits_of(int i)
{
	unsigned long hits = 0;
	int j;

	for (j = 0; model[i].ops >= 0 && j < FUNCTIONS; j++)
		if (model[j].ops >= 0 && model[j].stub == model[i].stub)
			hits += calls_of(j);
	return hits;
}

static bool begin(const char *method)
{
	int i;

	for (i = 0; i < FUNCTIONS; i++)
		model[i].ops = -1;
	return CHECK(!choose_peers(FUNCTIONS), "choosing %d functions", FUNCTIONS) &&
	       CHECK(!fdirect("method", "%s", method), "method %s", method);
}

/* Every function, called, hits what the model says and nothing else. */
static void expect_model(const char *after)
{
	unsigned long total = 0, want;
	struct hit *hits;
	int attached = 0;
	size_t i, n;
	char *text;

	CHECK(!fdirect("hits", "0"), "resetting the hits");
	CHECK(!call_peers(0, FUNCTIONS, 1, 13), "after %s: a peer returned something else", after);
	n = read_hits(&hits);
	CHECK(n == FUNCTIONS, "%zu functions in hits", n);
	for (i = 0; i < n; i++) {
		bool on = model[i].ops >= 0;

		want = hits_of(i);
		CHECK(hits[i].hits == want, "after %s: %s has %lu hits, not %lu", after,
		      hits[i].name, hits[i].hits, want);
		CHECK(hits[i].stub == (on ? model[i].stub : -1), "after %s: %s has stub %ld",
		      after, hits[i].name, hits[i].stub);
		attached += on;
		total += on ? calls_of(i) : 0;
	}
	free(hits);
	text = must_slurp(FDIRECT "status");
	CHECK(value_in(text, "attached") == attached, "after %s: %lld attached, not %d", after,
	      value_in(text, "attached"), attached);
	CHECK(value_in(text, "patched") == attached, "after %s: %lld patched, not %d", after,
	      value_in(text, "patched"), attached);
	CHECK(value_in(text, "misdirected") == 0, "after %s: %lld misdirected", after,
	      value_in(text, "misdirected"));
	CHECK(value_in(text, "hits_total") == (long long)total,
	      "after %s: %lld hits in all, not %lu", after, value_in(text, "hits_total"), total);
	CHECK(value_in(text, "stray_hits") == 0, "after %s: %lld stray hits", after,
	      value_in(text, "stray_hits"));
	free(text);
}

/* The answer that the module must give, from the model alone. */
static int expected(const char *verb, int ops, int first, int count)
{
	int i;

	for (i = first; i < first + count; i++) {
		if (!strcmp(verb, "attach") && model[i].ops >= 0)
			return EBUSY;
		if (strcmp(verb, "attach") && model[i].ops != ops)
			return ENOLINK;
	}
	return 0;
}

/* One command with ops @ops: the module must do, or refuse, as the model says. */
static void step(const char *verb, int ops, int first, int count, long stub)
{
	int want = expected(verb, ops, first, count), err, i;
	char command[96];

	if (!strcmp(verb, "detach"))
		snprintf(command, sizeof(command), "detach %d %d", first, count);
	else
		snprintf(command, sizeof(command), "%s %d %d %ld", verb, first, count, stub);
	CHECK(!fdirect("ops", "%d", ops), "ops %d", ops);
	err = fdirect("control", "%s", command);
	CHECK(err == want, "%s with ops %d: %s, not %s", command, ops, errname(err), errname(want));
	if (!want) {
		for (i = 0; i < count; i++) {
			model[first + i].ops = strcmp(verb, "detach") ? ops : -1;
			model[first + i].stub = (stub + i) % STUBS;
		}
	}
	expect_model(command);
}

static void adding(void)
{
	if (!begin("hash"))
		return;
	step("attach", 0, 0, 10, 0);
	step("attach", 0, 10, 1, 10);
	step("attach", 0, 11, 100, 11);
	step("attach", 0, 200, 56, 60000);	/* stubs wrap around */
	step("attach", 0, 111, 89, 65500);
}

static void taking(void)
{
	if (!begin("hash"))
		return;
	step("attach", 0, 0, FUNCTIONS, 0);
	step("detach", 0, 100, 1, 0);
	step("detach", 0, 0, 50, 0);
	step("detach", 0, 200, 56, 0);
	step("attach", 0, 10, 20, 5000);
	step("detach", 0, 101, 99, 0);
	step("detach", 0, 10, 10, 0);
	step("detach", 0, 20, 10, 0);
	step("detach", 0, 50, 50, 0);
	CHECK(status("attached") == 0, "%lld left", status("attached"));
	step("attach", 0, 0, FUNCTIONS, 1);
}

static void changing(void)
{
	if (!begin("hash"))
		return;
	step("attach", 0, 0, FUNCTIONS, 0);
	step("modify", 0, 7, 1, 40000);
	step("modify", 0, 100, 56, 50000);
	step("modify", 0, 0, FUNCTIONS, 0);
	step("modify", 0, 0, FUNCTIONS, 0);	/* what they have already */
	step("modify", 0, 0, 128, 128);		/* half of them two to a stub, and apart again */
	step("modify", 0, 128, 128, 0);
}

static void one_by_one(void)
{
	int i;

	if (!begin("hash"))
		return;
	for (i = 0; i < 16; i++)
		step("attach", 0, (i * 5) % 16, 1, (i * 5) % 16);
	for (i = 0; i < 16; i++)
		step("detach", 0, (i * 3) % 16, 1, 0);
	CHECK(status("attached") == 0, "%lld left", status("attached"));
}

static void side_by_side(void)
{
	if (!begin("hash"))
		return;
	step("attach", 0, 0, 100, 0);
	step("attach", 1, 100, 100, 100);
	step("attach", 1, 50, 60, 0);		/* EBUSY: half of them are ops 0's */
	step("attach", 0, 200, 20, 200);
	step("modify", 1, 120, 10, 60000);
	step("modify", 0, 90, 20, 1000);	/* ENOLINK */
	step("detach", 0, 150, 10, 0);		/* ENOLINK */
	step("detach", 1, 100, 50, 0);
	step("attach", 0, 100, 25, 30000);	/* what ops 1 let go */
	step("detach", 0, 0, 125, 0);
	step("detach", 1, 150, 50, 0);
	step("detach", 0, 200, 20, 0);
	CHECK(status("attached") == 0, "%lld left", status("attached"));
}

static void four_ops(void)
{
	int i;

	if (!begin("hash"))
		return;
	for (i = 0; i < 4; i++)
		step("attach", i, 64 * i, 64, 1000 * i);
	for (i = 0; i < 4; i++)
		step("modify", i, 64 * i + 8, 16, 1000 * i + 500);
	step("detach", 2, 128, 64, 0);
	step("detach", 0, 0, 64, 0);
	CHECK(!fdirect("control", "detach"), "detach everything of every ops");
	for (i = 0; i < FUNCTIONS; i++)
		model[i].ops = -1;
	expect_model("detach");
}

/* Always the same walk: what fails once fails again. */
static unsigned int next_random(void)
{
	static unsigned int seed = 20231;

	seed = seed * 1103515245 + 12345;
	return seed >> 8;
}

static void random_walk(void)
{
	static const char * const verbs[] = { "attach", "attach", "modify", "detach" };
	int i, first, count, ops;
	const char *verb;
	int refused = 0;

	if (!begin("hash"))
		return;
	for (i = 0; i < 150; i++) {
		verb = verbs[next_random() % ARRAY_SIZE(verbs)];
		ops = next_random() % 2;
		count = 1 << next_random() % 6;
		first = next_random() % (FUNCTIONS / 4 - count + 1);
		/* Mostly what can be done: start where the wanted state is. */
		while (first < FUNCTIONS - count && expected(verb, ops, first, count) &&
		       next_random() % 64)
			first++;
		refused += expected(verb, ops, first, count) != 0;
		step(verb, ops, first, count, next_random() % STUBS);
	}
	CHECK(refused > 5 && refused < 100, "%d of 150 steps were to be refused", refused);
}

/* The two other methods, as far as they can do it. */
static void each_parts(void)
{
	if (!begin("each"))
		return;
	step("attach", 0, 0, 4, 0);
	step("attach", 0, 4, 2, 100);
	step("modify", 0, 1, 2, 200);
	step("detach", 0, 0, 2, 0);
	step("attach", 0, 0, 1, 300);
	step("detach", 0, 0, 1, 0);
	step("detach", 0, 2, 4, 0);
	CHECK(status("attached") == 0, "%lld left", status("attached"));
}

static const struct test tests[] = {
	{ "functions added to an ops work beside those it has", adding, HASH },
	{ "taking functions from an ops leaves the others", taking, HASH },
	{ "changing the stubs of functions leaves the others", changing, HASH },
	{ "functions come and go one by one in any order", one_by_one, HASH },
	{ "two ops do not touch each other's functions", side_by_side, HASH },
	{ "four ops attach at once, and detach alone takes them all", four_ops, HASH },
	{ "150 attachments, changes and detachments at random match a model", random_walk, HASH },
	{ "each: functions come, change and go in parts", each_parts },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect");
}
