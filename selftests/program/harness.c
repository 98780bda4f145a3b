// SPDX-License-Identifier: GPL-2.0
/*
 * The command-line program fdirect: whatever happens to it, it leaves nothing
 * attached behind.
 */
#include "program.h"

#define SCHED	SYSCALL_PREFIX "sched_*"
#define YIELD	SYSCALL_PREFIX "sched_yield"
#define GETPGID	SYSCALL_PREFIX "getpgid"
#define GETSID	SYSCALL_PREFIX "getsid"

/* Nothing is attached but what was @before, which is freed. */
static void check_left(char *before)
{
	char *after = enabled_functions();

	CHECK(same_text("enabled_functions", before, after), "functions are still attached");
	free(before);
	free(after);
}

/* Ctrl-C ends the program while more is attached than what was @before. */
static void interrupt(pid_t child, const char *before)
{
	int code;

	CHECK(wait_for_change(lines_of(before), 3), "nothing is being attached");
	kill(child, SIGINT);
	code = code_of(child);
	CHECK(code == INTERRUPTED, "exit code %d, not %d", code, INTERRUPTED);
}

static void interrupt_bench(const char *method, const char *functions)
{
	char *before;
	pid_t child;

	if (!program_there())
		return;
	before = enabled_functions();
	child = START("bench", "attach", "--functions", functions, "--methods", method,
		      "--each-limit", functions, "--runs", "1000", "--warmup", "0");
	interrupt(child, before);
	check_left(before);
	CHECK(status("attached") == 0, "%lld functions are attached", status("attached"));
}

/* A function that was attached by itself waits for grace periods of its own when it is detached. */
static void bench_each(void)	{ interrupt_bench("each", "100"); }
static void bench_multi(void)	{ interrupt_bench("multi", "1000"); }
static void bench_hash(void)	{ interrupt_bench("hash", "1000"); }

/* BPF programs are gone with the process, whatever ends it. */
static void interrupt_bpf(void)
{
	char *before;
	pid_t child;

	if (!program_there())
		return;
	before = enabled_functions();
	child = START("bench", "bpf", "--parts", "fentry", "--functions", "30", "--runs", "1000");
	interrupt(child, before);
	check_left(before);
}

/*
 * All functions are profiled and traced at once for a while. If two emulated CPUs of s390x share a
 * CPU of the host, a tick then takes longer than it is until the next one, and nothing else runs.
 */
static bool keeps_up(void)
{
	const char *arch = getenv("FDIRECT_ARCH"), *accel = getenv("FDIRECT_ACCEL");

	return !arch || strcmp(arch, "s390x") || !accel || strcmp(accel, "tcg") ||
	       sysconf(_SC_NPROCESSORS_ONLN) == 1;
}

/* Each kind of program once, on a few functions; the program verifies them itself. */
static void bench_bpf(void)
{
	char *before;
	int code;

	if (!program_there())
		return;
	if (!keeps_up())
		SKIP("two emulated CPUs do not keep up with their timers; one does");
	before = enabled_functions();
	code = code_of(START("bench", "bpf", "--loops", "3", "--functions", "1,30",
			     "--calls", "2000", "--runs", "1"));
	CHECK(code == 0, "exit code %d", code);
	check_left(before);
}

/* The functions that attach attaches stay, until detach takes them. */
static void attach_detach(void)
{
	char *before;
	int code;

	if (!program_there())
		return;
	before = enabled_functions();
	code = code_of(START("attach", SCHED));
	CHECK(code == 0, "attach: exit code %d", code);
	CHECK(status("attached") > 3, "%lld functions attached", status("attached"));
	CHECK(status("patched") == status("attached"), "%lld sites patched", status("patched"));
	code = code_of(START("detach"));
	CHECK(code == 0, "detach: exit code %d", code);
	check_left(before);
}

#define LOOK	"grep -q '^attached [1-9]' $0/status && ! grep -q sched_yield $0/functions && exit 7"

/* All that is attached for a command goes with it, however it ends. */
static void attach_command(void)
{
	char *before;
	pid_t child;
	int code;

	if (!program_there())
		return;
	before = enabled_functions();
	code = code_of(START("attach", SCHED, "--exclude", YIELD, "--", "sh", "-c", LOOK, FDIRECT));
	CHECK(code == 7, "a command: exit code %d", code);
	CHECK(status("attached") == 0, "%lld functions are attached", status("attached"));
	child = START("attach", SCHED, "--", "sleep", "1000");
	interrupt(child, before);
	code = code_of(START("attach", SCHED, "--", "/nonexistent"));
	CHECK(code == NOT_FOUND, "no command: exit code %d", code);
	CHECK(status("attached") == 0, "%lld functions are attached", status("attached"));
	check_left(before);
}

