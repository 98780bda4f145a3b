// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs and others that replace a function, in every order of coming and going. The
 * return value tells which code has run, and each program counts every call.
 *
 * A livepatch replaces the functions, where the kernel has that, and one ftrace_ops does
 * in the same way (see ko/fdirect_subject.c).
 */
#include <sys/mman.h>

#include "bpf_trace.h"
#include "direct_api.h"
#include "livepatch.h"

/* -------------------------------------------------------------------------- */
/* Replacing                                                                    */

/* Both replace the functions in @mask, none for 0, and return 0 or the errno. */
struct patcher {
	const char *name;
	int (*replace)(unsigned int mask);
	int more;		/* what the functions return more then */
};

static const struct patcher redirection = { "redirection", redirect, SUBJECT_REDIRECTED };

#define LIVEPATCH	"fdirect_livepatch"

static int livepatch(unsigned int mask)
{
	char parameters[64] = "functions=";
	int n, err, len = strlen(parameters);

	err = livepatch_off(LIVEPATCH);
	if (err || !mask)
		return err;
	for (n = 0; n < SUBJECTS; n++)
		if (mask & 1 << n)
			len += sprintf(parameters + len, "%d,", n);
	parameters[len - 1] = '\0';
	return livepatch_on(LIVEPATCH, parameters);
}

static const struct patcher livepatching = { "livepatch", livepatch, SUBJECT_LIVEPATCHED };

#define NEED_LIVEPATCH() \
	do { \
		if (!module_file_there(LIVEPATCH)) \
			SKIP("this kernel has no livepatch"); \
	} while (0)

/* -------------------------------------------------------------------------- */
/* All orders of two                                                            */

/* Tracers of functions, 0 for none */
static int ids[SUBJECTS];

static const char *kind_name(int id)
{
	return kinds[tracers[id].kind].name;
}

/* Calls function @n: who runs is as @patched says, and the program sees it if it is @there. */
static void expect_one(const struct patcher *p, int n, bool there, bool patched, const char *when)
{
	const bool changes = tracers[ids[n]].kind == FMOD_RET && there;
	struct cell *cell = &cells[ids[n]];
	unsigned long long before = cell->hits;
	int more, want = patched ? p->more : 0;
	char name[8];

	more = call_subject(n);
	CHECK(more == want, "%s, %s, %s: %d more, not %d", p->name, kind_name(ids[n]), when, more,
	      want);
	cell->instead = changes ? 77 : 0;
	snprintf(name, sizeof(name), "%d", n);
	more = call_function(name, 5, 6) - (changes ? 77 : SUBJECT_VALUE(n, 5, 6));
	want = changes ? 0 : want;
	CHECK(more == want, "%s, %s, %s: %d more, not %d", p->name, kind_name(ids[n]), when, more,
	      want);
	cell->instead = 0;
	CHECK(hits(ids[n]) - before == (there ? 2 : 0), "%s, %s, %s: %llu of 2 calls", p->name,
	      kind_name(ids[n]), when, hits(ids[n]) - before);
	if (there && tracers[ids[n]].kind == FEXIT)
		CHECK((int)cell->ret == want + SUBJECT_VALUE(n, 5, 6),
		      "%s, %s: fexit has seen %d", p->name, when, (int)cell->ret);
}

static void expect_each(const struct patcher *p, unsigned int mask, bool there, bool patched,
			const char *when)
{
	int n;

	for (n = 0; n < SUBJECTS; n++)
		if (mask & 1 << n)
			expect_one(p, n, there, patched, when);
}

static int attach_each(unsigned int mask)
{
	int n, err = 0;

	for (n = 0; n < SUBJECTS && !err; n++)
		if (mask & 1 << n)
			err = attach_tracer(ids[n]);
	return err;
}

static void detach_each(unsigned int mask)
{
	int n;

	for (n = 0; n < SUBJECTS; n++)
		if (mask & 1 << n)
			detach_tracer(ids[n]);
}

