// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel interface itself: register_ftrace_direct_hash(),
 * unregister_ftrace_direct_hash(), modify_ftrace_direct_hash() and
 * register_ftrace_direct() with its relatives, called by fdirect_api.ko on the
 * functions of fdirect_peer.ko, one call per write.
 */
#include "direct_api.h"

/* -------------------------------------------------------------------------- */
/* Effects of calls                                                             */

static void helpers(void)
{
	CALL(0, "helpers");
}

static void one_entry(void)
{
	CALL(0, "register_hash 0 %s", E(1, 10));
	CHECK(enabled(0), "slot 0 is not registered");
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, NONE);
	CALL(0, "unregister_hash 0 %s", E(1, 10));
	CHECK(!enabled(0), "slot 0 is still registered");
	EXPECT_STUB(1, NONE);
}

static void add_entries(void)
{
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL(0, "register_hash 0 %s %s", E(3, 12), E(4, 13));
	CALL(0, "register_hash 0 %s", E(5, 10));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 11);
	EXPECT_STUB(3, 12);
	EXPECT_STUB(4, 13);
	EXPECT_STUB(5, 10);
	CALL(0, "unregister_hash 0 %s %s %s %s %s", E(1, 10), E(2, 11), E(3, 12), E(4, 13),
	     E(5, 10));
	CHECK(!enabled(0), "slot 0 is still registered");
}

static void take_some(void)
{
	CALL(0, "register_hash 0 %s %s %s", E(1, 10), E(2, 11), E(3, 12));
	CALL(0, "unregister_hash 0 %s", E(2, 11));
	CHECK(enabled(0), "slot 0 is not registered any more");
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, NONE);
	EXPECT_STUB(3, 12);
	CALL(0, "register_hash 0 %s", E(2, 14));
	EXPECT_STUB(2, 14);
	CALL(0, "unregister_hash 0 %s %s %s", E(3, 12), E(2, 14), E(1, 10));
}

static void register_again(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		CALL(0, "register_hash 0 %s %s", E(1, 10 + i), E(2, 20 + i));
		EXPECT_STUB(1, 10 + i);
		EXPECT_STUB(2, 20 + i);
		CALL(0, "unregister_hash 0 %s", E(1, 10 + i));
		CALL(0, "unregister_hash 0 %s", E(2, 20 + i));
		CHECK(!enabled(0), "slot 0 is still registered, round %d", i);
		EXPECT_STUB(1, NONE);
		EXPECT_STUB(2, NONE);
	}
}

static void modify_some(void)
{
	CALL(0, "register_hash 0 %s %s %s", E(1, 10), E(2, 11), E(3, 12));
	CALL(0, "modify_hash 0 %s", E(2, 20));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 20);
	EXPECT_STUB(3, 12);
	CALL(0, "modify_hash 0 %s %s %s", E(1, 12), E(2, 10), E(3, 11));
	EXPECT_STUB(1, 12);
	EXPECT_STUB(2, 10);
	EXPECT_STUB(3, 11);
	CALL(0, "unregister_hash 0 %s %s %s", E(1, 12), E(2, 10), E(3, 11));
}

static void modify_to_same(void)
{
	struct picture before;

	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	before = take_picture();
	CALL(0, "modify_hash 0 %s %s", E(1, 10), E(2, 11));
	CHECK(as_before(&before), "the same targets again changed something");
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 11);
	CALL(0, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
}

static void two_ops(void)
{
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL(0, "register_hash 1 %s %s", E(3, 10), E(4, 21));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 11);
	EXPECT_STUB(3, 10);
	EXPECT_STUB(4, 21);
	CALL(0, "modify_hash 1 %s", E(3, 22));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(3, 22);
	CALL(0, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
	CHECK(!enabled(0) && enabled(1), "slot 0 should be gone, slot 1 not");
	EXPECT_STUB(1, NONE);
	EXPECT_STUB(2, NONE);
	EXPECT_STUB(3, 22);
	EXPECT_STUB(4, 21);
	/* The other ops may have a call site that one let go. */
	CALL(0, "register_hash 1 %s", E(1, 23));
	EXPECT_STUB(1, 23);
	CALL(0, "unregister_hash 1 %s %s %s", E(1, 23), E(3, 22), E(4, 21));
}

