// SPDX-License-Identifier: GPL-2.0
/*
 * The file call measures the cost of a traced call. It counts right, refuses what
 * makes no sense or cannot be had, and leaves nothing attached.
 */
#include "fdirect.h"

/* The value of @key in the last result, or -1 */
static long result(const char *key)
{
	char *text = must_slurp(FDIRECT "call"), *line, *next = text;
	long value = -1;

	while ((line = strsep(&next, "\n")))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ' ')
			value = atol(line + strlen(key) + 1);
	free(text);
	return value;
}

/* Measure, and see that every callback and stub ran for every call. */
static void measures(const char *what, long hits)
{
	struct picture before = take_picture();

	if (!CHECK(!fdirect("call", "%s", what), "%s", what))
		return free_picture(&before);
	CHECK(result("hits") == hits, "%s: %ld hits, not %ld", what, result("hits"), hits);
	CHECK(result("total_ns") > 0 && result("baseline_ns") > 0, "%s: no time", what);
	CHECK(result("best_ns") <= result("total_ns"), "%s: best of more than all", what);
	CHECK(as_before(&before), "%s: something is not as before", what);
}

static void counts(void)
{
	char *text;

	REQUIRE(reloaded(), "a module that has just been loaded");
	text = must_slurp(FDIRECT "call");
	CHECK(!*text, "a result before the first measurement");
	free(text);
	measures("ops 5000 0 0", 0);
	measures("ops 5000 0 2", 0);
	measures("ops 5000 1 0", 5000);
	measures("ops 5000 3 2", 15000);
	measures("ops 5000 2 1 recursion rcu", 10000);
	measures("plain 5000 0 0", 5000);
	measures("direct-near 5000 0 0", 5000);
	measures("direct-near 5000 2 1", 15000);
	measures("ops 1 1 0", 1);
}

static void counts_hash(void)
{
	measures("hash-near 5000 0 0", 5000);
	measures("hash-near 5000 2 1", 15000);
}

static void counts_far(void)
{
	measures("direct-far 5000 0 0", 5000);
	measures("direct-far 5000 2 1", 15000);
	if (has_hash())
		measures("hash-far 5000 0 0", 5000);
}

static void no_hash(void)
{
	REFUSED("call", "hash-near 10 0 0", EOPNOTSUPP);
}

static void no_far(void)
{
	REFUSED("call", "direct-far 10 0 0", EOPNOTSUPP);
}

/* Words that not every architecture has something for */
static void special_words(void)
{
	if (has_regs()) {
		measures("ops 5000 1 0 regs", 5000);
		measures("ops 5000 2 1 regs recursion rcu", 10000);
	} else {
		REFUSED("call", "ops 10 1 0 regs", EOPNOTSUPP);
	}
	if (has_trampolines()) {
		measures("ops 5000 1 1 trampoline", 5000);
		measures("ops 5000 2 1 regs trampoline", 10000);
	} else {
		REFUSED("call", "ops 10 1 0 trampoline", EOPNOTSUPP);
	}
}

#define TARGET	"fdirect:fdirect_call_target"

/* Somebody else's direct call stays, and what came before the refusal goes. */
static void busy(void)
{
	REQUIRE(!put(API "call", "filter 0 " TARGET), "the function that is called");
	REQUIRE(!put(API "call", "register 0 1"), "a direct call of it");
	REFUSED("call", "direct-near 10 0 0", EBUSY);
	REFUSED("call", "direct-near 10 2 1", EBUSY);
	if (has_hash())
		REFUSED("call", "hash-near 10 1 0", EBUSY);
	CHECK(!put(API "call", "unregister 0 1"), "taking it back");
	measures("direct-near 10 0 0", 10);
}

#define FTRACE_ENABLED	"/proc/sys/kernel/ftrace_enabled"

/* Where nothing runs there is nothing to measure. */
static void without_ftrace(void)
{
	int err = put(FTRACE_ENABLED, "0");

	if (err == EOPNOTSUPP)
		SKIP("this kernel does not turn ftrace off");
	REQUIRE(!err, "turning ftrace off: %s", errname(err));
	REFUSED("call", "ops 10 1 0", EIO);
	REFUSED("call", "direct-near 10 0 0", EIO);
	if (has_hash())
		REFUSED("call", "hash-near 10 0 0", EIO);
	REQUIRE(!put(FTRACE_ENABLED, "1"), "turning ftrace on");
	measures("direct-near 10 1 0", 20);
}

static void nonsense(void)
{
	static const char * const words[] = {
		"", "\n", "ops", "ops 10", "ops 10 1", "ops ten 1 1", "ops 10 1 1 fast",
		"ops 10 1 1 1", "ops -1 0 0", "call 10 0 0", "direct 10 0 0", "plain 10 1 0",
		"plain 10 0 1", "plain 10 0 0 rcu", "10 ops 0 0", "ops 10 1 1 recursion,rcu",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		REFUSED("call", words[i], EINVAL);
	REFUSED("call", "ops 0 1 1", ERANGE);
	REFUSED("call", "ops 100000001 1 1", ERANGE);
	REFUSED("call", "ops 10 1001 0", ERANGE);
	REFUSED("call", "ops 10 0 99999999999999999999", ERANGE);
}

/* A refusal is no result. */
static void keeps_result(void)
{
	REQUIRE(!fdirect("call", "ops 123 1 0"), "a measurement");
	CHECK(fdirect("call", "ops 0 1 0") == ERANGE, "no calls");
	CHECK(result("calls") == 123, "the last result is %ld calls", result("calls"));
}

static void restore(void)
{
	put(API "call", "unregister 0 1");
	put(API "call", "zero 0");
	put(FTRACE_ENABLED, "1");
}

static const struct test tests[] = {
	{ "each callback and stub runs once a call, and nothing stays attached", counts },
	{ "hash: the same", counts_hash, HASH },
	{ "a kernel without the hash interface refuses hash with EOPNOTSUPP", no_hash, NO_HASH },
	{ "far: the same", counts_far, FAR },
	{ "far is EOPNOTSUPP where a call reaches everything", no_far, NO_FAR },
	{ "regs and trampoline are measured, or EOPNOTSUPP where ftrace has neither",
	  special_words },
	{ "a function that another direct call is attached to is EBUSY", busy },
	{ "callbacks and stubs that do not run are EIO", without_ftrace },
	{ "what makes no sense is EINVAL, what is too much ERANGE", nonsense },
	{ "a refusal leaves the last result", keeps_result },
};

int main(void)
{
	suite_restore = restore;
	SUITE(tests, "fdirect_api", "fdirect");
}
