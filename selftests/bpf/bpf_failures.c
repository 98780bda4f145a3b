// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals of BPF programs, with the errno of Linux 6.12 as it is released. A refusal
 * leaves everything as it was: call sites, programs that are attached already, and what can
 * be attached afterwards.
 */
#include "bpf_trace.h"
#include "multi_prog.h"

/* Takes its picture before and after, and expects @want from what is done between. */
#define REFUSES(want, what, doing)						\
	do {									\
		struct picture __before = take_picture();			\
		int __err = (doing);						\
										\
		CHECK(__err == (want), "%s: %s, not %s", what, errname(__err),	\
		      errname(want));						\
		CHECK(as_before(&__before), "%s changed something", what);	\
	} while (0)

/* -------------------------------------------------------------------------- */
/* Loading                                                                      */

static const struct {
	const char *what;
	enum kind kind;
	const char *function;
	int want;
} unloadable[] = {
	{ "a function on the deny list", FENTRY, "migrate_disable", EINVAL },
	{ "fexit of a function on the deny list", FEXIT, "migrate_enable", EINVAL },
	{ "a function with variable arguments", FENTRY, "_printk", EINVAL },
	{ "fmod_ret of a function that does not allow it", FMOD_RET, "bpf_fentry_test2", EINVAL },
	{ "fmod_ret of a module's function that does not allow it", FMOD_RET,
	  "fdirect_subject:fdirect_subject_wide", EINVAL },
	{ "sleepable fentry of a function that does not allow it", FENTRY_SLEEPABLE,
	  "fdirect_subject:fdirect_subject_1", EINVAL },
	{ "sleepable fexit of a function that does not allow it", FEXIT_SLEEPABLE,
	  "bpf_fentry_test2", EINVAL },
	{ "sleepable fmod_ret of a function that does not allow it", FMOD_RET_SLEEPABLE,
	  "bpf_modify_return_test", EINVAL },
};

static int error_of_loading(enum kind kind, const char *function)
{
	int id = load_tracer(kind, function);

	return id < 0 ? -id : 0;
}

static int error_of_type(int type)
{
	int prog = load_program(FENTRY, 0, type);

	if (prog >= 0)
		close(prog);
	return prog < 0 ? -prog : 0;
}

static void load_refused(void)
{
	int no_function = find_type(types_of(""), "task_struct", BTF_KIND_STRUCT);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unloadable); i++)
		REFUSES(unloadable[i].want, unloadable[i].what,
			error_of_loading(unloadable[i].kind, unloadable[i].function));
	CHECK(no_function > 0, "task_struct");
	REFUSES(EINVAL, "a type that is no function", error_of_type(no_function));
	REFUSES(EINVAL, "a type that does not exist", error_of_type(0x7ffffff));
	REFUSES(EINVAL, "no type", error_of_type(0));
}

/* -------------------------------------------------------------------------- */
/* Attaching                                                                    */

static int error_of_tracing(enum kind kind, const char *function)
{
	int id = trace(kind, function);

	if (id < 0)
		return -id;
	drop_tracer(id);
	return 0;
}

/* The code of a module cannot be changed by BPF itself, nor that of the kernel on arm64. */
#if defined(__aarch64__)
enum { NO_MODULE_TEXT = ENOTSUPP, NO_KERNEL_TEXT = ENOTSUPP };
#elif defined(__riscv)
enum { NO_MODULE_TEXT = ENOTSUPP, NO_KERNEL_TEXT = EFAULT };
#elif defined(__s390x__)
enum { NO_MODULE_TEXT = EINVAL, NO_KERNEL_TEXT = EINVAL };
#else
enum { NO_MODULE_TEXT = EINVAL, NO_KERNEL_TEXT = EBUSY };
#endif

/* These have no place for a call that ftrace would know. */
static void untraceable(void)
{
	static const struct {
		const char *function;
		int want;
	} functions[] = {
		{ "fdirect_subject:fdirect_subject_untraceable", NO_MODULE_TEXT },
		{ "rcu_is_watching", NO_KERNEL_TEXT },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		const char *f = functions[i].function;

		REFUSES(functions[i].want, f, error_of_tracing(FENTRY, f));
		REFUSES(functions[i].want, f, error_of_tracing(FEXIT, f));
	}
	CHECK(call_function("untraceable", 3, 4) == 3 + 2 * 4, "the function works");
}

