// SPDX-License-Identifier: GPL-2.0
/*
 * Small changes of a big state: 40,000 functions are attached, or as many as a small
 * kernel has. Single ones come and go, those of a module go for good, and function
 * tracers change their filters. After each step every call site is what it should be,
 * and enabled_functions says so.
 *
 * FDIRECT_SEED=N in the environment repeats a run.
 */
#include "fdirect.h"

#define MANY		40000
#define BULK		2048	/* functions in fdirect_bulk_0.ko */
#define TURNS		300	/* at most */
#define SAME		10000	/* times the same function, at most */
#define TIME		12000	/* milliseconds for either, after the first 40 turns */
/* KiB that the kernel may have taken for something else; 20 tables or filters are more */
#define LEAK		1024
/* Twice the KiB that KASAN was seen to keep of a turn on arm64; a table or a filter is more */
#define TURN		26

/* The order of the selection */
#define FIRST_BULK	PEERS
#define FIRST_KERNEL	(FIRST_BULK + BULK)

static unsigned int seed;
static int selected;

/* The function that should be attached to each stub; -1: none. */
static long stub_of[MANY];

static unsigned int any(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static void choose_seed(void)
{
	const char *text = getenv("FDIRECT_SEED");

	seed = text ? strtoul(text, NULL, 0) : (unsigned long)time(NULL);
	ksft_print_msg("FDIRECT_SEED=%u\n", seed);
}

/* The peers, the functions of a bulk module, and as many of the kernel as it takes. */
static bool attach_many(void)
{
	char *text, *line, *next;
	struct text t = { };
	int i, err;

	choose_seed();
	err = load("fdirect_bulk_0");
	if (!CHECK(!err, "fdirect_bulk_0.ko: %s", errname(err)))
		return false;
	add_peers(&t, 0, PEERS);
	text = must_slurp(DEBUGFS "fdirect_bulk_0");
	next = text;
	while ((line = strsep(&next, "\n")) && *line)
		add(&t, "%s\n", line);
	free(text);
	add_kernel_functions(&t, MANY - FIRST_KERNEL);
	if (!CHECK(!choose(&t), "choosing functions"))
		return false;
	selected = status("functions");
	if (selected < MANY)
		ksft_print_msg("there are only %d functions to trace\n", selected);
	if (!CHECK(selected >= FEWEST, "%d functions are too few", selected))
		return false;
	for (i = 0; i < selected; i++)
		stub_of[i] = i;
	err = fdirect("control", "attach");
	return CHECK(!err, "attach: %s", errname(err));
}

static int count_attached(void)
{
	int i, n = 0;

	for (i = 0; i < selected; i++)
		n += stub_of[i] >= 0;
	return n;
}

/* The module has looked at every call site: each calls its stub, or nothing. */
static void check_sites(const char *when)
{
	char *text = must_slurp(FDIRECT "status");
	int want = count_attached();

	CHECK(value_in(text, "attached") == want, "%s: %lld attached, not %d", when,
	      value_in(text, "attached"), want);
	CHECK(value_in(text, "patched") == want, "%s: %lld sites call their stub, not %d", when,
	      value_in(text, "patched"), want);
	CHECK(value_in(text, "misdirected") == 0, "%s: %lld sites call another", when,
	      value_in(text, "misdirected"));
	free(text);
}

/*
 * Each function that is attached is in enabled_functions, and no other one. A name can be
 * that of several functions of the kernel, so only the peers are looked up by it.
 */
static void check_enabled(const char *when)
{
	char *text = enabled_functions(), *line, *next = text;
	bool there[PEERS] = { false };
	int peer, i, enabled = count_enabled(text);

	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "fdirect_peer_%3x [", &peer) == 1 && peer < PEERS)
			there[peer] = true;
	free(text);
	CHECK(enabled == count_attached(), "%s: %d functions enabled, not %d", when, enabled,
	      count_attached());
	for (i = 0; i < PEERS; i++)
		CHECK(there[i] == (stub_of[i] >= 0), "%s: peer %d is%s there", when, i,
		      there[i] ? "" : " not");
}

/* The line of hits for function @index. The entries behind it cost nothing. */
static bool read_hit(int index, struct hit *hit)
{
	FILE *file = fopen(FDIRECT "hits", "r");
	char line[256], stub[16];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%u %lx %15s %lu", &hit->index, &hit->site, stub,
			       &hit->hits) == 4 && hit->index == (unsigned int)index;
	if (file)
		fclose(file);
	hit->stub = found && strcmp(stub, "-") ? atol(stub) : -1;
	return found;
}

