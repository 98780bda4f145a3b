// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching, changing and detaching 1, 2, 1,000 and 40,000 functions, or as many as a
 * small kernel has, each to a stub of its own. System calls and peer functions are called
 * a different number of times each, so a call that lands on a neighbour's stub shows.
 */
#include "fdirect.h"

/*
 * The selection of n functions begins with system calls, then has peers, and then
 * functions of the kernel as they come. Nobody can count the calls of the latter.
 */
static int n_syscalls, n_peers, n_all;

static bool choose_functions(int n)
{
	struct text t = { };

	n_syscalls = n < 3 ? 1 : RARE_SYSCALLS;
	n_peers = n - n_syscalls < PEERS ? n - n_syscalls : PEERS;
	n_all = n;
	add_syscalls(&t, n_syscalls);
	add_peers(&t, 0, n_peers);
	if (n > n_syscalls + n_peers) {
		int wanted = n - n_syscalls - n_peers;
		int got = add_kernel_functions(&t, wanted);

		if (got < wanted) {
			n_all = n - wanted + got;
			ksft_print_msg("there are only %d functions to trace\n", n_all);
		}
	}
	return CHECK(!choose(&t), "choosing %d functions", n_all) &&
	       CHECK(n_all == n || n_all >= FEWEST, "%d functions are too few", n_all);
}

static unsigned long calls_of(int i, int round)
{
	if (i < n_syscalls)
		return 3 + i + round;
	if (i < n_syscalls + n_peers)
		return 1 + (i - n_syscalls) % 17 + round;
	return 0;
}

static void call_all(int round)
{
	int i;

	for (i = 0; i < n_syscalls; i++)
		call_syscall(i, calls_of(i, round));
	if (n_peers)
		CHECK(!call_peers(0, n_peers, 1 + round, 17), "a peer returned something else");
}

/* Where function i belongs; -1: nowhere. */
typedef long (*stub_of_t)(int i);

/*
 * Calls everything; every call must have hit the function's own stub. The few
 * calls of ours to functions chosen from the kernel don't matter. They only have
 * to hit no stranger's stub, as stray_hits tells.
 */
static void expect(stub_of_t stub_of, int round)
{
	struct hit *hits;
	unsigned long want;
	size_t i, n;

	CHECK(!fdirect("hits", "0"), "resetting the hits");
	call_all(round);
	n = read_hits(&hits);
	CHECK(n == (size_t)n_all, "%zu functions in hits, not %d", n, n_all);
	for (i = 0; i < n; i++) {
		CHECK(hits[i].stub == stub_of(i), "%s has stub %ld, not %ld", hits[i].name,
		      hits[i].stub, stub_of(i));
		if (i >= (size_t)(n_syscalls + n_peers))
			continue;
		want = stub_of(i) < 0 ? 0 : calls_of(i, round);
		CHECK(hits[i].hits == want, "%s: %lu hits, not %lu", hits[i].name,
		      hits[i].hits, want);
	}
	free(hits);
	n = status("stray_hits");
	CHECK(n == 0, "%zu stray hits", n);
}

static long own_stub(int i)	{ return i; }
static long no_stub(int i)	{ return -1; }
static long shifted_stub(int i)	{ return (i + 30000) % STUBS; }
static long half_shifted(int i)	{ return i < n_all / 2 ? i + 5000 : shifted_stub(i); }
static long half_taken(int i)	{ return i < n_all / 2 ? -1 : shifted_stub(i); }

/* Whether the call sites themselves say the same. */
static void expect_sites(long long patched)
{
	char *text = must_slurp(FDIRECT "status");

	CHECK(value_in(text, "attached") == patched, "%lld attached, not %lld",
	      value_in(text, "attached"), patched);
	CHECK(value_in(text, "patched") == patched, "%lld sites call their stub, not %lld",
	      value_in(text, "patched"), patched);
	CHECK(value_in(text, "misdirected") == 0, "%lld sites call another's stub",
	      value_in(text, "misdirected"));
	free(text);
}