static void kernel_function(void)
{
	size_t i;

	for (i = 0; i < 4; i++)
		CALL(0, "register_hash 0 " SYSCALL_PREFIX "%s=%zu", rare_syscalls[i].name, 30 + i);
	put(API "hits", "0");
	for (i = 0; i < 4; i++)
		call_syscall(i, 3 + i);
	for (i = 0; i < 4; i++)
		CHECK(api_hits(30 + i) == (long)(3 + i), "%s: %ld hits, not %zu",
		      rare_syscalls[i].name, api_hits(30 + i), 3 + i);
	for (i = 0; i < 4; i++)
		CALL(0, "unregister_hash 0 " SYSCALL_PREFIX "%s=%zu", rare_syscalls[i].name,
		     30 + i);
	put(API "hits", "0");
	for (i = 0; i < 4; i++)
		call_syscall(i, 5);
	for (i = 0; i < 4; i++)
		CHECK(!api_hits(30 + i), "%s: %ld hits after detaching", rare_syscalls[i].name,
		      api_hits(30 + i));
}

/* The call site of a function, 0 if there is none. */
static unsigned long site_of(const char *name)
{
	char *text = must_slurp(TRACEFS "available_filter_functions_addrs");
	char *line, *next = text, found[128];
	unsigned long ip, site = 0;

	while (!site && (line = strsep(&next, "\n")))
		if (sscanf(line, "%lx %127s", &ip, found) == 2 && !strcmp(found, name))
			site = ip;
	free(text);
	return site;
}

/*
 * An ops with a module's function holds the module. If not, the module goes, its
 * function with it, and what is left must still be there to work with.
 */
static void module_gone(void)
{
	unsigned long site = site_of("fdirect_peer_001");

	REQUIRE(site, "no call site");
	CALL(0, "register_hash 0 %s " SYSCALL_PREFIX "getpgid=11", E(1, 10));
	REQUIRE(!unload("fdirect_peer"), "unloading fdirect_peer.ko");
	put(API "hits", "0");
	call_syscall(0, 5);
	CHECK(api_hits(11) == 5, "%ld hits of the function that stays", api_hits(11));
	CALL(0, "modify_hash 0 " SYSCALL_PREFIX "getpgid=12");
	call_syscall(0, 5);
	CHECK(api_hits(12) == 5, "%ld hits of the function that stays", api_hits(12));
	CALL(0, "unregister_hash 0 0x%lx=10 " SYSCALL_PREFIX "getpgid=12", site);
	CHECK(!enabled(0), "slot 0 is still registered");
	CHECK(!load("fdirect_peer"), "loading fdirect_peer.ko");
	EXPECT_STUB(1, NONE);
	CALL(0, "register_hash 0 %s", E(1, 10));
	EXPECT_STUB(1, 10);
	CALL(0, "unregister_hash 0 %s", E(1, 10));
}

/* -------------------------------------------------------------------------- */
/* Refusals                                                                     */

static void empty_hash(void)
{
	CALL_REFUSED(EINVAL, "register_hash 0");
	CALL(0, "register_hash 0 %s", E(1, 10));
	CALL_REFUSED(EINVAL, "register_hash 0");
	CALL_REFUSED(EINVAL, "unregister_hash 0");
	CALL_REFUSED(EINVAL, "modify_hash 0");
	EXPECT_STUB(1, 10);
	CALL(0, "unregister_hash 0 %s", E(1, 10));
}

static void null_hash(void)
{
	CALL_REFUSED(EINVAL, "register_hash 0 null");
	CALL(0, "register_hash 0 %s", E(1, 10));
	CALL_REFUSED(EINVAL, "register_hash 0 null");
	CALL_REFUSED(EINVAL, "unregister_hash 0 null");
	CALL_REFUSED(EINVAL, "modify_hash 0 null");
	EXPECT_STUB(1, 10);
	CALL(0, "unregister_hash 0 %s", E(1, 10));
}

