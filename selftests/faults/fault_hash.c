// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls without memory: each allocation of register_ftrace_direct_hash() and its kin
 * fails once. A call that fails has changed nothing, neither a call site nor the table, and
 * every function calls the target that it had.
 *
 * Options are described in fault.h.
 */
#include "direct_api.h"
#include "fault.h"

#define FEW	16	/* functions that are called after each call */
#define MANY	2048	/* functions of the kernel that have the other half of the stubs */
#define OURS	32	/* the first half */

#define API_HITS_BASE	3

/* The target of function I before and after the call that is swept; NONE: none. */
static int stub_before[FEW], stub_after[FEW];
static bool many;

static void expect(int first, int count, int stub)
{
	int i;

	for (i = first; i < first + count; i++)
		stub_before[i] = stub == NONE ? NONE : stub + i - first;
	memcpy(&stub_after[first], &stub_before[first], count * sizeof(*stub_after));
}

static void expect_after(int first, int count, int stub)
{
	int i;

	for (i = first; i < first + count; i++)
		stub_after[i] = stub == NONE ? NONE : stub + i - first;
}

/* Calls them, each another number of times, and compares what all stubs have counted. */
static void look_at_peers(bool done)
{
	const int *stub_of = done ? stub_after : stub_before;
	long want[64] = { 0 }, got[64] = { 0 }, n;
	char *text, *line, *next;
	int i, stub;

	put(API "hits", "0");
	CHECK(!call_peers(0, FEW, API_HITS_BASE, FEW), "calling the peers");
	for (i = 0; i < FEW; i++)
		if (stub_of[i] != NONE)
			want[stub_of[i]] += API_HITS_BASE + i;
	text = must_slurp(API "hits");
	next = text;
	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%d %ld", &stub, &n) == 2 && stub < 64)
			got[stub] = n;
	free(text);
	/* The kernel calls its functions all the time. */
	for (i = 0; i < (many ? OURS : 64); i++)
		CHECK(got[i] == want[i], "%s the call: %ld hits on stub %d, not %ld",
		      done ? "after" : "before", got[i], i, want[i]);
	put(API "hits", "0");
}

/* "VERB SLOT FUNC=STUB..." for peers, the first with stub @stub. A few live at a time. */
static const char *peers(const char *verb, int slot, int first, int count, int stub)
{
	static struct text texts[8];
	static int next;
	struct text *t = &texts[next++ % ARRAY_SIZE(texts)];
	int i;

	t->len = 0;
	add(t, "%s %d", verb, slot);
	for (i = first; i < first + count; i++)
		add(t, " %s", entry(i, stub + i - first));
	return t->s;
}

#define REGISTER(slot, first, count, stub)	peers("register_hash", slot, first, count, stub)
#define UNREGISTER(slot, first, count, stub)	peers("unregister_hash", slot, first, count, stub)
#define MODIFY(slot, first, count, stub)	peers("modify_hash", slot, first, count, stub)

static struct op api_op(const char *name, const char *text, const char *undo_text)
{
	return (struct op){
		.name = name, .file = API "call", .text = text, .undo_text = undo_text,
		.look = look_at_peers, .interface = true,
	};
}

/*
 * Takes what a call has added, and then all that was there. So the next call finds
 * tables as small as the first one did.
 */
static const char *undo_texts[3];

static int undo_from_scratch(void)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(undo_texts); i++)
		err = call("%s", undo_texts[i]);
	return err;
}

static void sweep_more(const char *name, const char *text, const char *undo_text)
{
	struct op op = api_op(name, text, NULL);

	undo_texts[0] = undo_text;
	undo_texts[1] = UNREGISTER(0, 0, 8, 1);
	undo_texts[2] = REGISTER(0, 0, 8, 1);
	op.undo = undo_from_scratch;
	sweep(&op);
}

static void sweep_api(const char *name, const char *text, const char *undo_text)
{
	struct op op = api_op(name, text, undo_text);

	sweep(&op);
}

/* -------------------------------------------------------------------------- */
/* An ops alone                                                                 */

static void first_and_last(void)
{
	expect(0, FEW, NONE);
	expect_after(0, 8, 1);
	sweep_api("register_hash, the first", REGISTER(0, 0, 8, 1), UNREGISTER(0, 0, 8, 1));
	CALL(0, "%s", REGISTER(0, 0, 8, 1));
	expect(0, 8, 1);
	expect_after(0, 8, NONE);
	sweep_api("unregister_hash, the last", UNREGISTER(0, 0, 8, 1), REGISTER(0, 0, 8, 1));
	CALL(0, "%s", UNREGISTER(0, 0, 8, 1));
}

