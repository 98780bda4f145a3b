// SPDX-License-Identifier: GPL-2.0
/*
 * 2,000 programs, attached and detached by four tasks at once. 1,000 functions have two each;
 * one task attaches one, another task the other.
 */
#include <sys/mman.h>

#include "bpf_trace.h"

#define TASKS		4
#define FUNCTIONS	1000

/*
 * Linux 6.12 as it is released takes 9 million instructions to attach a program, and 100 ms to
 * wait for RCU when it is detached. It gets fewer of them.
 */
#define STOCK_FUNCTIONS	50

static int functions;

/* Where they stand: all of them have done as much, or one has failed. */
static struct {
	int arrived[4];
	int failing;		/* the task that sets it writes what is wrong, */
	int failed;		/* and then this */
	char wrong[160];
} *tasks;

/* The program of this kind on function @i */
static int ids[2][FUNCTIONS];

static const enum kind kind_of[2] = { FENTRY, FEXIT };

static void fail(int i, const char *wrong)
{
	if (!__atomic_exchange_n(&tasks->failing, 1, __ATOMIC_RELAXED)) {
		snprintf(tasks->wrong, sizeof(tasks->wrong), "%s: %s", peer_name(i), wrong);
		__atomic_store_n(&tasks->failed, 1, __ATOMIC_RELEASE);
	}
	_exit(KSFT_FAIL);
}

/* Until all have come here, and the one that watches has looked. */
static void meet(int stage, int wanted)
{
	__atomic_fetch_add(&tasks->arrived[stage], 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&tasks->arrived[stage], __ATOMIC_ACQUIRE) < wanted) {
		if (__atomic_load_n(&tasks->failed, __ATOMIC_ACQUIRE))
			_exit(KSFT_FAIL);
		usleep(1000);
	}
}

static void call_peer(void *data)
{
	int *i = data, err = call_peers(*i, 1, 1, 1);

	if (err)
		fail(*i, errname(err));
}

/*
 * Tasks 0 and 1 have the programs of one kind, 2 and 3 those of the other, each for half of the
 * functions. The two tasks of a function go through the functions in opposite directions.
 */
static void work(int task)
{
	int first = task % 2 * functions / 2, half = functions / 2, i, n, err;
	int *mine = ids[task / 2];
	const char *unseen;

	for (n = 0; n < half; n++) {
		i = first + (task / 2 ? half - 1 - n : n);
		err = attach_tracer(mine[i]);
		if (err)
			fail(i, errname(err));
		/* A program counts its calls while others come and go, too. */
		unseen = unseen_calls(mine[i], 1, call_peer, &i);
		if (unseen)
			fail(i, unseen);
	}
	meet(0, TASKS + 1);
	meet(1, TASKS + 1);
	for (n = 0; n < half; n++) {
		i = first + (task / 2 ? n : half - 1 - n);
		detach_tracer(mine[i]);
		call_peer(&i);
	}
	_exit(0);
}

/* All functions are called, each some more times than another: their programs count that. */
static void expect_counts(const char *when, bool on)
{
	static unsigned long long before[2][FUNCTIONS];
	unsigned long long seen, want;
	int i, k;

	for (i = 0; i < functions; i++)
		for (k = 0; k < 2; k++)
			before[k][i] = hits(ids[k][i]);
	CHECK(!call_peers(0, functions, 1, 7), "%s: calling", when);
	for (i = 0; i < functions; i++) {
		for (k = 0; k < 2; k++) {
			seen = hits(ids[k][i]) - before[k][i];
			want = on ? 1 + i % 7 : 0;
			CHECK(seen == want, "%s: %s of %s has seen %llu of %llu calls", when,
			      kinds[kind_of[k]].name, peer_name(i), seen, want);
		}
	}
}

static bool wait_for(int stage)
{
	while (__atomic_load_n(&tasks->arrived[stage], __ATOMIC_ACQUIRE) < TASKS) {
		if (__atomic_load_n(&tasks->failed, __ATOMIC_ACQUIRE))
			return CHECK(false, "%s", tasks->wrong);
		usleep(10000);
	}
	return true;
}

static void four_tasks(void)
{
	long long start, attached;
	pid_t child[TASKS];
	int i, k, before;

	functions = has_hash() ? FUNCTIONS : STOCK_FUNCTIONS;
	ksft_print_msg("%d programs on %d functions\n", 2 * functions, functions);
	tasks = mmap(NULL, sizeof(*tasks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	REQUIRE(tasks != MAP_FAILED, "shared memory: %s", strerror(errno));
	for (i = 0; i < functions; i++) {
		for (k = 0; k < 2; k++) {
			ids[k][i] = load_tracer(kind_of[k], peer_name(i));
			REQUIRE(ids[k][i] > 0, "%s of %s: %s", kinds[kind_of[k]].name, peer_name(i),
				errname(-ids[k][i]));
		}
	}
	before = functions_enabled();
	start = now_ms();
	for (i = 0; i < TASKS; i++) {
		child[i] = fork();
		if (!child[i])
			work(i);
	}
	if (wait_for(0)) {
		attached = now_ms();
		CHECK(functions_enabled() == before + functions, "%d functions enabled, not %d",
		      functions_enabled() - before, functions);
		expect_counts("attached", true);
		__atomic_fetch_add(&tasks->arrived[0], 1, __ATOMIC_RELEASE);
		ksft_print_msg("%d programs attached in %lld ms\n", 2 * functions,
			       attached - start);
		wait_for(1);
		start = now_ms();
		__atomic_fetch_add(&tasks->arrived[1], 1, __ATOMIC_RELEASE);
	}
	for (i = 0; i < TASKS; i++)
		CHECK(!signal_of(child[i]), "task %d died", i);
	CHECK(!tasks->failed, "%s", tasks->wrong);
	ksft_print_msg("and detached in %lld ms\n", now_ms() - start);
	CHECK(functions_enabled() == before, "%d functions are still enabled",
	      functions_enabled() - before);
	/* The tasks have detached them: this one sees that nobody counts any more. */
	for (i = 0; i < functions; i++)
		for (k = 0; k < 2; k++)
			tracers[ids[k][i]].last_hits = hits(ids[k][i]);
	expect_counts("detached", false);
	munmap(tasks, sizeof(*tasks));
}

static const struct test tests[] = {
	{ "programs are attached and detached by four tasks at once", four_tasks },
};

int main(void)
{
	start_bpf();
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect_subject", "fdirect");
}
