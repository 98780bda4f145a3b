// SPDX-License-Identifier: GPL-2.0
/*
 * A call site shared by the function tracer, a kprobe, an fprobe and a direct
 * call: in whatever order they come and go, each sees every call while it is
 * there and none before or after. Where the kernel has no fprobes the function
 * tracer of an instance stands in, which is an ftrace_ops of its own as well.
 *
 * There are 24 orders to attach four users and 24 to detach them, 576 together.
 * One test takes them one by one, from an unused site each time.
 *
 * Users also come back before all have gone. What a site looks like depends on who
 * is there and on the order in which they came, 65 states, with 64 steps between
 * them by attaching and 196 by detaching. Another test takes each of these 260
 * steps at least once, in one long walk.
 */
#include "fdirect.h"

#define SITE	SYSCALL_PREFIX "getpgid"
#define USERS	4

static void call_site(int times)
{
	while (times--)
		syscall(SYS_getpgid, 0);
}

/* -------------------------------------------------------------------------- */
/* The four users                                                               */

static int tracer_on(void)	{ return put(TRACEFS "current_tracer", "function"); }
static int tracer_off(void)	{ return put(TRACEFS "current_tracer", "nop"); }
static int kprobe_on(void)	{ return put(TRACEFS "events/kprobes/fd_k/enable", "1"); }
static int kprobe_off(void)	{ return put(TRACEFS "events/kprobes/fd_k/enable", "0"); }
static int fprobe_on(void)	{ return put(TRACEFS "events/fprobes/fd_f/enable", "1"); }
static int fprobe_off(void)	{ return put(TRACEFS "events/fprobes/fd_f/enable", "0"); }
static int second_on(void)	{ return put(TRACE_INSTANCE "current_tracer", "function"); }
static int second_off(void)	{ return put(TRACE_INSTANCE "current_tracer", "nop"); }
static int direct_on(void)	{ return fdirect("control", "attach"); }
static int direct_off(void)	{ return fdirect("control", "detach 0 1"); }

static struct user {
	const char *name;
	int (*on)(void);
	int (*off)(void);
} users[USERS] = {
	{ "tracer", tracer_on, tracer_off },
	{ "kprobe", kprobe_on, kprobe_off },
	{ "fprobe", fprobe_on, fprobe_off },
	{ "direct", direct_on, direct_off },
};

/* The user who takes the place of the fprobe. */
static const struct user second_tracer = { "second tracer", second_on, second_off };

static bool has_second_tracer(void)
{
	return users[2].on == second_on;
}

