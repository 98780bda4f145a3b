// SPDX-License-Identifier: GPL-2.0
/*
 * What is read without a lock, while it is replaced and freed: the table of targets, the
 * objects that call sites point at, the filters of direct calls.
 *
 * One CPU calls a function with a direct call and a second user all the time, so that ftrace
 * has to look up the target and the filters at each call. The other CPU attaches functions
 * and takes them again, other ones each time, which makes the kernel drop its table and make
 * a new one again and again, and change the filter with each. The calls have to be counted
 * right; that nothing is freed too early is for KASAN to see.
 *
 * FDIRECT_ROUNDS=N in the environment asks for N rounds instead of 300, however long they
 * take. Otherwise a minute is enough, if 20 have been done by then.
 */
#include <sched.h>
#include <sys/mman.h>

#include "direct_api.h"

#define ROUNDS	300
#define LEAST	20
#define LIMIT	60	/* seconds */
#define GROUP	25	/* functions that come and go together: two groups fill a small table */
#define FEW_CALLS	1000	/* in the first measurement, which say how many take a while */
#define WHILE	500	/* milliseconds */
#define READER	1
#define WRITER	0

static struct {
	unsigned long measurements, calls;
	int stop;
	int err;
} *reader;

static unsigned long sites[PEERS];

static bool stay_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return !sched_setaffinity(0, sizeof(cpus), &cpus);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
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
	const char *text = getenv("FDIRECT_ROUNDS");
	int asked = text ? atoi(text) : 0, round, err = 0, group;
	time_t limit = time(NULL) + LIMIT;
	pid_t child;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one CPU does not read while it writes");
	reader = mmap(NULL, sizeof(*reader), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	REQUIRE(reader != MAP_FAILED, "shared memory: %s", strerror(errno));
	REQUIRE(peer_sites(sites) == PEERS, "the call sites");
	/* One function stays, so that the ops stays registered. */
	CALL(0, "register_hash 1 %s", E(0, 60));
	child = fork();
	if (!child)
		read_until_stopped(kind);
	CHECK(stay_on(WRITER), "staying on a CPU: %s", strerror(errno));
	for (round = 0; !err && still_reading(); round++) {
		if (asked > 0 ? round >= asked : round >= ROUNDS ||
		    (round >= LEAST && time(NULL) >= limit))
			break;
		group = round % ((PEERS - 1) / GROUP);
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

static const struct test tests[] = {
	{ "calls find their target while the table and the filter are replaced", near_reader,
	  HASH },
	{ "the same for a target that is out of reach", far_reader, HASH_FAR },
};

int main(void)
{
	suite_restore = restore_api;
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect", "fdirect_api");
}
