// SPDX-License-Identifier: GPL-2.0
/*
 * Other users of call sites, without memory: kprobes on functions, the function tracer and
 * its filters, each alone and beside direct calls of the same functions. A call that fails
 * leaves the others and the direct calls as they were.
 *
 * Options are described in fault.h.
 */
#include "direct_api.h"
#include "fault.h"

#define PROBES	"events/kprobes/"

static bool direct;		/* peers 0 to 3 have direct calls to stubs 1 to 4 */

static void look_at_direct(bool done)
{
	long want = direct ? 4 * 3 + 6 : 0;

	put(API "hits", "0");
	CHECK(!call_peers(0, 4, 3, 4), "calling the peers");
	CHECK(api_hits_total() == want, "%s: %ld hits on stubs, not %ld", done ? "after" : "before",
	      api_hits_total(), want);
	put(API "hits", "0");
}

static void give_direct_calls(void)
{
	CALL(0, "register_hash 0 %s %s %s %s", E(0, 1), E(1, 2), E(2, 3), E(3, 4));
	direct = true;
}

static void take_direct_calls(void)
{
	CALL(0, "unregister_hash 0 %s %s %s %s", E(0, 1), E(1, 2), E(2, 3), E(3, 4));
	direct = false;
}

static void sweep_write(const char *name, const char *file, const char *text,
			const char *undo_text)
{
	char both[128];
	struct op op = {
		.name = both, .file = file, .text = text, .undo_text = undo_text,
		.look = look_at_direct,
	};

	snprintf(both, sizeof(both), "%s%s", name, direct ? ", beside direct calls" : "");
	sweep(&op);
}

/* -------------------------------------------------------------------------- */
/* Kprobes                                                                      */

static void kprobes(void)
{
	sweep_write("kprobe event", TRACEFS "kprobe_events",
		    "p:fd_k fdirect_peer_001" PROBE_OFFSET "\n", "-:fd_k\n");
	REQUIRE(!put(TRACEFS "kprobe_events", "p:fd_k fdirect_peer_001" PROBE_OFFSET "\n"
		     "p:fd_l fdirect_peer_002" PROBE_OFFSET "\n"), "kprobe_events");
	sweep_write("kprobe on, the first", TRACEFS PROBES "fd_k/enable", "1", "0");
	CHECK(!put(TRACEFS PROBES "fd_l/enable", "1"), "the other kprobe");
	sweep_write("kprobe on, one more", TRACEFS PROBES "fd_k/enable", "1", "0");
	CHECK(!put(TRACEFS PROBES "fd_l/enable", "0"), "the other kprobe");
	CHECK(!put(TRACEFS "kprobe_events", "-:fd_k\n-:fd_l\n"), "no kprobes");
}

/* -------------------------------------------------------------------------- */
/* The function tracer                                                          */

static void tracers(void)
{
	REQUIRE(!write_words(TRACEFS "set_ftrace_filter", O_TRUNC,
			     "fdirect_peer_000 fdirect_peer_002 fdirect_peer_004\n"), "a filter");
	sweep_write("function tracer", TRACEFS "current_tracer", "function", "nop");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
#ifdef __x86_64__
	/* For all functions an ops takes memory only where it has a trampoline of its own */
	sweep_write("function tracer of all functions", TRACEFS "current_tracer", "function",
		    "nop");
#endif
}

static const char *more_filter, *less_filter;

/* The filter changes when the file is closed, and nobody is told if it does not. */
static int write_filter(const char *word)
{
	return write_words(TRACEFS "set_ftrace_filter", O_APPEND, word);
}

static int filter_more(void)	{ return write_filter(more_filter); }
static int filter_less(void)	{ return write_filter(less_filter); }

static void filter_of_tracer(void)
{
	struct op op = {
		.name = direct ? "set_ftrace_filter, beside direct calls" : "set_ftrace_filter",
		.run = filter_more, .undo = filter_less, .look = look_at_direct, .silent = true,
		.also = { EINVAL },		/* no function matches */
	};

	/* Of a pattern for several functions it would take those that it had memory for. */
	REQUIRE(!write_words(TRACEFS "set_ftrace_filter", O_TRUNC, "fdirect_peer_000\n"),
		"set_ftrace_filter");
	REQUIRE(!put(TRACEFS "current_tracer", "function"), "the function tracer");
	more_filter = "fdirect_peer_001\n";
	less_filter = "!fdirect_peer_001\n";
	sweep(&op);
}

static void restore(void)
{
	sweeps_end();
	put(TRACEFS "current_tracer", "nop");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
	put(TRACEFS PROBES "enable", "0");
	put(TRACEFS "kprobe_events", "-:fd_k\n-:fd_l\n");
	if (direct)
		take_direct_calls();
	restore_api();
}

static void beside_direct_calls(void)
{
	give_direct_calls();
	kprobes();
	tracers();
	filter_of_tracer();
}

static const struct test tests[] = {
	{ "kprobes on functions", kprobes },
	{ "the function tracer", tracers },
	{ "the filter of a function tracer that is on", filter_of_tracer },
	{ "all of them beside direct calls", beside_direct_calls, HASH },
	{ "no memory was lost", no_leaks },
};

int main(int argc, char **argv)
{
	suite_restore = restore;
	start_faults(argc, argv);
	SUITE(tests, "fdirect_peer", "fdirect_api");
}
