// SPDX-License-Identifier: GPL-2.0
/*
 * One function has one direct target, whoever attached it. The three methods of
 * fdirect.ko beside each other, and a stranger (fdirect_api.ko) who has one of the
 * functions already.
 */
#include <sys/mman.h>

#include "direct_api.h"

/* Functions 0 ... 19 are for `each`, 20 ... 59 for `multi`, 60 ... 99 for `hash`. */
enum { EACH = 4, MULTI = 20, HASHED = 60, ALL = 100 };

enum { OWN = -2, NOWHERE = -1 };

/*
 * Calls functions @first ... @first + @count - 1, each once more often than the
 * one before. Their hits are on their OWN stubs, NOWHERE, or all on one @stub.
 */
static void expect_range(int first, int count, long stub)
{
	const int base = 1 + first % 7;
	unsigned long want, sum = 0;
	struct hit *hits;
	int i;

	CHECK(!fdirect("hits", "0"), "resetting the hits");
	CHECK(!call_peers(first, count, base, count), "calling peers");
	for (i = 0; i < count; i++)
		sum += base + i;
	REQUIRE(read_hits(&hits) >= (size_t)first + count, "the functions in hits");
	for (i = 0; i < count; i++) {
		const struct hit *h = &hits[first + i];

		if (stub == OWN)
			want = base + i;
		else
			want = stub == NOWHERE ? 0 : sum;
		CHECK(h->stub == (stub == OWN ? first + i : stub), "%s has stub %ld", h->name,
		      h->stub);
		CHECK(h->hits == want, "%s has %lu hits, not %lu", h->name, h->hits, want);
	}
	free(hits);
	CHECK(status("stray_hits") == 0, "%lld stray hits", status("stray_hits"));
	CHECK(status("misdirected") == 0, "%lld misdirected", status("misdirected"));
}

static int attach(const char *method, int ops, int first, int count)
{
	int err = fdirect("method", "%s", method);

	err = err ? err : fdirect("ops", "%d", ops);
	return err ? err : fdirect("control", "attach %d %d", first, count);
}

static int detach(const char *method, int ops, int first, int count)
{
	int err = fdirect("method", "%s", method);

	err = err ? err : fdirect("ops", "%d", ops);
	return err ? err : fdirect("control", "detach %d %d", first, count);
}

/* All three attached; `multi` calls the stub of its first function, 20. */
static void expect_all(bool each, bool multi, bool hash)
{
	expect_range(0, EACH, each ? OWN : NOWHERE);
	expect_range(MULTI, 40, multi ? 20 : NOWHERE);
	expect_range(HASHED, 40, hash ? OWN : NOWHERE);
	CHECK(status("attached") == (each ? EACH : 0) + (multi ? 40 : 0) + (hash ? 40 : 0),
	      "%lld attached", status("attached"));
}

static void three_methods(void)
{
	static const char orders[6][4] = { "emh", "ehm", "meh", "mhe", "hem", "hme" };
	bool on[3];
	size_t i, j;

	REQUIRE(!choose_peers(ALL), "choosing functions");
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		memset(on, 0, sizeof(on));
		/* In one order on, in another one off. */
		for (j = 0; j < 6; j++) {
			const char *order = orders[j < 3 ? i : 5 - i];
			int what = strchr("emh", order[j % 3]) - "emh";
			int (*how)(const char *, int, int, int) = j < 3 ? attach : detach;
			int err;

			if (what == 0)
				err = how("each", 0, 0, EACH);
			else if (what == 1)
				err = how("multi", 1, MULTI, 40);
			else
				err = how("hash", 2, HASHED, 40);
			CHECK(!err, "order %s, step %zu: %s", order, j, errname(err));
			on[what] = j < 3;
			expect_all(on[0], on[1], on[2]);
		}
	}
}