static void null_target(void)
{
	CALL_REFUSED(EINVAL, "register_hash 0 %s %s=null", E(1, 10), F(2));
	CHECK(!enabled(0), "slot 0 is registered");
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL_REFUSED(EINVAL, "register_hash 0 %s %s=null", E(3, 12), F(4));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s %s=null", E(1, 20), F(2));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 11);
	EXPECT_STUB(3, NONE);
	CALL(0, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
}

/* The targets do not matter, only their owners. */
static void unregister_by_site(void)
{
	CALL(0, "register_hash 0 %s %s %s", E(1, 10), E(2, 11), E(3, 12));
	CALL(0, "unregister_hash 0 %s %s=null", E(1, 33), F(2));
	EXPECT_STUB(1, NONE);
	EXPECT_STUB(2, NONE);
	EXPECT_STUB(3, 12);
	CALL(0, "unregister_hash 0 %s", E(3, 10));
	CHECK(!enabled(0), "slot 0 is still registered");
}

static void not_registered(void)
{
	/* A zeroed ops, and one that was registered once. */
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s", E(1, 10));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s", E(1, 10));
	CALL(0, "register_hash 0 %s", E(1, 10));
	CALL(0, "unregister_hash 0 %s", E(1, 10));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s", E(1, 10));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s", E(1, 11));
	EXPECT_STUB(1, NONE);
}

static void busy_in_other_ops(void)
{
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL_REFUSED(EBUSY, "register_hash 1 %s", E(1, 20));
	CALL_REFUSED(EBUSY, "register_hash 1 %s %s %s", E(3, 20), E(2, 21), E(4, 22));
	CALL(0, "register_hash 1 %s", E(5, 20));
	CALL_REFUSED(EBUSY, "register_hash 1 %s %s %s", E(3, 20), E(2, 21), E(4, 22));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 11);
	EXPECT_STUB(3, NONE);
	EXPECT_STUB(4, NONE);
	EXPECT_STUB(5, 20);
	CALL(0, "unregister_hash 1 %s", E(5, 20));
	CALL(0, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
}

static void busy_in_same_ops(void)
{
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL_REFUSED(EBUSY, "register_hash 0 %s", E(1, 10));
	CALL_REFUSED(EBUSY, "register_hash 0 %s %s", E(3, 12), E(1, 13));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(3, NONE);
	CALL(0, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
}

static void unregister_by_target(void)
{
	CALL(0, "register_hash 0 %s %s %s", E(1, 10), E(2, 11), E(3, 12));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s", E(1, 11));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s %s", E(1, 10), E(2, 33));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s %s=null", E(1, 10), F(2));
	CALL(0, "modify_hash 0 %s", E(1, 20));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s", E(1, 10));
	EXPECT_STUB(1, 20);
	EXPECT_STUB(2, 11);
	EXPECT_STUB(3, 12);
	CALL(0, "unregister_hash 0 %s %s %s", E(1, 20), E(2, 11), E(3, 12));
}

static void refused_twice_in_one_hash(void)
{
	CALL_REFUSED(EINVAL, "register_hash 0 %s %s %s", E(1, 10), E(2, 11), E(1, 12));
	CHECK(!enabled(0), "slot 0 is registered");
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL_REFUSED(EINVAL, "register_hash 0 %s %s", E(3, 12), E(3, 12));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s %s", E(1, 13), E(1, 14));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s %s", E(1, 10), E(1, 10));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 11);
	EXPECT_STUB(3, NONE);
	CALL(0, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
}

/* A hash holds a function once, so the target it was given last is the one. */
static void twice_in_one_hash(void)
{
	CALL(0, "register_hash 0 %s %s %s", E(1, 10), E(2, 11), E(1, 12));
	EXPECT_STUB(1, 12);
	EXPECT_STUB(2, 11);
	CALL(0, "modify_hash 0 %s %s", E(1, 13), E(1, 14));
	EXPECT_STUB(1, 14);
	CALL(0, "unregister_hash 0 %s %s", E(1, 14), E(1, 14));
	EXPECT_STUB(1, NONE);
	EXPECT_STUB(2, 11);
	CALL(0, "unregister_hash 0 %s", E(2, 11));
	CHECK(!enabled(0), "slot 0 is still registered");
}

