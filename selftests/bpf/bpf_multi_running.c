// SPDX-License-Identifier: GPL-2.0
/*
 * Links of one program to many functions come and go while their functions run, or while a
 * task sleeps in one of them.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <pthread.h>

#include "multi_prog.h"

static bool is_seen(int i)
{
	return seen_hits(i);
}

/* A task that calls subject 0, without the links and programs of its parent */
static pid_t start_call(void)
{
	pid_t pid = fork_without_tracers();

	if (pid)
		return pid;
	close_range(3, ~0U, 0);
	_exit(call_subject(0) ? 1 : 0);
}

/*
 * A task sleeps in the first program of an image. Its call site goes to another image, if
 * @leave, or calls it still; then the link of the second program is closed. The task goes on
 * to that program, which reads its cookie.
 */
static void sleep_in_image(bool leave)
{
	int btf_fd = types_of("fdirect_subject")->fd, progs[3], links[3], ids[3], i, status;
	/* Linux 7 takes the call of a program that is detached out of the image */
	const bool skips = is_linux_7();
	enum { FIRST, SECOND, NEXT };
	const void *slow = slow_memory();
	__u32 funcs[SUBJECTS];
	__u64 cookies[SUBJECTS];
	pid_t caller;

	REQUIRE(slow, "no slow memory");
	subjects(funcs, cookies);
	progs[FIRST] = load_multi(FENTRY_MULTI_TYPE, 50, btf_fd, 0, BPF_F_SLEEPABLE);
	progs[SECOND] = load_multi(FENTRY_MULTI_TYPE, BY_COOKIE, btf_fd, 0, 0);
	progs[NEXT] = load_multi(FENTRY_MULTI_TYPE, 51, btf_fd, 0, 0);
	forget_seen();
	for (i = 0; i < 3; i++) {
		REQUIRE(progs[i] >= 0, "loading: %s", errname(-progs[i]));
		ids[i] = prog_id(progs[i]);
	}
	/* The link attached last is called first */
	links[SECOND] = attach_multi(progs[SECOND], FENTRY_MULTI_TYPE, funcs, cookies, SUBJECTS);
	links[FIRST] = attach_multi(progs[FIRST], FENTRY_MULTI_TYPE, funcs, NULL, 1);
	REQUIRE(links[FIRST] >= 0 && links[SECOND] >= 0, "attaching: %s, %s",
		errname(-links[FIRST]), errname(-links[SECOND]));
	seen[50].user = (uintptr_t)slow;
	caller = start_call();
	CHECK(comes(is_seen, 50), "the first program is not called");
	if (leave) {
		links[NEXT] = attach_multi(progs[NEXT], FENTRY_MULTI_TYPE, funcs, NULL, SUBJECTS);
		CHECK(links[NEXT] >= 0, "attaching: %s", errname(-links[NEXT]));
	}
	close(links[SECOND]);
	close(progs[SECOND]);
	CHECK(seen_hits(1) == 0, "the first program did not sleep");
	/* The grace periods that would be enough if nobody slept */
	usleep(500000);
	CHECK(skips || !is_freed(ids[SECOND]) || seen_hits(1),
	      "the second program is freed before the task comes to it");
	waitpid(caller, &status, 0);
	CHECK(status == 0, "the task: %x", status);
	CHECK(seen_hits(1) == !skips, "the second program has seen %llu calls", seen_hits(1));
	CHECK(comes(is_freed, ids[SECOND]), "the second program is not freed");

	seen[50].user = 0;
	CHECK(call_subject(0) == 0, "the function returns what it does");
	CHECK(seen_hits(50) == 2 && seen_hits(1) == !skips && seen_hits(51) == leave,
	      "afterwards: %llu, %llu, %llu calls", seen_hits(50), seen_hits(1), seen_hits(51));
	if (leave)
		close(links[NEXT]);
	close(links[FIRST]);
	close(progs[FIRST]);
	close(progs[NEXT]);
	CHECK(comes(is_freed, ids[FIRST]) && comes(is_freed, ids[NEXT]), "programs are not freed");
	munmap((void *)slow, getpagesize());
}

