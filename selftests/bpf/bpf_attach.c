// SPDX-License-Identifier: GPL-2.0
/*
 * fentry, fexit and fmod_ret programs on functions of the kernel and of a module. Each sees
 * every call while it is attached, with the arguments and the return value, and none
 * afterwards. Others may be attached to the same function or to others.
 */
#include "bpf_trace.h"

/* The addresses of the functions of fdirect_subject.ko, as /proc/kallsyms has them */
static void find_subjects(unsigned long addresses[SUBJECTS])
{
	char *text = must_slurp("/proc/kallsyms"), *line, *next = text;
	unsigned long address;
	int n, len;

	while ((line = strsep(&next, "\n"))) {
		if (!strstr(line, " fdirect_subject_"))
			continue;
		len = 0;
		if (sscanf(line, "%lx %*c fdirect_subject_%1d%*1[\t]%n", &address, &n, &len) == 2 &&
		    len && n < SUBJECTS)
			addresses[n] = address;
	}
	free(text);
}

/* -------------------------------------------------------------------------- */
/* Functions of the kernel                                                      */

/* The functions that BPF_PROG_TEST_RUN calls once each, their arguments and return values */
static const struct {
	const char *name;
	unsigned long long args[2], ret;
} tested[] = {
	{ "bpf_fentry_test2", { 2, 3 }, 5 },
	{ "bpf_fentry_test3", { 4, 5 }, 15 },
	{ "bpf_fentry_test4", { 7, 8 }, 34 },
	{ "bpf_fentry_test5", { 11, 12 }, 65 },
	{ "bpf_fentry_test6", { 16, 17 }, 111 },
};

static void kernel_functions(void)
{
	int runner = load_tracer(FENTRY, "bpf_fentry_test1"), ids[2][ARRAY_SIZE(tested)];
	size_t i, k;
	int round;

	REQUIRE(runner > 0, "the program to run: %s", errname(-runner));
	for (i = 0; i < ARRAY_SIZE(tested); i++) {
		for (k = 0; k < 2; k++) {
			ids[k][i] = trace(k ? FEXIT : FENTRY, tested[i].name);
			REQUIRE(ATTACHED(ids[k][i]), "%s", tested[i].name);
		}
	}
	for (round = 1; round <= 3; round++) {
		CHECK(run_tracer(runner) == 0, "the functions return what they do");
		for (i = 0; i < ARRAY_SIZE(tested); i++) {
			for (k = 0; k < 2; k++) {
				const struct cell *c = &cells[ids[k][i]];

				CHECK(c->hits == (unsigned long long)round, "%s: %llu of %d calls",
				      tested[i].name, c->hits, round);
				CHECK((unsigned char)c->args[0] == tested[i].args[0] &&
				      (unsigned char)c->args[1] == tested[i].args[1],
				      "%s: called with %llu, %llu", tested[i].name, c->args[0],
				      c->args[1]);
				CHECK(!k || (int)c->ret == (int)tested[i].ret,
				      "%s: has returned %llu", tested[i].name, c->ret);
			}
		}
	}
}

/* test and test2 of them return 4 and 29, and change a variable each, which is counted above. */
enum { CHANGED_ONCE = 1 << 16, CHANGED_TWICE = 2 << 16 };

static void kernel_fmod_ret(void)
{
	int id = trace(FMOD_RET, "bpf_modify_return_test"), exit;

	REQUIRE(ATTACHED(id), "fmod_ret");
	CHECK(run_tracer(id) == CHANGED_TWICE + 4 + 29, "the result as it is: %ld",
	      run_tracer(id));
	cells[id].instead = 1000;
	CHECK(run_tracer(id) == CHANGED_ONCE + 1000 + 29, "the result changed: %ld",
	      run_tracer(id));
	exit = trace(FEXIT, "bpf_modify_return_test");
	REQUIRE(ATTACHED(exit), "fexit");
	CHECK(run_tracer(id) == CHANGED_ONCE + 1000 + 29, "the result changed: %ld",
	      run_tracer(id));
	CHECK(cells[exit].ret == 1000, "fexit has seen it changed: %llu", cells[exit].ret);
	detach_tracer(id);
	CHECK(run_tracer(id) == CHANGED_TWICE + 4 + 29, "the result as it was: %ld",
	      run_tracer(id));
}