/* Calls @peer: the calls are counted on its stub, or by nobody. */
static void check_hits(int peer)
{
	const unsigned int times = 1 + any(9);
	struct hit hit;

	REQUIRE(!fdirect("hits", "0"), "resetting the hits");
	CHECK(!call_peers(peer, 1, times, 1), "calling peer %d", peer);
	REQUIRE(read_hit(peer, &hit), "peer %d in hits", peer);
	CHECK(hit.stub == stub_of[peer], "peer %d has stub %ld, not %ld", peer, hit.stub,
	      stub_of[peer]);
	CHECK(hit.hits == (hit.stub < 0 ? 0 : times), "peer %d: %lu hits of %u calls", peer,
	      hit.hits, times);
}

/* One function comes, changes or goes. Each time it gets a stub that nobody has. */
static void change(int i)
{
	static int changes;
	long stub = MANY + changes++ % (STUBS - MANY);
	int err;

	if (stub_of[i] < 0) {
		err = fdirect("control", "attach %d 1 %ld", i, stub);
	} else if (any(3) == 0) {
		err = fdirect("control", "modify %d 1 %ld", i, stub);
	} else {
		err = fdirect("control", "detach %d 1", i);
		stub = -1;
	}
	CHECK(!err, "function %d from stub %ld to %ld: %s", i, stub_of[i], stub, errname(err));
	stub_of[i] = stub;
}

/* -------------------------------------------------------------------------- */
/* One at a time                                                                */

static void single_functions(void)
{
	long long end;
	int i, turn;

	REQUIRE(attach_many(), "attaching");
	check_sites("at first");
	check_enabled("at first");
	end = now_ms() + TIME;
	for (turn = 0; turn < TURNS && (turn < 40 || now_ms() < end); turn++) {
		if (checks_failed >= 10)
			break;
		i = any(turn % 2 ? PEERS : selected);
		change(i);
		check_sites("one function");
		if (i < PEERS)
			check_hits(i);
		check_hits(any(PEERS));
	}
	ksft_print_msg("%d turns\n", turn);
	check_enabled("at last");
	CHECK(!fdirect("control", "detach"), "detach");
}

/* KiB that the kernel has taken for its tables. */
static long kernel_memory(void)
{
	char *text = must_slurp("/proc/meminfo"), *line, *next = text;
	long sum = 0, n;

	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "Slab: %ld", &n) == 1 || sscanf(line, "VmallocUsed: %ld", &n) == 1)
			sum += n;
	free(text);
	return sum;
}

/* Memory that a grace period frees is not there any more: at most @most, or a while later. */
static long settled_memory(long most)
{
	long now = kernel_memory();
	int tries;

	for (tries = 0; tries < 100 && now > most; tries++) {
		usleep(100000);
		now = kernel_memory();
	}
	return now;
}

/* How often it was done, at most @turns times. */
static int come_and_go(int function, int turns)
{
	long long end = now_ms() + TIME / 2;
	int turn;

	for (turn = 0; turn < turns && checks_failed < 10 && (turn < 20 || now_ms() < end); turn++)
		CHECK(!fdirect("control", "detach %d 1", function) &&
		      !fdirect("control", "attach %d 1", function), "turn %d", turn);
	return turn;
}

/*
 * A call site has one place in the table of targets, however often it is attached. If the
 * second half of the turns left a table or a filter behind each time, it would show. Single
 * entries are lost among the kernel's other memory, and are for kmemleak to find.
 */
static void same_function(void)
{
	const int peer = 5;
	long start, middle, end, most;
	int turns;

	REQUIRE(attach_many(), "attaching");
	start = kernel_memory();
	turns = come_and_go(peer, SAME / 2);
	sleep(1);
	middle = kernel_memory();
	turns += come_and_go(peer, SAME / 2);
	most = middle + (is_checked() && turns / 2 * TURN > LEAK ? turns / 2 * TURN : LEAK);
	end = settled_memory(most);
	ksft_print_msg("%d turns, %ld KiB at first, %ld in the middle, %ld at last\n", turns,
		       start, middle, end);
	CHECK(end <= most, "%ld KiB more after %d turns", end - middle, turns / 2);
	check_sites("once more");
	check_hits(peer);
	check_hits(peer + 1);
	CHECK(!fdirect("control", "detach"), "detach");
}

/* -------------------------------------------------------------------------- */
/* A module that goes                                                           */

