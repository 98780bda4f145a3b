// SPDX-License-Identifier: GPL-2.0
/*
 * Removing functions from a filter takes no memory: with no page to be had it succeeds, and it
 * waits for nothing. An implementation may ask for a page to free what it removed, and wait
 * for a grace period without one. Then it waits once for each of thousands of functions.
 *
 * Page allocations of this task fail under unregister_ftrace_direct_hash() only, which is
 * update_ftrace_direct_del() in Linux 7, by the stack trace filter of the kernel's fault
 * injection. kfree_rcu() keeps some pages for itself, which other tasks get for it: boot with
 * rcutree.rcu_min_cached_objs=0, or it finds enough of them.
 */
#include <sys/mman.h>

#include "direct_api.h"

#define FAULT		DEBUGFS "fail_page_alloc/"
#define MANY		1100	/* their records take more than a slab has */
#define MOST		1000000	/* faults */
#define SLACK		3000	/* milliseconds for what has nothing to do with it */

static struct text functions;	/* " 0xADDR=1" of each */

/* The addresses of functions of the kernel itself */
static bool choose_functions(void)
{
	char *text = must_slurp(TRACEFS "available_filter_functions_addrs"), *line, *next = text;
	int n = 0;

	functions = (struct text){ };
	while (n < MANY && (line = strsep(&next, "\n"))) {
		if (!*line || strchr(line, '[') || strstr(line, "__ftrace_invalid_address"))
			continue;
		line[strcspn(line, " ")] = '\0';
		add(&functions, " %s%s=1", strncmp(line, "0x", 2) ? "0x" : "", line);
		n++;
	}
	free(text);
	return CHECK(n == MANY, "only %d functions", n);
}

static bool symbol_range(const char *name, unsigned long *start, unsigned long *end)
{
	char *text = must_slurp("/proc/kallsyms"), *line, *next = text, type, symbol[256];
	unsigned long addr;

	*start = 0;
	*end = 0;
	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%lx %c %255s", &addr, &type, symbol) == 3 &&
		    !strcmp(symbol, name))
			*start = addr;
	free(text);
	text = must_slurp("/proc/kallsyms");
	next = text;
	while (*start && (line = strsep(&next, "\n"))) {
		addr = strtoul(line, NULL, 16);
		if (addr > *start && (!*end || addr < *end))
			*end = addr;
	}
	free(text);
	return *start && *end;
}

static void let_pages_be(void)
{
	put("/proc/self/make-it-fail", "0");
	put(FAULT "probability", "0");
	put(FAULT "require-start", "0");
	put(FAULT "require-end", "0xffffffffffffffff");
}

static bool no_pages(void)
{
	unsigned long start, end;

	if (!symbol_range(is_linux_7() ? "update_ftrace_direct_del" :
					 "unregister_ftrace_direct_hash", &start, &end))
		return false;
	return !put(FAULT "require-start", "0x%lx", start) &&
	       !put(FAULT "require-end", "0x%lx", end) &&
	       !put(FAULT "stacktrace-depth", "32") && !put(FAULT "min-order", "0") &&
	       !put(FAULT "ignore-gfp-wait", "N") && !put(FAULT "ignore-gfp-highmem", "N") &&
	       !put(FAULT "verbose", "0") && !put(FAULT "interval", "1") &&
	       !put(FAULT "times", "%d", MOST) && !put(FAULT "space", "0") &&
	       !put(FAULT "task-filter", "Y") && !put(FAULT "probability", "100") &&
	       !put("/proc/self/make-it-fail", "1");
}

/* How many allocations have failed */
static long long faults_so_far(void)
{
	char *text = must_slurp(FAULT "times");
	long long left = strtoll(text, NULL, 0);

	free(text);
	return MOST - left;
}

/* Milliseconds to remove all of them, but for one more that the ops has */
static long long removal(bool faults, long long *failed)
{
	long long start, took;

	CALL(0, "register_hash 0 %s%s", E(0, 2), functions.s);
	if (faults)
		CHECK(no_pages(), "pages that fail");
	start = now_ms();
	CALL(0, "unregister_hash 0%s", functions.s);
	took = now_ms() - start;
	if (faults)
		*failed = faults_so_far();
	let_pages_be();
	EXPECT_STUB(0, 2);
	CALL(0, "unregister_hash 0 %s", E(0, 2));
	CALL(0, "zero 0");
	return took;
}

static void many_at_once(void)
{
	long long with, without, failed;

	if (access(FAULT "require-start", F_OK))
		SKIP("this kernel has no fault injection with a stack trace filter");
	REQUIRE(choose_functions(), "functions");
	removal(false, NULL);
	without = removal(false, NULL);
	with = removal(true, &failed);
	free(functions.s);
	ksft_print_msg("%d functions: %lld ms, without memory %lld ms, %lld allocations failed\n",
		       MANY, without, with, failed);
	CHECK(failed, "no allocation failed");
	CHECK(with < 3 * without + SLACK, "%lld ms, without memory %lld ms", without, with);
}

static void restore(void)
{
	let_pages_be();
	restore_api();
}

static const struct test tests[] = {
	{ "removing thousands of functions without a page waits for nothing", many_at_once, HASH },
};

int main(void)
{
	suite_restore = restore;
	if (!stay_on(0))
		ksft_exit_fail_msg("CPU 0: %s\n", strerror(errno));
	SUITE(tests, "fdirect_peer", "fdirect_api");
}
