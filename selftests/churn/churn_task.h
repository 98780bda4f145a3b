/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks that do something all the time, beside each other, until they are told to stop. Each
 * is a process with a stream of random numbers of its own. Its decisions depend on its stream
 * and on the answers of the kernel, never on the time. The kernel chooses the order of the
 * tasks, which repeats only when instructions are counted.
 */
#ifndef CHURN_TASK_H
#define CHURN_TASK_H

#include <sched.h>
#include <sys/mman.h>

#include "fdirect.h"
#include "ko/fdirect_churn.h"

#define CHURN		DEBUGFS "fdirect_churn/"
#define MAX_TASKS	32

/* The part of a task that others may see */
struct task_counts {
	unsigned long made, refused;
	int failures;
	char failure[256];	/* the first one */
	char cannot[96];	/* why it does nothing here */
};

static struct shared {
	int stop;
	enum churn_lie lie;
	struct task_counts counts[MAX_TASKS];
} *shared;

struct task {
	const char *name;		/* the same for tasks that are the same but for @number */
	void (*start)(struct task *t);
	void (*step)(struct task *t);
	void (*end)(struct task *t);
	unsigned int number;
	unsigned int pause;		/* between two steps, at most, in microseconds */
	struct task_counts *counts;
	unsigned long long random;
	pid_t pid;
};

/* Splitmix64: any start is as good as another. */
static unsigned long long next_random(unsigned long long *state)
{
	unsigned long long z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static unsigned int any(struct task *t, unsigned int n)
{
	return (next_random(&t->random) >> 32) % n;
}

static bool chance(struct task *t, unsigned int percent)
{
	return any(t, 100) < percent;
}

static bool stopping(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

/* Up to so many microseconds. The number is drawn in any case. */
static void rest(struct task *t, unsigned int most)
{
	unsigned int us = most ? any(t, most) : 0;

	if (us && !stopping())
		usleep(us);
}

static __printf(2, 3) void fail(struct task *t, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!t->counts->failures)
		snprintf(t->counts->failure, sizeof(t->counts->failure), "%s", text);
	if (t->counts->failures++ < 5)
		ksft_print_msg("%s %u: %s\n", t->name, t->number, text);
}

/* Ends the task. Unless it is the kernel that @lacks something, that is a failure. */
static __printf(3, 4) void cannot(struct task *t, bool lacks, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->counts->cannot, sizeof(t->counts->cannot), fmt, args);
	va_end(args);
	if (!lacks)
		fail(t, "%s", t->counts->cannot);
}

/* Counts what the kernel has answered: 0, one of two errnos that it may, or a failure. */
static __printf(5, 6)
void answered(struct task *t, int err, int allowed, int allowed_too, const char *fmt, ...)
{
	char text[160];
	va_list args;

	if (!err) {
		t->counts->made++;
		return;
	}
	if (err == allowed || err == allowed_too) {
		t->counts->refused++;
		return;
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fail(t, "%s: %s", text, errname(err));
}

/* -------------------------------------------------------------------------- */
/* Running them                                                                 */

static unsigned long long seed_of(const struct task *t, unsigned long long seed)
{
	const char *p;

	for (p = t->name; *p; p++)
		seed = (seed ^ *p) * 0x100000001b3ULL;
	seed ^= t->number;
	return next_random(&seed);
}

static __noreturn void be_task(struct task *t, unsigned long long seed)
{
	t->random = seed_of(t, seed);
	if (t->start)
		t->start(t);
	while (!stopping() && !t->counts->cannot[0] && t->counts->failures < 5) {
		t->step(t);
		rest(t, t->pause);
	}
	if (t->end && !t->counts->cannot[0])
		t->end(t);
	exit(0);
}

/* Whether a list of names separated by commas has this one. */
static bool named(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (list && *list) {
		if (!strncmp(list, name, len) && (!list[len] || list[len] == ','))
			return true;
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return false;
}

/* A task that does not end when it is told to hangs in the kernel: false. */
static bool await(pid_t pid)
{
	int tries, status;

	for (tries = 0; tries < 12000; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) && !WEXITSTATUS(status);
		usleep(50000);
	}
	return false;
}

/* So many seconds more than planned, on a slow machine, until all have done something. */
#define PATIENCE	300

/*
 * Runs the @wanted ones of @tasks for so many seconds, and longer if they are not @done then,
 * but not after something is @wrong. Returns the seconds when all of them have ended.
 */
static int run_tasks(struct task *tasks, size_t count, unsigned long long seed, int seconds,
		     enum churn_lie lie, bool (*wanted)(const struct task *), bool (*done)(void),
		     bool (*wrong)(void))
{
	long long start = now_ms();
	size_t i;
	int took;

	memset(shared, 0, sizeof(*shared));
	shared->lie = lie;
	fflush(stdout);
	for (i = 0; i < count; i++) {
		tasks[i].counts = &shared->counts[i];
		tasks[i].pid = wanted(&tasks[i]) ? fork() : -1;
		if (!tasks[i].pid)
			be_task(&tasks[i], seed);
	}
	do {
		usleep(200000);
		took = (now_ms() - start) / 1000;
	} while (!wrong() && (took < seconds || (!done() && took < seconds + PATIENCE)));
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < count; i++)
		if (tasks[i].pid > 0 && !await(tasks[i].pid))
			fail(&tasks[i], "has not ended as it should");
	return took;
}

#endif /* CHURN_TASK_H */