static void count_trace_in(const char *dir, int seen[USERS], int tracer)
{
	char *line, *next = read_trace(dir);

	while ((line = strsep(&next, "\n"))) {
		if (strstr(line, "fd_k: "))
			seen[1]++;
		else if (strstr(line, "fd_f: "))
			seen[2]++;
		else if (strstr(line, SITE " <-"))
			seen[tracer]++;
	}
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

/* -------------------------------------------------------------------------- */
/* Steps                                                                        */

/* Who is there, in the order in which they came: "" or some of "0123". */
static char state[USERS + 1];
static int steps;

static bool here(int user)
{
	return strchr(state, '0' + user);
}

static const char *state_name(void)
{
	static char text[64];
	size_t i, len;

	len = snprintf(text, sizeof(text), "%s", state[0] ? "" : "nobody");

	for (i = 0; state[i]; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i ? "+" : "",
				users[state[i] - '0'].name);
	return text;
}

/* Lets user @user come or go, and calls the site: all four must have seen it right. */
static bool take_step(int user)
{
	const int times = 2 + steps % 3;
	int seen[USERS] = { 0 }, err, i;
	bool come = !here(user), ok = true;
	char from[64], *p;

	snprintf(from, sizeof(from), "%s", state_name());
	err = come ? users[user].on() : users[user].off();
	if (!CHECK(!err, "%s: %s %s: %s", from, users[user].name, come ? "comes" : "goes",
		   errname(err)))
		return false;
	if (come) {
		state[strlen(state) + 1] = '\0';
		state[strlen(state)] = '0' + user;
	} else {
		p = strchr(state, '0' + user);
		memmove(p, p + 1, strlen(p));
	}
	steps++;

	fdirect("hits", "0");
	count_trace(seen);
	memset(seen, 0, sizeof(seen));
	call_site(times);
	count_trace(seen);
	seen[3] = direct_hits();
	for (i = 0; i < USERS; i++)
		ok &= CHECK(seen[i] == (here(i) ? times : 0),
			    "%s: %s %s: now the %s saw %d of %d calls", from, users[user].name,
			    come ? "comes" : "goes", users[i].name, seen[i], times);
	return ok;
}

static bool prepare_third_user(void)
{
	if (!put(TRACEFS "dynamic_events", "f:fd_f " SITE))
		return true;
	users[2] = second_tracer;
	return CHECK(!mkdir(TRACE_INSTANCE, 0755) || errno == EEXIST, "an instance: %s",
		     strerror(errno)) &&
	       CHECK(!put(TRACE_INSTANCE "set_ftrace_filter", SITE), "its set_ftrace_filter");
}

static bool prepare(const char *method)
{
	struct text t = { };

	add(&t, "%s\n", SITE);
	steps = 0;
	state[0] = '\0';
	return CHECK(!choose(&t), "choosing " SITE) &&
	       CHECK(!fdirect("method", "%s", method), "method %s", method) &&
	       CHECK(!put(TRACEFS "set_ftrace_filter", SITE), "set_ftrace_filter") &&
	       CHECK(!put(TRACEFS "kprobe_events", "p:fd_k " SITE), "kprobe_events") &&
	       prepare_third_user();
}

static void restore(void)
{
	int i;

	for (i = 0; i < USERS; i++)
		if (here(i))
			users[i].off();
	state[0] = '\0';
	put(TRACEFS "current_tracer", "nop");
	put(TRACEFS "dynamic_events", "-:fd_f");
	rmdir(TRACE_INSTANCE);
	put(TRACEFS "kprobe_events", "-:fd_k");
	truncate(TRACEFS "set_ftrace_filter", 0);
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
}

/* -------------------------------------------------------------------------- */
/* Every step of every order                                                    */

/* The step by @user from @from; a state's number is its users in base 5. */
static int number_of(const char *s)
{
	int n = 0;

	while (*s)
		n = 5 * n + (*s++ - '0') + 1;
	return n;
}

static bool taken[625][USERS];

/* The nearest step that has not been taken, as the first user of the way there. */
static int next_user(void)
{
	struct node {
		char state[USERS + 1];
		int first;
	} queue[128], *head = queue, *tail = queue, *p;
	int user;

	memcpy(tail->state, state, sizeof(state));
	tail++->first = -1;
	for (; head < tail; head++) {
		for (user = 0; user < USERS; user++) {
			struct node next = { .first = head->first < 0 ? user : head->first };
			char *at = strchr(head->state, '0' + user);

			if (!taken[number_of(head->state)][user])
				return next.first;
			memcpy(next.state, head->state, sizeof(next.state));
			if (at)
				memmove(next.state + (at - head->state),
					at + 1, strlen(at));
			else
				next.state[strlen(next.state)] = '0' + user;
			for (p = queue; p < tail; p++)
				if (!strcmp(p->state, next.state))
					break;
			if (p == tail)
				*tail++ = next;
		}
	}
	return -1;
}

static void every_step(const char *method)
{
	int user, different = 0;

	REQUIRE(prepare(method), "prepare");
	memset(taken, 0, sizeof(taken));
	while ((user = next_user()) >= 0) {
		different += !taken[number_of(state)][user];
		taken[number_of(state)][user] = true;
		if (!take_step(user))
			break;
	}
	CHECK(different == 260, "%d different steps taken, not 260", different);
	/* And back to where nobody is. */
	while (state[0] && take_step(state[0] - '0'))
		;
	CHECK(!state[0], "%s left", state_name());
}

/* -------------------------------------------------------------------------- */
/* The 576 orders themselves                                                    */

static void order(int n, int users_in_order[USERS])
{
	int left[USERS] = { 0, 1, 2, 3 }, i, k, pick;

	for (i = 0; i < USERS; i++) {
		pick = n % (USERS - i);
		n /= USERS - i;
		users_in_order[i] = left[pick];
		for (k = pick; k < USERS - 1; k++)
			left[k] = left[k + 1];
	}
}

static void every_order(const char *method)
{
	int on[USERS], off[USERS], a, d, i;

	REQUIRE(prepare(method), "prepare");
	for (a = 0; a < 24; a++) {
		for (d = 0; d < 24; d++) {
			order(a, on);
			order(d, off);
			for (i = 0; i < USERS; i++)
				REQUIRE(take_step(on[i]), "order %d, %d", a, d);
			for (i = 0; i < USERS; i++)
				REQUIRE(take_step(off[i]), "order %d, %d", a, d);
		}
	}
	CHECK(steps == 576 * 2 * USERS, "%d steps", steps);
}

static void hash_steps(void)	{ every_step("hash"); }
static void hash_orders(void)	{ every_order("hash"); }
static void multi_steps(void)	{ every_step("multi"); }

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
	CHECK(!put(TRACEFS "set_ftrace_filter", ":mod:fdirect_peer"), "set_ftrace_filter");
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

/*
 * Two users wait for grace periods of tasks RCU when they go, and most of such a one is
 * ordinary grace periods. These need not be patient here.
 */
#define EXPEDITED	"/sys/kernel/rcu_expedited"

static char *expedited;

static void expedite(void)
{
	expedited = slurp(EXPEDITED);
	put(EXPEDITED, "1");
}

static void be_patient(void)
{
	put(EXPEDITED, "%s", expedited ?: "0");
	free(expedited);
}

static const struct test tests[] = {
	{ "hash: four users of a site see every call in all 576 orders of coming and going",
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
	atexit(be_patient);
	SUITE(tests, "fdirect_peer", "fdirect");
}