static void unloaded_module(void)
{
	char refused[32];
	int err, i;

	REQUIRE(attach_many(), "attaching");
	CHECK(unload("fdirect_bulk_0") == EAGAIN, "unloading what is attached");
	snprintf(refused, sizeof(refused), "detach %d %d", FIRST_BULK + 1, BULK - 1);
	CHECK(!fdirect("control", "%s", refused), "detach all but one");
	CHECK(unload("fdirect_bulk_0") == EAGAIN, "unloading what has one function attached");
	CHECK(!fdirect("control", "detach %d 1", FIRST_BULK), "detach the last one");
	for (i = 0; i < BULK; i++)
		stub_of[FIRST_BULK + i] = -1;
	check_sites("the module's functions detached");
	check_enabled("the module's functions detached");
	err = unload("fdirect_bulk_0");
	CHECK(!err, "unloading: %s", errname(err));
	check_sites("without the module");
	check_hits(any(PEERS));
	CHECK(fdirect("control", "attach %d 1", FIRST_BULK) == ENODEV, "attach what is gone");
	CHECK(fdirect("control", "attach %d %d", FIRST_BULK, BULK) == ENODEV, "attach all of it");

	/* Others may be where they were. */
	err = load("fdirect_bulk_1");
	CHECK(!err, "loading another: %s", errname(err));
	check_sites("with another module");
	check_enabled("with another module");
	for (i = 0; i < 5; i++) {
		change(i);
		check_hits(i);
	}
	CHECK(!fdirect("control", "detach"), "detach");
}

/* -------------------------------------------------------------------------- */
/* The function tracer                                                          */

static int all_functions(void)
{
	char *text = must_slurp(TRACEFS "available_filter_functions"), *line, *next = text;
	int n = 0;

	while ((line = strsep(&next, "\n")) && *line)
		n += !strstr(line, "__ftrace_invalid_address");
	free(text);
	return n;
}

static void some_changes(const char *when)
{
	int i;

	for (i = 0; i < 4; i++)
		change(any(PEERS));
	for (i = 0; i < 4; i++)
		check_hits(any(PEERS));
	CHECK(status("attached") == count_attached(), "%s: %lld attached", when,
	      status("attached"));
	CHECK(status("misdirected") == 0, "%s: %lld misdirected", when, status("misdirected"));
}

static void filter(const char *text)
{
	CHECK(!put(TRACEFS "set_ftrace_filter", "%s\n", text), "set_ftrace_filter: %s", text);
}

/*
 * All functions but one, a few, and none of them are traced as well. In a kernel that looks
 * through its stack for each allocation, functions of modules are all that is traced: it
 * would take hours otherwise.
 */
static void function_tracers(void)
{
	const int without = 7;
	int want, sites;

	REQUIRE(attach_many(), "attaching");
	want = is_checked() ? selected - 1 : all_functions() - 1;
	CHECK(!fdirect("control", "detach %d 1", without), "detach");
	stub_of[without] = -1;
	/* Its answer does not matter, but it would take its time. */
	CHECK(!put(TRACEFS "tracing_on", "0"), "tracing_on");

	if (is_checked()) {
		filter("fdirect_peer_???");
		filter("bulk_*:mod:fdirect_bulk_0");
	} else {
		filter("*");
	}
	filter("!fdirect_peer_007");
	CHECK(!put(TRACEFS "current_tracer", "function"), "the function tracer");
	sites = functions_enabled();
	CHECK(sites == want, "all functions but one: %d are enabled, not %d", sites, want);
	some_changes("beside a tracer of all functions but one");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
	CHECK(!put(TRACEFS "current_tracer", "nop"), "no tracer");
	check_sites("after a tracer of all functions but one");
	check_enabled("after a tracer of all functions but one");

	filter("fdirect_peer_1*");
	CHECK(!put(TRACEFS "current_tracer", "function"), "the function tracer");
	some_changes("beside a tracer of 256 functions");
	CHECK(!put(TRACEFS "current_tracer", "nop"), "no tracer");
	check_sites("at last");
	check_enabled("at last");
	CHECK(!fdirect("control", "detach"), "detach");
}

static void restore(void)
{
	put(TRACEFS "current_tracer", "nop");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
	put(TRACEFS "tracing_on", "1");
	unload("fdirect_bulk_0");
	unload("fdirect_bulk_1");
}

static const struct test tests[] = {
	{ "single functions come, change and go beside up to 40,000", single_functions, HASH },
	{ "a function that comes and goes all the time leaves no tables behind", same_function,
	  HASH },
	{ "functions of a module that is unloaded leave the others alone", unloaded_module, HASH },
	{ "function tracers come and go over up to 40,000 functions", function_tracers, HASH },
};

int main(void)
{
	suite_restore = restore;
	SUITE(tests, "fdirect_peer", "fdirect");
}