static void many_arguments(void)
{
	const char *name = "fdirect_subject:fdirect_subject_wide";
	int want = call_function("wide", 1, 2);

	if (!error_of_tracing(FENTRY, name))
		SKIP("this architecture's trampolines take ten arguments");
	REFUSES(ENOTSUPP, "fentry of ten arguments", error_of_tracing(FENTRY, name));
	REFUSES(ENOTSUPP, "fexit of ten arguments", error_of_tracing(FEXIT, name));
	CHECK(call_function("wide", 1, 2) == want, "the function works");
}

static void twice(void)
{
	int id = trace(FENTRY, subject(4)), other, link = -1, err;

	REQUIRE(id > 0, "attaching: %s", errname(-id));
	link = tracers[id].link;
	REFUSES(EBUSY, "a program that is attached already", attach_tracer(id));
	CHECK(tracers[id].link == link, "it has another link");
	CHECK(call_subject(4) == 0 && hits(id) == 1, "%llu calls", hits(id));
	/* Beside another one */
	other = trace(FEXIT, subject(4));
	REQUIRE(other > 0, "a second program: %s", errname(-other));
	REFUSES(EBUSY, "a program that is attached already", attach_tracer(id));
	CHECK(call_subject(4) == 0 && hits(id) == 2 && hits(other) == 1, "%llu, %llu calls",
	      hits(id), hits(other));
	detach_tracer(id);
	err = attach_tracer(id);
	CHECK(!err, "a program that was detached: %s", errname(err));
	CHECK(call_subject(4) == 0 && hits(id) == 3 && hits(other) == 2, "%llu, %llu calls",
	      hits(id), hits(other));
}

/*
 * Attaches as many programs as a function can have, BPF_MAX_TRAMP_LINKS, or as its image has room
 * for, and that is @least or more. Returns how many, or 0.
 */
static int fill(enum kind kind, int least, int *ids)
{
	int most = most_programs(), i;

	for (i = 0; i < most; i++) {
		ids[i] = trace(kind, subject(5));
		if (ids[i] == -E2BIG && i >= least)
			return i;
		if (!CHECK(ids[i] > 0, "program %d: %s", i, errname(-ids[i])))
			return 0;
	}
	return most;
}

static void too_many(void)
{
	int ids[MOST_PROGRAMS], most = fill(FENTRY, programs_that_fit(), ids), id, i, n = 0;

	REQUIRE(most, "programs on one function");
	id = load_tracer(FENTRY, subject(5));
	REQUIRE(id > 0, "loading one more: %s", errname(-id));
	REFUSES(E2BIG, "one program too many", attach_tracer(id));
	drop_tracer(id);
	id = load_tracer(FEXIT, subject(5));
	REQUIRE(id > 0, "loading one more: %s", errname(-id));
	REFUSES(E2BIG, "one program of another kind too many", attach_tracer(id));
	CHECK(call_subject(5) == 0, "the function works");
	for (i = 0; i < most; i++)
		n += hits(ids[i]) == 1;
	CHECK(n == most && hits(id) == 0, "%d programs have seen the call", n);
	/* There is room again. */
	detach_tracer(ids[7]);
	CHECK(!attach_tracer(id), "attaching in place of another");
	CHECK(call_subject(5) == 0 && hits(id) == 1 && hits(ids[7]) == 1 && hits(ids[8]) == 2,
	      "%llu, %llu, %llu calls", hits(id), hits(ids[7]), hits(ids[8]));
}

/*
 * Such programs take the most room, and with retbleed=stuff on x86_64 not all of them have it.
 * Half of them have it anyway.
 */
static void too_many_that_modify(void)
{
	int ids[MOST_PROGRAMS], most = fill(FMOD_RET, most_programs() / 2, ids), i, n = 0;

	REQUIRE(most, "programs on one function");
	ksft_print_msg("%d programs\n", most);
	CHECK(call_subject(5) == 0, "the function works");
	for (i = 0; i < most; i++)
		n += hits(ids[i]) == 1;
	CHECK(n == most, "%d programs have seen the call", n);
}

/* -------------------------------------------------------------------------- */
/* Functions that somebody has                                                  */

static void choose_subject(int n)
{
	struct text t = { };

	add(&t, "%s\n", subject(n));
	CHECK(!choose(&t), "choosing %s", subject(n));
}

