// SPDX-License-Identifier: GPL-2.0
/*
 * Direct targets that a call site reaches with one instruction (near), and
 * targets that it reaches only through ftrace's trampoline (far). A function goes
 * from either to the other, and from each to and from the list of several users.
 *
 * A direct call is near, far or not there, and each of two function tracers is
 * there or not. With the order of arrival this makes 27 states, with 130 steps
 * between them. One walk takes each of these steps at least once. Two functions of
 * the kernel and four of a module take it together. After each step they are
 * called. The hits have to be on the stubs of that moment, and the tracers have to
 * have seen every call.
 */
#include "fdirect.h"

#define SYSCALLS	2
#define MODULE_FUNCS	4
#define SITES		(SYSCALLS + MODULE_FUNCS)

/* -------------------------------------------------------------------------- */
/* The two tracers                                                              */

#define TRACERS	2

static const char * const tracer_dirs[TRACERS] = { TRACEFS, TRACE_INSTANCE };

static int put_in(int tracer, const char *file, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", tracer_dirs[tracer], file);
	return put(path, "%s\n", text);
}

/* How many calls a tracer has seen since it was last asked. */
static int traced_calls(int tracer)
{
	char *line, *next = read_trace(tracer_dirs[tracer]);
	int calls = 0;

	while ((line = strsep(&next, "\n")))
		if (strstr(line, " <-"))
			calls++;
	return calls;
}

/* -------------------------------------------------------------------------- */
/* The state now                                                                */

enum direct { NOWHERE, NEAR, FAR_AWAY };

static const char * const direct_names[] = { "nowhere", "near", "far" };

/*
 * The users in the order of arrival, as a string: 't' and 'i' are the tracers,
 * 'n' or 'f' the direct call, near or far.
 */
static char state[TRACERS + 2];

/* The stub of the first function; the others have those that follow, or the same. */
static int first_stub;

static bool one_stub_for_all;
static int sites;

static long stub_of(int i)
{
	return one_stub_for_all ? first_stub : first_stub + i;
}

static enum direct direct_in(const char *s)
{
	return strchr(s, 'n') ? NEAR : strchr(s, 'f') ? FAR_AWAY : NOWHERE;
}

static const char *state_name(const char *s)
{
	return s[0] ? s : "nobody";
}

/* -------------------------------------------------------------------------- */
/* Steps                                                                        */

/*
 * The function tracer or the instance's comes or goes. The direct call goes, or
 * comes or changes to a near or far stub, also from one to another of the same
 * kind.
 */
enum step { TRACER, INSTANCE_TRACER, DETACH, TO_NEAR, TO_FAR, STEPS };

static const char * const step_names[STEPS] = {
	"tracer", "instance's tracer", "detach", "to near", "to far",
};

static bool possible(const char *s, enum step step)
{
	return step != DETACH || direct_in(s) != NOWHERE;
}

static void toggle(char *s, char who)
{
	char *p = strchr(s, who);

	if (p) {
		memmove(p, p + 1, strlen(p));
	} else {
		s[strlen(s) + 1] = '\0';
		s[strlen(s)] = who;
	}
}

/* The state after @step. A direct call that changes keeps its place in the order. */
static void follow(char *s, enum step step)
{
	char *direct = strpbrk(s, "nf");

	switch (step) {
	case TRACER:
		toggle(s, 't');
		break;
	case INSTANCE_TRACER:
		toggle(s, 'i');
		break;
	case DETACH:
		toggle(s, *direct);
		break;
	default:
		if (direct)
			*direct = step == TO_NEAR ? 'n' : 'f';
		else
			toggle(s, step == TO_NEAR ? 'n' : 'f');
	}
}

static int act(enum step step)
{
	switch (step) {
	case TRACER:
		return put_in(0, "current_tracer", strchr(state, 't') ? "nop" : "function");
	case INSTANCE_TRACER:
		return put_in(1, "current_tracer", strchr(state, 'i') ? "nop" : "function");
	case DETACH:
		return fdirect("control", "detach 0 %d", sites);
	default:
		if (fdirect("reach", "%s", step == TO_NEAR ? "near" : "far"))
			return EINVAL;
		/* A stub that was none of theirs, now and then past the last one */
		first_stub = (first_stub + 7919) % (STUBS - SITES);
		return fdirect("control", "%s 0 %d %d",
			       direct_in(state) ? "modify" : "attach", sites, first_stub);
	}
}

/* How often function @i is called in a round: each a number of its own. */
static int calls_of(int i)
{
	return 1 + i;
}