static void unknown_entry(void)
{
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL(0, "register_hash 1 %s", E(3, 12));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s", E(4, 10));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s %s", E(1, 10), E(4, 10));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s", E(4, 10));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s %s", E(1, 20), E(4, 10));
	/* Another ops's entry is as unknown. */
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s", E(3, 12));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s %s", E(2, 21), E(3, 20));
	/* So is what was taken before. */
	CALL(0, "unregister_hash 0 %s", E(2, 11));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s", E(2, 20));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, NONE);
	EXPECT_STUB(3, 12);
	CALL(0, "unregister_hash 0 %s", E(1, 10));
	CALL(0, "unregister_hash 1 %s", E(3, 12));
}

static void no_function(void)
{
	struct text many = { };
	int i;

	CALL_REFUSED(ENODEV, "register_hash 0 0x1000=10");
	CALL_REFUSED(ENODEV, "register_hash 0 fdirect_peer:fdirect_peer_001+1=10");
	CHECK(!enabled(0), "slot 0 is registered");

	/* One bad among a hundred, into an empty ops and beside what is there. */
	for (i = 100; i < 200; i++)
		add(&many, i == 163 ? " fdirect_peer:fdirect_peer_%03x+1=%d" :
		    " fdirect_peer:fdirect_peer_%03x=%d", i, i % 60);
	CALL_REFUSED(ENODEV, "register_hash 0%s", many.s);
	CHECK(!enabled(0), "slot 0 is registered");
	CALL(0, "register_hash 0 %s", E(1, 10));
	CALL_REFUSED(ENODEV, "register_hash 0%s", many.s);
	EXPECT_STUB(1, 10);
	EXPECT_STUB(100, NONE);
	EXPECT_STUB(199, NONE);
	CALL(0, "unregister_hash 0 %s", E(1, 10));
	free(many.s);
}

static void foreign_ops(void)
{
	static const char * const kinds[] = { "func", "trampoline", "ipmodify" };
	/* Linux 7 does not look at the flags */
	size_t nr = is_linux_7() ? 2 : ARRAY_SIZE(kinds), i;

	for (i = 0; i < nr; i++) {
		CALL(0, "set 0 %s", kinds[i]);
		CALL_REFUSED(EINVAL, "register_hash 0 %s", E(1, 10));
		CALL(0, "zero 0");
		EXPECT_STUB(1, NONE);
	}
	CALL(0, "register_hash 0 %s", E(1, 10));
	CALL(0, "unregister_hash 0 %s", E(1, 10));
}

/* -------------------------------------------------------------------------- */
/* Beside register_ftrace_direct()                                              */

static void classic_alone(void)
{
	CALL(0, "filter 0 %s %s", F(1), F(2));
	CALL(0, "register 0 10");
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 10);
	EXPECT_STUB(3, NONE);
	CALL_REFUSED(EINVAL, "register 0 11");
	CALL(0, "modify 0 11");
	EXPECT_STUB(1, 11);
	EXPECT_STUB(2, 11);
	CALL(0, "unregister 0 11");
	EXPECT_STUB(1, NONE);
	CALL_REFUSED(EINVAL, "unregister 0 11");
	CALL_REFUSED(EINVAL, "modify 0 10");
	CALL(0, "register 0 13");
	EXPECT_STUB(2, 13);
	CALL(0, "unregister 0 13");
	CALL(0, "filter 0 %s", F(3));
	CALL(0, "register 0 12");
	EXPECT_STUB(1, NONE);
	EXPECT_STUB(3, 12);
	CALL(0, "unregister 0 12");
}

static void classic_busy(void)
{
	CALL(0, "filter 0 %s %s", F(1), F(2));
	CALL(0, "register 0 10");
	CALL(0, "filter 1 %s %s", F(3), F(2));
	CALL_REFUSED(EBUSY, "register 1 11");
	EXPECT_STUB(2, 10);
	EXPECT_STUB(3, NONE);
	CALL(0, "unregister 0 10");
	CALL(0, "register 1 11");
	EXPECT_STUB(2, 11);
	CALL(0, "unregister 1 11");
}