/* A dry run says what attach comes to, and does nothing. */
static void dry_run(void)
{
	int code;

	if (!program_there())
		return;
	code = code_of(START("attach", "--dry-run", GETPGID, GETSID));
	CHECK(code == 0, "free functions: exit code %d", code);
	CHECK(status("attached") == 0, "%lld functions are attached", status("attached"));
	code = code_of(START("attach", GETSID));
	CHECK(code == 0, "attach: exit code %d", code);
	/* The module takes no functions now. It has one, which can be attached no more. */
	code = code_of(START("attach", "--dry-run", GETPGID));
	CHECK(code == 1, "another function: exit code %d", code);
	CHECK(code_of(START("attach", GETPGID)) == 1, "another function was attached");
	code = code_of(START("attach", "--dry-run"));
	CHECK(code == 1, "a function that has a direct call: exit code %d", code);
	CHECK(status("attached") == 1, "%lld functions are attached", status("attached"));
	code = code_of(START("detach"));
	CHECK(code == 0, "detach: exit code %d", code);
}

/* With something attached, and a tracer that takes over its call sites for a while. */
static void verify_tells(void)
{
	int code;

	if (!program_there())
		return;
	code = code_of(START("attach", GETPGID, GETSID));
	CHECK(code == 0, "attach: exit code %d", code);
	code = code_of(START("verify"));
	CHECK(code == 0, "verify: exit code %d", code);
	CHECK(status("attached") == 2, "%lld functions attached", status("attached"));

	CHECK(!put(TRACEFS "set_ftrace_filter", GETPGID "\n"), "set_ftrace_filter");
	CHECK(!put(TRACEFS "current_tracer", "function"), "the function tracer");
	code = code_of(START("verify"));
	CHECK(!put(TRACEFS "current_tracer", "nop"), "the function tracer");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
	/* A site that calls ftrace may be one whose stub is out of reach, too. */
	CHECK(code == (has_far() ? 0 : 1), "verify beside a tracer: exit code %d", code);

	code = code_of(START("verify"));
	CHECK(code == 0, "verify after the tracer: exit code %d", code);
	code = code_of(START("detach"));
	CHECK(code == 0, "detach: exit code %d", code);
	code = code_of(START("verify"));
	CHECK(code == 0, "verify with nothing attached: exit code %d", code);
}

static void without_module(void)
{
	int status, verify;

	if (!program_there())
		return;
	REQUIRE(!unload("fdirect"), "unloading fdirect.ko");
	status = code_of(START("status"));
	verify = code_of(START("verify"));
	CHECK(!load("fdirect"), "loading fdirect.ko");
	CHECK(status == 4, "status: exit code %d", status);
	CHECK(verify == 4, "verify: exit code %d", verify);
}

static void usage(void)
{
	if (!program_there())
		return;
	CHECK(code_of(START("no-such-command")) == 2, "an unknown command");
	CHECK(code_of(START("attach", "--no-such-option")) == 2, "an unknown option");
	CHECK(code_of(START("attach", "--method", "magic")) == 2, "an unknown method");
	CHECK(status("attached") == 0, "%lld functions attached", status("attached"));
}

static const struct test tests[] = {
	{ "fdirect bench attach, each: SIGINT ends it with 130 and nothing attached",
	  bench_each },
	{ "fdirect bench attach, multi: SIGINT ends it with 130 and nothing attached",
	  bench_multi },
	{ "fdirect bench attach, hash: SIGINT ends it with 130 and nothing attached",
	  bench_hash, HASH },
	{ "fdirect bench bpf: SIGINT ends it with 130 and nothing attached", interrupt_bpf },
	{ "fdirect bench bpf verifies what it measures and leaves nothing attached", bench_bpf },
	{ "fdirect attach attaches, fdirect detach takes it all back", attach_detach },
	{ "fdirect attach -- COMMAND detaches when the command ends, and has its exit code",
	  attach_command },
	{ "fdirect attach --dry-run tells of a function with a direct call, and changes nothing",
	  dry_run },
	{ "fdirect verify passes where hits and call sites are right, and only there",
	  verify_tells },
	{ "fdirect without its module says with exit code 4 that it cannot run",
	  without_module },
	{ "fdirect tells wrong usage with exit code 2", usage },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect");
}