static void modify_beside(void)
{
	REQUIRE(!choose_peers(ALL), "choosing functions");
	REQUIRE(!attach("each", 0, 0, EACH), "attach each");
	REQUIRE(!attach("multi", 1, MULTI, 40), "attach multi");
	REQUIRE(!attach("hash", 2, HASHED, 40), "attach hash");
	CHECK(!fdirect("method", "multi") && !fdirect("ops", "1") &&
	      !fdirect("control", "modify %d 40 5000", MULTI), "modify multi");
	expect_range(0, EACH, OWN);
	expect_range(MULTI, 40, 5000);
	expect_range(HASHED, 40, OWN);
	CHECK(!fdirect("method", "each") && !fdirect("control", "modify 1 1 6000"), "modify each");
	expect_range(0, 1, OWN);
	expect_range(1, 1, 6000);
	expect_range(2, 2, OWN);
	expect_range(MULTI, 40, 5000);
	expect_range(HASHED, 40, OWN);
	CHECK(!fdirect("method", "hash") && !fdirect("ops", "2") &&
	      !fdirect("control", "modify 70 1 7000"), "modify hash");
	expect_range(1, 1, 6000);
	expect_range(MULTI, 40, 5000);
	expect_range(60, 10, OWN);
	expect_range(70, 1, 7000);
	expect_range(71, 29, OWN);
	CHECK(!fdirect("control", "detach"), "detach alone takes all");
	expect_all(false, false, false);
}

/* An ops that does not own it may neither take it nor change it. */
static void only_the_owner(void)
{
	REQUIRE(!choose_peers(ALL), "choosing functions");
	REQUIRE(!attach("each", 0, 0, EACH), "attach each");
	REQUIRE(!attach("multi", 1, MULTI, 40), "attach multi");
	REQUIRE(!attach("hash", 2, HASHED, 40), "attach hash");

	fdirect("method", "hash");
	fdirect("ops", "2");
	REFUSED("control", "detach 0 4", ENOLINK);
	REFUSED("control", "detach 20 80", ENOLINK);
	REFUSED("control", "modify 20 40 100", ENOLINK);
	REFUSED("control", "attach 0 1", EBUSY);
	REFUSED("control", "attach 50 20", EBUSY);
	fdirect("ops", "1");
	REFUSED("control", "detach 60 40", ENOLINK);
	REFUSED("control", "detach 20 40", ENOLINK);
	fdirect("method", "multi");
	REFUSED("control", "detach 60 40", ENOLINK);
	REFUSED("control", "attach 60 1", EBUSY);
	fdirect("ops", "0");
	REFUSED("control", "detach 20 40", ENOLINK);
	fdirect("method", "each");
	REFUSED("control", "detach 20 40", ENOLINK);
	REFUSED("control", "attach 3 1", EBUSY);
	expect_all(true, true, true);
}

/*
 * A stranger has function 77 of a hundred: the kernel says EBUSY, and the other 99
 * are as untouched as that one.
 */
static void stranger_first(const char *method, int count)
{
	int busy = count * 3 / 4;
	char command[32];

	REQUIRE(!choose_peers(ALL), "choosing functions");
	REQUIRE(!fdirect("method", "%s", method), "method");
	CALL(0, "filter 0 %s", F(busy));
	CALL(0, "register 0 10");
	fdirect("hits", "0");
	snprintf(command, sizeof(command), "attach 0 %d", count);
	REFUSED("control", command, EBUSY);
	EXPECT_STUB(busy, 10);
	expect_range(0, count, NOWHERE);
	CALL(0, "unregister 0 10");
	CHECK(!fdirect("control", "attach 0 %d", count), "attach once the stranger has gone");
	CHECK(status("attached") == count, "%lld attached", status("attached"));
	/* And now it is the stranger who may not. */
	CALL_REFUSED(EBUSY, "register 0 10");
	CHECK(!fdirect("control", "detach"), "detach");
}

static void stranger_hash(void)		{ stranger_first("hash", ALL); }
static void stranger_multi(void)	{ stranger_first("multi", ALL); }
static void stranger_each(void)		{ stranger_first("each", 4); }

/* Two strangers to each other, each with a hash. */
static void hash_strangers(void)
{
	REQUIRE(!choose_peers(ALL), "choosing functions");
	REQUIRE(!attach("hash", 0, 0, 50), "attach");
	CALL_REFUSED(EBUSY, "register_hash 0 %s %s", E(60, 1), E(49, 2));
	CALL(0, "register_hash 0 %s %s", E(60, 1), E(61, 2));
	fdirect("hits", "0");
	REFUSED("control", "attach 50 50", EBUSY);
	EXPECT_STUB(60, 1);
	expect_range(0, 50, OWN);
	expect_range(50, 10, NOWHERE);
	CHECK(!fdirect("control", "attach 62 38"), "attach the free ones");
	EXPECT_STUB(61, 2);
	expect_range(62, 38, OWN);
	CALL(0, "unregister_hash 0 %s %s", E(60, 1), E(61, 2));
	expect_range(0, 50, OWN);
	expect_range(62, 38, OWN);
}

