// SPDX-License-Identifier: GPL-2.0
/*
 * Modules that come and go. fdirect.ko may be unloaded at any moment and leaves no
 * call site patched. The owner of an attached function may not, until it is detached.
 */
#include "fdirect.h"

#define PATIENCE	120	/* seconds until a task that does not end is stuck */

static bool reload(const char *module)
{
	int err = loaded(module) ? 0 : load(module);

	return CHECK(!err, "loading %s.ko: %s", module, errname(err));
}

static void reload_all(void)
{
	reload("fdirect_peer");
	reload("fdirect");
}

static void expect_hits(int first, int count)
{
	struct hit *hits;
	int i;

	fdirect("hits", "0");
	CHECK(!call_peers(first, count, 3, 5), "calling");
	REQUIRE(read_hits(&hits) >= (size_t)first + count, "the functions in hits");
	for (i = first; i < first + count; i++)
		CHECK(hits[i].hits == 3UL + (i - first) % 5, "%s: %lu hits", hits[i].name,
		      hits[i].hits);
	free(hits);
	CHECK(status("stray_hits") == 0, "%lld stray hits", status("stray_hits"));
}

/* All is as it was @before, and the functions that were attached can be called. Frees @before. */
static void expect_unpatched(char *before, int count)
{
	char *after = enabled_functions();

	CHECK(same_text("enabled_functions", before, after), "sites are still patched");
	free(before);
	free(after);
	CHECK(!call_peers(0, count, 1, 3), "calling what was attached");
}

/* Attached by @method, fdirect.ko goes; then it comes back and starts anew. */
static void unload_attached(const char *method, int count)
{
	char *before = enabled_functions();
	int err;

	REQUIRE(!choose_peers(count), "choosing functions");
	REQUIRE(!fdirect("method", "%s", method), "method %s", method);
	REQUIRE(!fdirect("control", "attach"), "attach");
	CHECK(status("patched") == count, "%lld sites patched", status("patched"));
	err = unload("fdirect");
	REQUIRE(!err, "unloading fdirect.ko: %s", errname(err));
	expect_unpatched(before, count);

	if (!reload("fdirect"))
		return;
	CHECK(status("functions") == 0 && status("attached") == 0 && status("hits_total") == 0,
	      "something is left of the time before");
	REQUIRE(!choose_peers(count), "choosing functions again");
	REQUIRE(!fdirect("method", "%s", method), "method %s", method);
	CHECK(!fdirect("control", "attach"), "attaching again");
	CHECK(status("patched") == count, "%lld sites patched", status("patched"));
	CHECK(!fdirect("control", "detach"), "detach");
}

static void unload_hash(void)	{ unload_attached("hash", 1000); }
static void unload_multi(void)	{ unload_attached("multi", 1000); }
static void unload_each(void)	{ unload_attached("each", 5); }

static void unload_mixed(void)
{
	char *before = enabled_functions();

	REQUIRE(!choose_peers(300), "choosing functions");
	CHECK(!fdirect("method", "each") && !fdirect("control", "attach 0 3"), "each");
	CHECK(!fdirect("method", "multi") && !fdirect("ops", "3") &&
	      !fdirect("control", "attach 3 97"), "multi");
	CHECK(!fdirect("method", "hash") && !fdirect("ops", "0") &&
	      !fdirect("control", "attach 100 100"), "hash, ops 0");
	CHECK(!fdirect("ops", "2") && !fdirect("control", "attach 200 100"), "hash, ops 2");
	CHECK(status("attached") == 300, "%lld attached", status("attached"));
	CHECK(!unload("fdirect"), "unloading fdirect.ko");
	expect_unpatched(before, 300);
	reload("fdirect");
}

/* The task that unloads it is killed meanwhile, and ends once the last function is detached. */
static void unload_killed(void)
{
	char *before = enabled_functions();
	int sites, wstatus = 0;
	long long start;
	pid_t child;

	REQUIRE(!choose_peers(24), "choosing functions");
	REQUIRE(!fdirect("method", "each"), "method");
	REQUIRE(!fdirect("control", "attach"), "attach");
	sites = sites_enabled();
	child = fork();
	if (!child)
		_exit(unload("fdirect"));
	CHECK(wait_for_change(sites, -3), "nothing is being detached");
	kill(child, SIGKILL);
	start = now_ms();
	while (!waitpid(child, &wstatus, WNOHANG)) {
		REQUIRE(now_ms() - start < PATIENCE * 1000, "the task does not end");
		usleep(10000);
	}
	CHECK(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGKILL, "the task ended with %x",
	      wstatus);
	CHECK(!loaded("fdirect"), "fdirect.ko is still there");
	expect_unpatched(before, 24);
	reload("fdirect");
}

static void open_file(void)
{
	int fd = open(FDIRECT "status", O_RDONLY), err;

	REQUIRE(fd >= 0, "open");
	err = unload("fdirect");
	CHECK(err == IN_USE, "unloading with an open file: %s", errname(err));
	close(fd);
	CHECK(!unload("fdirect"), "unloading once it is closed");
	reload("fdirect");
}