static void each_own_stub(const char *method, int n)
{
	int half;

	if (!choose_functions(n))
		return;
	n = n_all;
	half = n / 2;
	REQUIRE(!fdirect("method", "%s", method), "method %s", method);
	expect(no_stub, 0);
	REQUIRE(!fdirect("control", "attach"), "attach %d functions", n);
	expect_sites(n);
	expect(own_stub, 1);

	REQUIRE(!fdirect("control", "modify 0 %d 30000", n), "modify %d functions", n);
	expect_sites(n);
	expect(shifted_stub, 2);

	if (half) {
		REQUIRE(!fdirect("control", "modify 0 %d 5000", half), "modify half");
		expect_sites(n);
		expect(half_shifted, 3);

		REQUIRE(!fdirect("control", "detach 0 %d", half), "detach half");
		expect_sites(n - half);
		expect(half_taken, 4);
	}

	REQUIRE(!fdirect("control", "detach"), "detach the rest");
	expect_sites(0);
	expect(no_stub, 5);
	CHECK(status("hits_total") == 0, "%lld hits after detaching", status("hits_total"));
}

static void hash_1(void)	{ each_own_stub("hash", 1); }
static void hash_2(void)	{ each_own_stub("hash", 2); }
static void hash_1000(void)	{ each_own_stub("hash", 1000); }
static void hash_40000(void)	{ each_own_stub("hash", 40000); }
static void each_1(void)	{ each_own_stub("each", 1); }
static void each_2(void)	{ each_own_stub("each", 2); }

/* `multi` has one stub for all, so only the sum of their hits can be told. */
static void expect_sum(long stub)
{
	struct hit *hits;
	unsigned long want = 0;
	size_t i, n;

	CHECK(!fdirect("hits", "0"), "resetting the hits");
	call_all(1);
	n = read_hits(&hits);
	for (i = 0; i < n; i++) {
		CHECK(hits[i].stub == stub, "%s has stub %ld, not %ld", hits[i].name,
		      hits[i].stub, stub);
		want += calls_of(i, 1);
	}
	free(hits);
	CHECK(status("hits_total") == (long long)want, "%lld hits, not %lu",
	      status("hits_total"), want);
	CHECK(status("stray_hits") == 0, "%lld stray hits", status("stray_hits"));
}

static void one_stub(int n)
{
	if (!choose_functions(n))
		return;
	REQUIRE(!fdirect("method", "multi"), "method multi");
	REQUIRE(!fdirect("control", "attach"), "attach %d functions", n);
	expect_sites(n);
	expect_sum(0);

	REQUIRE(!fdirect("control", "modify 0 %d 4711", n), "modify %d functions", n);
	expect_sites(n);
	expect_sum(4711);

	REQUIRE(!fdirect("control", "detach"), "detach");
	expect_sites(0);
	expect(no_stub, 2);
	CHECK(status("hits_total") == 0, "%lld hits after detaching", status("hits_total"));
}

static void multi_1(void)	{ one_stub(1); }
static void multi_2(void)	{ one_stub(2); }
static void multi_1000(void)	{ one_stub(1000); }

static const struct test tests[] = {
	{ "hash: 1 function calls the stub it is attached to, then another, then none",
	  hash_1, HASH },
	{ "hash: 2 functions call their own stubs, then others, then none", hash_2, HASH },
	{ "hash: 1,000 functions call their own stubs, then others, then none", hash_1000, HASH },
	{ "hash: up to 40,000 functions call their own stubs, then others, then none",
	  hash_40000, HASH },
	{ "each: 1 function calls the stub it is attached to, then another, then none", each_1 },
	{ "each: 2 functions call their own stubs, then others, then none", each_2 },
	{ "multi: 1 function calls the stub it is attached to, then another, then none", multi_1 },
	{ "multi: 2 functions call one stub, then another, then none", multi_2 },
	{ "multi: 1,000 functions call one stub, then another, then none", multi_1000 },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect");
}
