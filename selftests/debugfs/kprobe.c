// SPDX-License-Identifier: GPL-2.0
/*
 * The file kprobe measures the cost of a kprobe that comes and goes. It refuses what
 * makes no sense or cannot be had, and leaves no probe behind.
 */
#include "fdirect.h"

#define PROBES		DEBUGFS "kprobes/list"
#define PROBES_ENABLED	DEBUGFS "kprobes/enabled"

static long long result(const char *key)
{
	return value_of(FDIRECT "kprobe", key);
}

static bool no_probe_left(void)
{
	char *text = must_slurp(PROBES);
	bool none = !strstr(text, "fdirect_peer");

	if (!none)
		ksft_print_msg("kprobes are left:\n%s\n", text);
	free(text);
	return none;
}

static void measures(int function)
{
	static const char * const keys[] = {
		"register_elapsed_ns", "register_running_ns", "disable_elapsed_ns",
		"disable_running_ns", "enable_elapsed_ns", "enable_running_ns",
		"unregister_elapsed_ns", "unregister_running_ns",
	};
	struct picture before = take_picture();
	size_t i;

	if (!CHECK(!fdirect("kprobe", "%d", function), "function %d", function))
		return free_picture(&before);
	CHECK(result("function") == function, "it is function %lld", result("function"));
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		CHECK(result(keys[i]) > 0, "%s is %lld", keys[i], result(keys[i]));
	/* A kprobe goes by way of ftrace where that saves all registers for it. */
	CHECK(result("ftrace") == has_regs(), "ftrace is %lld", result("ftrace"));
	CHECK(as_before(&before), "something is not as before");
	CHECK(no_probe_left(), "a probe is left");
}

static void comes_and_goes(void)
{
	char *text;

	REQUIRE(reloaded(), "a module that has just been loaded");
	text = must_slurp(FDIRECT "kprobe");
	CHECK(!*text, "a result before the first measurement");
	free(text);
	REQUIRE(!choose_peers(20), "choosing functions");
	measures(0);
	measures(19);
}

/* Beside functions that are attached, and on one of them */
static void beside(void)
{
	REQUIRE(!choose_peers(20), "choosing functions");
	REQUIRE(!fdirect("control", "attach 0 10"), "attach");
	measures(15);
	measures(5);
	CHECK(status("patched") == 10, "%lld sites patched", status("patched"));
	CHECK(!fdirect("hits", "0") && !call_peers(0, 10, 3, 5), "calling");
	CHECK(status("hits_total") > 0 && status("stray_hits") == 0, "%lld hits, %lld stray",
	      status("hits_total"), status("stray_hits"));
	CHECK(!fdirect("control", "detach"), "detach");
}

static void nonsense(void)
{
	REQUIRE(reloaded(), "a module that has just been loaded");
	REFUSED("kprobe", "0", ENODATA);
	REQUIRE(!choose_peers(20), "choosing functions");
	REFUSED("kprobe", "", EINVAL);
	REFUSED("kprobe", "first", EINVAL);
	REFUSED("kprobe", "1 2", EINVAL);
	REFUSED("kprobe", "-1", EINVAL);
	REFUSED("kprobe", "20", ERANGE);
	REFUSED("kprobe", "99999999999999999999", ERANGE);
}

static void keeps_result(void)
{
	REQUIRE(!choose_peers(20) && !fdirect("kprobe", "7"), "a measurement");
	REFUSED("kprobe", "20", ERANGE);
	CHECK(result("function") == 7, "the last result is of %lld", result("function"));
}

static void owner_gone(void)
{
	REQUIRE(!choose_peers(20), "choosing functions");
	REQUIRE(!unload("fdirect_peer"), "unloading the functions' module");
	REFUSED("kprobe", "0", ENODEV);
	CHECK(!load("fdirect_peer"), "loading it again");
	REFUSED("kprobe", "0", ENODEV);
	REQUIRE(!choose_peers(20), "choosing functions again");
	measures(0);
}

/* A probe that is registered, but not in the code */
static void disarmed(void)
{
	REQUIRE(!choose_peers(20), "choosing functions");
	REQUIRE(!put(PROBES_ENABLED, "0"), "turning kprobes off");
	REFUSED("kprobe", "0", EIO);
	CHECK(no_probe_left(), "a probe is left");
	REQUIRE(!put(PROBES_ENABLED, "1"), "turning kprobes on");
	measures(0);
}

static void restore(void)
{
	put(PROBES_ENABLED, "1");
}

static const struct test tests[] = {
	{ "without a selection, a number, or a function of it: no measurement", nonsense },
	{ "a kprobe comes and goes, and nothing is left of it", comes_and_goes },
	{ "beside attached functions and on one of them, which stay attached", beside },
	{ "a refusal leaves the last result", keeps_result },
	{ "a function whose module has gone is ENODEV", owner_gone },
	{ "a probe that does not get into the code is EIO", disarmed },
};

int main(void)
{
	suite_restore = restore;
	SUITE(tests, "fdirect_peer", "fdirect");
}
