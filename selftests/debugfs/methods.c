// SPDX-License-Identifier: GPL-2.0
/*
 * The methods that this kernel has, and the clear refusal of those that it
 * lacks.
 */
#include "fdirect.h"

static void expect_line(const char *file, const char *want)
{
	char path[PATH_MAX], *text;

	snprintf(path, sizeof(path), FDIRECT "%s", file);
	text = first_line(path);
	CHECK(!strcmp(text, want), "%s is \"%s\", not \"%s\"", file, text, want);
	free(text);
}

static void with_hash(void)
{
	expect_line("available_methods", "each multi hash");
	if (reloaded())
		expect_line("method", "hash");
}

static void without_hash(void)
{
	expect_line("available_methods", "each multi");
	if (reloaded())
		expect_line("method", "multi");
}

static void hash_refused(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	REFUSED("method", "hash", EOPNOTSUPP);
	CHECK(last_error_has("hash") && last_error_has("kernel"), "the reason is not clear");
	expect_line("method", "multi");
	CHECK(!fdirect("control", "attach"), "the other methods");
	REFUSED("method", "hash", EOPNOTSUPP);
	CHECK(!fdirect("control", "detach"), "detach");
}

static void chosen(void)
{
	static const char * const methods[] = { "each", "multi", "hash" };
	size_t i;
	int slot;

	for (i = 0; i < (has_hash() ? 3 : 2); i++) {
		CHECK(!fdirect("method", "%s", methods[i]), "method %s", methods[i]);
		expect_line("method", methods[i]);
		for (slot = 0; slot < 4; slot++) {
			char text[8];

			snprintf(text, sizeof(text), "%d", slot);
			CHECK(!fdirect("ops", "%d", slot), "ops %d", slot);
			expect_line("ops", text);
			expect_line("method", methods[i]);
		}
	}
}

/* The line of @kind in times: its functions, or -1. */
static long long timed(const char *kind, const char *method, long long *elapsed, long long *running)
{
	char *text = must_slurp(FDIRECT "times"), *line, *next = text, k[16], m[16];
	long long n, functions = -1;

	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%15s %15s %lld %lld %lld", k, m, &n, elapsed, running) == 5 &&
		    !strcmp(k, kind) && !strcmp(m, method)) {
			functions = n;
			break;
		}
	free(text);
	return functions;
}

static void times(void)
{
	static const char * const kinds[] = { "prepare", "attach", "modify", "detach" };
	const char *method = has_hash() ? "hash" : "multi";
	long long elapsed, running, n;
	size_t i;

	REQUIRE(!choose_peers(200), "choosing functions");
	CHECK(!fdirect("method", "%s", method), "method");
	CHECK(!fdirect("control", "attach 0 150"), "attach");
	CHECK(timed("attach", method, &elapsed, &running) == 150, "functions of attach");
	CHECK(timed("prepare", method, &elapsed, &running) == 150, "functions of prepare");
	CHECK(!fdirect("control", "modify 0 150 1000"), "modify");
	CHECK(!fdirect("control", "detach 0 150"), "detach");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		n = timed(kinds[i], method, &elapsed, &running);
		CHECK(n == 150, "%s: %lld functions", kinds[i], n);
		CHECK(elapsed > 0 && elapsed < 60000000000, "%s: %lld ns elapsed", kinds[i],
		      elapsed);
		CHECK(running > 0, "%s: %lld ns running", kinds[i], running);
		/* Two clocks, read one after the other. */
		CHECK(running < elapsed + 1000000, "%s: %lld ns running in %lld ns", kinds[i],
		      running, elapsed);
	}
}

/* A refused call leaves the times of the last good one. */
static void times_of_refused(void)
{
	const char *method = has_hash() ? "hash" : "multi";
	char *before, *after;

	REQUIRE(!choose_peers(20), "choosing functions");
	CHECK(!fdirect("method", "%s", method), "method");
	CHECK(!fdirect("control", "attach 0 15"), "attach");
	before = must_slurp(FDIRECT "times");
	REFUSED("control", "attach 14 3", EBUSY);
	REFUSED("control", "detach 15 1", ENOLINK);
	REFUSED("control", "modify 15 1 0", ENOLINK);
	after = must_slurp(FDIRECT "times");
	CHECK(same_text("times", before, after), "a refused call has changed the times");
	free(before);
	free(after);
}

static void read_back(void)
{
	char *text, name[128];
	unsigned int i, index;
	struct text t = { };
	struct hit *hits;

	add_syscalls(&t, 3);
	add_peers(&t, 5, 2);
	REQUIRE(!choose(&t), "choosing functions");
	text = must_slurp(FDIRECT "functions");
	CHECK(sscanf(text, "%u 0x%*x %127s", &index, name) == 2 && !index &&
	      !strcmp(name, SYSCALL_PREFIX "getpgid"), "the first line of functions: %.80s", text);
	CHECK(strstr(text, "fdirect_peer_006 [fdirect_peer]\n"), "a module's function: %s", text);
	free(text);
	CHECK(read_hits(&hits) == 5, "five functions");
	for (i = 0; i < 5; i++)
		CHECK(hits[i].index == i && hits[i].stub == -1 && !hits[i].hits && hits[i].site,
		      "line %u of hits", i);
	free(hits);
	/* The file functions shows a list that selects the same again. */
	t = selection();
	text = must_slurp(FDIRECT "functions");
	CHECK(!choose(&t), "choosing by the addresses shown");
	{
		char *again = must_slurp(FDIRECT "functions");

		CHECK(same_text("functions", text, again), "another selection");
		free(again);
	}
	free(text);
}

static const struct test tests[] = {
	{ "a kernel with the hash interface offers hash, and it is the default", with_hash, HASH },
	{ "a kernel without the hash interface offers each and multi", without_hash, NO_HASH },
	{ "a kernel without the hash interface refuses hash with EOPNOTSUPP, and says why",
	  hash_refused, NO_HASH },
	{ "method and ops show what was chosen", chosen },
	{ "functions and hits show what was selected, in its order", read_back },
	{ "times has the functions and the time of the last call of each kind", times },
	{ "a refused call leaves the times alone", times_of_refused },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect");
}
