// SPDX-License-Identifier: GPL-2.0
/*
 * fdirect count: it counts each call of all functions with one program, leaves out what
 * the kernel refuses, and leaves nothing attached behind. On a kernel without the link it
 * says so.
 */
#include <linux/bpf.h>

#include "program.h"

#define OUT		"/tmp/fdirect-count"
#define CANNOT_RUN	4

/* Calls that nobody else makes in an idle guest; different numbers tell them apart. */
static const struct known {
	const char *function;
	long number;
	int calls;
} known[] = {
	{ SYSCALL_PREFIX "getpgid", SYS_getpgid, 1234 },
	{ SYSCALL_PREFIX "getsid", SYS_getsid, 777 },
	{ SYSCALL_PREFIX "sched_get_priority_max", SYS_sched_get_priority_max, 1 },
};

static void make_known_calls(void)
{
	size_t i;
	int n;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		for (n = 0; n < known[i].calls; n++)
			syscall(known[i].number, 0);
	}
}

/*
 * System calls that are refused, or tell something, and that nobody else makes. The function
 * profiler shows 30 characters of a name.
 */
static const struct known sample[] = {
	{ SYSCALL_PREFIX "getpgid", SYS_getpgid },
	{ SYSCALL_PREFIX "getsid", SYS_getsid },
	{ SYSCALL_PREFIX "getpriority", SYS_getpriority },
	{ SYSCALL_PREFIX "getitimer", SYS_getitimer },
	{ SYSCALL_PREFIX "getresuid", SYS_getresuid },
	{ SYSCALL_PREFIX "getresgid", SYS_getresgid },
	{ SYSCALL_PREFIX "sched_getscheduler", SYS_sched_getscheduler },
	{ SYSCALL_PREFIX "sched_getparam", SYS_sched_getparam },
	{ SYSCALL_PREFIX "fchdir", SYS_fchdir },
	{ SYSCALL_PREFIX "fdatasync", SYS_fdatasync },
	{ SYSCALL_PREFIX "flock", SYS_flock },
	{ SYSCALL_PREFIX "madvise", SYS_madvise },
	{ SYSCALL_PREFIX "mincore", SYS_mincore },
	{ SYSCALL_PREFIX "syncfs", SYS_syncfs },
	{ SYSCALL_PREFIX "setns", SYS_setns },
};

static void make_sample(void)
{
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(sample); i++) {
		for (n = 0; n <= 17 * i; n++)
			syscall(sample[i].number, -1L, 0L, 0L);
	}
}

/* This program, by a name that means the same for the command */
static char self[PATH_MAX];

/* Whether the kernel loads a program for many functions (attach type 59 of Linux 7.3) */
static bool has_links(void)
{
	struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = 59,
		.insns = (uintptr_t)nothing, .insn_cnt = 2, .license = (uintptr_t)"GPL",
	};
	int prog = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	if (prog < 0)
		return false;
	close(prog);
	return true;
}

static bool can_count(void)
{
	if (!program_there())
		return false;
	if (!has_links())
		snprintf(skip_reason, sizeof(skip_reason), "this kernel has no such links");
	return !*skip_reason;
}

static void check_nothing_left(char *before)
{
	char *after = enabled_functions();

	CHECK(same_text("enabled_functions", before, after), "functions are still attached");
	free(before);
	free(after);
}

/* How often the JSON in @text says that the function was called. */
static long long calls_in(const char *text, const char *function)
{
	char key[128];
	const char *at;

	snprintf(key, sizeof(key), "\"function\": \"%s\"", function);
	at = strstr(text, key);
	at = at ? strstr(at, "\"calls\": ") : NULL;
	return at ? atoll(at + strlen("\"calls\": ")) : 0;
}

#define RUN(...) start_program(OUT, (const char *const[]){ "count", __VA_ARGS__, NULL })
#define COUNT(...) RUN("--json", "--top", "0", __VA_ARGS__)

/*
 * All of them are counted, or told to be missed: a task that is preempted in the program keeps
 * it from running on its CPU for others.
 */
static void check_known_calls(pid_t child)
{
	int code = code_of(child);
	char *text = must_slurp(OUT);
	long long missed = value_in(text, " \"missed\":");
	size_t i;

	CHECK(code == 0 && missed >= 0, "exit code %d: %.500s", code, text);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		long long calls = calls_in(text, known[i].function);

		CHECK(calls <= known[i].calls && calls + missed >= known[i].calls,
		      "%s: %lld calls, not %d, and %lld missed", known[i].function, calls,
		      known[i].calls, missed);
	}
	free(text);
}

