// SPDX-License-Identifier: GPL-2.0
/*
 * A task that attaches or frees many functions reports to RCU tasks in between. It can be a
 * reader of RCU tasks trace, and it can be preempted. fdirect_reader.ko has such readers. If
 * one is listed twice, the list is damaged, and a kernel with checks of lists says so.
 */
#include "fdirect.h"

#define READER	DEBUGFS "fdirect_reader/"
#define SECONDS	"20"

static long long result(const char *key)
{
	return value_of(READER "result", key);
}

static void listed_once(void)
{
	char *before, *after;
	int err;

	if (!result("checked"))
		SKIP("this kernel does not check its lists, or preempts no reader");

	before = must_slurp("/proc/sys/kernel/tainted");
	err = put(READER "run", SECONDS);
	after = must_slurp("/proc/sys/kernel/tainted");
	CHECK(!err, "run: %s", errname(err));
	CHECK(result("rounds") > 0, "no reader has reported");
	CHECK(!strcmp(before, after), "the kernel has warned: its taint was %s and is %s", before,
	      after);
	ksft_print_msg("%lld reports of readers\n", result("rounds"));
	free(before);
	free(after);
}

static const struct test tests[] = {
	{ "a reader of RCU tasks trace that reports and is preempted is listed once", listed_once },
};

int main(void)
{
	SUITE(tests, "fdirect_reader");
}