/* A direct call of fdirect.ko, by the method that is set */
static void held_by_fdirect(const char *method)
{
	static const enum kind each[] = { FENTRY, FEXIT, FMOD_RET };
	struct hit *hit = NULL;
	size_t k;

	choose_subject(6);
	REQUIRE(!fdirect("method", "%s", method), "method %s", method);
	REQUIRE(!fdirect("control", "attach"), "fdirect attaches");
	for (k = 0; k < ARRAY_SIZE(each); k++)
		REFUSES(EBUSY, kinds[each[k]].name, error_of_tracing(each[k], subject(6)));
	CHECK(call_subject(6) == 0, "the function works");
	REQUIRE(read_hits(&hit) == 1, "fdirect's function");
	CHECK(hit->hits == 1, "fdirect has %lu calls", hit->hits);
	free(hit);
	CHECK(!fdirect("control", "detach"), "fdirect detaches");
	CHECK(!error_of_tracing(FENTRY, subject(6)), "a program comes after that");
}

/* The other way round */
static void held_by_program(const char *method)
{
	int id = trace(FEXIT, subject(6));

	REQUIRE(id > 0, "attaching: %s", errname(-id));
	choose_subject(6);
	REQUIRE(!fdirect("method", "%s", method), "method %s", method);
	REFUSED("control", "attach", EBUSY);
	CHECK(call_subject(6) == 0 && hits(id) == 1, "%llu calls", hits(id));
	drop_tracer(id);
	CHECK(!fdirect("control", "attach"), "fdirect comes after that");
	CHECK(call_subject(6) == 0 && status("hits_total") == 1, "fdirect has %lld calls",
	      status("hits_total"));
	CHECK(!fdirect("control", "detach"), "fdirect detaches");
	fdirect("hits", "0");
}

static const char *const methods[] = { "each", "multi", "hash" };

static int method_count(void)
{
	return has_hash() ? 3 : 2;
}

static void held_by_direct_call(void)
{
	int i;

	for (i = 0; i < method_count(); i++)
		held_by_fdirect(methods[i]);
}

static void direct_call_refused(void)
{
	int i;

	for (i = 0; i < method_count(); i++)
		held_by_program(methods[i]);
}

/* The function that is refused is in the middle of what fdirect has chosen. */
static void some_held(void)
{
	int id = trace(FENTRY, subject(3)), n;
	struct text t = { };

	REQUIRE(id > 0, "attaching: %s", errname(-id));
	for (n = 0; n < SUBJECTS; n++)
		add(&t, "%s\n", subject(n));
	REQUIRE(!choose(&t), "choosing functions");
	for (n = 0; n < method_count(); n++) {
		REQUIRE(!fdirect("method", "%s", methods[n]), "method");
		REFUSED("control", "attach", EBUSY);
	}
	for (n = 0; n < SUBJECTS; n++)
		CHECK(call_subject(n) == 0, "function %d", n);
	CHECK(hits(id) == 1 && status("hits_total") == 0, "%llu calls", hits(id));
}

/* Two cannot replace the same function, whether it has a program or not. */
static void two_replacements(void)
{
	int id, err, round;

	if (!module_file_there("fdirect_livepatch"))
		SKIP("this kernel has no livepatch");
	for (round = 0; round < 2; round++) {
		id = trace(FEXIT, subject(0));
		REQUIRE(id > 0, "attaching: %s", errname(-id));
		if (!round)
			drop_tracer(id);
		err = redirect(1);
		REQUIRE(!err, "redirection: %s", errname(err));
		REFUSES(EBUSY, "a livepatch of what is redirected",
			load_with("fdirect_livepatch", "functions=2,0,1"));
		CHECK(call_subject(0) == SUBJECT_REDIRECTED, "it is redirected");
		CHECK(call_subject(1) == 0 && call_subject(2) == 0, "the others are not");
		CHECK(hits(id) == (unsigned long long)round, "%llu calls", hits(id));
		CHECK(!redirect(0), "ending the redirection");
		CHECK(call_subject(0) == 0, "the function works");
		drop_tracer(id);
	}
}

/* -------------------------------------------------------------------------- */
/* bpf() in a program                                                           */

/* In a map: what bpf() in the callback has returned */
struct timed {
	struct bpf_timer timer;
	long long result;
};

enum { CALLBACK = 25 };	/* the instruction that it begins with */

struct timed_program {
	struct btf *btf;
	int map, prog;
	char log[1 << 16];
};