/* The owner stays as long as one of its functions is attached, by whatever method. */
static void owner_held(const char *method, int count, bool parts)
{
	int err;

	REQUIRE(!choose_peers(count), "choosing functions");
	REQUIRE(!fdirect("method", "%s", method), "method %s", method);
	REQUIRE(!fdirect("control", "attach"), "attach");
	err = unload("fdirect_peer");
	CHECK(err == IN_USE, "unloading the owner of attached functions: %s", errname(err));
	if (parts) {
		expect_hits(0, count);
		CHECK(!fdirect("control", "modify 0 %d 7000", count), "modify");
		CHECK(!fdirect("control", "detach 1 %d", count - 1), "detach all but one");
		err = unload("fdirect_peer");
		CHECK(err == IN_USE, "unloading the owner of one attached function: %s",
		      errname(err));
		expect_hits(0, 1);
	}
	CHECK(!fdirect("control", "detach"), "detach");
	err = unload("fdirect_peer");
	CHECK(!err, "unloading once nothing is attached: %s", errname(err));
	reload("fdirect_peer");
}

static void owner_hash(void)	{ owner_held("hash", 100, true); }
static void owner_multi(void)	{ owner_held("multi", 100, false); }
static void owner_each(void)	{ owner_held("each", 3, true); }

/* A refused attach holds nobody. */
static void owner_of_refused(void)
{
	int err;

	REQUIRE(!choose_peers(4), "choosing functions");
	REQUIRE(!fdirect("control", "attach 0 1"), "attach");
	CHECK(fdirect("control", "attach") == EBUSY, "attach them again");
	CHECK(!fdirect("control", "detach"), "detach");
	err = unload("fdirect_peer");
	CHECK(!err, "unloading after a refused attach: %s", errname(err));
	reload("fdirect_peer");
}

/* Functions whose module went away can't be attached, even once it is back. */
static void owner_gone(void)
{
	struct text t = { };

	add_syscalls(&t, 2);
	add_peers(&t, 0, 2);
	REQUIRE(!choose(&t), "choosing functions");
	REQUIRE(!fdirect("method", "each"), "method");
	REQUIRE(!unload("fdirect_peer"), "unloading the owner of what is chosen");
	REFUSED("control", "attach", ENODEV);
	REFUSED("control", "attach 3 1", ENODEV);
	CHECK(!fdirect("control", "attach 0 2"), "the others");
	CHECK(!fdirect("control", "detach"), "detach");
	if (!reload("fdirect_peer"))
		return;
	REFUSED("control", "attach", ENODEV);
	REQUIRE(!choose_peers(2), "choosing them again");
	CHECK(!fdirect("control", "attach"), "attach");
	expect_hits(0, 2);
}

/* Everything above at once, while another task calls the functions all the time. */
static void unload_busy(void)
{
	const char *method = has_hash() ? "hash" : "multi";
	struct text t = { };
	bool reloaded;
	int i, wstatus;
	time_t end;
	pid_t child;

	child = fork();
	if (!child) {
		for (;;) {
			call_syscall(0, 50);
			call_syscall(1, 50);
			call_peers(0, 64, 20, 3);
		}
	}
	for (i = 0; i < 6; i++) {
		add_syscalls(&t, 2);
		add_peers(&t, 0, 64);
		CHECK(!choose(&t), "choosing functions");
		CHECK(!fdirect("method", "%s", method), "method");
		CHECK(!fdirect("control", "attach"), "attach, round %d", i);
		CHECK(!fdirect("control", "modify 0 66 %d", 1000 * i), "modify, round %d", i);
		end = time(NULL) + PATIENCE;
		while (status("hits_total") <= 0 && time(NULL) < end)
			usleep(20000);
		CHECK(status("hits_total") > 0, "no hits, round %d", i);
		CHECK(status("misdirected") == 0, "misdirected, round %d", i);
		CHECK(!unload("fdirect"), "unload, round %d", i);
		/*
		 * Nothing that is called changes while it loads. But each of its pages takes a
		 * flush of the TLBs on arm64. An emulated CPU that is busy keeps the other one
		 * waiting for that, more than a minute in all.
		 */
		kill(child, SIGSTOP);
		reloaded = reload("fdirect");
		kill(child, SIGCONT);
		if (!reloaded)
			break;
	}
	kill(child, SIGKILL);
	CHECK(waitpid(child, &wstatus, 0) == child && WIFSIGNALED(wstatus), "the calling task");
}

static const struct test tests[] = {
	{ "fdirect.ko unloaded with 1,000 functions attached by hash leaves none patched",
	  unload_hash, HASH },
	{ "fdirect.ko unloaded with 1,000 functions attached by multi leaves none patched",
	  unload_multi },
	{ "fdirect.ko unloaded with functions attached by each leaves none patched", unload_each },
	{ "fdirect.ko unloaded with functions attached by all methods leaves none patched",
	  unload_mixed, HASH },
	{ "fdirect.ko unloads, though the task that unloads it is killed", unload_killed },
	{ "fdirect.ko unloads under calls from another task", unload_busy },
	{ "fdirect.ko does not unload while a file of it is open", open_file },
	{ "hash: a module whose function is attached does not unload", owner_hash, HASH },
	{ "multi: a module whose function is attached does not unload", owner_multi },
	{ "each: a module whose function is attached does not unload", owner_each },
	{ "a refused attach does not hold the function's module", owner_of_refused },
	{ "a function whose module is gone is ENODEV to attach", owner_gone },
};

int main(void)
{
	suite_restore = reload_all;
	SUITE(tests, "fdirect_peer", "fdirect");
}