/* -------------------------------------------------------------------------- */
/* All at once                                                                  */

/* In memory that all tasks share: set when the workers are to stop. */
static int *stop;

static bool stopped(void)
{
	return __atomic_load_n(stop, __ATOMIC_RELAXED);
}

/* Each worker tells how often something was not as it should be. */

static int stranger_works(void)
{
	int wrong = 0, i, j;

	for (i = 0; !stopped(); i++) {
		for (j = 0; j < 8; j++)
			wrong += call("register_hash %d %s %s", j % 2, E(10 * j, i % 60),
				      E(10 * j + 1, 60)) != 0;
		for (j = 0; j < 8; j++)
			wrong += call("modify_hash %d %s", j % 2, E(10 * j, 61)) != 0;
		for (j = 0; j < 8; j++)
			wrong += call("unregister_hash %d %s %s", j % 2, E(10 * j, 61),
				      E(10 * j + 1, 60)) != 0;
	}
	return wrong;
}

static int fdirect_works(void)
{
	int wrong = 0;

	while (!stopped()) {
		wrong += fdirect("control", "attach 100 300") != 0;
		wrong += fdirect("control", "modify 150 100 30000") != 0;
		wrong += fdirect("control", "detach 100 200") != 0;
		wrong += fdirect("control", "detach 300 100") != 0;
	}
	return wrong;
}

static int tracer_works(void)
{
	int wrong = 0;

	while (!stopped()) {
		wrong += put(TRACEFS "current_tracer", "function") != 0;
		usleep(2000);
		wrong += put(TRACEFS "current_tracer", "nop") != 0;
	}
	return wrong;
}

static int calls_work(void)
{
	int wrong = 0;

	while (!stopped())
		wrong += call_peers(0, 450, 2, 3) != 0;
	return wrong;
}

static void all_at_once(void)
{
	static int (* const workers[])(void) = {
		stranger_works, fdirect_works, tracer_works, calls_work, calls_work,
	};
	pid_t pids[ARRAY_SIZE(workers)];
	int wstatus, wrong;
	size_t i;

	REQUIRE(!choose_peers(450), "choosing functions");
	REQUIRE(!fdirect("method", "hash"), "method");
	REQUIRE(!put(TRACEFS "set_ftrace_filter", ":mod:fdirect_peer\n"),
		"set_ftrace_filter");
	CHECK(!fdirect("control", "attach 400 50"), "attaching what stays");
	fdirect("hits", "0");
	stop = mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(stop != MAP_FAILED, "shared memory");
	for (i = 0; i < ARRAY_SIZE(workers); i++) {
		pids[i] = fork();
		if (!pids[i]) {
			wrong = workers[i]();
			_exit(wrong < 100 ? wrong : 100);
		}
	}
	sleep(5);
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(workers); i++) {
		wstatus = -1;
		waitpid(pids[i], &wstatus, 0);
		CHECK(WIFEXITED(wstatus) && !WEXITSTATUS(wstatus),
		      "worker %zu: status %x", i, wstatus);
	}
	munmap(stop, sizeof(*stop));
	CHECK(!put(TRACEFS "current_tracer", "nop"), "the tracer goes");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
	CHECK(status("attached") == 50, "%lld attached", status("attached"));
	CHECK(status("patched") == 50, "%lld patched", status("patched"));
	expect_range(400, 50, OWN);
	expect_range(0, 400, NOWHERE);
}

static const struct test tests[] = {
	{ "the three methods attach and detach beside each other in any order",
	  three_methods, HASH },
	{ "each method changes its own functions only", modify_beside, HASH },
	{ "only the method and ops that attached a function may take or change it",
	  only_the_owner, HASH },
	{ "hash: one function that someone else has refuses a hundred", stranger_hash, HASH },
	{ "multi: one function that someone else has refuses a hundred", stranger_multi },
	{ "each: one function that someone else has refuses them all", stranger_each },
	{ "two users of direct calls, a tracer and the calls themselves work at once",
	  all_at_once, HASH },
	{ "two users of the hash interface keep out of each other's way", hash_strangers, HASH },
};

int main(void)
{
	suite_restore = restore_api;
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect");
}