/* The programs come first or not, and go first or not. */
static void in_order(const struct patcher *p, unsigned int mask, bool first_comes, bool first_goes)
{
	int i, err;

	for (i = 0; i < 2; i++) {
		bool programs = first_comes == !i;

		err = programs ? attach_each(mask) : p->replace(mask);
		REQUIRE(!err, "%s comes: %s", programs ? "a program" : p->name, errname(err));
		expect_each(p, mask, programs || i, !programs || i, "coming");
	}
	for (i = 0; i < 2; i++) {
		bool programs = first_goes == !i;

		if (programs) {
			detach_each(mask);
		} else {
			err = p->replace(0);
			REQUIRE(!err, "%s goes: %s", p->name, errname(err));
		}
		expect_each(p, mask, !programs && !i, programs && !i, "going");
	}
}

/* Functions 2, 3 and 4 have a program of another kind each. */
static void four_orders(const struct patcher *p, unsigned int mask)
{
	static const enum kind each[] = { FENTRY, FEXIT, FMOD_RET };
	int n, i;

	for (n = 2; n <= 4; n++) {
		ids[n] = load_tracer(each[n - 2], subject(n));
		REQUIRE(ids[n] > 0, "loading: %s", errname(-ids[n]));
	}
	for (i = 0; i < 4; i++)
		in_order(p, mask, i & 1, i & 2);
}

/* All three at once, because it takes a second or two until a livepatch has come or gone. */
static void livepatch_orders(void)
{
	NEED_LIVEPATCH();
	four_orders(&livepatching, 1 << 2 | 1 << 3 | 1 << 4);
}

static void redirect_fentry(void)	{ four_orders(&redirection, 1 << 2); }
static void redirect_fexit(void)	{ four_orders(&redirection, 1 << 3); }
static void redirect_fmod_ret(void)	{ four_orders(&redirection, 1 << 4); }

/* -------------------------------------------------------------------------- */
/* Several functions                                                            */

static void expect_all(const struct patcher *p, unsigned int replaced, const char *when)
{
	int n, more;

	for (n = 0; n < SUBJECTS; n++) {
		unsigned long long before = ids[n] ? hits(ids[n]) : 0;
		int want = replaced & 1 << n ? p->more : 0;

		more = call_subject(n);
		CHECK(more == want, "%s, %s: function %d returns %d more, not %d", p->name, when,
		      n, more, want);
		if (ids[n])
			CHECK(hits(ids[n]) - before == 1, "%s, %s: %llu calls of function %d",
			      p->name, when, hits(ids[n]) - before, n);
	}
}

static bool trace_function(int n, enum kind kind)
{
	ids[n] = trace(kind, subject(n));
	return CHECK(ids[n] > 0, "%s of %d: %s", kinds[kind].name, n, errname(-ids[n]));
}

static void untrace_function(int n)
{
	drop_tracer(ids[n]);
	ids[n] = 0;
}

/* Functions 0 ... 5 are replaced together; programs are on some of them, and on others. */
static void partly(const struct patcher *p)
{
	const unsigned int mask = 0x3f;
	int err;

	memset(ids, 0, sizeof(ids));
	REQUIRE(trace_function(1, FENTRY) && trace_function(3, FEXIT) &&
		trace_function(4, FMOD_RET) && trace_function(6, FEXIT), "programs");
	expect_all(p, 0, "before");
	err = p->replace(mask);
	REQUIRE(!err, "%s over programs: %s", p->name, errname(err));
	expect_all(p, mask, "over programs");
	REQUIRE(trace_function(0, FEXIT) && trace_function(2, FENTRY), "more programs");
	expect_all(p, mask, "with more programs");
	untrace_function(3);
	expect_all(p, mask, "with fewer programs");
	err = p->replace(0);
	REQUIRE(!err, "%s goes: %s", p->name, errname(err));
	expect_all(p, 0, "after");
	err = p->replace(1 << 2);
	REQUIRE(!err, "%s of one comes: %s", p->name, errname(err));
	expect_all(p, 1 << 2, "one");
	untrace_function(2);
	expect_all(p, 1 << 2, "one, without its program");
	err = p->replace(0);
	REQUIRE(!err, "%s goes again: %s", p->name, errname(err));
	expect_all(p, 0, "in the end");
}

static void livepatch_partly(void)
{
	NEED_LIVEPATCH();
	partly(&livepatching);
}

static void redirect_partly(void)
{
	partly(&redirection);
}