static void call_all(int syscalls)
{
	int i;

	for (i = 0; i < syscalls; i++)
		call_syscall(i, calls_of(i));
	CHECK(!call_peers(0, sites - syscalls, calls_of(syscalls), STUBS),
	      "a traced function returned something else");
}

/* Calls them all: the hits and what the tracers saw must be as the state says. */
static bool expect_state(int syscalls, const char *after)
{
	bool direct = direct_in(state) != NOWHERE, near_alone = !strcmp(state, "n"), ok = true;
	unsigned long want;
	int i, calls = 0, seen;
	struct hit *hits;
	char *text;

	fdirect("hits", "0");
	traced_calls(0);
	traced_calls(1);
	call_all(syscalls);
	for (i = 0; i < sites; i++)
		calls += calls_of(i);
	if (!CHECK(read_hits(&hits) == (size_t)sites, "%d functions", sites))
		return false;
	for (i = 0; i < sites; i++) {
		want = !direct ? 0 : one_stub_for_all ? calls : calls_of(i);
		ok &= CHECK(hits[i].stub == (direct ? stub_of(i) : -1), "%s: %s has stub %ld",
			    after, hits[i].name, hits[i].stub);
		ok &= CHECK(hits[i].hits == want, "%s: %s has %lu hits, not %lu", after,
			    hits[i].name, hits[i].hits, want);
	}
	free(hits);

	text = must_slurp(FDIRECT "status");
	ok &= CHECK(value_in(text, "hits_total") == (direct ? calls : 0), "%s: %lld hits in all",
		    after, value_in(text, "hits_total"));
	ok &= CHECK(value_in(text, "stray_hits") == 0, "%s: %lld stray hits", after,
		    value_in(text, "stray_hits"));
	ok &= CHECK(value_in(text, "attached") == (direct ? sites : 0), "%s: %lld attached",
		    after, value_in(text, "attached"));
	/* The call instruction has the stub's address only if nobody else is there. */
	ok &= CHECK(value_in(text, "patched") == (near_alone ? sites : 0),
		    "%s: %lld call sites call their stub", after, value_in(text, "patched"));
	ok &= CHECK(value_in(text, "misdirected") == 0, "%s: %lld misdirected", after,
		    value_in(text, "misdirected"));
	free(text);

	for (i = 0; i < TRACERS; i++) {
		want = strchr(state, "ti"[i]) ? calls : 0;
		seen = traced_calls(i);
		ok &= CHECK(seen == (int)want, "%s: tracer %d saw %d calls, not %lu", after, i,
			    seen, want);
	}
	return ok;
}

static bool take_step(int syscalls, enum step step)
{
	char text[64];
	int err;

	snprintf(text, sizeof(text), "%s, %s", state_name(state), step_names[step]);
	err = act(step);
	if (!CHECK(!err, "%s: %s", text, errname(err)))
		return false;
	follow(state, step);
	return expect_state(syscalls, text);
}

/* -------------------------------------------------------------------------- */
/* The walk                                                                     */

/* A state's number: its letters in base 5. */
static int number_of(const char *s)
{
	int n = 0;

	while (*s)
		n = 5 * n + (strchr("tinf", *s++) - "tinf") + 1;
	return n;
}

static bool taken[125][STEPS];

/* The first step of the shortest way to one that has not been taken; STEPS: none. */
static enum step next_step(void)
{
	struct node {
		char state[sizeof(state)];
		enum step first;
	} queue[64], *head = queue, *tail = queue, *p;
	enum step step;

	memcpy(tail->state, state, sizeof(state));
	tail++->first = STEPS;
	for (; head < tail; head++) {
		for (step = 0; step < STEPS; step++) {
			struct node next = *head;

			if (!possible(head->state, step))
				continue;
			if (next.first == STEPS)
				next.first = step;
			if (!taken[number_of(head->state)][step])
				return next.first;
			follow(next.state, step);
			for (p = queue; p < tail; p++)
				if (!strcmp(p->state, next.state))
					break;
			if (p == tail)
				*tail++ = next;
		}
	}
	return STEPS;
}

static bool prepare(const char *method, int syscalls, int peers)
{
	char *names, *name, *next;
	struct text t = { };
	bool ok = true;
	int i;

	sites = syscalls + peers;
	one_stub_for_all = !strcmp(method, "multi");
	state[0] = '\0';
	add_syscalls(&t, syscalls);
	for (i = 0; i < peers; i++)
		add(&t, "fdirect_peer_%03x\n", i);
	names = strdup(t.s);
	next = names;
	if (!CHECK(!choose(&t), "choosing functions") ||
	    !CHECK(!fdirect("method", "%s", method), "method %s", method) ||
	    !CHECK(!mkdir(TRACE_INSTANCE, 0755) || errno == EEXIST, "an instance: %s",
		   strerror(errno)))
		ok = false;
	/* One name for each write; each adds to what is there. */
	while (ok && (name = strsep(&next, "\n")) && *name)
		for (i = 0; i < TRACERS; i++)
			ok &= CHECK(!put_in(i, "set_ftrace_filter", name), "filter %d: %s", i,
				    name);
	free(names);
	return ok;
}