static void classic_refused(void)
{
	CALL_REFUSED(EINVAL, "register 0 10");
	CALL_REFUSED(EINVAL, "modify 0 10");
	CALL_REFUSED(EINVAL, "unregister 0 10");
	CALL(0, "filter 0 %s", F(1));
	CALL(0, "set 0 func");
	CALL_REFUSED(EINVAL, "register 0 10");
	CALL(0, "zero 0");
	CALL(0, "filter 0 %s", F(1));
	CALL(0, "set 0 trampoline");
	CALL_REFUSED(EINVAL, "register 0 10");
	CALL(0, "zero 0");
	EXPECT_STUB(1, NONE);
}

/* A write to set_ftrace_filter would change the entries of the direct ops. */
static void filter_of_others(void)
{
	const char *filter = TRACEFS "set_ftrace_filter";
	char *line;

	close(open(filter, O_WRONLY | O_TRUNC));
	CALL(0, "global 0");
	CALL_REFUSED(EINVAL, "register_hash 0 %s", E(1, 10));
	REQUIRE(!enabled(0), "slot 0 is registered");
	REQUIRE(!put(filter, "fdirect_peer_001\n"), "set_ftrace_filter");
	CALL_REFUSED(EINVAL, "register 0 10");
	REQUIRE(!enabled(0), "slot 0 is registered");
	CALL_REFUSED(EINVAL, "register_hash 0 %s", E(2, 10));
	REQUIRE(!enabled(0), "slot 0 is registered");
	line = first_line(filter);
	CHECK(!strncmp(line, "fdirect_peer_001 ", 17), "set_ftrace_filter has %s", line);
	free(line);
	close(open(filter, O_WRONLY | O_TRUNC));
	CALL(0, "zero 0");
	EXPECT_STUB(1, NONE);
}

/* The target of a function that the ops leaves out would never be called. */
static void notrace_hash(void)
{
	CALL(0, "notrace 0 fdirect_peer_001");
	CALL_REFUSED(EINVAL, "register_hash 0 %s %s", E(1, 10), E(2, 10));
	CALL(0, "filter 0 %s %s", F(1), F(2));
	CALL_REFUSED(EINVAL, "register 0 10");
	REQUIRE(!enabled(0), "slot 0 is registered");
	CALL(0, "zero 0");
	CALL(0, "register_hash 0 %s", E(1, 10));
	CALL_REFUSED(EBUSY, "notrace 0 fdirect_peer_001");
	EXPECT_STUB(1, 10);
	CALL(0, "unregister_hash 0 %s", E(1, 10));
	EXPECT_STUB(1, NONE);
}

static void filter_that_stays(void)
{
	CALL(0, "filter 0 %s", F(1));
	CALL(0, "register 0 10");
	CALL_REFUSED(EBUSY, "filter_more 0 %s", F(2));
	CALL_REFUSED(EBUSY, "filter_less 0 %s", F(1));
	CALL(0, "modify 0 11");
	EXPECT_STUB(1, 11);
	EXPECT_STUB(2, NONE);
	CALL(0, "unregister 0 11");
	CALL(0, "filter_more 0 %s", F(2));
	CALL(0, "register 0 10");
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 10);
	CALL(0, "unregister 0 10");
}

/* How many callbacks of its tracer a call of fdirect_subject_0 has within each other */
static int nested_callbacks(void)
{
	char *deepest;
	int count;

	CHECK(!put(SUBJECT "call", "0 1 1"), "calling fdirect_subject_0");
	deepest = must_slurp(SUBJECT "nest");
	count = atoi(deepest);
	free(deepest);
	return count;
}

/* The call site must not call the function of the tracer itself. */
static void tracer_that_stays(void)
{
	int alone, beside, again;

	REQUIRE(!put(SUBJECT "nest", "0"), "tracing fdirect_subject_0");
	alone = nested_callbacks();
	CALL(0, "register_hash 0 fdirect_subject_0=10");
	beside = nested_callbacks();
	CALL(0, "unregister_hash 0 fdirect_subject_0=10");
	again = nested_callbacks();
	CHECK(!put(SUBJECT "nest", "-1"), "no longer tracing fdirect_subject_0");
	/* Protection allows for an interrupt that comes before its context can be told */
	CHECK(alone == 1 || alone == 2, "%d callbacks within each other", alone);
	CHECK(beside == alone, "%d beside a direct call, %d alone", beside, alone);
	CHECK(again == alone, "%d after a direct call, %d before", again, alone);
}