static void system_calls(void)
{
	static int ids[2][RARE_SYSCALLS];
	char name[64];
	size_t i, k;

	for (i = 0; i < RARE_SYSCALLS; i++) {
		snprintf(name, sizeof(name), SYSCALL_PREFIX "%s", rare_syscalls[i].name);
		for (k = 0; k < 2; k++) {
			ids[k][i] = trace(k ? FEXIT : FENTRY, name);
			REQUIRE(ATTACHED(ids[k][i]), "%s", name);
		}
	}
	for (i = 0; i < RARE_SYSCALLS; i++)
		call_syscall(i, 1 + i % 5);
	for (i = 0; i < RARE_SYSCALLS; i++)
		for (k = 0; k < 2; k++)
			CHECK(hits(ids[k][i]) == 1 + i % 5, "%s: %s saw %llu of %zu calls",
			      rare_syscalls[i].name, k ? "fexit" : "fentry", hits(ids[k][i]),
			      1 + i % 5);
	/* Every other one goes. */
	for (i = 0; i < RARE_SYSCALLS; i++)
		detach_tracer(ids[i % 2][i]);
	for (i = 0; i < RARE_SYSCALLS; i++)
		call_syscall(i, 3);
	for (i = 0; i < RARE_SYSCALLS; i++)
		for (k = 0; k < 2; k++)
			CHECK(hits(ids[k][i]) == 1 + i % 5 + (k != i % 2 ? 3 : 0),
			      "%s: %s, now %llu", rare_syscalls[i].name, k ? "fexit" : "fentry",
			      hits(ids[k][i]));
}

/* -------------------------------------------------------------------------- */
/* Functions of a module                                                        */

static void module_functions(void)
{
	static const enum kind each[] = { FENTRY, FEXIT, FMOD_RET };
	int ids[ARRAY_SIZE(each)][SUBJECTS], n, a, b;
	unsigned long addresses[SUBJECTS] = { 0 };
	char name[32];
	size_t k;

	find_subjects(addresses);

	for (n = 0; n < SUBJECTS; n++) {
		for (k = 0; k < ARRAY_SIZE(each); k++) {
			ids[k][n] = trace(each[k], subject(n));
			REQUIRE(ATTACHED(ids[k][n]), "%s of %s", kinds[each[k]].name, subject(n));
		}
	}
	for (n = 0; n < SUBJECTS; n++) {
		a = 31 * n;
		b = 3 * n + 1;
		snprintf(name, sizeof(name), "%d", n);
		CHECK(call_function(name, a, b) == SUBJECT_VALUE(n, a, b), "result of %d", n);
		for (k = 0; k < ARRAY_SIZE(each); k++) {
			const struct cell *c = &cells[ids[k][n]];

			CHECK(c->hits == 1, "%s of %d: %llu calls", kinds[each[k]].name, n,
			      c->hits);
			CHECK((int)c->args[0] == a && (int)c->args[1] == b, "%s of %d: %llu, %llu",
			      kinds[each[k]].name, n, c->args[0], c->args[1]);
		}
		CHECK((int)cells[ids[1][n]].ret == SUBJECT_VALUE(n, a, b), "fexit of %d: %llu", n,
		      cells[ids[1][n]].ret);
		CHECK(cells[ids[1][n]].ip == addresses[n], "fexit of %d was told %llx, not %lx",
		      n, cells[ids[1][n]].ip, addresses[n]);
	}
	/* Each returns something else, and fexit sees that. */
	for (n = 0; n < SUBJECTS; n++)
		cells[ids[2][n]].instead = SUBJECT_VALUE(n, 0, 0) - 4711 - n;
	for (n = 0; n < SUBJECTS; n++) {
		snprintf(name, sizeof(name), "%d", n);
		CHECK(call_function(name, 0, 0) == cells[ids[2][n]].instead, "changed: %d", n);
		CHECK((int)cells[ids[1][n]].ret == cells[ids[2][n]].instead,
		      "fexit of %d: %d", n, (int)cells[ids[1][n]].ret);
		detach_tracer(ids[2][n]);
		CHECK(call_subject(n) == 0, "fmod_ret of %d is gone", n);
		CHECK(hits(ids[0][n]) == 3 && hits(ids[1][n]) == 3 && hits(ids[2][n]) == 2,
		      "%d: %llu, %llu, %llu calls", n, hits(ids[0][n]), hits(ids[1][n]),
		      hits(ids[2][n]));
	}
}

