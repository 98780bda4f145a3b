// SPDX-License-Identifier: GPL-2.0
/*
 * Targets that change while four tasks call the functions, on all CPUs.
 *
 * Ten functions, four of the kernel and six of a module, go together from target A to
 * target B and back. Where there are near and far targets they go from each kind to
 * each. The counters of A and of B are there all the time, because functions that
 * nobody calls are attached to both. For each command that takes them from X to Y:
 *
 *  - before it Y has not counted since it was left: nothing goes where it may not;
 *  - once it has returned, each task may have one call on its way to X, no more;
 *  - once each task has ended the call it was in, X does not count any more;
 *  - what a task calls from then on, Y counts.
 *
 * And every hundred commands the tasks end: A and B have counted, together, every call
 * that was made, and no other stub has counted any. No call was lost or counted twice,
 * and none went astray.
 *
 * A flip is the change of one function's target, so a command makes ten of them.
 * FDIRECT_FLIPS=N in the environment asks for N flips instead of 10,000.
 */
#include <sys/mman.h>

#include "fdirect.h"

#define FLIPS		10000
#define CALLERS		4
#define SYSCALLS	4
#define MODULE_FUNCS	6
#define SITES		(SYSCALLS + MODULE_FUNCS)
#define ROUND		100	/* commands from one sum of all calls to the next */
#define MAX_BATCH	16	/* calls of each function until a task tells how far it is */
#define PATIENCE	60	/* seconds until a task that does not get on is stuck */

/* -------------------------------------------------------------------------- */
/* The callers                                                                  */

struct caller {
	unsigned long batches;		/* ended */
	unsigned long calls;		/* made of each function */
} __attribute__((aligned(128)));

static struct shared {
	struct caller caller[CALLERS];
	int stop;
} *shared;

static pid_t pids[CALLERS];

/*
 * Ends with 0 if all calls returned what they should.
 *
 * QEMU can have one thread for all CPUs, and gives each 100 ms unless it is idle. A
 * moment of sleep between batches is what lets the others go on before that.
 */
static int call_until_stopped(int number)
{
	const struct timespec moment = { .tv_nsec = 1000 };
	struct caller *me = &shared->caller[number];
	unsigned int seed = number, calls, i;
	int fd = open(PEER "call", O_WRONLY | O_CLOEXEC), len;
	char text[32];

	if (fd < 0 || !stay_on(number % sysconf(_SC_NPROCESSORS_ONLN)))
		return 1;
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		seed = seed * 1103515245 + 12345;
		calls = 1 + (seed >> 16) % MAX_BATCH;
		len = snprintf(text, sizeof(text), "0 %d %u 1", MODULE_FUNCS, calls);
		if (write(fd, text, len) != len)
			return 2;
		for (i = 0; i < SYSCALLS; i++)
			call_syscall(i, calls);
		me->calls += calls;
		__atomic_fetch_add(&me->batches, 1, __ATOMIC_RELEASE);
		nanosleep(&moment, NULL);
	}
	return 0;
}

static bool start_callers(void)
{
	int i;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (!CHECK(shared != MAP_FAILED, "shared memory: %s", strerror(errno)))
		return false;
	for (i = 0; i < CALLERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(call_until_stopped(i));
	}
	return true;
}

/* The calls that were made of each function. */
static unsigned long stop_callers(void)
{
	unsigned long calls = 0;
	int i, wstatus;

	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < CALLERS; i++) {
		wstatus = -1;
		waitpid(pids[i], &wstatus, 0);
		CHECK(WIFEXITED(wstatus) && !WEXITSTATUS(wstatus), "caller %d: status %x", i,
		      wstatus);
		calls += shared->caller[i].calls;
	}
	munmap(shared, sizeof(*shared));
	return calls;
}

static unsigned long batches(int caller)
{
	return __atomic_load_n(&shared->caller[caller].batches, __ATOMIC_ACQUIRE);
}

/*
 * Until each caller has ended as many batches. After one of them, whatever it was in the
 * middle of is over. After two it has begun one, and made each of its calls.
 */