static void parts(void)
{
	expect(0, FEW, NONE);
	expect(0, 8, 1);
	CALL(0, "%s", REGISTER(0, 0, 8, 1));
	expect_after(8, 8, 21);
	sweep_more("register_hash, more", REGISTER(0, 8, 8, 21), UNREGISTER(0, 8, 8, 21));
	expect_after(8, 8, NONE);
	expect_after(2, 4, NONE);
	sweep_api("unregister_hash, some", UNREGISTER(0, 2, 4, 3), REGISTER(0, 2, 4, 3));
	expect_after(0, 8, 1);
	expect_after(1, 4, 41);
	sweep_api("modify_hash, some", MODIFY(0, 1, 4, 41), MODIFY(0, 1, 4, 2));
	expect_after(0, 8, 33);
	sweep_api("modify_hash, all", MODIFY(0, 0, 8, 33), MODIFY(0, 0, 8, 1));
	CALL(0, "%s", UNREGISTER(0, 0, 8, 1));
}

static void two_ops(void)
{
	expect(0, FEW, NONE);
	expect(0, 4, 1);
	CALL(0, "%s", REGISTER(0, 0, 4, 1));
	expect_after(4, 4, 11);
	sweep_api("register_hash, a second ops", REGISTER(1, 4, 4, 11), UNREGISTER(1, 4, 4, 11));
	CALL(0, "%s", REGISTER(1, 4, 4, 11));
	expect(4, 4, 11);
	expect_after(4, 4, NONE);
	sweep_api("unregister_hash, a second ops", UNREGISTER(1, 4, 4, 11),
		  REGISTER(1, 4, 4, 11));
	CALL(0, "%s", UNREGISTER(1, 4, 4, 11));
	CALL(0, "%s", UNREGISTER(0, 0, 4, 1));
}

/* -------------------------------------------------------------------------- */
/* Call sites that others use, too                                              */

static bool others_on(void)
{
	static const char filter[] = "fdirect_peer_000 fdirect_peer_001 fdirect_peer_008\n";

	return CHECK(!write_words(TRACEFS "set_ftrace_filter", O_TRUNC, filter), "a filter") &&
	       CHECK(!put(TRACEFS "current_tracer", "function"), "the function tracer") &&
	       CHECK(!put(TRACEFS "kprobe_events",
			  "p:fd_k fdirect_peer_001" PROBE_OFFSET "\n"
			  "p:fd_l fdirect_peer_009" PROBE_OFFSET), "kprobes") &&
	       CHECK(!put(TRACEFS "events/kprobes/fd_k/enable", "1") &&
		     !put(TRACEFS "events/kprobes/fd_l/enable", "1"), "kprobes on");
}

static void others_off(void)
{
	put(TRACEFS "events/kprobes/enable", "0");
	put(TRACEFS "kprobe_events", "-:fd_k\n-:fd_l");
	put(TRACEFS "current_tracer", "nop");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
}

static void beside_others(void)
{
	REQUIRE(others_on(), "others");
	expect(0, FEW, NONE);
	expect_after(0, 4, 1);
	sweep_api("register_hash, beside others", REGISTER(0, 0, 4, 1), UNREGISTER(0, 0, 4, 1));
	CALL(0, "%s", REGISTER(0, 0, 4, 1));
	expect(0, 4, 1);
	expect_after(8, 4, 21);
	sweep_api("register_hash, more, beside others", REGISTER(0, 8, 4, 21),
		  UNREGISTER(0, 8, 4, 21));
	expect_after(8, 4, NONE);
	expect_after(0, 3, 31);
	sweep_api("modify_hash, beside others", MODIFY(0, 0, 3, 31), MODIFY(0, 0, 3, 1));
	expect_after(0, 3, NONE);
	sweep_api("unregister_hash, some, beside others", UNREGISTER(0, 0, 3, 1),
		  REGISTER(0, 0, 3, 1));
	expect_after(0, 4, NONE);
	sweep_api("unregister_hash, the last, beside others", UNREGISTER(0, 0, 4, 1),
		  REGISTER(0, 0, 4, 1));
	CALL(0, "%s", UNREGISTER(0, 0, 4, 1));
}

/* An IPMODIFY ops comes to functions with direct calls, whose ops gives them other targets. */
static void beside_ipmodify(void)
{
	struct op op = api_op("an IPMODIFY ops on a direct call", "ipmodify on fdirect_peer_002",
			      "ipmodify off");

	expect(0, FEW, NONE);
	expect(0, 4, 1);
	CALL(0, "share 0 agree");
	CALL(0, "%s", REGISTER(0, 0, 4, 1));
	sweep(&op);
	CALL(0, "ipmodify on fdirect_peer_009");
	expect_after(8, 4, 21);
	sweep_api("register_hash, beside an IPMODIFY ops", REGISTER(0, 8, 4, 21),
		  UNREGISTER(0, 8, 4, 21));
	CALL(0, "ipmodify off");
	CALL(0, "%s", UNREGISTER(0, 0, 4, 1));
}

