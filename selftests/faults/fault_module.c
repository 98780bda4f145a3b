// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of fdirect.ko without memory: attach, modify and detach by each method, near
 * and far, and the list of functions. A write that fails says why and has changed nothing.
 *
 * Options are described in fault.h.
 */
#include "fault.h"

#define FEW	12

static unsigned int nr;			/* functions that are attached, of the peer's */
static bool attached_before, attached_after;
static int stub_before, stub_after;	/* of the first function; the others follow */
static bool one_stub;

/* Each function hits its own stub and no other one; by multi all hit the same. */
static void look_at_hits(bool done)
{
	bool attached = done ? attached_after : attached_before;
	int first = done ? stub_after : stub_before, stub;
	const char *when = done ? "after" : "before";
	unsigned long want, all = 0;
	struct hit *hits;
	unsigned int i;

	fdirect("hits", "0");
	CHECK(!call_peers(0, nr, 2, 5), "calling the peers");
	for (i = 0; i < nr; i++)
		all += 2 + i % 5;
	REQUIRE(read_hits(&hits) == nr, "%s: %u functions", when, nr);
	for (i = 0; i < nr; i++) {
		stub = attached ? first + (one_stub ? 0 : (int)i) : -1;
		CHECK(hits[i].stub == stub, "%s: function %u has stub %ld, not %d", when, i,
		      hits[i].stub, stub);
		want = !attached ? 0 : one_stub ? all : 2 + i % 5;
		CHECK(hits[i].hits == want, "%s: function %u: %lu hits, not %lu", when, i,
		      hits[i].hits, want);
	}
	free(hits);
	CHECK(status("misdirected") == 0, "%s: misdirected", when);
	fdirect("hits", "0");
}

static void sweep_control(const char *name, const char *text, const char *undo_text)
{
	struct op op = {
		.name = name, .file = FDIRECT "control", .text = text, .undo_text = undo_text,
		.look = look_at_hits,
	};

	sweep(&op);
}

static void expect(bool before, int stub, bool after, int after_stub)
{
	attached_before = before;
	stub_before = stub;
	attached_after = after;
	stub_after = after_stub;
}

/* Method each attaches functions one by one, and each waits for grace periods of its own. */
static void sweep_method(const char *method, const char *reach)
{
	char name[64], attach[32], modify[32], modify_back[32];

	one_stub = !strcmp(method, "multi");
	nr = strcmp(method, "each") ? FEW : 3;
	snprintf(attach, sizeof(attach), "attach 0 %u 100", nr);
	snprintf(modify, sizeof(modify), "modify 0 %u 200", nr);
	snprintf(modify_back, sizeof(modify_back), "modify 0 %u 100", nr);
	REQUIRE(!choose_peers(nr), "choosing functions");
	REQUIRE(!fdirect("method", "%s", method) && !fdirect("reach", "%s", reach), "method");
	expect(false, 0, true, 100);
	snprintf(name, sizeof(name), "attach, %s, %s", method, reach);
	sweep_control(name, attach, "detach");
	REQUIRE(!fdirect("control", "%s", attach), "attach");
	expect(true, 100, true, 200);
	snprintf(name, sizeof(name), "modify, %s, %s", method, reach);
	sweep_control(name, modify, modify_back);
	expect(true, 100, false, 0);
	snprintf(name, sizeof(name), "detach, %s, %s", method, reach);
	sweep_control(name, "detach", attach);
	REQUIRE(!fdirect("control", "detach"), "detach");
	fdirect("reach", "near");
}

static void method_each(void)	{ sweep_method("each", "near"); }
static void method_multi(void)	{ sweep_method("multi", "near"); }
static void method_hash(void)	{ sweep_method("hash", "near"); }
static void far_each(void)	{ sweep_method("each", "far"); }
static void far_multi(void)	{ sweep_method("multi", "far"); }
static void far_hash(void)	{ sweep_method("hash", "far"); }

/* From targets in reach to others, and back */
static int undo_far(void)
{
	int err = fdirect("reach", "near");

	if (!err)
		err = fdirect("control", "modify 0 12 100");
	fdirect("reach", "far");
	return err;
}

static void near_to_far(void)
{
	struct op op = {
		.name = "modify, hash, near to far", .file = FDIRECT "control",
		.text = "modify 0 12 200", .undo = undo_far, .look = look_at_hits,
	};

	one_stub = false;
	nr = FEW;
	REQUIRE(!choose_peers(nr), "choosing functions");
	REQUIRE(!fdirect("control", "attach 0 12 100"), "attach");
	REQUIRE(!fdirect("reach", "far"), "reach");
	expect(true, 100, true, 200);
	sweep(&op);
	fdirect("reach", "near");
	REQUIRE(!fdirect("control", "detach"), "detach");
}

static const char *list_before, *list_after;

static int write_list(const char *list)
{
	return write_file(FDIRECT "functions", list, strlen(list));
}

static int undo_list(void)	{ return write_list(list_before); }

static void lists(void)
{
	struct text before = { }, after = { };
	struct op op = { .name = "list of functions", .file = FDIRECT "functions" };

	add_peers(&before, 0, 3);
	add_peers(&after, 5, 40);
	add(&after, SYSCALL_PREFIX "getpgid\n");
	list_before = before.s;
	list_after = after.s;
	REQUIRE(!write_list(list_before), "choosing functions");
	op.text = list_after;
	op.undo = undo_list;
	sweep(&op);
	free(before.s);
	free(after.s);
}

/* Functions of the kernel, and of the peer */
static void sweep_many(const char *method, bool thousands)
{
	struct text t = { };
	char name[64];
	struct op op = {
		.name = name, .file = FDIRECT "control", .text = "attach", .undo_text = "detach",
		.every = thousands ? 1021 : 0, .thousands = thousands, .called = true,
	};

	add_peers(&t, 0, thousands ? PEERS : 20);
	add_kernel_functions(&t, thousands ? 2000 : 80);
	REQUIRE(!choose(&t), "choosing functions");
	REQUIRE(!fdirect("method", "%s", method), "method");
	snprintf(name, sizeof(name), "attach, %s, %lld functions", method, status("functions"));
	sweep(&op);
	REQUIRE(!fdirect("control", "attach"), "attach");
	snprintf(name, sizeof(name), "detach, %s, %lld functions", method, status("functions"));
	op.text = "detach";
	op.undo_text = "attach";
	sweep(&op);
	REQUIRE(!fdirect("control", "detach"), "detach");
}

static void a_hundred(void)
{
	if (!fault_big)
		SKIP("it takes long, and needs option -b");
	sweep_many("hash", false);
	sweep_many("multi", false);
}

static void thousands(void)
{
	if (!fault_big)
		SKIP("it takes long, and needs option -b");
	sweep_many("hash", true);
	sweep_many("multi", true);
}

static const struct test tests[] = {
	{ "the list of functions", lists },
	{ "method each", method_each },
	{ "method multi", method_multi },
	{ "method hash", method_hash, HASH },
	{ "method each, far targets", far_each, FAR },
	{ "method multi, far targets", far_multi, FAR },
	{ "method hash, far targets", far_hash, HASH_FAR },
	{ "from near targets to far ones", near_to_far, HASH_FAR },
	{ "a hundred functions of the kernel", a_hundred, HASH },
	{ "thousands of functions", thousands, HASH },
	{ "no memory was lost", no_leaks },
};

int main(int argc, char **argv)
{
	suite_restore = sweeps_end;
	start_faults(argc, argv);
	SUITE(tests, "fdirect_peer", "fdirect");
}