/* Some of the ten arguments are on the stack, which a trampoline must copy. */
static void stack_arguments(void)
{
	const char *name = "fdirect_subject:fdirect_subject_wide";
	int entry, exit, want = call_function("wide", 17, 23);

	entry = trace(FENTRY, name);
	if (entry == -ENOTSUPP)
		SKIP("this architecture's trampolines do not take arguments on the stack");
	REQUIRE(ATTACHED(entry), "fentry");
	CHECK(call_function("wide", 17, 23) == want, "with fentry");
	exit = trace(FEXIT, name);
	REQUIRE(ATTACHED(exit), "fexit");
	CHECK(call_function("wide", 17, 23) == want, "with both");
	CHECK((int)cells[exit].ret == want, "fexit: %llu, not %d", cells[exit].ret, want);
	detach_tracer(entry);
	CHECK(call_function("wide", 17, 23) == want, "with fexit");
	CHECK(hits(entry) == 2 && hits(exit) == 2, "%llu, %llu calls", hits(entry), hits(exit));
}

/* -------------------------------------------------------------------------- */
/* Several programs on one function                                             */

static const int orders[][3] = {
	{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
};

/* Calls function 1: the programs that are there see it, and a single one changes it. */
static void expect_seen(const int ids[3], const bool on[3], const char *when)
{
	unsigned long long before[3];
	int k, more = on[2] ? 333 : 0, got;

	for (k = 0; k < 3; k++)
		before[k] = hits(ids[k]);
	cells[ids[2]].instead = 0;
	got = call_subject(1);
	CHECK(got == 0, "%s: %d more", when, got);
	cells[ids[2]].instead = 333;
	got = call_function("1", 1, -1) - (more ? 0 : SUBJECT_VALUE(1, 1, -1));
	CHECK(got == more, "%s: %d, not %d", when, got, more);
	for (k = 0; k < 3; k++)
		CHECK(hits(ids[k]) - before[k] == (on[k] ? 2 : 0), "%s: %s saw %llu calls", when,
		      kinds[tracers[ids[k]].kind].name, hits(ids[k]) - before[k]);
	CHECK(!on[1] || (int)cells[ids[1]].ret == (more ?: SUBJECT_VALUE(1, 1, -1)),
	      "%s: fexit saw %d", when, (int)cells[ids[1]].ret);
}

/* Programs of these kinds come in every order, and go in every order. */
static void several(const enum kind kind[3])
{
	int ids[3], k, err;
	size_t i;

	for (k = 0; k < 3; k++) {
		ids[k] = load_tracer(kind[k], subject(1));
		REQUIRE(ids[k] > 0, "loading: %s", errname(-ids[k]));
	}
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		bool on[3] = { false };

		for (k = 0; k < 3; k++) {
			err = attach_tracer(ids[orders[i][k]]);
			REQUIRE(!err, "attaching: %s", errname(err));
			on[orders[i][k]] = true;
			expect_seen(ids, on, "coming");
		}
		for (k = 0; k < 3; k++) {
			int gone = orders[(5 * i + 3) % ARRAY_SIZE(orders)][k];

			detach_tracer(ids[gone]);
			on[gone] = false;
			expect_seen(ids, on, "going");
		}
	}
}

static void several_kinds(void)
{
	several((const enum kind[]){ FENTRY, FEXIT, FMOD_RET });
}

static void several_fentry(void)
{
	int first, second, i;

	first = trace(FENTRY, subject(2));
	REQUIRE(ATTACHED(first), "the first");
	for (i = 1; i <= 3; i++) {
		second = trace(FENTRY, subject(2));
		REQUIRE(ATTACHED(second), "the second");
		CHECK(call_subject(2) == 0, "the result");
		CHECK(hits(first) == 2U * i - 1 && hits(second) == 1, "both: %llu, %llu",
		      hits(first), hits(second));
		detach_tracer(second);
		CHECK(call_subject(2) == 0, "the result");
		CHECK(hits(first) == 2U * i && hits(second) == 1, "the first: %llu, %llu",
		      hits(first), hits(second));
	}
	second = trace(FENTRY, subject(2));
	REQUIRE(ATTACHED(second), "the second");
	detach_tracer(first);
	CHECK(call_subject(2) == 0, "the result");
	CHECK(hits(first) == 6 && hits(second) == 1, "the second: %llu, %llu", hits(first),
	      hits(second));
}

/* -------------------------------------------------------------------------- */
/* Programs that may sleep                                                      */