static void sleep_in_left_image(void)	{ sleep_in_image(true); }
static void sleep_in_used_image(void)	{ sleep_in_image(false); }

/* A task sleeps in a function while the link of its fexit program goes */
static void asleep_in_function(void)
{
	__u32 id = id_of(SYSCALL_PREFIX "clock_nanosleep"), ids[1];
	int progs[2] = { fexit_multi(3), fexit_multi(4) }, links[2], i;
	struct timespec second = { 1, 0 }, tick = { 0, 1000 };
	unsigned long long before, gone;
	pid_t child;

	REQUIRE(id, "no such function");
	ids[0] = id;
	forget_seen();
	for (i = 0; i < 2; i++) {
		links[i] = attach_multi(progs[i], FEXIT_MULTI_TYPE, ids, NULL, 1);
		REQUIRE(links[i] >= 0, "attaching: %s", errname(-links[i]));
	}
	child = fork();
	if (!child) {
		close_range(3, ~0U, 0);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL);
		_exit(0);
	}
	usleep(300000);
	close(links[0]);
	close(progs[0]);
	gone = seen_hits(3);
	waitpid(child, &i, 0);
	CHECK(i == 0, "the child: %x", i);
	/* The call of the child returned by the image of both, which lost its programs */
	CHECK(seen_hits(3) == gone, "the link that went: %llu calls more", seen_hits(3) - gone);
	before = seen_hits(4);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, NULL);
	CHECK(seen_hits(4) > before, "the link that stays: %llu calls", seen_hits(4) - before);
	CHECK(seen_hits(3) == gone, "the link that went: %llu calls more", seen_hits(3) - gone);
	close(links[1]);
	close(progs[1]);
}

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * Attach to as many of @ids as can be: those that one link alone is refused for are left
 * out, found by halves. Returns how many are left.
 */
static size_t keep_attachable(int prog, int type, __u32 *ids, size_t nr)
{
	size_t half = nr / 2, kept, rest;
	int link;

	if (!nr)
		return 0;
	link = attach_multi(prog, type, ids, NULL, nr);
	if (link >= 0) {
		close(link);
		return nr;
	}
	if (nr == 1)
		return 0;
	kept = keep_attachable(prog, type, ids, half);
	rest = keep_attachable(prog, type, ids + half, nr - half);
	memmove(ids + kept, ids + half, rest * sizeof(*ids));
	return kept + rest;
}

/*
 * All functions that any link takes. Finding them takes hundreds of links, so it is done once.
 * Without shared images each link takes an image for each function, which takes ten times as
 * long: one function in eight is enough then.
 */
static size_t attachable_functions(const __u32 **ids)
{
	static __u32 *found;
	static size_t nr;
	__u32 one = id_of("bpf_fentry_test1");
	size_t all, i;
	int prog, link;

	if (!found) {
		prog = load_multi(FEXIT_MULTI_TYPE, COUNT_ONLY, 0, 0, 0);
		all = all_functions(&found);
		link = attach_multi(prog, FEXIT_MULTI_TYPE, &one, NULL, 1);
		CHECK(link >= 0, "attaching: %s", errname(-link));
		if (!shared_images()) {
			for (i = 0; i < all / 8; i++)
				found[i] = found[8 * i];
			all = i;
		}
		close(link);
		nr = keep_attachable(prog, FEXIT_MULTI_TYPE, found, all);
		close(prog);
		ksft_print_msg("%zu of %zu functions\n", nr, all);
		CHECK(nr > all - all / 20 && nr > 1000, "%zu of %zu", nr, all);
	}
	*ids = found;
	return nr;
}

static bool are_few(int unused)
{
	return shared_images() < 100;
}

static bool sees_nothing(int prog)
{
	unsigned long long before = seen_hits(0);

	run_tested(prog);
	return before == seen_hits(0);
}