static bool let_callers_end(unsigned long wanted)
{
	const struct timespec nap = { .tv_nsec = 50000 };
	time_t end = time(NULL) + PATIENCE;
	unsigned long from[CALLERS];
	int i;

	for (i = 0; i < CALLERS; i++)
		from[i] = batches(i);
	for (i = 0; i < CALLERS; i++) {
		while (batches(i) - from[i] < wanted) {
			if (!CHECK(time(NULL) < end, "caller %d is stuck", i))
				return false;
			nanosleep(&nap, NULL);
		}
	}
	return true;
}

/* -------------------------------------------------------------------------- */
/* Targets                                                                      */

/*
 * By `multi` all functions have the same A and B, otherwise each has its own: there is
 * one pair, or as many as functions. Function i of the selection is called and
 * flipped. SITES + i is attached to A and 2 * SITES + i to B all the time.
 */
enum target { A, B };

static const int first_stub[] = { [A] = 0, [B] = 1000 };

struct method {
	const char *name;
	int pairs;
};

static const struct method by_hash = { "hash", SITES };
static const struct method by_each = { "each", SITES };
static const struct method by_multi = { "multi", 1 };

struct counts {
	unsigned long of[2][SITES];
};

static bool read_counts(const struct method *m, struct counts *counts)
{
	struct hit *hits;
	int i, t;

	if (!CHECK(read_hits(&hits) == 3 * SITES, "the functions in hits"))
		return false;
	for (t = A; t <= B; t++)
		for (i = 0; i < m->pairs; i++)
			counts->of[t][i] = hits[(1 + t) * SITES + i].hits;
	free(hits);
	return true;
}

static bool attach_all(const struct method *m)
{
	struct text t = { };
	int i, err = 0;

	add_syscalls(&t, SYSCALLS);
	add_peers(&t, 0, MODULE_FUNCS);
	add_peers(&t, 100, 2 * SITES);
	if (!CHECK(!choose(&t), "choosing functions") ||
	    !CHECK(!fdirect("method", "%s", m->name), "method %s", m->name))
		return false;
	for (i = 0; i < 3 && !err; i++) {
		fdirect("ops", "%d", i);
		err = fdirect("control", "attach %d %d %d", i * SITES, SITES,
			      first_stub[i == 2 ? B : A]);
	}
	fdirect("ops", "0");
	return CHECK(!err, "attach: %s", errname(err));
}

/* Near, near, far, far: each kind is left for either kind. */
static int flip_to(enum target to, long flip)
{
	int err = 0;

	if (has_far())
		err = fdirect("reach", "%s", flip / 2 % 2 ? "far" : "near");
	return err ? err : fdirect("control", "modify 0 %d %d", SITES, first_stub[to]);
}

/* -------------------------------------------------------------------------- */
/* The flips                                                                    */

static bool check_flip(const struct method *m, enum target to, long flip, struct counts *last)
{
	struct counts before, returned, drained, after;
	enum target from = !to;
	unsigned long late = 0;
	bool ok = true;
	int err, i;

	if (!read_counts(m, &before))
		return false;
	for (i = 0; i < m->pairs; i++)
		ok &= CHECK(before.of[to][i] == last->of[to][i],
			    "flip %ld, pair %d: %lu hits on a target that was left", flip, i,
			    before.of[to][i] - last->of[to][i]);

	err = flip_to(to, flip);
	if (!CHECK(!err, "flip %ld: %s", flip, errname(err)) || !read_counts(m, &returned) ||
	    !let_callers_end(1) || !read_counts(m, &drained) || !let_callers_end(2) ||
	    !read_counts(m, &after))
		return false;

	for (i = 0; i < m->pairs; i++) {
		late += drained.of[from][i] - returned.of[from][i];
		ok &= CHECK(after.of[from][i] == drained.of[from][i],
			    "flip %ld, pair %d: %lu hits on a target that no call was on its way to",
			    flip, i, after.of[from][i] - drained.of[from][i]);
		ok &= CHECK(after.of[to][i] >= drained.of[to][i] + CALLERS * (SITES / m->pairs),
			    "flip %ld, pair %d: %lu hits on the new target for a batch of each caller",
			    flip, i, after.of[to][i] - drained.of[to][i]);
	}
	ok &= CHECK(late <= CALLERS, "flip %ld: %lu calls of %d tasks came late", flip, late,
		    CALLERS);
	*last = after;
	return ok;
}