/* -------------------------------------------------------------------------- */
/* One that refuses                                                             */

/*
 * Function @n has a direct call whose owner shares it with nobody, all others have programs,
 * which do share. Nothing may be left of the preparations for the functions before @n. This
 * does not hold without the hash interface, nor for some patches after it:
 * FDIRECT_LEFTOVERS.
 */
static void refuse_at(const struct patcher *p, int n)
{
	bool left, may_be = getenv("FDIRECT_LEFTOVERS") || put(API "call", "helpers") == ENOTTY;
	struct picture before;
	int i, err;

	memset(ids, 0, sizeof(ids));
	for (i = 0; i < SUBJECTS; i++)
		if (i != n)
			REQUIRE(trace_function(i, i % 2 ? FENTRY : FEXIT), "programs");
	CALL(0, "filter 0 %s", subject(n));
	CALL(0, "register 0 1");
	expect_all(p, 0, "before");
	before = take_picture();
	err = p->replace(0xff);
	CHECK(err == EBUSY, "%s of %d: %s", p->name, n, errname(err));
	left = !as_before(&before);
	CHECK(!left || may_be, "%s of %d, refused, has left something", p->name, n);
	if (!err)
		p->replace(0);
	expect_all(p, 0, "refused");
	/* With all others it can be done. */
	err = p->replace(0xff & ~(1 << n));
	CHECK(!err, "%s of all but %d: %s", p->name, n, errname(err));
	expect_all(p, 0xff & ~(1 << n), "of all others");
	CALL(0, "unregister 0 1");
	CALL(0, "zero 0");
	err = p->replace(0xff);
	CHECK(!err, "%s of all: %s", p->name, errname(err));
	expect_all(p, 0xff, "not refused");
	for (i = 0; i < SUBJECTS; i += 2)
		if (ids[i])
			untrace_function(i);
	expect_all(p, 0xff, "with fewer programs");
	err = p->replace(0);
	CHECK(!err, "%s goes: %s", p->name, errname(err));
	expect_all(p, 0, "after");
	for (i = 0; i < SUBJECTS; i++)
		if (ids[i])
			untrace_function(i);
	if (left)
		SKIP("Linux 6.12 leaves programs prepared for who was refused");
}

static void redirect_refused(void)
{
	int n;

	for (n = 0; n < SUBJECTS; n++)
		refuse_at(&redirection, n);
}

static void livepatch_refused(void)
{
	NEED_LIVEPATCH();
	refuse_at(&livepatching, 3);
}

/* -------------------------------------------------------------------------- */
/* Both at once                                                                 */

#define ROUNDS	40
#define PATIENCE	900	/* milliseconds, less than a second by a few ticks */

/* Counters that tasks share: how often each of two others has detached a program */
static int *turns;

static void call_number(void *n)
{
	call_subject(*(int *)n);
}

static const char *come_call_go(int id, int n)
{
	int err = attach_tracer(id);
	const char *wrong;

	if (err)
		return errname(err);
	wrong = unseen_calls(id, 1, call_number, &n);
	detach_tracer(id);
	return wrong;
}

/* A task that attaches, calls and detaches the programs in @ids by turns, ROUNDS times */
static pid_t come_and_go(const int *programs, int *turn)
{
	const char *wrong = NULL;
	pid_t child;
	int n;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	while (!wrong && *turn < ROUNDS) {
		n = *turn % SUBJECTS;
		wrong = come_call_go(programs[n], n);
		if (!wrong)
			__atomic_store_n(turn, *turn + 1, __ATOMIC_RELAXED);
	}
	if (wrong)
		ksft_print_msg("%s on function %d: %s\n", kind_name(programs[n]), n, wrong);
	fflush(stdout);
	_exit(wrong ? KSFT_FAIL : 0);
}

/*
 * The kernel refuses a livepatch if the owner of a direct call is busy whenever it asks, for a
 * second. That happens where a task is as slow as in a guest, but never at once.
 */
static int redirect_patiently(unsigned int mask, int *refusals)
{
	long long start;
	int err, tries;

	for (tries = 0; tries < 30; tries++) {
		start = now_ms();
		err = redirect(mask);
		if (err != EAGAIN || now_ms() - start < PATIENCE)
			break;
		(*refusals)++;
	}
	return err;
}

