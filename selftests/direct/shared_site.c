// SPDX-License-Identifier: GPL-2.0
/*
 * A call site that the function tracer, a kprobe, an fprobe and a direct call
 * share. They come and go in every order. Each sees every call while it is
 * there and none before or after. Where the kernel has no fprobes the function
 * tracer of an instance stands in, which is an ftrace_ops of its own as well.
 */
#include "walk.h"

#define SITE	SYSCALL_PREFIX "getpgid"

static void call_site(int times)
{
	while (times--)
		syscall(SYS_getpgid, 0);
}

/* -------------------------------------------------------------------------- */
/* The four users                                                               */

static int fprobe_on(void)	{ return put(TRACEFS "events/fprobes/fd_f/enable", "1"); }
static int fprobe_off(void)	{ return put(TRACEFS "events/fprobes/fd_f/enable", "0"); }
static int second_on(void)	{ return put(TRACE_INSTANCE "current_tracer", "function"); }
static int second_off(void)	{ return put(TRACE_INSTANCE "current_tracer", "nop"); }
static int direct_on(void)	{ return fdirect("control", "attach"); }
static int direct_off(void)	{ return fdirect("control", "detach 0 1"); }

static const struct user fprobe = { "fprobe", fprobe_on, fprobe_off };

/* The user who takes the place of the fprobe. */
static const struct user second_tracer = { "second tracer", second_on, second_off };

static bool has_second_tracer(void)
{
	return walk.users[2].on == second_on;
}

static void count_trace(int seen[USERS])
{
	count_trace_in(TRACEFS, seen, 0);
	if (has_second_tracer())
		count_trace_in(TRACE_INSTANCE, seen, 2);
}

static int direct_hits(void)
{
	struct hit *hits;
	int n = 0;

	if (read_hits(&hits) == 1)
		n = hits[0].hits;
	free(hits);
	return n;
}

static void count(int seen[USERS])
{
	count_trace(seen);
	seen[3] = direct_hits();
	fdirect("hits", "0");
}

struct walk walk = {
	.site = SITE,
	.users = {
		{ "tracer", tracer_on, tracer_off },
		{ "kprobe", kprobe_on, kprobe_off },
		[3] = { "direct", direct_on, direct_off },
	},
	.call = call_site,
	.count = count,
};

static bool prepare_third_user(void)
{
	walk.users[2] = has_fprobes() ? fprobe : second_tracer;
	ksft_print_msg("the third user is the %s\n", walk.users[2].name);
	if (!has_second_tracer())
		return CHECK(!put(TRACEFS "dynamic_events", "f:fd_f " SITE), "the fprobe");
	return CHECK(!mkdir(TRACE_INSTANCE, 0755) || errno == EEXIST, "an instance: %s",
		     strerror(errno)) &&
	       CHECK(!put(TRACE_INSTANCE "set_ftrace_filter", SITE "\n"),
		     "its set_ftrace_filter");
}

static bool prepare(const char *method)
{
	struct text t = { };

	add(&t, "%s\n", SITE);
	return CHECK(!choose(&t), "choosing " SITE) &&
	       CHECK(!fdirect("method", "%s", method), "method %s", method) &&
	       prepare_third_user() && start_walk();
}

static void restore(void)
{
	stop_walk();
	put(TRACEFS "dynamic_events", "-:fd_f");
	rmdir(TRACE_INSTANCE);
}

static void steps_with(const char *method)
{
	REQUIRE(prepare(method), "prepare");
	every_step();
}

static void hash_orders(void)
{
	REQUIRE(prepare("hash"), "prepare");
	every_order();
}

static void hash_steps(void)	{ steps_with("hash"); }
static void multi_steps(void)	{ steps_with("multi"); }

/* -------------------------------------------------------------------------- */
/* A direct call that changes while the others watch                            */

