// SPDX-License-Identifier: GPL-2.0
/*
 * A task that is preempted in a trampoline, on its way into a program, while the program is
 * detached and freed.
 *
 * One task calls a traced function all the time. Now and then another one with a higher
 * priority takes its CPU away, wherever it happens to be; while it does, the program is
 * detached, and there is time for all grace periods that do not know of the caller. Then it
 * may go on. Where it is on its way in, that is into the program, and out of it again.
 *
 * A program that may sleep can also outlive its trampoline: it reads from a page that takes a
 * while to come, once it has been detached, and returns to the image that called it.
 *
 * What was freed too early is full of breakpoints then, or not there: the kernel reports it.
 *
 * FDIRECT_ROUNDS=N in the environment asks for N rounds, however long they take. Otherwise
 * half a minute is enough, if 20 have been done by then.
 */
#include <sys/mman.h>
#include <sys/utsname.h>

#include "bpf_trace.h"

#define ROUNDS	200
#define LEAST	20
#define LIMIT	30	/* seconds */
#define CALLER	1	/* CPUs */
#define OWNER	0
#define FREE	20	/* milliseconds for the caller to call */
#define TAKEN	150	/* and not to: enough for grace periods of RCU and of RCU tasks trace */
#define HELD	1000	/* at most */
#define AT_ONCE	500	/* calls */

static struct {
	int stop;		/* all */
	int taken;		/* the CPU has been taken */
	int release;
	int err;
	unsigned long calls;
} *shared;

static bool is_set(int *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(int *flag, int value)
{
	__atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static void call_until_stopped(void)
{
	int err = stay_on(CALLER) ? 0 : errno;

	while (!err && !is_set(&shared->stop)) {
		err = put(SUBJECT "call", "0 1 2 %d", AT_ONCE);
		__atomic_add_fetch(&shared->calls, AT_ONCE, __ATOMIC_RELAXED);
	}
	if (err)
		set(&shared->err, err);
	_exit(0);
}

/* Each byte that comes takes the CPU from the caller until it is released. */
static void take_cpu(int requests)
{
	const struct sched_param high = { .sched_priority = 10 };
	long long start;
	char byte;

	if (!stay_on(CALLER) || sched_setscheduler(0, SCHED_FIFO, &high)) {
		set(&shared->err, errno);
		_exit(0);
	}
	while (read(requests, &byte, 1) == 1) {
		start = now_ms();
		set(&shared->taken, 1);
		while (!is_set(&shared->release) && now_ms() - start < HELD)
			;
		set(&shared->taken, 0);
	}
	_exit(0);
}

static bool wait_until_taken(int taken)
{
	long long start = now_ms();

	while (is_set(&shared->taken) != taken && !is_set(&shared->err))
		if (now_ms() - start > 10 * HELD)
			return CHECK(false, "the CPU of the caller cannot be %s",
				     taken ? "taken" : "given back");
	return !is_set(&shared->err);
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

/* How often the caller was held until the end, or Linux 6.12 waited for it while detaching */
struct counts {
	int held, waited;
	unsigned long long hits;
};

/*
 * One round. What the program of a detached link does to who enters it late is told by @slow:
 * where it reads from then.
 */
static bool detach_under(enum kind kind, int requests, const void *slow, struct counts *counts)
{
	int id = trace(kind, subject(0));

	if (!CHECK(id > 0, "attaching: %s", errname(-id)))
		return false;
	usleep(FREE * 1000);

	set(&shared->release, 0);
	if (write(requests, "", 1) != 1 || !wait_until_taken(1))
		return false;
	if (slow) {
		/* The program stays, by its file descriptor: it is about the image. */
		cells[id].user = (uintptr_t)slow;
		detach_tracer(id);
	} else {
		drop_tracer(id);
	}
	counts->waited += !is_set(&shared->taken);
	usleep(TAKEN * 1000);
	counts->held += is_set(&shared->taken);
	set(&shared->release, 1);
	if (!wait_until_taken(0))
		return false;
	/* Who was on its way has gone on. */
	usleep(FREE * 1000);
	tracers[id].last_hits = hits(id);
	counts->hits += hits(id);
	drop_tracer(id);
	return true;
}

static void detach_under_caller(enum kind kind, const void *slow)
{
	int asked = asked_for("FDIRECT_ROUNDS"), round, requests[2];
	time_t limit = time(NULL) + LIMIT;
	struct counts counts = { };
	pid_t caller, taker;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one CPU cannot be taken away");
	if (!is_preemptive())
		SKIP("this kernel does not preempt tasks in the kernel");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	REQUIRE(shared != MAP_FAILED, "shared memory: %s", strerror(errno));
	REQUIRE(!pipe2(requests, O_CLOEXEC), "a pipe: %s", strerror(errno));
	taker = fork();
	if (!taker) {
		close(requests[1]);
		take_cpu(requests[0]);
	}
	caller = fork();
	if (!caller)
		call_until_stopped();
	CHECK(stay_on(OWNER), "staying on a CPU: %s", strerror(errno));
	for (round = 0; !is_set(&shared->err); round++) {
		if (asked ? round >= asked : round >= ROUNDS ||
		    (round >= LEAST && time(NULL) >= limit))
			break;
		if (!detach_under(kind, requests[1], slow, &counts))
			break;
	}
	CHECK(!shared->err, "round %d: %s", round, errname(shared->err));
	set(&shared->stop, 1);
	set(&shared->release, 1);
	close(requests[0]);
	close(requests[1]);
	CHECK(!signal_of(caller), "the caller died");
	CHECK(!signal_of(taker), "who takes its CPU away died");
	ksft_print_msg("%d rounds, %lu calls, %llu seen by a program\n", round, shared->calls,
		       counts.hits);
	ksft_print_msg("%d times held until the end, %d times waited for while detaching\n",
		       counts.held, counts.waited);
	CHECK(counts.hits, "no program has seen a call");
	CHECK(counts.held || counts.waited, "the caller was never held long enough");
	munmap(shared, sizeof(*shared));
}

static void program(void)	{ detach_under_caller(FENTRY, NULL); }

static void image(void)
{
	int fd = open(SUBJECT "slow", O_RDONLY | O_CLOEXEC);
	const void *slow;

	REQUIRE(fd >= 0, SUBJECT "slow: %s", strerror(errno));
	slow = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	REQUIRE(slow != MAP_FAILED, SUBJECT "slow: %s", strerror(errno));
	detach_under_caller(FENTRY_SLEEPABLE, slow);
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