static void counts_calls(void)
{
	char *before;

	if (!can_count())
		return;
	before = enabled_functions();
	check_known_calls(COUNT(known[0].function, known[1].function, known[2].function,
				"--", self, "calls"));
	check_known_calls(COUNT("--return", SYSCALL_PREFIX "*", "--", self, "calls"));
	check_nothing_left(before);
}

static void counts_all(void)
{
	char *before, *text;
	int code;

	if (!can_count())
		return;
	before = enabled_functions();
	check_known_calls(COUNT("--", self, "calls"));
	check_known_calls(COUNT("--return", "--", self, "calls"));
	code = code_of(RUN("--json", "--", "true"));
	text = must_slurp(OUT);
	CHECK(code == 0, "exit code %d: %s", code, text);
	CHECK(value_in(text, " \"attached\":") > FEWEST, "%.300s", text);
	free(text);
	check_nothing_left(before);
}

#define SUBJECT_CALLS	25

static void counts_modules_functions(void)
{
	char *before, *text;
	long long calls;
	int code;

	if (!can_count())
		return;
	if (!loaded("fdirect_subject"))
		SKIP("no fdirect_subject.ko");
	/* Built from the headers of a package it has none. */
	if (access("/sys/kernel/btf/fdirect_subject", F_OK))
		SKIP("fdirect_subject.ko has no BTF");
	before = enabled_functions();
	code = code_of(COUNT("fdirect_subject:*", known[0].function, "--", self, "subject"));
	text = must_slurp(OUT);
	calls = calls_in(text, "fdirect_subject_3 [fdirect_subject]");
	CHECK(code == 0 && calls == SUBJECT_CALLS, "exit code %d, %lld calls: %.500s", code, calls,
	      text);
	CHECK(calls_in(text, known[0].function) == 1, "the kernel's function: %.500s", text);
	free(text);
	check_nothing_left(before);
}

/* The calls of a function that the function profiler has counted on all CPUs, or -1 */
static long long profiled(const char *function)
{
	long long sum = -1, calls;
	char path[64], *text, *line, *next, name[128];
	int cpu;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		snprintf(path, sizeof(path), TRACEFS "trace_stat/function%d", cpu);
		text = must_slurp(path);
		next = text;
		while ((line = strsep(&next, "\n"))) {
			if (sscanf(line, "%127s %lld", name, &calls) == 2 &&
			    !strcmp(name, function))
				sum = (sum < 0 ? 0 : sum) + calls;
		}
		free(text);
	}
	return sum;
}

/* The function profiler counts the same calls, on the same call sites. */
static void agrees_with_profiler(void)
{
	char *before, *text;
	long long missed;
	size_t i;
	int code;

	if (!can_count())
		return;
	if (access(TRACEFS "function_profile_enabled", W_OK))
		SKIP("this kernel has no function profiler");
	before = enabled_functions();
	CHECK(!put(TRACEFS "set_ftrace_filter", SYSCALL_PREFIX "*"), "the filter");
	CHECK(!put(TRACEFS "function_profile_enabled", "1"), "the profiler");
	code = code_of(COUNT("--", self, "sample"));
	CHECK(!put(TRACEFS "function_profile_enabled", "0"), "the profiler");
	CHECK(!put(TRACEFS "set_ftrace_filter", "\n"), "the filter");
	text = must_slurp(OUT);
	missed = value_in(text, " \"missed\":");
	CHECK(code == 0 && missed >= 0, "exit code %d: %.500s", code, text);
	for (i = 0; i < ARRAY_SIZE(sample); i++) {
		long long counted = calls_in(text, sample[i].function);
		long long other = profiled(sample[i].function);

		CHECK(counted <= other && counted + missed >= other,
		      "%s: %lld calls, %lld by the function profiler, %lld missed",
		      sample[i].function, counted, other, missed);
		CHECK(other == (long long)(17 * i + 1), "%s: %lld calls by the profiler",
		      sample[i].function, other);
	}
	free(text);
	check_nothing_left(before);
}

/* Waits until it counts, and ends it; the exit code. */
static int end_count(pid_t child, const char *before, int signal)
{
	CHECK(wait_for_change(lines_of(before), 3), "nothing is attached");
	kill(child, signal);
	return code_of(child);
}