/*
 * Other tasks have programs come and go on all functions, while they are all replaced and
 * given back. Nobody is refused for the moment in which another one works, unless
 * FDIRECT_BUSY in the environment says that the kernel refuses them. @which are of one task
 * for the even and the odd functions, and of the other one, if there is one.
 */
static void at_once(const enum kind *which, int tasks)
{
	static int programs[2][SUBJECTS];
	pid_t children[2];
	int n, task, err, rounds = 0, refusals = 0;

	if (getenv("FDIRECT_BUSY"))
		SKIP("this kernel refuses a livepatch beside a task that is busy with programs");
	turns = mmap(NULL, 2 * sizeof(*turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	REQUIRE(turns != MAP_FAILED, "shared memory: %s", strerror(errno));
	memset(ids, 0, sizeof(ids));
	for (task = 0; task < tasks; task++) {
		for (n = 0; n < SUBJECTS; n++) {
			programs[task][n] = load_tracer(which[2 * task + n % 2], subject(n));
			REQUIRE(programs[task][n] > 0, "loading: %s", errname(-programs[task][n]));
		}
	}
	for (task = 0; task < tasks; task++)
		children[task] = come_and_go(programs[task], &turns[task]);
	for (task = 0; task < tasks;) {
		err = redirect_patiently(rounds % 2 ? 0 : 0xff, &refusals);
		CHECK(!err, "round %d: %s", rounds, errname(err));
		for (n = 0; n < SUBJECTS; n++)
			CHECK(call_subject(n) == (rounds % 2 ? 0 : SUBJECT_REDIRECTED),
			      "round %d: function %d", rounds, n);
		rounds++;
		if (waitpid(children[task], &err, WNOHANG) == children[task]) {
			CHECK(WIFEXITED(err) && !WEXITSTATUS(err),
			      "task %d ended with %x after %d rounds", task, err, turns[task]);
			task++;
		}
	}
	ksft_print_msg("%d rounds beside %d of each other task, %d refusals after a second\n",
		       rounds, ROUNDS, refusals);
	/* The other tasks', and they are gone with them. */
	for (task = 0; task < tasks; task++)
		for (n = 0; n < SUBJECTS; n++)
			tracers[programs[task][n]].last_hits = hits(programs[task][n]);
	munmap(turns, 2 * sizeof(*turns));
}

static void at_once_programs(void)
{
	at_once((enum kind[]){ FENTRY, FEXIT }, 1);
}

static void at_once_links(void)
{
	NEED_MULTI();
	at_once((enum kind[]){ FENTRY_MULTI, FEXIT_MULTI }, 1);
}

/* A call site goes from the one to the other, and back */
static void at_once_both(void)
{
	NEED_MULTI();
	at_once((enum kind[]){ FENTRY, FEXIT, FENTRY_MULTI, FEXIT_MULTI }, 2);
}

static void restore(void)
{
	int err = livepatch_off(LIVEPATCH);

	CHECK(!err, "the livepatch does not go: %s", errname(err));
	call("unregister 0 1");
	restore_bpf();
	restore_api();
}

static const struct test tests[] = {
	{ "a livepatch and fentry, fexit and fmod_ret, in all four orders", livepatch_orders },
	{ "redirection and fentry on one function, in all four orders", redirect_fentry },
	{ "redirection and fexit on one function, in all four orders", redirect_fexit },
	{ "redirection and fmod_ret on one function, in all four orders", redirect_fmod_ret },
	{ "a livepatch of six functions, some of them with programs", livepatch_partly },
	{ "a redirection of six functions, some of them with programs", redirect_partly },
	{ "a livepatch that one function's owner refuses leaves programs as they were",
	  livepatch_refused },
	{ "a redirection that one function's owner refuses leaves programs as they were",
	  redirect_refused },
	{ "functions are redirected and given back while programs come and go", at_once_programs },
	{ "functions are redirected and given back while links come and go", at_once_links },
	{ "functions are redirected and given back while links and programs come and go",
	  at_once_both },
};

int main(void)
{
	start_bpf();
	suite_restore = restore;
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect_subject", "fdirect_api");
}