/* In the table of targets 0 stands for none. */
static void classic_null_target(void)
{
	CALL(0, "filter 0 %s %s", F(1), F(2));
	CALL_REFUSED(EINVAL, "register 0 null");
	CALL(0, "register 0 10");
	CALL_REFUSED(EINVAL, "modify 0 null");
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 10);
	CALL(0, "unregister 0 10");
	EXPECT_STUB(1, NONE);
}

static void classic_nolock(void)
{
	CALL(0, "filter 0 %s %s", F(1), F(2));
	CALL(0, "share 0 stub 20");
	CALL(0, "register 0 10");
	CALL(0, "ipmodify on %s", F(1));
	CHECK(share_calls(0) == 1, "asked to share %d times", share_calls(0));
	CHECK(!share_result(0), "modify_ftrace_direct_nolock: %s", errname(-share_result(0)));
	EXPECT_STUB(1, 20);
	EXPECT_STUB(2, 20);
	CALL(0, "ipmodify off");
	EXPECT_STUB(1, 20);
	CALL(0, "unregister 0 20");
}

static void classic_beside_hash(void)
{
	CALL(0, "filter 0 %s %s", F(1), F(2));
	CALL(0, "register 0 10");
	CALL(0, "register_hash 1 %s %s", E(3, 20), E(4, 21));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 10);
	EXPECT_STUB(3, 20);
	EXPECT_STUB(4, 21);
	CALL(0, "modify 0 11");
	CALL(0, "modify_hash 1 %s", E(3, 22));
	EXPECT_STUB(1, 11);
	EXPECT_STUB(2, 11);
	EXPECT_STUB(3, 22);
	EXPECT_STUB(4, 21);
	CALL(0, "unregister_hash 1 %s", E(4, 21));
	CALL(0, "unregister 0 11");
	EXPECT_STUB(1, NONE);
	EXPECT_STUB(3, 22);
	CALL(0, "register_hash 1 %s %s", E(1, 23), E(2, 24));
	EXPECT_STUB(1, 23);
	CALL(0, "unregister_hash 1 %s %s %s", E(1, 23), E(2, 24), E(3, 22));
}

static void classic_against_hash(void)
{
	/* The hash interface was first ... */
	CALL(0, "register_hash 1 %s %s", E(1, 20), E(2, 21));
	CALL(0, "filter 0 %s %s", F(3), F(2));
	CALL_REFUSED(EBUSY, "register 0 10");
	EXPECT_STUB(2, 21);
	EXPECT_STUB(3, NONE);
	CALL(0, "unregister_hash 1 %s %s", E(1, 20), E(2, 21));

	/* ... and the other way round. */
	CALL(0, "register 0 10");
	CALL_REFUSED(EBUSY, "register_hash 1 %s %s", E(1, 20), E(2, 21));
	EXPECT_STUB(1, NONE);
	EXPECT_STUB(2, 10);
	CALL(0, "unregister 0 10");
}

static void classic_on_hash_ops(void)
{
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL_REFUSED(EINVAL, "register 0 10");
	CALL_REFUSED(EINVAL, "unregister 0 10");
	CALL_REFUSED(EINVAL, "modify 0 12");
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 11);
	CALL(0, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
}

static void hash_on_classic_ops(void)
{
	CALL(0, "filter 0 %s %s", F(1), F(2));
	CALL(0, "register 0 10");
	CALL_REFUSED(EINVAL, "register_hash 0 %s", E(3, 11));
	CALL_REFUSED(EINVAL, "unregister_hash 0 %s", E(1, 10));
	CALL_REFUSED(EINVAL, "modify_hash 0 %s", E(1, 11));
	EXPECT_STUB(1, 10);
	EXPECT_STUB(2, 10);
	EXPECT_STUB(3, NONE);
	CALL(0, "unregister 0 10");
}

