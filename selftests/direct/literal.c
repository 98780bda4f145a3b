// SPDX-License-Identifier: GPL-2.0
/*
 * The two parts of a call site on arm64. The literal is written before the instruction, so
 * nobody sees the new instruction with the old literal. Another CPU (fdirect_watch.ko) looks
 * at the call sites while a thousand of them are attached and detached.
 */
#include <sys/prctl.h>

#include "fdirect.h"

#define WATCH		DEBUGFS "fdirect_watch/"
#define HALFWAY		20	/* looks in the middle, at least, of attaching and detaching */
#define ROUNDS		50	/* of both, unless they take longer than that */
#define LONG		10	/* seconds */
#define PATIENCE	120	/* seconds until that is not to be had */

#if defined(__aarch64__)

/*
 * QEMU lets the other CPU go on when this one is interrupted, which a tick does too rarely for
 * what takes a microsecond. So a task that sleeps for moments sees to interrupts.
 */
static pid_t interrupt_often(void)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;)
		usleep(50);
}

/* One command while the call sites are watched, which have to change by it. */
static bool watched(const char *command, long long *halfway)
{
	long long early;
	char *text;
	int err;

	if (!CHECK(!put(WATCH "watch", "1"), "watching"))
		return false;
	err = fdirect("control", "%s", command);
	CHECK(!put(WATCH "watch", "0"), "no longer watching");
	text = must_slurp(WATCH "result");
	early = value_in(text, "early");
	*halfway += value_in(text, "halfway");
	free(text);
	return CHECK(!err, "%s: %s", command, errname(err)) &
	       CHECK(!early, "%s: %lld times an instruction was there before its literal", command,
		     early);
}

static void watch_order(const char *reach)
{
	long long attach = 0, detach = 0;
	time_t start = time(NULL);
	unsigned long sites[PEERS];
	int rounds = 0;

	REQUIRE(peer_sites(sites) == PEERS, "the call sites");
	REQUIRE(!write_file(WATCH "sites", (char *)sites, sizeof(sites)), "the list of call sites");
	REQUIRE(!choose_peers(PEERS), "choosing functions");
	REQUIRE(!fdirect("method", has_hash() ? "hash" : "multi"), "the method");
	REQUIRE(!fdirect("reach", "%s", reach), "reach");
	while (attach < HALFWAY || detach < HALFWAY ||
	       (rounds < ROUNDS && time(NULL) < start + LONG)) {
		REQUIRE(time(NULL) < start + PATIENCE,
			"seen in the middle %lld and %lld times in %d s", attach, detach,
			PATIENCE);
		if (!watched("attach", &attach) || !watched("detach", &detach))
			return;
		rounds++;
	}
	ksft_print_msg("%d rounds, seen in the middle of it %lld times\n", rounds,
		       attach + detach);
}

static void order(const char *reach)
{
	pid_t child;

	NEED_TWO_CPUS("one CPU does not look while it changes");
	REQUIRE(stay_on(0), "staying on a CPU");
	child = interrupt_often();
	watch_order(reach);
	CHECK(!kill(child, SIGKILL) && waitpid(child, NULL, 0) == child, "the other task");
}

static void order_near(void)	{ order("near"); }
static void order_far(void)	{ order("far"); }

static const struct test tests[] = {
	{ "no instruction is seen before its literal, with targets in reach", order_near },
	{ "no instruction is seen before its literal, with targets out of reach", order_far },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect_watch", "fdirect");
}

#else

int main(void)
{
	ksft_print_header();
	ksft_exit_skip("a call site has no literal on this architecture\n");
}

#endif
