// SPDX-License-Identifier: GPL-2.0
/*
 * Structures that are read without a lock while they are replaced and freed: the table
 * of targets, the objects of call sites, the filters of direct calls.
 *
 * One CPU calls a function with a direct call and a second user all the time. So ftrace has to
 * look up the target and the filters at each call. The other CPU attaches functions and takes
 * them again, other ones each time. The kernel drops its table and makes a new one again and
 * again, and changes the filter with each. The calls have to be counted right; that nothing is
 * freed too early is for KASAN to see. Every second time the search for the called function
 * leads past these functions, so that the reader is often in the middle of what goes.
 *
 * An object that a call site points at is read by ftrace's trampoline, which may be preempted
 * before it does. Many tasks call on one CPU, so that at any time some of them stand there.
 * If objects were freed under them, they would be used for functions that nobody calls, and
 * these would be hit. QEMU interrupts its guest at branches only. So a task is found
 * between the two instructions in question only if each is translated by itself
 * (scripts/guest/vm --single-step).
 *
 * FDIRECT_ROUNDS=N in the environment asks for N rounds instead of 300, however long they
 * take. Otherwise a minute is enough, if 20 have been done by then.
 */
#include <sys/mman.h>

#include "direct_api.h"

#define ROUNDS	300
#define LEAST	20
#define LIMIT	60	/* seconds */
#define GROUP	25	/* functions that come and go together: two groups fill a small table */
#define GROUPS	((PEERS - 1) / GROUP)
#define IN_THE_WAY 0	/* the group that a search for the function that is called leads past */
#define FILTER_BITS 5	/* of the hash that chooses among the buckets for a group and one more */
#define FEW_CALLS	1000	/* in the first measurement, which say how many take a while */
#define WHILE	500	/* milliseconds */
#define READER	1
#define WRITER	0

static struct {
	unsigned long measurements, calls;
	int stop;
	int err;
} *reader;

/* The function that stays, then the groups */
static unsigned long sites[PEERS];

