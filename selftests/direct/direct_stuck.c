// SPDX-License-Identifier: GPL-2.0
/*
 * A function is detached from a call site that ftrace cannot patch. The call site calls the
 * stub for good. So fdirect.ko stays, and a task that unloads it is refused and does not wait.
 *
 * Ftrace is off after that, with a warning in the log, and both modules stay loaded. So run.sh
 * runs it only by its name: it needs a guest of its own, as a mutant has.
 */
#include <sys/wait.h>

#include "fdirect.h"

#define SUBJECT	DEBUGFS "fdirect_subject/"
#define CALLS	100
#define LONG	10	/* seconds, in which a refusal comes */

/* The result of unloading fdirect.ko; ETIME if that does not end. */
static int unload_in_time(void)
{
	pid_t child = fork();
	int wstatus, i;

	if (!child)
		_exit(unload("fdirect"));
	for (i = 0; i < LONG * 10; i++) {
		if (waitpid(child, &wstatus, WNOHANG) == child)
			return WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : EINTR;
		usleep(100000);
	}
	return ETIME;
}

static unsigned long hits(void)
{
	struct hit *all;
	unsigned long n = 0;

	if (read_hits(&all) == 1)
		n = all[0].hits;
	free(all);
	return n;
}

static void detach_fails(void)
{
	unsigned long before;
	int err, i;

	REQUIRE(!fdirect("functions", "fdirect_subject:fdirect_subject_0\n"), "choosing it");
	REQUIRE(!fdirect("control", "attach"), "attaching it");
	err = put(SUBJECT "spoil", "0");
	if (err == EOPNOTSUPP)
		ksft_exit_skip("the call site of this architecture cannot be spoiled\n");
	REQUIRE(!err, "spoil: %s", errname(err));
	err = fdirect("control", "detach");
	CHECK(err == EIO, "detaching it: %s", errname(err));
	CHECK(last_error_has("cannot be patched"), "last_error has another reason");
	CHECK(status("attached") == 1, "%lld functions are attached", status("attached"));
	err = unload_in_time();
	REQUIRE(err == IN_USE, "unloading fdirect.ko: %s", errname(err));
	before = hits();
	for (i = 0; i < CALLS; i++)
		put(SUBJECT "call", "0 1 2");
	CHECK(hits() == before + CALLS, "%lu hits for %d calls", hits() - before, CALLS);
}

int main(void)
{
	int err;

	ksft_print_header();
	mount_at("debugfs", "/sys/kernel/debug", "/sys/kernel/debug/tracing");
	err = load("fdirect_subject") ?: load("fdirect");
	if (err)
		ksft_exit_fail_msg("fdirect_subject.ko, fdirect.ko: %s\n", strerror(err));
	ksft_set_plan(1);
	detach_fails();
	ksft_test_result(!checks_failed, "fdirect.ko stays if a call site cannot be patched\n");
	ksft_finished();
}