/* A program that starts a timer, whose callback calls bpf() with a command that there is not */
static void load_timed(struct timed_program *timed)
{
	struct btf *btf = timed->btf = btf__new_empty();
	int number = btf__add_int(btf, "long long", 8, BTF_INT_SIGNED);
	int key = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int timer = btf__add_struct(btf, "bpf_timer", sizeof(struct bpf_timer));
	int value = btf__add_struct(btf, "timed", sizeof(struct timed));

	btf__add_field(btf, "timer", timer, 0, 0);
	btf__add_field(btf, "result", number, 8 * offsetof(struct timed, result), 0);
	int proto = btf__add_func_proto(btf, key);

	btf__add_func_param(btf, "number", key);
	struct bpf_func_info funcs[] = {
		{ 0, btf__add_func(btf, "start", BTF_FUNC_GLOBAL, proto) },
		{ CALLBACK, btf__add_func(btf, "callback", BTF_FUNC_STATIC, proto) },
	};

	REQUIRE(!btf__load_into_kernel(btf), "types: %s", strerror(errno));
	LIBBPF_OPTS(bpf_map_create_opts, of_types, .btf_fd = btf__fd(btf), .btf_key_type_id = key,
		    .btf_value_type_id = value);
	timed->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "timed", 4, sizeof(struct timed), 1,
				    &of_types);
	REQUIRE(timed->map >= 0, "a map: %s", strerror(errno));
	const struct bpf_insn insns[] = {
		STW(10, -4, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, timed->map),
		INSN(0, 0, 0, 0, 0), MOV(2, 10), ADDI(2, -4), HELPER(BPF_FUNC_map_lookup_elem),
		IFNE0(0, 2), MOVI(0, 0), EXIT(),
		MOV(6, 0),
		MOV(1, 6), INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_FD, 0, timed->map),
		INSN(0, 0, 0, 0, 0), MOVI(3, CLOCK_MONOTONIC), HELPER(BPF_FUNC_timer_init),
		MOV(1, 6), INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_FUNC, 0, CALLBACK - 17),
		INSN(0, 0, 0, 0, 0), HELPER(BPF_FUNC_timer_set_callback),
		MOV(1, 6), MOVI(2, 0), MOVI(3, 0), HELPER(BPF_FUNC_timer_start),
		MOVI(0, 0), EXIT(),
		/* the callback */
		MOV(6, 3), STW(10, -8, 0), STW(10, -4, 0),
		MOVI(1, -1), MOV(2, 10), ADDI(2, -8), MOVI(3, 8), HELPER(BPF_FUNC_sys_bpf),
		STX(6, 0, offsetof(struct timed, result)), MOVI(0, 0), EXIT(),
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE,
		    .prog_btf_fd = btf__fd(btf), .func_info = funcs,
		    .func_info_rec_size = sizeof(funcs[0]), .func_info_cnt = ARRAY_SIZE(funcs),
		    .log_level = 1, .log_buf = timed->log, .log_size = sizeof(timed->log));

	timed->prog = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "timed", "GPL", insns,
				    ARRAY_SIZE(insns), &opts);
}

/* The callback of a timer is in an interrupt, not in a task that may sleep. */
static void timer_callback(void)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	static struct timed_program timed = { .map = -1, .prog = -1 };
	struct timed seen = { };
	int key = 0, i;

	load_timed(&timed);
	if (timed.prog < 0) {
		CHECK(strstr(timed.log, "sleepable"), "loading: %s: %s", strerror(errno),
		      timed.log);
		ksft_print_msg("the kernel does not load it\n");
	} else {
		CHECK(!bpf_prog_test_run_opts(timed.prog, &run) && !run.retval, "starting: %s",
		      strerror(errno));
		for (i = 0; i < 500 && !seen.result; i++) {
			usleep(10000);
			bpf_map_lookup_elem(timed.map, &key, &seen);
		}
		CHECK(seen.result == -EPERM, "bpf() in the callback: %lld", seen.result);
		close(timed.prog);
	}
	close(timed.map);
	btf__free(timed.btf);
}

static const struct test tests[] = {
	{ "a program for a function that must not have it does not load", load_refused },
	{ "a program is not attached to a function that cannot be traced", untraceable },
	{ "a program is not attached to a function with too many arguments", many_arguments },
	{ "a program is not attached twice", twice },
	{ "a function has as many programs as an image has room for", too_many },
	{ "also of those that modify its result", too_many_that_modify },
	{ "a program is not attached to a function with a direct call of a module",
	  held_by_direct_call },
	{ "a direct call of a module is not attached to a function with a program",
	  direct_call_refused },
	{ "direct calls of a module are not attached where one function has a program", some_held },
	{ "a livepatch of a function that is redirected does not load", two_replacements },
	{ "a timer's callback does not call bpf()", timer_callback },
};

int main(void)
{
	start_bpf();
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect_subject", "fdirect");
}
