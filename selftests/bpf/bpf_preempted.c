// SPDX-License-Identifier: GPL-2.0
/*
 * A task that is preempted in a trampoline, on its way into a program, while the program is
 * detached and freed.
 *
 * One task calls a traced function, until another one with a higher priority takes its CPU
 * away, wherever it happens to be. While it does, the program is detached, and there is time for
 * all grace periods that do not know of the caller. Then it may go on. Where it is on its way in,
 * that is into the program, and out of it again.
 *
 * Few rounds have that, and one of them is enough to show a mistake. So a round has to be short.
 * Nobody calls while programs are loaded and attached. If a caller still sleeps, another one is
 * asked. The task that has taken the CPU gives it back when a grace period has passed. It also
 * does so when the grace period takes so long that the caller must be in a program and hold it
 * up.
 *
 * One caller is held at a time. Of several, one or the other would be in a program and keep
 * grace periods of RCU from ending.
 *
 * A program that may sleep can also outlive its trampoline. Once it has been detached, it
 * reads from a page that takes a while to come, and returns to the image that called it.
 *
 * Memory that was freed too early is full of breakpoints then, or not there: the kernel
 * reports it.
 *
 * FDIRECT_ROUNDS=N in the environment asks for N rounds, however long they take. Otherwise
 * half a minute is enough, if grace periods have passed in 60 of them by then, and 200 rounds
 * are in any case.
 */
#include <sys/mman.h>
#include <sys/utsname.h>

#include "bpf_trace.h"

#define ROUNDS	200
#define LEAST	60	/* of those that could have shown a mistake */
#define LIMIT	30	/* seconds */
#define CALLER	1	/* CPUs */
#define OWNER	0
#define CALLERS	32
#define FREE	20	/* milliseconds for a caller to call */
#define SOON	100	/* a grace period, which may take twice what it takes with nobody held */
#define HELD	1000	/* at most */
#define AT_ONCE	500	/* calls */

static struct {
	int round;		/* for those who call, until the CPU has been taken, and 0 then */
	int busy[CALLERS];	/* asked to call, and not done */
	int taken;		/* the CPU is taken */
	int takes;		/* and has been, so many times */
	int release;
	int passed;		/* the grace period, and the caller did not keep it */
	int err;
	unsigned long calls;
} *shared;