/* -------------------------------------------------------------------------- */
/* An IPMODIFY ops (a livepatch, say) on the same site                          */

static void ipmodify_refused(void)
{
	/* An owner that was not asked to share, or does not want to. */
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL_REFUSED(EBUSY, "ipmodify on %s", F(1));
	CALL(0, "share 0 refuse");
	CALL_REFUSED(EBUSY, "ipmodify on %s", F(1));
	EXPECT_STUB(1, 10);
	CALL(0, "ipmodify on %s", F(3));
	CALL(0, "ipmodify off");
	CALL(0, "unregister_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL(0, "zero 0");

	/* The other way round: the IPMODIFY ops was first. */
	CALL(0, "ipmodify on %s", F(1));
	CALL_REFUSED(EBUSY, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	EXPECT_STUB(1, NONE);
	EXPECT_STUB(2, NONE);
	CALL(0, "register_hash 0 %s", E(2, 11));
	CALL_REFUSED(EBUSY, "register_hash 0 %s %s", E(3, 12), E(1, 10));
	EXPECT_STUB(2, 11);
	EXPECT_STUB(3, NONE);
	CALL(0, "unregister_hash 0 %s", E(2, 11));
	CALL(0, "ipmodify off");
}

/* The kernel may ask either of the two owners first, so either of them refuses. */
static void ipmodify_taken_back(void)
{
	int refuses, asked = 0;

	for (refuses = 0; refuses < 2; refuses++) {
		CALL(0, "share %d agree", !refuses);
		CALL(0, "share %d refuse", refuses);
		CALL(0, "register_hash 0 %s", E(1, 10));
		CALL(0, "register_hash 1 %s", E(2, 11));
		CALL_REFUSED(EBUSY, "ipmodify on %s %s", F(1), F(2));
		CHECK(unshare_calls(!refuses) == share_calls(!refuses),
		      "asked to share %d times, released %d times", share_calls(!refuses),
		      unshare_calls(!refuses));
		CHECK(!unshare_calls(refuses), "who refused was released");
		asked += share_calls(!refuses);
		EXPECT_STUB(1, 10);
		EXPECT_STUB(2, 11);
		CALL(0, "unregister_hash 0 %s", E(1, 10));
		CALL(0, "unregister_hash 1 %s", E(2, 11));
		CALL(0, "zero 0");
		CALL(0, "zero 1");
	}
	CHECK(asked == 1, "%d owners agreed before another refused", asked);
}

static void ipmodify_shared(void)
{
	CALL(0, "share 0 agree");
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL(0, "ipmodify on %s", F(1));
	EXPECT_STUB(1, 10);
	CHECK(ipmodify_hits() > 0, "the IPMODIFY ops was not called");
	EXPECT_STUB(2, 11);
	CALL(0, "unregister_hash 0 %s", E(1, 10));
	EXPECT_STUB(1, NONE);
	CHECK(ipmodify_hits() > 0, "the IPMODIFY ops was not called");
	CALL(0, "register_hash 0 %s", E(1, 12));
	EXPECT_STUB(1, 12);
	CHECK(ipmodify_hits() > 0, "the IPMODIFY ops was not called");
	CALL(0, "modify_hash 0 %s", E(1, 13));
	EXPECT_STUB(1, 13);
	CALL(0, "ipmodify off");
	EXPECT_STUB(1, 13);
	CHECK(!ipmodify_hits(), "the IPMODIFY ops is still called");
	CALL(0, "unregister_hash 0 %s %s", E(1, 13), E(2, 11));
}

static void modify_nolock(void)
{
	CALL(0, "share 0 hash %s", E(1, 20));
	CALL(0, "register_hash 0 %s %s", E(1, 10), E(2, 11));
	CALL(0, "ipmodify on %s", F(1));
	CHECK(share_calls(0) == 1, "asked to share %d times", share_calls(0));
	CHECK(!share_result(0), "modify_ftrace_direct_hash: %s", errname(-share_result(0)));
	EXPECT_STUB(1, 20);
	EXPECT_STUB(2, 11);
	CALL(0, "ipmodify off");
	EXPECT_STUB(1, 20);
	CALL(0, "unregister_hash 0 %s %s", E(1, 20), E(2, 11));
}

static const struct test tests[] = {
	{ "a hash takes every entry it is given and counts them", helpers, HASH },
	{ "the first entry registers the ops, the last one unregisters it", one_entry, HASH },
	{ "entries added to a registered ops work beside those it has", add_entries, HASH },
	{ "taking some entries leaves the others", take_some, HASH },
	{ "entries are taken by their call sites, whatever targets the hash names",
	  unregister_by_site, REGISTER_HASH },
	{ "an entry with another target than the call site has is refused with EINVAL",
	  unregister_by_target, UPDATE_DIRECT },
	{ "an ops whose entries are all gone registers again", register_again, HASH },
	{ "modify changes the targets of its entries and of no others", modify_some, HASH },
	{ "modify to the same target changes nothing", modify_to_same, HASH },
	{ "two ops do not touch each other's entries", two_ops, HASH },
	{ "functions of the kernel itself count in their own stubs", kernel_function, HASH },
	{ "a function whose module is gone leaves the others, and can be taken", module_gone,
	  HASH },

	{ "an empty hash is refused with EINVAL", empty_hash, HASH },
	{ "a NULL hash is refused with EINVAL as an empty one is", null_hash, HASH },
	{ "an entry without a target is refused with EINVAL", null_target, HASH },
	{ "an ops that is not registered is refused with EINVAL", not_registered, HASH },
	{ "a function that another ops has is refused with EBUSY", busy_in_other_ops, HASH },
	{ "a function that the ops has already is refused with EBUSY", busy_in_same_ops, HASH },
	{ "a function given twice in a hash counts once, with its last target", twice_in_one_hash,
	  REGISTER_HASH },
	{ "a function given twice in a hash is refused with EINVAL", refused_twice_in_one_hash,
	  UPDATE_DIRECT },
	{ "an entry the ops does not have is refused with EINVAL", unknown_entry, HASH },
	{ "an address that is no call site is refused with ENODEV", no_function, HASH },
	{ "an ops with a function, a trampoline or, before Linux 7, a flag is refused with EINVAL",
	  foreign_ops, HASH },

	{ "register_ftrace_direct works as it always did", classic_alone },
	{ "register_ftrace_direct on another's function is refused with EBUSY", classic_busy },
	{ "register_ftrace_direct refuses an ops it cannot use with EINVAL", classic_refused },
	{ "an ops with the filter of the function tracer is refused with EINVAL",
	  filter_of_others, HASH },
	{ "an ops with a notrace hash is refused with EINVAL", notrace_hash, HASH },
	{ "a tracer that a direct call leaves is protected from recursion as before",
	  tracer_that_stays, HASH },
	{ "the filter of a registered direct ops cannot be changed: EBUSY", filter_that_stays,
	  HASH },
	{ "register_ftrace_direct and modify_ftrace_direct refuse a target of 0",
	  classic_null_target, HASH },
	{ "modify_ftrace_direct_nolock changes the target under the caller's lock",
	  classic_nolock },
	{ "register_ftrace_direct works beside the hash interface", classic_beside_hash, HASH },
	{ "one function cannot have both: EBUSY both ways", classic_against_hash, HASH },
	{ "the one-target calls refuse an ops of the hash interface with EINVAL",
	  classic_on_hash_ops, REGISTER_HASH },
	{ "the hash calls refuse an ops of register_ftrace_direct with EINVAL",
	  hash_on_classic_ops, REGISTER_HASH },

	{ "an IPMODIFY ops is refused where the direct ops does not share",
	  ipmodify_refused, HASH },
	{ "what one owner has agreed to is taken back when another refuses", ipmodify_taken_back,
	  HASH },
	{ "an IPMODIFY ops and a direct target share a function", ipmodify_shared, HASH },
	{ "modify without locking works under the caller's lock", modify_nolock, HASH },
};

int main(void)
{
	suite_restore = restore_api;
	SUITE(tests, "fdirect_peer", "fdirect_subject", "fdirect_api");
}
