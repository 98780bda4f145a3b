// SPDX-License-Identifier: GPL-2.0
/*
 * A signal that ends the task in the middle of a long operation: all of it is undone.
 */
#include <sched.h>

#include "fdirect.h"

#define MANY	3000

/*
 * A task that waits for the middle of a short operation does so on the CPU that works
 * on it, and comes first there.
 */
static void go_first(bool first)
{
	struct sched_param priority = { .sched_priority = first };
	cpu_set_t cpus;
	int cpu;

	CPU_ZERO(&cpus);
	for (cpu = 0; cpu < (first ? 1 : CPU_SETSIZE); cpu++)
		CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sched_setscheduler(0, first ? SCHED_FIFO : SCHED_OTHER, &priority);
}

/* A task of its own that writes @text to @file and ends with the errno. */
static pid_t writer(const char *file, const char *text)
{
	pid_t child = fork();

	if (!child) {
		struct sched_param none = { };

		sched_setscheduler(0, SCHED_OTHER, &none);
		signal(SIGINT, SIG_DFL);
		_exit(put(file, "%s", text));
	}
	return child;
}

static bool choose_many(int n)
{
	struct text t = { };

	add_peers(&t, 0, PEERS);
	add_kernel_functions(&t, n - PEERS);
	return CHECK(!choose(&t), "choosing functions") &&
	       CHECK(status("functions") == n, "%lld functions", status("functions"));
}

static void each_attach(int sig)
{
	struct picture before;
	int sites, by;
	pid_t child;

	if (!choose_many(MANY))
		return;
	REQUIRE(!fdirect("method", "each"), "method");
	before = take_picture();
	sites = sites_enabled();
	go_first(true);
	child = writer(FDIRECT "control", "attach");
	CHECK(wait_for_change(sites, 3), "nothing is being attached");
	kill(child, sig);
	go_first(false);
	by = signal_of(child);
	CHECK(by == sig, "the task ended by signal %d, not %d", by, sig);
	CHECK(status("attached") == 0, "%lld functions are attached", status("attached"));
	CHECK(as_before(&before), "something is left of it");
	CHECK(last_error_has("interrupted"), "the reason");
	CHECK(!call_peers(0, 64, 3, 5), "calling what was attached for a while");
	CHECK(!fdirect("control", "attach 0 2"), "attaching afterwards");
	CHECK(status("patched") == 2, "%lld sites patched", status("patched"));
	CHECK(!fdirect("control", "detach"), "detach");
}

static void attach_sigint(void)		{ each_attach(SIGINT); }
static void attach_sigkill(void)	{ each_attach(SIGKILL); }

/* Detaching and changing come back to what was there, too. */
static void each_detach(void)
{
	struct picture before;
	int sites, by;
	pid_t child;

	REQUIRE(!choose_peers(24), "choosing functions");
	REQUIRE(!fdirect("method", "each"), "method");
	REQUIRE(!fdirect("control", "attach"), "attach");
	fdirect("hits", "0");
	before = take_picture();
	sites = sites_enabled();
	child = writer(FDIRECT "control", "detach 0 24");
	CHECK(wait_for_change(sites, -3), "nothing is being detached");
	kill(child, SIGINT);
	by = signal_of(child);
	CHECK(by == SIGINT, "the task ended by signal %d", by);
	CHECK(as_before(&before), "something has changed");
	CHECK(status("patched") == 24, "%lld sites patched", status("patched"));
}

/*
 * One call of the hash interface ends as a whole, done or not done: whenever the
 * signal comes, there are all functions or none.
 */
static void hash_any_moment(void)
{
	const int n = MANY;
	int round, none = 0;
	long long attached;
	pid_t child;

	if (!choose_many(n))
		return;
	REQUIRE(!fdirect("method", "hash"), "method");
	for (round = 0; round < 8; round++) {
		child = writer(FDIRECT "control", "attach");
		if (round)
			usleep(round * 3000);
		kill(child, SIGKILL);
		signal_of(child);
		attached = status("attached");
		CHECK(attached == 0 || attached == n, "%lld functions attached", attached);
		CHECK(status("patched") == attached, "%lld sites patched, %lld attached",
		      status("patched"), attached);
		CHECK(status("misdirected") == 0, "%lld misdirected", status("misdirected"));
		if (attached)
			CHECK(!fdirect("control", "detach"), "detach");
		else
			none++;
	}
	ksft_print_msg("%d of %d were not begun\n", none, round);
}

/* The measurement would take minutes, and goes with all that it has attached. */
static void call_measurement(void)
{
	struct picture before;
	int sites, by;
	pid_t child;

	REQUIRE(!choose_peers(8), "choosing functions");
	REQUIRE(!fdirect("control", "attach 2 4"), "attach");
	REQUIRE(!fdirect("call", "ops 1000 1 0"), "a measurement");
	before = take_picture();
	sites = sites_enabled();
	child = writer(FDIRECT "call", "direct-near 100000000 2 0");
	CHECK(wait_for_change(sites, 1), "nothing is being attached");
	kill(child, SIGINT);
	by = signal_of(child);
	CHECK(by == SIGINT, "the task ended by signal %d", by);
	CHECK(as_before(&before), "something has changed");
	CHECK(last_error_has("interrupted"), "the reason");
}

static const struct test tests[] = {
	{ "each: SIGINT in the middle of attaching 3,000 functions leaves none attached",
	  attach_sigint },
	{ "each: SIGKILL in the middle of attaching 3,000 functions leaves none attached",
	  attach_sigkill },
	{ "each: SIGINT in the middle of detaching leaves all attached", each_detach },
	{ "hash: SIGKILL at any moment leaves all functions attached or none",
	  hash_any_moment, HASH },
	{ "call: SIGINT ends a measurement, and leaves nothing of it attached",
	  call_measurement },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect");
}