static bool share_reader(void)
{
	reader = mmap(NULL, sizeof(*reader), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return CHECK(reader != MAP_FAILED, "shared memory: %s", strerror(errno));
}

/* A measurement fails unless the stub and the second user have counted each call. */
static void read_until_stopped(const char *kind)
{
	int err = 0, calls = FEW_CALLS;
	long long start;

	if (!stay_on(READER))
		err = errno;
	while (!err && !__atomic_load_n(&reader->stop, __ATOMIC_RELAXED)) {
		start = now_ms();
		err = fdirect("call", "%s %d 1 0", kind, calls);
		if (err)
			break;
		reader->measurements++;
		reader->calls += calls;
		if (now_ms() - start < WHILE)
			calls *= 2;
	}
	reader->err = err;
	_exit(0);
}

static bool still_reading(void)
{
	return !__atomic_load_n(&reader->err, __ATOMIC_RELAXED);
}

/* As the kernel's hash_long() */
static unsigned long bucket_of(unsigned long ip)
{
	return ip * 0x61c8864680b583ebUL >> (64 - FILTER_BITS);
}

/* The functions in the bucket of the one that is called come first. */
static bool order_sites(void)
{
	char *text = must_slurp(TRACEFS "available_filter_functions_addrs");
	char *line = strstr(text, " fdirect_call_target ");
	unsigned long called, site;
	int i, first = 1;

	while (line && line > text && line[-1] != '\n')
		line--;
	called = line ? strtoul(line, NULL, 16) : 0;
	free(text);
	if (!CHECK(called, "the function that is called") ||
	    !CHECK(peer_sites(sites) == PEERS, "the call sites"))
		return false;
	for (i = 1; i < PEERS; i++) {
		if (bucket_of(sites[i]) != bucket_of(called))
			continue;
		site = sites[i];
		sites[i] = sites[first];
		sites[first++] = site;
	}
	return CHECK(first > GROUP, "only %d functions are in the way", first - 1);
}

/* Functions of the group, attached or taken */
static int change(const char *what, int group)
{
	struct text t = { };
	int i, err;

	add(&t, "%s 1", what);
	for (i = 0; i < GROUP; i++)
		add(&t, " 0x%lx=%d", sites[1 + group * GROUP + i], i);
	err = call("%s", t.s);
	free(t.s);
	return err;
}

static void replace_under(const char *kind)
{
	int asked = asked_for("FDIRECT_ROUNDS"), round, err = 0, group;
	time_t limit = time(NULL) + LIMIT;
	pid_t child;

	NEED_TWO_CPUS("one CPU does not read while it writes");
	if (!share_reader())
		return;
	if (!order_sites())
		return;
	/* One function stays, so that the ops stays registered. */
	CALL(0, "register_hash 1 %s", E(0, 60));
	child = fork();
	if (!child)
		read_until_stopped(kind);
	CHECK(stay_on(WRITER), "staying on a CPU: %s", strerror(errno));
	for (round = 0; !err && still_reading(); round++) {
		if (asked ? round >= asked : round >= ROUNDS ||
		    (round >= LEAST && time(NULL) >= limit))
			break;
		group = round % 2 ? 1 + round / 2 % (GROUPS - 1) : IN_THE_WAY;
		err = change("register_hash", group);
		if (!err)
			err = change("unregister_hash", group);
	}
	CHECK(!err, "round %d: %s", round, errname(err));
	__atomic_store_n(&reader->stop, 1, __ATOMIC_RELAXED);
	CHECK(!signal_of(child), "the reader died");
	CHECK(!reader->err, "after %lu measurements: %s", reader->measurements,
	      errname(reader->err));
	ksft_print_msg("%d rounds, beside %lu calls\n", round, reader->calls);
	CHECK(reader->calls, "the reader has called nothing");
	CALL(0, "unregister_hash 1 %s", E(0, 60));
	munmap(reader, sizeof(*reader));
}

static void near_reader(void)	{ replace_under("direct-near"); }
static void far_reader(void)	{ replace_under("direct-far"); }

#define TASKS	16
#define CALLED	16
#define UNCALLED 40	/* with the others they are too many for a small table */
#define TURN	(10 * TASKS)	/* milliseconds in which each task has been preempted */
#define TURNS	60

/* The hits of a function that nobody calls */
static void expect_unhit(int round)
{
	struct hit *hits;
	size_t i, n = read_hits(&hits);

	CHECK(n == 1 + CALLED + UNCALLED, "%zu functions", n);
	for (i = 1 + CALLED; i < n; i++)
		CHECK(!hits[i].hits, "round %d: the target of %s was hit %lu times",
		      round, hits[i].name, hits[i].hits);
	free(hits);
}

static void call_until_stopped(void)
{
	int err = 0;

	if (!stay_on(READER))
		err = errno;
	while (!err && !__atomic_load_n(&reader->stop, __ATOMIC_RELAXED)) {
		err = call_peers(1, CALLED, 500, 1);
		__atomic_add_fetch(&reader->calls, 500 * CALLED, __ATOMIC_RELAXED);
	}
	if (err)
		reader->err = err;
	_exit(0);
}

static void preempted(void)
{
	time_t limit = time(NULL) + LIMIT;
	pid_t children[TASKS];
	int round, i, err = 0;

	NEED_TWO_CPUS("one CPU does not read while it writes");
	if (!share_reader())
		return;
	REQUIRE(!choose_peers(1 + CALLED + UNCALLED), "choosing functions");
	REQUIRE(!fdirect("method", "hash"), "the method");
	REQUIRE(!fdirect("reach", "far"), "targets that are out of reach");
	/* One function stays, so that the ops stays registered. */
	REQUIRE(!fdirect("control", "attach 0 1"), "the function that stays");
	for (i = 0; i < TASKS; i++) {
		children[i] = fork();
		if (!children[i])
			call_until_stopped();
	}
	CHECK(stay_on(WRITER), "staying on a CPU: %s", strerror(errno));
	for (round = 0; !err && still_reading() && round < TURNS; round++) {
		if (round >= LEAST && time(NULL) >= limit)
			break;
		err = fdirect("control", "attach 1 %d", CALLED);
		if (err)
			break;
		usleep(TURN * 1000);
		/* Nothing between the two, so that tasks are still where they were. */
		err = fdirect("control", "detach 1 %d", CALLED);
		if (!err)
			err = fdirect("control", "attach %d %d", 1 + CALLED, UNCALLED);
		usleep(TURN * 1000);
		expect_unhit(round);
		if (!err)
			err = fdirect("control", "detach %d %d", 1 + CALLED, UNCALLED);
	}
	CHECK(!err, "round %d: %s", round, errname(err));
	__atomic_store_n(&reader->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < TASKS; i++)
		CHECK(!signal_of(children[i]), "a caller died");
	CHECK(!reader->err, "a caller: %s", errname(reader->err));
	ksft_print_msg("%d rounds, beside %lu calls by %d tasks\n", round, reader->calls, TASKS);
	CHECK(reader->calls, "the callers have called nothing");
	munmap(reader, sizeof(*reader));
}

static const struct test tests[] = {
	{ "calls find their target while the table and the filter are replaced", near_reader,
	  HASH },
	{ "the same for a target that is out of reach", far_reader, HASH_FAR },
	{ "a task that is preempted on its way to a target reaches that of no other function",
	  preempted, HASH_FAR },
};

int main(void)
{
	suite_restore = restore_api;
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect", "fdirect_api");
}