static void sleepable(const char *function, void (*call)(int id))
{
	static const enum kind each[] = { FENTRY_SLEEPABLE, FEXIT_SLEEPABLE, FMOD_RET_SLEEPABLE };
	static unsigned long long word = 0x600df00d;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(each); k++) {
		int id = trace(each[k], function), plain;

		REQUIRE(ATTACHED(id), "%s of %s", kinds[each[k]].name, function);
		word++;
		cells[id].user = (uintptr_t)&word;
		call(id);
		CHECK(hits(id) == 1 && cells[id].copied == word, "%s: %llu calls, %llx copied",
		      kinds[each[k]].name, hits(id), cells[id].copied);
		/* Beside one that may not */
		plain = trace(FENTRY, function);
		REQUIRE(ATTACHED(plain), "beside fentry");
		word++;
		call(id);
		CHECK(hits(id) == 2 && cells[id].copied == word, "%s: %llu calls, %llx copied",
		      kinds[each[k]].name, hits(id), cells[id].copied);
		CHECK(hits(plain) == 1, "fentry beside it: %llu calls", hits(plain));
		detach_tracer(id);
		call(id);
		CHECK(hits(id) == 2 && hits(plain) == 2, "%s is gone: %llu, %llu calls",
		      kinds[each[k]].name, hits(id), hits(plain));
		detach_tracer(plain);
	}
}

static void call_module_function(int id)
{
	CHECK(call_subject(0) == 0, "the result beside %s", kinds[tracers[id].kind].name);
}

static void call_kernel_function(int id)
{
	int runner = load_tracer(FENTRY, "bpf_fentry_test1");

	REQUIRE(runner > 0, "the program to run: %s", errname(-runner));
	CHECK(run_tracer(runner) == 0, "the results beside %s", kinds[tracers[id].kind].name);
	drop_tracer(runner);
}

static void sleepable_programs(void)
{
	sleepable(subject(0), call_module_function);
	sleepable("bpf_fentry_test1", call_kernel_function);
}

/*
 * A task that sleeps in a function comes back to the trampoline that called it. The
 * program, and all else that needed the trampoline, is gone by then.
 */
#define SLEEP	3	/* seconds, in which grace periods end */

static void asleep(void)
{
	const struct timespec t = { .tv_sec = SLEEP };
	int id = trace(FEXIT, SYSCALL_PREFIX "nanosleep"), wstatus = -1, tries;
	char path[32], *text, state = 0;
	pid_t child;

	REQUIRE(ATTACHED(id), "fexit");
	child = fork();
	if (!child) {
		/* A descriptor of its own would keep the program. */
		drop_tracer(id);
		_exit(syscall(SYS_nanosleep, &t, NULL) ? errno : 0);
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	for (tries = 0; tries < 1000 && state != 'S'; tries++) {
		usleep(1000);
		text = must_slurp(path);
		state = strrchr(text, ')')[2];
		free(text);
	}
	CHECK(state == 'S', "the task does not sleep");
	drop_tracer(id);
	CHECK(waitpid(child, &wstatus, 0) == child && !wstatus, "the task that slept: %x", wstatus);
	CHECK(hits(id) == 0, "the program that was gone has seen %llu calls", hits(id));
}

/* -------------------------------------------------------------------------- */
/* Beside fdirect.ko                                                            */

static void beside_fdirect(void)
{
	int ids[SUBJECTS], n, i;

	REQUIRE(!choose_peers(100), "choosing functions");
	for (n = 0; n < SUBJECTS; n++) {
		if (n == SUBJECTS / 2)
			REQUIRE(!fdirect("control", "attach"), "fdirect attaches");
		ids[n] = trace(n % 2 ? FEXIT : FENTRY, subject(n));
		REQUIRE(ATTACHED(ids[n]), "%s", subject(n));
	}
	for (i = 1; i <= 3; i++) {
		CHECK(!call_peers(0, 100, i, 1), "calling");
		for (n = 0; n < SUBJECTS; n++) {
			CHECK(call_subject(n) == 0, "the result of %d", n);
			CHECK(hits(ids[n]) == (unsigned long long)i, "%d: %llu of %d calls", n,
			      hits(ids[n]), i);
		}
		CHECK(status("hits_total") == 100 * i, "fdirect has %lld of %d calls",
		      status("hits_total"), 100 * i);
		CHECK(!fdirect("hits", "0") && !fdirect("control", "modify 0 100 %d", 1000 * i),
		      "fdirect changes");
		CHECK(!call_peers(0, 100, 1, 1), "calling");
		CHECK(status("stray_hits") == 0 && status("misdirected") == 0,
		      "fdirect goes astray");
		CHECK(!fdirect("hits", "0"), "resetting");
	}
	for (n = 0; n < SUBJECTS; n++) {
		if (n == SUBJECTS / 2)
			CHECK(!fdirect("control", "detach"), "fdirect detaches");
		detach_tracer(ids[n]);
	}
}

/* -------------------------------------------------------------------------- */
/* Memory of images                                                             */

/* The lowest address of an image for this function of the kernel; 0: there is none */
static unsigned long image_of(const char *function)
{
	unsigned long long key, id = find_type(types_of(""), function, BTF_KIND_FUNC);
	char *text = must_slurp("/proc/kallsyms"), *line, *next = text;
	unsigned long address, found = 0;

	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%lx %*c bpf_trampoline_%llu", &address, &key) == 2 &&
		    (key & 0x7fffffff) == id && (!found || address < found))
			found = address;
	free(text);
	return found;
}

