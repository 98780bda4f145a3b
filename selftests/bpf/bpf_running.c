// SPDX-License-Identifier: GPL-2.0
/*
 * A task that runs a program, or sleeps in one, while links and programs are closed.
 *
 * It goes on to the other programs of the image that it came from. So these stay until it has
 * left, with all that a running program needs, and are freed then. Nobody waits for it.
 *
 * A kernel that frees something too early does not survive this: the task runs into
 * breakpoints, or faults where no exception table is found.
 */
#include <sys/mman.h>

#include "multi_prog.h"

#define CALLER	1	/* CPUs */
#define OWNER	0
#define SOON	50	/* much less than the program stays by itself; its symbol went at once */
#define AT_ONCE	1000	/* as long as nobody sleeps, so that it tells waiting from closing */

/* A kernel address without memory */
#if defined(__x86_64__)
#define NOWHERE	0xffffffa000000000ULL
#else
#define NOWHERE	0xffff7ff000000000ULL
#endif

/* A task that calls subject 0 once, and exits with CHANGED if another value comes back */
#define CHANGED	1

static pid_t start_call(void)
{
	pid_t pid = fork_without_tracers();

	if (pid)
		return pid;
	stay_on(CALLER);
	_exit(call_subject(0) ? CHANGED : 0);
}

static int result_of(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* -------------------------------------------------------------------------- */
/* Needs of a running program                                                   */

static void fault_in_closed(enum kind kind)
{
	long long start, took;
	pid_t caller;
	int id, prog;

	NEED_TWO_CPUS("on one CPU nothing is done while the program waits");
	id = load_tracer(kind, subject(0));
	REQUIRE(id > 0, "loading: %s", errname(-id));
	prog = prog_id(tracers[id].prog);
	cells[id].user = NOWHERE;
	REQUIRE(!attach_tracer(id), "attaching");
	caller = start_call();
	CHECK(comes(is_hit, id), "the program is not called");
	start = now_ms();
	drop_tracer(id);
	took = now_ms() - start;
	usleep(SOON * 1000);
	CHECK(cells[id].ret == 0 || took >= SOON, "the program did not wait to be released");
	cells[id].instead = 1;
	CHECK(result_of(caller) == 0, "the call returned something else");
	CHECK(cells[id].ret == 1 && cells[id].copied == 0, "the program read %llx",
	      cells[id].copied);
	CHECK(comes(is_freed, prog), "the program is not freed");
	tracers[id].last_hits = hits(id);
}

static void fault_in_entry(void)	{ fault_in_closed(FENTRY_LATE); }
static void fault_in_exit(void)		{ fault_in_closed(FEXIT_LATE); }

/* -------------------------------------------------------------------------- */
/* The way of a task through an image                                           */

/* A task sleeps in @first, while that one, if so, and @second are closed, which it calls then. */
static void sleep_in(enum kind first, bool close_first, enum kind second, bool second_sleeps,
		     int instead)
{
	const void *slow = slow_memory();
	int a, b, a_prog, b_prog, n;
	long long start, took;
	pid_t caller;

	REQUIRE(slow, "no slow memory");
	/* Of programs of a kind, the one attached last is called first. */
	b = load_tracer(second, subject(0));
	a = load_tracer(first, subject(0));
	REQUIRE(a > 0 && b > 0, "loading: %s, %s", errname(-a), errname(-b));
	a_prog = prog_id(tracers[a].prog);
	b_prog = prog_id(tracers[b].prog);
	cells[a].user = (uintptr_t)slow;
	cells[a].instead = instead;
	if (second_sleeps)
		cells[b].user = (uintptr_t)slow;
	REQUIRE(!attach_tracer(b) && !attach_tracer(a), "attaching");

	caller = start_call();
	CHECK(comes(is_hit, a), "the first program is not called");
	start = now_ms();
	drop_tracer(b);
	if (close_first)
		drop_tracer(a);
	took = now_ms() - start;
	CHECK(took < AT_ONCE || !has_hash(), "detaching took %lld ms", took);
	CHECK(hits(b) == 0, "the first program did not sleep");

	n = result_of(caller);
	CHECK(n == (instead ? CHANGED : 0), "the call ended with %d", n);
	CHECK(hits(a) == 1, "the first program has seen %llu calls", hits(a));
	/* Linux 7 takes the call of a program that is detached out of the image */
	CHECK(hits(b) == !is_linux_7(), "the second program has seen %llu calls", hits(b));
	tracers[a].last_hits = hits(a);
	tracers[b].last_hits = hits(b);
	CHECK(comes(is_freed, b_prog), "the second program is not freed");
	if (close_first)
		CHECK(comes(is_freed, a_prog), "the first program is not freed");
	munmap((void *)slow, getpagesize());
}

static void sleep_before_program(void)
{
	sleep_in(FENTRY_SLEEPABLE, false, FENTRY, false, 0);
}

static void sleep_twice(void)
{
	sleep_in(FENTRY_SLEEPABLE, true, FENTRY_SLEEPABLE, true, 0);
}

/* fmod_ret programs lead to the fexit programs without the function */
static void sleep_and_refuse(void)
{
	sleep_in(FMOD_RET_SLEEPABLE, false, FEXIT, false, 1000);
}

/* -------------------------------------------------------------------------- */
/* Programs that no task can come to                                            */

static bool freed_in_function(void)
{
	const void *slow = slow_memory();
	long long start, detached;
	int id, prog, status;
	pid_t sleeper;
	bool asleep;

	id = load_tracer(FEXIT, "msleep");
	if (!CHECK(slow, "no slow memory") || !CHECK(id > 0, "loading: %s", errname(-id)))
		return false;
	prog = prog_id(tracers[id].prog);
	if (!CHECK(!attach_tracer(id), "attaching"))
		return false;
	sleeper = fork_without_tracers();
	if (!sleeper) {
		signal(SIGBUS, SIG_DFL);
		_exit(*(volatile char *)slow);
	}
	usleep(200 * 1000);
	start = now_ms();
	drop_tracer(id);
	detached = now_ms();
	CHECK(comes(is_freed, prog), "the program is not freed");
	ksft_print_msg("detached after %lld ms, freed after %lld ms\n", detached - start,
		       now_ms() - start);
	asleep = !waitpid(sleeper, &status, WNOHANG);
	if (asleep)
		waitpid(sleeper, &status, 0);
	munmap((void *)slow, getpagesize());
	return asleep;
}

/* A host that stands still for a second lets the function return first. */
static void sleep_in_function(void)
{
	CHECK(freed_in_function() || freed_in_function() || freed_in_function(),
	      "the program stayed until the function returned, three times");
}

/* -------------------------------------------------------------------------- */
/* Memory that waits for a grace period                                         */

#define ROUNDS	9000	/* more than the kernel lets wait */
#define IDLE	3000	/* milliseconds without a round: the task waits */
#define BUSY	300000	/* milliseconds until a busy task stops by itself */

static int images(void)
{
	char *text = must_slurp("/proc/kallsyms"), *at = text;
	int n = 0;

	while ((at = strstr(at, " bpf_trampoline_"))) {
		at++;
		n++;
	}
	free(text);
	return n;
}

static pid_t come_and_go(int id, int *rounds)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	while (*rounds < ROUNDS) {
		if (attach_tracer(id))
			_exit(1);
		close(tracers[id].link);
		__atomic_fetch_add(rounds, 1, __ATOMIC_RELAXED);
	}
	_exit(0);
}