#define LONG_ENOUGH	600000	/* milliseconds: no further round, on a kernel with checkers */

static void many_functions(void)
{
	static const int types[] = { FENTRY_MULTI_TYPE, FENTRY_MULTI_TYPE, FEXIT_MULTI_TYPE };
	unsigned long long before, start;
	int progs[3], links[3], i, round;
	const __u32 *ids;
	size_t nr = attachable_functions(&ids);
	long long begun = now_ms();

	for (i = 0; i < 3; i++) {
		progs[i] = load_multi(types[i], COUNT_ONLY, 0, 0, 0);
		REQUIRE(progs[i] >= 0, "loading");
	}

	for (round = 0; round < 3 && now_ms() - begun < LONG_ENOUGH; round++) {
		for (i = 0; i < 3; i++) {
			before = seen_hits(0);
			start = now_ns();
			links[i] = attach_multi(progs[i], types[i], ids, NULL, nr);
			start = now_ns() - start;
			REQUIRE(links[i] >= 0, "link %d: %s", i, errname(-links[i]));
			ksft_print_msg("round %d: link %d: %llu ns for each function, %d images\n",
				       round, i, start / nr, shared_images());
			/* Images of links that went are freed a moment later */
			CHECK(i || comes(are_few, 0), "%d images for one link", shared_images());
			run_tested(progs[0]);
			CHECK(seen_hits(0) >= before + (i + 1) * TESTED, "%llu calls",
			      seen_hits(0) - before);
		}
		for (i = 0; i < 3; i++) {
			int who = (i + round) % 3;

			start = now_ns();
			close(links[who]);
			start = now_ns() - start;
			ksft_print_msg("round %d: link %d detached, %llu ns for each function\n",
				       round, who, start / nr);
			run_tested(progs[0]);
		}
		/* A task may have been in an image */
		CHECK(comes(sees_nothing, progs[0]), "calls come afterwards");
	}
	for (i = 0; i < 3; i++)
		close(progs[i]);
}

/* Calls go on while a link comes and goes */
static volatile bool stop;

static void *call_on(void *arg)
{
	int n;

	while (!stop) {
		for (n = 0; n < 50; n++)
			prctl(PR_GET_NAME, arg);
		/* RCU tasks waits for this, and the task that attaches for the CPU */
		usleep(1000);
	}
	return NULL;
}

static void while_running(void)
{
	char names[2][16];
	pthread_t threads[2];
	const __u32 *ids;
	size_t nr = attachable_functions(&ids);
	int progs[2] = { fentry_multi(COUNT_ONLY), fexit_multi(COUNT_ONLY) }, links[2], i, round;
	long long begun = now_ms();

	stop = false;
	for (i = 0; i < 2; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, call_on, names[i]), "thread");
	for (round = 0; round < 3 && now_ms() - begun < LONG_ENOUGH; round++) {
		for (i = 0; i < 2; i++) {
			links[i] = attach_multi(progs[i], FENTRY_MULTI_TYPE + i, ids, NULL, nr);
			CHECK(links[i] >= 0, "link %d: %s", i, errname(-links[i]));
		}
		close(links[round & 1]);
		close(links[!(round & 1)]);
	}
	ksft_print_msg("%d rounds\n", round);
	stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close(progs[0]);
	close(progs[1]);
}

static const struct test tests[] = {
	{ "a task sleeps in an image that its call site leaves, and goes on to a closed program",
	  sleep_in_left_image },
	{ "a task sleeps in an image and goes on to a closed program", sleep_in_used_image },
	{ "a task that sleeps in a function returns when the link is gone", asleep_in_function },
	/*
	 * Last, since a task that sleeps in one of the functions for good keeps an image of fexit
	 * programs on its stack. A livepatch then waits for that task, as for any fexit program.
	 */
	{ "three links on many functions come and go", many_functions },
	{ "links come and go while their functions run", while_running },
};

int main(void)
{
	start_multi();
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect_subject", "fdirect");
}