/* An image that a task may still be in has its symbol until it is freed. */
static bool image_goes(const char *function)
{
	int tries = 100;

	while (image_of(function) && --tries)
		usleep(100000);
	return tries;
}

/* One image goes, another one stays behind it. New ones find the memory of the first. */
static void memory_is_used_again(void)
{
	unsigned long places[6];
	char names[6][64];
	int ids[6], i;

	for (i = 0; i < 6; i++) {
		snprintf(names[i], sizeof(names[i]), SYSCALL_PREFIX "%s", rare_syscalls[i].name);
		REQUIRE(image_goes(names[i]), "%s has an image", names[i]);
		ids[i] = load_tracer(FENTRY, names[i]);
		REQUIRE(ids[i] > 0, "loading: %s", errname(-ids[i]));
	}
	for (i = 0; i < 6; i++) {
		if (i == 2) {
			detach_tracer(ids[0]);
			REQUIRE(image_goes(names[0]), "the first image stays");
			usleep(100000);
		}
		REQUIRE(!attach_tracer(ids[i]), "attaching to %s", names[i]);
		places[i] = image_of(names[i]);
		REQUIRE(places[i], "%s has no image", names[i]);
		/* An image may be a chunk larger, and the next one not. */
		if (i >= 2 && places[i] <= places[0])
			return;
	}
	CHECK(false, "images at %lx and %lx, and, when the first was gone, at %lx to %lx",
	      places[0], places[1], places[2], places[5]);
}

/* -------------------------------------------------------------------------- */
/* The module goes                                                              */

static void module_held(void)
{
	int id, err, round;

	for (round = 0; round < 2; round++) {
		id = trace(round ? FEXIT : FENTRY, subject(3));
		REQUIRE(ATTACHED(id), "round %d", round);
		err = unload("fdirect_subject");
		CHECK(err == IN_USE, "unloading while attached: %s", errname(err));
		CHECK(call_subject(3) == 0 && hits(id) == 1, "%llu calls", hits(id));
		detach_tracer(id);
		err = unload("fdirect_subject");
		CHECK(err == IN_USE, "unloading while a program is loaded: %s", errname(err));
		drop_tracer(id);
		err = unload_soon("fdirect_subject");
		REQUIRE(!err, "unloading: %s", errname(err));
		forget_types("fdirect_subject");
		id = trace(FENTRY, subject(3));
		CHECK(id == -ENOENT, "a function that is gone: %d", id);
		err = load("fdirect_subject");
		REQUIRE(!err, "loading: %s", errname(err));
		forget_types("fdirect_subject");
	}
	id = trace(FENTRY, subject(3));
	REQUIRE(ATTACHED(id), "in the module that is back");
	CHECK(call_subject(3) == 0 && hits(id) == 1, "%llu calls", hits(id));
}

static void restore(void)
{
	if (!loaded("fdirect_subject")) {
		load("fdirect_subject");
		forget_types("fdirect_subject");
	}
	restore_bpf();
}

static const struct test tests[] = {
	{ "fentry and fexit see arguments and results of the kernel's functions",
	  kernel_functions },
	{ "fmod_ret changes what a function of the kernel returns", kernel_fmod_ret },
	{ "fentry and fexit see every call of system calls", system_calls },
	{ "fentry, fexit and fmod_ret see every call of a module's functions", module_functions },
	{ "fentry and fexit pass on ten arguments", stack_arguments },
	{ "fentry, fexit and fmod_ret on one function come and go in any order", several_kinds },
	{ "a second program on a function comes and goes, and stays alone", several_fentry },
	{ "programs that may sleep read the memory of the caller", sleepable_programs },
	{ "a task that sleeps in a function returns when the program is gone", asleep },
	{ "programs and direct calls of a module on other functions do not disturb each other",
	  beside_fdirect },
	{ "the memory of an image that is gone is used again", memory_is_used_again },
	{ "a module does not unload while a program for its function is loaded", module_held },
};

int main(void)
{
	start_bpf();
	suite_restore = restore;
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect_subject", "fdirect");
}