static void wait_for_grace_period(void)
{
	int *rounds = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int id, last = -1, now = 0, before = images(), kept;
	long long start, since = now_ms();
	bool stopped;
	pid_t pid;

	NEED_TWO_CPUS("on one CPU nothing is attached beside a busy task");
	id = load_tracer(FENTRY, subject(0));
	REQUIRE(id > 0 && rounds != MAP_FAILED, "loading: %s", errname(-id));
	REQUIRE(!put(SUBJECT "busy", "1"), "a busy task");
	start = now_ms();
	pid = come_and_go(id, rounds);
	while (now < ROUNDS && now_ms() - since < IDLE) {
		if (now != last)
			since = now_ms();
		last = now;
		usleep(10000);
		now = __atomic_load_n(rounds, __ATOMIC_RELAXED);
	}
	kept = images() - before;
	stopped = now_ms() - start > BUSY;
	CHECK(!put(SUBJECT "busy", "0"), "a busy task");
	ksft_print_msg("%d of %d rounds in a grace period, %d images\n", now, ROUNDS, kept);
	CHECK(kept <= now + 1, "%d images", kept);
	CHECK(stopped || (now > 0 && now < ROUNDS), "no attaching waited");
	CHECK(stopped || kept >= now - 1, "no grace period was held up: %d images", kept);
	CHECK(result_of(pid) == 0 && *rounds == ROUNDS, "%d rounds", *rounds);
	munmap(rounds, getpagesize());
	if (stopped)
		SKIP("too slow: the busy task stopped by itself after %d ms", BUSY);
}