static void restore(void)
{
	put_in(0, "current_tracer", "nop");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
	if (access(TRACE_INSTANCE, F_OK))
		return;
	put_in(1, "current_tracer", "nop");
	rmdir(TRACE_INSTANCE);
}

static void every_step(const char *method, int syscalls, int peers)
{
	int different = 0;
	enum step step;

	REQUIRE(prepare(method, syscalls, peers), "prepare");
	memset(taken, 0, sizeof(taken));
	while ((step = next_step()) != STEPS) {
		different += !taken[number_of(state)][step];
		taken[number_of(state)][step] = true;
		if (!take_step(syscalls, step))
			return;
	}
	CHECK(different == 130, "%d different steps taken, not 130", different);
}

static void hash_steps(void)	{ every_step("hash", SYSCALLS, MODULE_FUNCS); }
static void multi_steps(void)	{ every_step("multi", SYSCALLS, MODULE_FUNCS); }
/* A call and a grace period for each function: no more than one of each kind */
static void each_steps(void)	{ every_step("each", 1, 1); }

/* -------------------------------------------------------------------------- */
/* Near and far side by side                                                    */

#define MANY	1000

static enum direct where[MANY];
static int where_stub[MANY];

static void expect_many(const char *when)
{
	int near = 0, attached = 0, i;
	struct hit *hits;

	fdirect("hits", "0");
	CHECK(!call_peers(0, MANY, 1, 7), "%s: calling", when);
	REQUIRE(read_hits(&hits) == MANY, "%s: all functions", when);
	for (i = 0; i < MANY; i++) {
		bool on = where[i] != NOWHERE;

		CHECK(hits[i].stub == (on ? where_stub[i] : -1), "%s: %s, %s, has stub %ld", when,
		      hits[i].name, direct_names[where[i]], hits[i].stub);
		CHECK(hits[i].hits == (on ? 1UL + i % 7 : 0), "%s: %s, %s, has %lu hits", when,
		      hits[i].name, direct_names[where[i]], hits[i].hits);
		near += where[i] == NEAR;
		attached += on;
	}
	free(hits);
	CHECK(status("attached") == attached, "%s: %lld attached", when, status("attached"));
	CHECK(status("patched") == near, "%s: %lld call their stub, not %d", when,
	      status("patched"), near);
	CHECK(status("misdirected") == 0, "%s: %lld misdirected", when, status("misdirected"));
	CHECK(status("stray_hits") == 0, "%s: %lld stray hits", when, status("stray_hits"));
}

static void change(const char *verb, enum direct to, int first, int count, int stub)
{
	char text[64];
	int err, i;

	if (to == NOWHERE) {
		snprintf(text, sizeof(text), "detach %d %d", first, count);
	} else {
		snprintf(text, sizeof(text), "%s %d %d %d", verb, first, count, stub);
		CHECK(!fdirect("reach", "%s", direct_names[to]), "reach %s", direct_names[to]);
	}
	err = fdirect("control", "%s", text);
	CHECK(!err, "%s: %s", text, errname(err));
	for (i = first; i < first + count; i++) {
		where[i] = to;
		where_stub[i] = stub + i - first;
	}
	expect_many(text);
}

static void side_by_side(void)
{
	memset(where, 0, sizeof(where));
	REQUIRE(!choose_peers(MANY), "choosing functions");
	REQUIRE(!fdirect("method", "hash"), "method");
	change("attach", NEAR, 0, 400, 0);
	change("attach", FAR_AWAY, 400, 400, 10000);
	change("modify", FAR_AWAY, 200, 400, 20000);
	change("modify", NEAR, 300, 400, 30000);
	/* The same stubs, from the other side */
	change("modify", FAR_AWAY, 300, 400, 30000);
	change("attach", NEAR, 900, 100, 64000);
	change("detach", NOWHERE, 100, 200, 0);
	change("attach", FAR_AWAY, 100, 100, 40000);
	change("modify", NEAR, 500, 1, 50000);
	change("detach", NOWHERE, 300, 500, 0);
	change("modify", FAR_AWAY, 900, 100, 12345);
	CHECK(!fdirect("control", "detach"), "detach");
	memset(where, 0, sizeof(where));
	expect_many("detach");
}