static void ends_by_signal(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGKILL };
	char *before, *text;
	size_t i;
	int code, want;

	if (!can_count())
		return;
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		before = enabled_functions();
		code = end_count(RUN("--csv", SYSCALL_PREFIX "*"), before, signals[i]);
		want = signals[i] == SIGINT ? 0 : signals[i] == SIGKILL ? 1000 + SIGKILL :
		       128 + signals[i];
		/* An interruption may come before it counts. */
		CHECK(code == want || code == 128 + signals[i], "signal %d: exit code %d",
		      signals[i], code);
		text = must_slurp(OUT);
		CHECK(code != 0 || !strncmp(text, "function,calls\n", 15), "%.100s", text);
		free(text);
		check_nothing_left(before);
	}
	before = enabled_functions();
	code = end_count(COUNT(SYSCALL_PREFIX "*", "--", "sleep", "600"), before, SIGTERM);
	CHECK(code == 128 + SIGTERM, "with a command: exit code %d", code);
	check_nothing_left(before);
}

static void leaves_out(void)
{
	char *before, *text;
	int code;

	if (!can_count())
		return;
	before = enabled_functions();
	code = code_of(RUN("--return", "--verbose", "--for", "0.1", "do_exit", known[0].function));
	text = must_slurp(OUT);
	CHECK(code == 0, "exit code %d: %s", code, text);
	CHECK(strstr(text, "1 function attached") &&
	      strstr(text, "left out: do_exit: refused by the kernel"), "%s", text);
	free(text);

	code = code_of(START("count", "--return", "--for", "0.1", "do_exit"));
	CHECK(code == 1, "nothing but what never returns: exit code %d", code);
	code = code_of(START("count", "--for", "0.1", "no_such_function"));
	CHECK(code == 1, "a pattern for nothing: exit code %d", code);
	code = code_of(START("count", "--exclude", "*", "--for", "0.1"));
	CHECK(code == 1, "all excluded: exit code %d", code);
	check_nothing_left(before);
}

static void commands_end(void)
{
	char *before;

	if (!can_count())
		return;
	before = enabled_functions();
	CHECK(code_of(START("count", known[0].function, "--", "sh", "-c", "exit 3")) == 3,
	      "a command that fails");
	CHECK(code_of(START("count", known[0].function, "--", "sh", "-c", "kill -9 $$")) == 128 + 9,
	      "a command that is killed");
	CHECK(code_of(START("count", known[0].function, "--", "/no/such/command")) == NOT_FOUND,
	      "a command that is not there");
	check_nothing_left(before);
}

static void without_links(void)
{
	char *text;
	int code;

	if (!program_there())
		return;
	if (has_links())
		SKIP("this kernel has tracing_multi links");
	code = code_of(COUNT("--", "touch", OUT "-ran"));
	text = must_slurp(OUT);
	CHECK(code == CANNOT_RUN, "exit code %d", code);
	CHECK(strstr(text, "this kernel has no tracing_multi links") && strstr(text, "hint: "),
	      "%s", text);
	CHECK(access(OUT "-ran", F_OK), "the command has run");
	free(text);
}

static const struct test tests[] = {
	{ "fdirect count counts each call that its command makes", counts_calls },
	{ "fdirect count counts each of them among those of all functions", counts_all },
	{ "fdirect count counts calls of a module's functions and of the kernel's",
	  counts_modules_functions },
	{ "fdirect count counts what the function profiler counts", agrees_with_profiler },
	{ "fdirect count ends by a signal with nothing attached", ends_by_signal },
	{ "fdirect count leaves out what the kernel refuses, and says why", leaves_out },
	{ "fdirect count ends with its command's exit code", commands_end },
	{ "fdirect count without tracing_multi links says with exit code 4 that it cannot run",
	  without_links },
};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "calls")) {
		make_known_calls();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "subject")) {
		syscall(known[0].number, 0);
		return !!put("/sys/kernel/debug/fdirect_subject/call", "3 1 2 %d", SUBJECT_CALLS);
	}
	if (argc == 2 && !strcmp(argv[1], "sample")) {
		make_sample();
		return 0;
	}
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		ksft_exit_fail_msg("/proc/self/exe: %s\n", errname(errno));
	SUITE(tests, "fdirect_subject");
}