/* -------------------------------------------------------------------------- */
/* Programs on what frees a hash                                                */

#define FREED		1000	/* entries of a hash */
#define SLOWER		10	/* freeing them takes so many grace periods */
#define SHORTEST	300	/* milliseconds: between two of them RCU tasks rests for 100 */

/* Detaching direct calls frees the hash that has their call sites, in a worker of the kernel */
static void free_slowly(void)
{
	int id = load_tracer(FENTRY_SLOW, "kfree");
	unsigned long long before;
	long long start, took;

	REQUIRE(id > 0, "loading: %s", errname(-id));
	REQUIRE(!attach_tracer(id), "attaching");
	REQUIRE(!choose_peers(FREED), "choosing functions");
	REQUIRE(!fdirect("control", "attach"), "attaching direct calls");
	start = now_ms();
	CHECK(!put(SUBJECT "wait", "rcu_tasks"), "a grace period");
	took = now_ms() - start;
	took = took < SHORTEST ? SHORTEST : took;

	cells[id].user = took * SLOWER * 1000000 / FREED;
	CHECK(!fdirect("control", "detach"), "detaching direct calls");
	/* Hits until now are others' */
	before = hits(id);
	start = now_ms();
	while (hits(id) < before + FREED / 100 && now_ms() - start < STUCK)
		usleep(1000);
	CHECK(hits(id) >= before + FREED / 100, "no hash is freed");
	CHECK(!put(SUBJECT "wait", "rcu_tasks"), "a grace period");
	ksft_print_msg("a grace period of %lld ms, and then one until entry %llu\n", took,
		       hits(id) - before);
	CHECK(hits(id) < before + FREED, "it waits until the hash is free");
	cells[id].user = 0;
}

/* -------------------------------------------------------------------------- */
/* Programs of the kernel's own                                                 */

/* Reads user memory, at the address that is its context */
static int load_reading(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	const struct bpf_insn insns[] = {
		LDX(3, 1, 0), MOV(1, 10), ADDI(1, -8), MOVI(2, 8), HELPER(BPF_FUNC_copy_from_user),
		MOVI(0, 0), EXIT(),
	};

	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "reading", "GPL", insns, ARRAY_SIZE(insns),
			     &opts);
}

static int run_by_kernel(int prog, const void *address)
{
	return put(SUBJECT "run", "%d %lx", prog, (unsigned long)address);
}

/* It does not recurse: the tasks have a turn each, on one CPU. */
static void two_tasks(void)
{
	const void *slow = slow_memory();
	int prog = load_reading(), runs = 0, err = 0, status;
	cpu_set_t before;
	pid_t sleeper;

	REQUIRE(slow, "no slow memory");
	REQUIRE(prog >= 0, "loading: %s", errname(-prog));
	sched_getaffinity(0, sizeof(before), &before);
	stay_on(CALLER);
	sleeper = fork_without_tracers();
	if (!sleeper)
		_exit(run_by_kernel(prog, slow));
	for (; !err && !waitpid(sleeper, &status, WNOHANG); usleep(10000), runs++)
		err = run_by_kernel(prog, NULL);
	CHECK(!err, "a second task cannot run the program: %s", errname(err));
	if (err)
		waitpid(sleeper, &status, 0);
	CHECK(!status, "the first task: %s", errname(WEXITSTATUS(status)));
	ksft_print_msg("%d runs while a task sleeps in the program\n", runs);
	CHECK(err || runs > 1, "the program did not sleep");
	sched_setaffinity(0, sizeof(before), &before);
	munmap((void *)slow, getpagesize());
	close(prog);
}

static const struct test tests[] = {
	{ "an fentry program that is closed while it runs may fault", fault_in_entry },
	{ "an fexit program that is closed while it runs may fault", fault_in_exit },
	{ "a task sleeps in a program and goes on to one that was closed", sleep_before_program },
	{ "a task sleeps in two programs that were closed and returns", sleep_twice },
	{ "a task sleeps in an fmod_ret program and goes on to a closed fexit program",
	  sleep_and_refuse },
	{ "a program that cannot sleep does not wait for a task in the function",
	  sleep_in_function },
	{ "programs that come and go wait for a grace period before they fill the memory",
	  wait_for_grace_period },
	{ "two tasks run a program of the kernel's own on one CPU", two_tasks },
	{ "a grace period passes while a hash is freed, however slow a program makes that",
	  free_slowly },
};

int main(void)
{
	start_bpf();
	SUITE(tests, "fdirect_subject", "fdirect_peer", "fdirect");
}