/* -------------------------------------------------------------------------- */
/* The file and the parameter                                                   */

static void expect_reach(const char *want)
{
	char *text = first_line(FDIRECT "reach");

	CHECK(!strcmp(text, want), "reach is \"%s\", not \"%s\"", text, want);
	free(text);
	text = must_slurp(FDIRECT "status");
	CHECK(strstr(text, want[0] == 'f' ? "\nreach far\n" : "\nreach near\n"),
	      "status does not say reach %s", want);
	free(text);
}

static void bad_values(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	REFUSED("reach", "", EINVAL);
	REFUSED("reach", "\n", EINVAL);
	REFUSED("reach", "nearer", EINVAL);
	REFUSED("reach", "fa", EINVAL);
	REFUSED("reach", "near far", EINVAL);
	REFUSED("reach", "0", EINVAL);
	CHECK(!fdirect("reach", " near\n"), "what is right is taken");
	expect_reach("near");
}

static void far_refused(void)
{
	int err;

	REQUIRE(!choose_peers(3), "choosing functions");
	REQUIRE(!fdirect("control", "attach 0 2"), "attach");
	REFUSED("reach", "far", EOPNOTSUPP);
	CHECK(last_error_has("reach"), "the reason");
	expect_reach("near");
	CHECK(!fdirect("control", "detach"), "detach");

	REQUIRE(!unload("fdirect"), "unloading fdirect.ko");
	err = load_with("fdirect", "far=1");
	CHECK(err == EOPNOTSUPP, "loading with far=1: %s", errname(err));
	if (!err)
		unload("fdirect");
	CHECK(!load("fdirect"), "loading fdirect.ko");
}

/* It says what the next command does, and leaves alone what the last one did. */
static void next_command(void)
{
	REQUIRE(!choose_peers(8), "choosing functions");
	expect_reach("near");
	CHECK(!fdirect("control", "attach 0 4"), "attach");
	CHECK(!fdirect("reach", "far"), "reach far");
	expect_reach("far");
	CHECK(status("patched") == 4, "%lld call sites call their stub", status("patched"));
	/* `multi` cannot add to an ops. */
	CHECK(!fdirect("ops", "1"), "ops");
	CHECK(!fdirect("control", "attach 4 4"), "attach");
	CHECK(status("patched") == 4, "%lld call sites call their stub", status("patched"));
	CHECK(!fdirect("reach", "near"), "reach near");
	expect_reach("near");
	CHECK(status("patched") == 4, "%lld call sites call their stub", status("patched"));
	CHECK(!fdirect("control", "detach"), "detach");
}

static void loaded_far(void)
{
	char *value;

	REQUIRE(!unload("fdirect"), "unloading fdirect.ko");
	REQUIRE(!load_with("fdirect", "far=1"), "loading fdirect.ko with far=1");
	expect_reach("far");
	value = first_line("/sys/module/fdirect/parameters/far");
	CHECK(value[0] == 'Y', "the parameter far is %s", value);
	free(value);
	REQUIRE(!choose_peers(4), "choosing functions");
	CHECK(!fdirect("control", "attach"), "attach");
	CHECK(status("attached") == 4, "%lld attached", status("attached"));
	CHECK(status("patched") == 0, "%lld call sites call their stub", status("patched"));
	/* And away with it while they are attached */
	REQUIRE(!unload("fdirect"), "unloading fdirect.ko");
	CHECK(!call_peers(0, 4, 3, 2), "calling what was attached");
	CHECK(!load("fdirect"), "loading fdirect.ko");
	expect_reach("near");
}

static const struct test tests[] = {
	{ "hash: near, far, one of several users: functions get there from anywhere", hash_steps,
	  HASH_FAR },
	{ "multi: near, far, one of several users: functions get there from anywhere",
	  multi_steps, FAR },
	{ "each: near, far, one of several users: functions get there from anywhere", each_steps,
	  FAR },
	{ "hash: 1,000 functions near and far side by side", side_by_side, HASH_FAR },
	{ "reach: a value that makes no sense is EINVAL", bad_values },
	{ "reach: far is EOPNOTSUPP where a call reaches everything", far_refused, NO_FAR },
	{ "reach is for the next command, and changes nothing by itself", next_command, FAR },
	{ "fdirect.ko loads with far=1, and unloads with functions attached there", loaded_far,
	  FAR },
};

int main(void)
{
	suite_restore = restore;
	SUITE(tests, "fdirect_peer", "fdirect");
}