/* -------------------------------------------------------------------------- */
/* One target for all of an ops                                                 */

static void one_target(void)
{
	int i;

	expect(0, FEW, NONE);
	CALL(0, "filter 2 %s %s %s %s", F(0), F(1), F(2), F(3));
	for (i = 0; i < 4; i++)
		stub_after[i] = 5;
	sweep_api("register_ftrace_direct", "register 2 5", "unregister 2 5");
	CALL(0, "register 2 5");
	for (i = 0; i < 4; i++) {
		stub_before[i] = 5;
		stub_after[i] = 6;
	}
	sweep_api("modify_ftrace_direct", "modify 2 6", "modify 2 5");
	for (i = 0; i < 4; i++)
		stub_after[i] = NONE;
	sweep_api("unregister_ftrace_direct", "unregister 2 5", "register 2 5");
	CALL(0, "unregister 2 5");
}

static void filters(void)
{
	expect(0, FEW, NONE);
	sweep_api("ftrace_set_filter_ip, the first", "filter 3 fdirect_peer_000", "zero 3");
	CALL(0, "filter 3 %s %s", F(0), F(1));
	sweep_api("ftrace_set_filter_ip, one more", "filter_more 3 fdirect_peer_002",
		  "filter_less 3 fdirect_peer_002");
	sweep_api("ftrace_set_filter_ip, one less", "filter_less 3 fdirect_peer_001",
		  "filter_more 3 fdirect_peer_001");
	CALL(0, "zero 3");
}

/* -------------------------------------------------------------------------- */
/* Thousands of functions: tables grow                                          */

/* "VERB SLOT ADDR=STUB..." for @count functions of the kernel. */
static char *bulk(const char *verb, int slot, int count, int stub)
{
	struct text list = { }, t = { };
	char *line, *next;
	int i = 0;

	CHECK(add_kernel_functions(&list, count) == (size_t)count, "%d functions", count);
	add(&t, "%s %d", verb, slot);
	next = list.s;
	while ((line = strsep(&next, "\n")) && *line)
		add(&t, " %s=%d", line, OURS + (stub + i++) % OURS);
	free(list.s);
	return t.s;
}

static void sweep_bulk(const char *name, const char *verb, const char *undo_verb, int count,
		       int stub, int undo_stub)
{
	char *text = bulk(verb, 0, count, stub), *undo_text = bulk(undo_verb, 0, count, undo_stub);
	struct op op = api_op(name, text, undo_text);

	sweep(&op);
	free(text);
	free(undo_text);
}

static void thousands(void)
{
	char *all, *none;

	if (!fault_big)
		SKIP("it takes long, and needs option -b");
	many = true;
	expect(0, FEW, NONE);
	sweep_bulk("register_hash, 2048 functions, the first", "register_hash",
		   "unregister_hash", MANY, 1, 1);
	expect(0, 8, 1);
	CALL(0, "%s", REGISTER(0, 0, 8, 1));
	all = bulk("register_hash", 0, MANY, 1);
	none = bulk("unregister_hash", 0, MANY, 1);
	sweep_more("register_hash, 2048 functions more", all, none);
	free(none);
	CALL(0, "%s", all);
	free(all);
	sweep_bulk("modify_hash, 2048 functions", "modify_hash", "modify_hash", MANY, 9, 1);
	sweep_bulk("unregister_hash, 2000 functions", "unregister_hash", "register_hash",
		   2000, 1, 1);
	all = bulk("unregister_hash", 0, MANY, 1);
	CALL(0, "%s", all);
	free(all);
	CALL(0, "%s", UNREGISTER(0, 0, 8, 1));
}

static void restore(void)
{
	sweeps_end();
	many = false;
	others_off();
	restore_api();
}

static const struct test tests[] = {
	{ "the first and the last direct calls of an ops", first_and_last, HASH },
	{ "some of the direct calls of an ops", parts, HASH },
	{ "two ops", two_ops, HASH },
	{ "functions with a function tracer and with kprobes", beside_others, HASH },
	{ "functions with an IPMODIFY ops", beside_ipmodify, HASH },
	{ "register_ftrace_direct() and its kin", one_target },
	{ "filters of an ops", filters, HASH },
	{ "thousands of functions", thousands, HASH },
	{ "no memory was lost", no_leaks },
};

int main(int argc, char **argv)
{
	suite_restore = restore;
	start_faults(argc, argv);
	SUITE(tests, "fdirect_peer", "fdirect_api");
}