static int get(int *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static void set(int *value, int to)
{
	__atomic_store_n(value, to, __ATOMIC_RELEASE);
}

/* Lets an emulator go on with another CPU */
static void relax(void)
{
#if defined(__x86_64__)
	asm volatile("pause" ::: "memory");
#elif defined(__aarch64__)
	asm volatile("yield" ::: "memory");
#elif defined(__riscv)
	asm volatile(".insn i 0x0f, 0, x0, x0, 0x10" ::: "memory");	/* pause */
#endif
}

/* The work of a task for each byte that comes, as long as somebody could send one */
static int call(int caller)
{
	int round = get(&shared->round), err = 0;

	while (!err && round && get(&shared->round) == round) {
		err = put(SUBJECT "call", "0 1 2 %d", AT_ONCE);
		__atomic_add_fetch(&shared->calls, AT_ONCE, __ATOMIC_RELAXED);
	}
	set(&shared->busy[caller], 0);
	return err;
}

static int take_cpu(int unused)
{
	const struct sched_param high = { .sched_priority = 10 };
	long long start = now_ms();

	if (sched_setscheduler(0, SCHED_FIFO, &high))
		return errno;
	set(&shared->taken, 1);
	set(&shared->takes, get(&shared->takes) + 1);
	while (!get(&shared->release) && now_ms() - start < HELD)
		relax();
	set(&shared->round, 0);
	set(&shared->taken, 0);
	return 0;
}

/*
 * The kinds of RCU that do not know of the caller. A grace period of each passes, one after the
 * other, with time in between for the work that follows the first one.
 */
static const char *const *kinds_of_rcu;

static int wait_for_grace_periods(int unused)
{
	const char *const *kind;
	int err = 0;

	for (kind = kinds_of_rcu; *kind && !err; kind++) {
		if (kind != kinds_of_rcu)
			usleep(FREE * 1000);
		err = put(SUBJECT "wait", "%s", *kind);
	}
	set(&shared->passed, 1);
	return err;
}

enum { TAKER = CALLERS, WAITER, TASKS };
static struct {
	pid_t pid;
	int requests;
} tasks[TASKS];

static void serve(int task, int requests)
{
	int err = stay_on(task == WAITER ? OWNER : CALLER) ? 0 : errno;
	char byte;

	while (!err && read(requests, &byte, 1) == 1)
		err = (task == WAITER ? wait_for_grace_periods :
		       task == TAKER ? take_cpu : call)(task);
	if (err)
		set(&shared->err, err);
	_exit(0);
}

static bool start_tasks(void)
{
	int i, j, requests[2];

	memset(tasks, 0, sizeof(tasks));
	for (i = 0; i < TASKS; i++) {
		if (!CHECK(!pipe2(requests, O_CLOEXEC), "a pipe: %s", strerror(errno)))
			return false;
		tasks[i].pid = fork();
		if (!tasks[i].pid) {
			/* Otherwise the end of what comes would never come. */
			close(requests[1]);
			for (j = 0; j < i; j++)
				close(tasks[j].requests);
			serve(i, requests[0]);
		}
		close(requests[0]);
		tasks[i].requests = requests[1];
		if (!CHECK(tasks[i].pid > 0, "fork: %s", strerror(errno)))
			return false;
	}
	return true;
}

static void end_tasks(void)
{
	int i;

	set(&shared->round, 0);
	set(&shared->release, 1);
	for (i = 0; i < TASKS && tasks[i].pid > 0; i++) {
		close(tasks[i].requests);
		CHECK(!signal_of(tasks[i].pid), "task %d died", i);
	}
}

static bool ask(int task)
{
	return CHECK(write(tasks[task].requests, "", 1) == 1, "asking task %d: %s", task,
		     strerror(errno));
}

static bool comes_to(int *what, int value, int ms)
{
	long long start = now_ms();

	while (get(what) != value && !get(&shared->err)) {
		if (now_ms() - start > ms)
			return false;
		usleep(1000);
	}
	return true;
}

static bool wait_until(int *what, int value, const char *otherwise)
{
	return CHECK(comes_to(what, value, STUCK), "%s", otherwise) && !get(&shared->err);
}

/* Does the kernel preempt a task in the kernel? */
static bool is_preemptive(void)
{
	struct utsname name;
	bool dynamic, full;
	char *mode;

	uname(&name);
	dynamic = strstr(name.version, "PREEMPT_DYNAMIC");
	mode = dynamic ? slurp(DEBUGFS "sched/preempt") : NULL;
	full = dynamic ? mode && strstr(mode, "(full)") : !!strstr(name.version, "PREEMPT");
	free(mode);
	return full;
}

/*
 * How often a grace period has passed while the caller was held, or Linux 6.12 waited for the
 * caller while detaching
 */
struct counts {
	int held, waited;
	unsigned long long hits;
};

/*
 * One round. @slow is the address from which the program of a detached link reads when a task
 * enters it late.
 */
static bool detach_under(enum kind kind, int round, int patience, const void *slow,
			 struct counts *counts)
{
	int id = trace(kind, subject(0)), caller = round % CALLERS, takes = get(&shared->takes);
	bool passed;

	if (!CHECK(id > 0, "attaching: %s", errname(-id)) ||
	    !wait_until(&shared->busy[caller], 0, "a call does not end"))
		return false;
	set(&shared->release, 0);
	set(&shared->passed, 0);
	set(&shared->busy[caller], 1);
	set(&shared->round, round);
	if (!ask(caller))
		return false;
	usleep(FREE * 1000);
	if (!ask(TAKER) ||
	    !wait_until(&shared->takes, takes + 1, "the CPU of the caller is not taken"))
		return false;
	/* For an image, the program stays, by its file descriptor. */
	if (slow)
		detach_tracer(id);
	else
		drop_tracer(id);
	counts->waited += !get(&shared->taken);
	if (!ask(WAITER))
		return false;
	passed = comes_to(&shared->passed, 1, patience);
	usleep(FREE * 1000);
	if (passed && slow)
		cells[id].user = (uintptr_t)slow;
	counts->held += passed && get(&shared->taken);
	counts->hits += hits(id);
	set(&shared->release, 1);
	return wait_until(&shared->taken, 0, "the CPU of the caller is not given back") &&
	       wait_until(&shared->passed, 1, "a grace period does not pass");
}

/* How long to wait for a grace period until the caller is taken to be why it does not pass */
static int measure_patience(void)
{
	long long start = now_ms();
	int took;

	set(&shared->passed, 0);
	if (!ask(WAITER) || !wait_until(&shared->passed, 1, "a grace period does not pass"))
		return 0;
	took = now_ms() - start;
	ksft_print_msg("grace periods of %s%s%s take %d ms\n", kinds_of_rcu[0],
		       kinds_of_rcu[1] ? " and " : "", kinds_of_rcu[1] ?: "", took);
	if (2 * took < SOON)
		return SOON;
	return 2 * took < HELD - SOON ? 2 * took : HELD - SOON;
}

static void detach_under_callers(enum kind kind, const char *const *kinds, const void *slow)
{
	int asked = asked_for("FDIRECT_ROUNDS"), rounds = 0, patience, id;
	time_t limit = time(NULL) + LIMIT;
	struct counts counts = { };

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one CPU cannot be taken away");
	if (!is_preemptive())
		SKIP("this kernel does not preempt tasks in the kernel");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	REQUIRE(shared != MAP_FAILED, "shared memory: %s", strerror(errno));
	CHECK(stay_on(OWNER), "staying on a CPU: %s", strerror(errno));
	kinds_of_rcu = kinds;
	patience = start_tasks() ? measure_patience() : 0;
	while (patience &&
	       (asked ? rounds < asked : rounds < ROUNDS &&
		(counts.held + counts.waited < LEAST || time(NULL) < limit)))
		if (!detach_under(kind, ++rounds, patience, slow, &counts))
			break;
	CHECK(!shared->err, "round %d: %s", rounds, errname(shared->err));
	end_tasks();
	/* The callers that were on their way have gone on. */
	for (id = 1; id < used_tracers; id++) {
		tracers[id].last_hits = hits(id);
		drop_tracer(id);
	}
	ksft_print_msg("%d rounds, %lu calls, %llu seen by a program\n", rounds, shared->calls,
		       counts.hits);
	ksft_print_msg("%d times held for long enough, %d times waited for while detaching\n",
		       counts.held, counts.waited);
	CHECK(counts.hits, "no program has seen a call");
	CHECK(counts.held || counts.waited, "the caller was never held long enough");
	munmap(shared, sizeof(*shared));
}

static void program(void)
{
	static const char *const kinds[] = { "rcu", NULL };

	detach_under_callers(FENTRY, kinds, NULL);
}

/*
 * Where an image does not wait for RCU tasks, a grace period of rcu_tasks_trace makes it die. It
 * has counted its last task a grace period of RCU after that.
 */
static void image(void)
{
	static const char *const kinds[] = { "rcu_tasks_trace", "rcu", NULL };
	int fd = open(SUBJECT "slow", O_RDONLY | O_CLOEXEC);
	const void *slow;

	REQUIRE(fd >= 0, SUBJECT "slow: %s", strerror(errno));
	slow = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	REQUIRE(slow != MAP_FAILED, SUBJECT "slow: %s", strerror(errno));
	detach_under_callers(FENTRY_SLEEPABLE, kinds, slow);
	munmap((void *)slow, getpagesize());
}

static const struct test tests[] = {
	{ "a program is not freed while a task is on its way into it", program },
	{ "nor is the image of a trampoline before a task has left it", image },
};

int main(void)
{
	start_bpf();
	SUITE(tests, "fdirect_subject");
}
