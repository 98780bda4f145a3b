// SPDX-License-Identifier: GPL-2.0
/*
 * Modules that are loaded and unloaded without memory. A module that does not load leaves
 * nothing behind, neither records of ftrace nor files, and loads the next time. Alone, beside
 * direct calls, and while function tracers have all functions or wait for the module.
 *
 * Options are described in fault.h.
 */
#include "direct_api.h"
#include "fault.h"

static const char *module;
static const char *const *module_files;		/* in debugfs, when it is loaded */
static bool module_before;

static const char * const subject_files[] = { "call", "redirect", "slow", NULL };
static const char * const fdirect_files[] = {
	"available_methods", "call", "control", "functions", "hits", "kprobe", "last_error",
	"method", "ops", "reach", "status", "times", NULL
};

static int load_it(void)
{
	static int fd = -1;
	static const char *open_for;

	/* The file is opened once, so that no allocation of that is counted later. */
	if (open_for != module) {
		close(fd);
		fd = open_module(module);
		open_for = module;
	}
	return syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
}

static void await_it(void)
{
	/* An empty filter, when the module has gone, would be one for all functions. */
	CHECK(!write_words(TRACEFS "set_ftrace_filter", O_TRUNC,
			   "fdirect_peer_3ff :mod:fdirect_subject\n"), "filter");
}

static int unload_it(void)
{
	return unload(module);
}

static void look_at_module(bool done)
{
	bool want = done != module_before;
	const char *when = done ? "after" : "before";
	char path[PATH_MAX];
	int i;

	CHECK(loaded(module) == want, "%s: %s is%s loaded", when, module, want ? " not" : "");
	snprintf(path, sizeof(path), DEBUGFS "%s", module);
	CHECK(!access(path, F_OK) == want, "%s: %s is%s there", when, path, want ? " not" : "");
	for (i = 0; want && module_files[i]; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s/%s", module, module_files[i]);
		CHECK(!access(path, F_OK), "%s: %s is missing", when, path);
	}
}

/* None of its symbols is known, and none of its functions can be traced. */
static void no_traces(void)
{
	static const char * const files[] = {
		"/proc/kallsyms", TRACEFS "available_filter_functions"
	};
	char in_brackets[64], *text;
	size_t i;

	snprintf(in_brackets, sizeof(in_brackets), "[%s]", module);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		text = must_slurp(files[i]);
		CHECK(!strstr(text, in_brackets), "%s has %s", files[i], in_brackets);
		free(text);
	}
}

static void sweep_module(const char *name, const char *const *files, const char *where,
			 unsigned int every, bool awaited)
{
	char text[128];
	struct op op = {
		.name = text, .look = look_at_module, .every = every, .loose = true,
		.ready = awaited ? await_it : NULL, .no_filter = awaited,
		/*
		 * btf_check_all_metas() in Linux 6.12 leaves out a type that there is no memory
		 * for. It may then find anything wrong with the others.
		 */
		.any_error = true,
	};

	module = name;
	module_files = files;
	module_before = false;
	op.run = load_it;
	op.undo = unload_it;
	snprintf(text, sizeof(text), "load %s%s", name, where);
	sweep(&op);
	no_traces();

	REQUIRE(!load_it(), "%s.ko", name);
	module_before = true;
	op.run = unload_it;
	op.moves = true;
	/* Linux 7 warns if it has no memory for the probes of a module that goes */
	op.spared = is_linux_7() ? "fprobe_module_callback" : NULL;
	op.undo = load_it;
	op.sure = true;
	snprintf(text, sizeof(text), "unload %s%s", name, where);
	sweep(&op);
	REQUIRE(!unload_it(), "unloading %s", name);
	no_traces();
}

static void alone(void)
{
	sweep_module("fdirect_subject", subject_files, "", 0, false);
	sweep_module("fdirect", fdirect_files, "", 37, false);
}

/* A few of the module's functions have a tracer from the beginning. */
static void awaited(void)
{
	await_it();
	REQUIRE(!put(TRACEFS "current_tracer", "function"), "the function tracer");
	sweep_module("fdirect_subject", subject_files, ", awaited by a tracer", 9, true);
}

static void all_traced(void)
{
	if (!fault_big)
		SKIP("it takes long, and needs option -b");
	REQUIRE(!put(TRACEFS "tracing_on", "0"), "tracing_on");
	REQUIRE(!put(TRACEFS "current_tracer", "function"), "the function tracer");
	sweep_module("fdirect_subject", subject_files, ", all functions traced", 17, false);
}

static void beside_direct_calls(void)
{
	CALL(0, "register_hash 0 %s %s %s", E(0, 1), E(1, 2), E(2, 3));
	sweep_module("fdirect_subject", subject_files, ", beside direct calls", 0, false);
	EXPECT_STUB(0, 1);
	EXPECT_STUB(2, 3);
	CALL(0, "unregister_hash 0 %s %s %s", E(0, 1), E(1, 2), E(2, 3));
}

static void restore(void)
{
	sweeps_end();
	put(TRACEFS "current_tracer", "nop");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
	put(TRACEFS "tracing_on", "1");
	unload("fdirect_subject");
	unload("fdirect");
	restore_api();
}

static const struct test tests[] = {
	{ "modules alone", alone },
	{ "a module that a tracer waits for", awaited },
	{ "a module while all functions are traced", all_traced },
	{ "a module beside direct calls", beside_direct_calls, HASH },
	{ "no memory was lost", no_leaks },
};

int main(int argc, char **argv)
{
	suite_restore = restore;
	start_faults(argc, argv);
	SUITE(tests, "fdirect_peer", "fdirect_api");
}