/* How many commands it takes for the flips, or for a part of them. */
static long commands(long part)
{
	long flips = asked_for("FDIRECT_FLIPS") ?: FLIPS;

	return (flips + part * SITES - 1) / (part * SITES);
}

/* Time counts when the CPU is somebody else's: whoever flips is not to wait for it. */
static void take_precedence(bool on)
{
	struct sched_param param = { .sched_priority = on };

	sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param);
}

/* A and B have counted all calls of a round, and nobody else any. */
static bool check_sum(const struct method *m, unsigned long calls)
{
	unsigned long counted, all = 0;
	struct counts end;
	bool ok = true;
	char *text;
	int i;

	if (!read_counts(m, &end))
		return false;
	for (i = 0; i < m->pairs; i++) {
		counted = end.of[A][i] + end.of[B][i];
		ok &= CHECK(counted == calls * (SITES / m->pairs), "pair %d: %lu hits of %lu calls",
			    i, counted, calls * (SITES / m->pairs));
		all += counted;
	}
	text = must_slurp(FDIRECT "status");
	ok &= CHECK(value_in(text, "hits_total") == (long long)all, "%lld hits in all, not %lu",
		    value_in(text, "hits_total"), all);
	ok &= CHECK(value_in(text, "stray_hits") == 0, "%lld stray hits",
		    value_in(text, "stray_hits"));
	ok &= CHECK(value_in(text, "misdirected") == 0, "%lld misdirected",
		    value_in(text, "misdirected"));
	free(text);
	return ok;
}

static void flip_under_load(const struct method *m, long wanted)
{
	unsigned long calls, all_calls = 0;
	long done = 0, end;
	struct counts last;
	bool ok = attach_all(m);

	while (ok && done < wanted) {
		CHECK(!fdirect("hits", "0"), "resetting the hits");
		memset(&last, 0, sizeof(last));
		if (!start_callers())
			return;
		end = done + ROUND < wanted ? done + ROUND : wanted;
		take_precedence(true);
		for (; ok && done < end; done++)
			ok = check_flip(m, done % 2 ? A : B, done, &last);
		take_precedence(false);
		calls = stop_callers();
		all_calls += calls;
		ok &= check_sum(m, calls);
	}
	ksft_print_msg("%ld commands, %ld flips, under %lu calls of each function\n", done,
		       done * SITES, all_calls);
	CHECK(done == wanted, "%ld of %ld commands", done, wanted);
	CHECK(!fdirect("control", "detach"), "detach");
}

static void hash_flips(void)	{ flip_under_load(&by_hash, commands(1)); }
static void each_flips(void)	{ flip_under_load(&by_each, commands(20)); }

/* Where there is nothing better, this is the one that does it all. */
static void multi_flips(void)
{
	flip_under_load(&by_multi, commands(has_hash() ? 20 : 1));
}

/* The call sites stay with ftrace's list of users, which finds the targets by address. */
static void flips_under_tracer(void)
{
	int i;

	for (i = 0; i < SYSCALLS; i++)
		REQUIRE(!put(TRACEFS "set_ftrace_filter", SYSCALL_PREFIX "%s\n",
			     rare_syscalls[i].name), "set_ftrace_filter");
	REQUIRE(!put(TRACEFS "set_ftrace_filter", "fdirect_peer_00?\n"), "set_ftrace_filter");
	REQUIRE(!put(TRACEFS "current_tracer", "function"), "the function tracer");
	flip_under_load(&by_hash, commands(20));
}

static void restore(void)
{
	put(TRACEFS "current_tracer", "nop");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
}

static const struct test tests[] = {
	{ "hash: each call hits a target that it may, while targets change",
	  hash_flips, HASH },
	{ "multi: each call hits a target that it may, while the target changes",
	  multi_flips },
	{ "each: each call hits a target that it may, while targets change",
	  each_flips },
	{ "hash: each call hits a target that it may, while targets change under a tracer",
	  flips_under_tracer, HASH },
};

int main(void)
{
	suite_restore = restore;
	SUITE(tests, "fdirect_peer", "fdirect");
}