static void change_shared(void)
{
	struct hit *hits;
	int user, i;

	REQUIRE(prepare("hash"), "prepare");
	take_step(3);
	for (user = 0; user < USERS; user++) {
		if (user < 3)
			take_step(user);
		for (i = 0; i < 3; i++) {
			int seen[USERS] = { 0 };

			CHECK(!fdirect("control", "modify 0 1 %d", 1000 * user + i),
			      "modify beside %s", state_name());
			fdirect("hits", "0");
			count_trace(seen);
			memset(seen, 0, sizeof(seen));
			call_site(5);
			count_trace(seen);
			REQUIRE(read_hits(&hits) == 1, "one function");
			CHECK(hits[0].stub == 1000 * user + i && hits[0].hits == 5,
			      "%s: stub %ld, %lu hits", state_name(), hits[0].stub, hits[0].hits);
			free(hits);
			CHECK(status("stray_hits") == 0, "%s: %lld stray hits", state_name(),
			      status("stray_hits"));
			CHECK(seen[0] == (here(0) ? 5 : 0) && seen[1] == (here(1) ? 5 : 0) &&
			      seen[2] == (here(2) ? 5 : 0), "%s: the others saw %d, %d, %d",
			      state_name(), seen[0], seen[1], seen[2]);
		}
	}
	for (user = 0; user < USERS; user++)
		take_step(user);
}

/* -------------------------------------------------------------------------- */
/* A tracer that comes over a thousand direct calls, and goes again             */

static void expect_many(const char *when, int first, int last, int shift)
{
	struct hit *hits;
	int i;

	fdirect("hits", "0");
	CHECK(!call_peers(0, 1000, 1, 7), "%s: calling", when);
	REQUIRE(read_hits(&hits) == 1000, "%s: 1,000 functions", when);
	for (i = 0; i < 1000; i++) {
		bool on = i >= first && i < last;

		CHECK(hits[i].stub == (on ? i + shift : -1), "%s: %s has stub %ld", when,
		      hits[i].name, hits[i].stub);
		CHECK(hits[i].hits == (on ? 1UL + i % 7 : 0), "%s: %s has %lu hits", when,
		      hits[i].name, hits[i].hits);
	}
	free(hits);
	CHECK(status("stray_hits") == 0, "%s: %lld stray hits", when, status("stray_hits"));
}

static void shared_many(void)
{
	state[0] = '\0';
	REQUIRE(!choose_peers(1000), "choosing functions");
	REQUIRE(!fdirect("method", "hash"), "method");
	CHECK(!put(TRACEFS "set_ftrace_filter", ":mod:fdirect_peer\n"), "set_ftrace_filter");
	CHECK(!fdirect("control", "attach 0 600"), "attach");
	CHECK(!tracer_on(), "the tracer comes");
	expect_many("beside the tracer", 0, 600, 0);
	CHECK(!fdirect("control", "attach 600 400"), "attach under the tracer");
	expect_many("added under the tracer", 0, 1000, 0);
	CHECK(!fdirect("control", "modify 0 1000 2000"), "modify under the tracer");
	expect_many("changed under the tracer", 0, 1000, 2000);
	CHECK(!fdirect("control", "detach 0 300"), "detach under the tracer");
	expect_many("taken under the tracer", 300, 1000, 2000);
	CHECK(!tracer_off(), "the tracer goes");
	CHECK(status("patched") == 700, "%lld sites call their stub", status("patched"));
	CHECK(status("misdirected") == 0, "%lld sites call another's stub", status("misdirected"));
	expect_many("after the tracer", 300, 1000, 2000);
	CHECK(!tracer_on(), "the tracer comes again");
	CHECK(!fdirect("control", "detach"), "detach the rest under the tracer");
	expect_many("after all", 0, 0, 0);
	CHECK(!tracer_off(), "the tracer goes again");
}

static const struct test tests[] = {
	{ "hash: four users of a site see every call, in one order after another",
	  hash_orders, HASH },
	{ "hash: four users of a site see every call, whoever comes or goes next",
	  hash_steps, HASH },
	{ "hash: a shared site's stub can be changed", change_shared, HASH },
	{ "hash: 1,000 functions come, change and go under a tracer of all of them",
	  shared_many, HASH },
	{ "multi: four users of a site see every call, whoever comes or goes next",
	  multi_steps },
};

int main(void)
{
	suite_restore = restore;
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect");
}
