// SPDX-License-Identifier: GPL-2.0
/*
 * The refusals of the debugfs files: each errno, the reason in last_error, and
 * that nothing changed: no call site, no selection, no count.
 */
#include <dirent.h>

#include "fdirect.h"

#define MiB	(1024 * 1024)

/* A list that must be refused, and what the reason must name. */
static void list_refused_at(int line, const char *list, size_t len, int want, const char *names)
{
	refused_at(line, "functions", list, len, want);
	check(last_error_has(names), line, "says where", "\"%s\" is not in last_error", names);
}

#define LIST_REFUSED(list, want, names) \
	list_refused_at(__LINE__, list, strlen(list), want, names)

/* -------------------------------------------------------------------------- */
/* The list of functions                                                        */

static void unknown_names(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	LIST_REFUSED("fdirect_no_such_function\n", ENOENT, "fdirect_no_such_function");
	LIST_REFUSED(SYSCALL_PREFIX "getpgid\n\n# no\nfdirect_no_such_function\n", ENOENT,
		     "functions:4:");
	LIST_REFUSED("fdirect_peer:fdirect_peer_fff\n", ENOENT, "fdirect_peer_fff");
	LIST_REFUSED("no_such_module:fdirect_peer_000\n", ENOENT, "no_such_module");
	LIST_REFUSED("fdirect_peer_000 [no_such_module]\n", ENOENT, "no_such_module");
	LIST_REFUSED("fdirect:" SYSCALL_PREFIX "getpgid\n", ENOENT, "getpgid");
}

static void ambiguous_names(void)
{
	char *name = ambiguous_name();
	struct text t = { };

	if (!name)
		SKIP("no two functions of this kernel have one name");
	REQUIRE(!choose_peers(3), "choosing functions");
	add(&t, "fdirect_peer_000\n%s\n", name);
	LIST_REFUSED(t.s, ENOTUNIQ, "functions:2:");
	CHECK(last_error_has(name), "the name is not in last_error");
	free(t.s);
	free(name);
}

static void bad_addresses(void)
{
	struct hit *hits;
	struct text t = { };

	REQUIRE(!choose_peers(3), "choosing functions");
	LIST_REFUSED("0x1000\n", ENODEV, "0x1000");
	LIST_REFUSED("fdirect_peer_001\n0xffffffffffffffff\n", ENODEV, "functions:2:");
	/* Past a call site, and a function that is not traced. */
	REQUIRE(read_hits(&hits) == 3, "three functions");
	add(&t, "0x%lx\n", hits[1].site + 2);
	LIST_REFUSED(t.s, ENODEV, "functions:1:");
	free(t.s);
	free(hits);
	LIST_REFUSED("ftrace_stub\n", ENODEV, "ftrace_stub");
}

static void duplicates(void)
{
	struct hit *hits;
	struct text t = { };

	REQUIRE(!choose_peers(3), "choosing functions");
	LIST_REFUSED("fdirect_peer_000\nfdirect_peer_001\nfdirect_peer_000\n", EEXIST,
		     "functions:3:");
	LIST_REFUSED("fdirect_peer_000\nfdirect_peer:fdirect_peer_000\n", EEXIST, "functions:2:");
	LIST_REFUSED("fdirect_peer_000 [fdirect_peer]\nfdirect_peer_000\n", EEXIST,
		     "functions:2:");
	REQUIRE(read_hits(&hits) == 3, "three functions");
	add(&t, "fdirect_peer_001\n0x%lx\n", hits[1].site);
	LIST_REFUSED(t.s, EEXIST, "functions:2:");
	free(t.s);
	free(hits);
}

static void bad_lines(void)
{
	static const char * const lines[] = {
		"two words", "three little words", "fdirect_peer_000 fdirect_peer",
		"fdirect_peer_000 []", "fdirect_peer_000 [", ":fdirect_peer_000",
		"fdirect_peer:", "a:b:c", "fdirect_peer:fdirect_peer_000 [fdirect_peer]",
		"0x", "0xfoo", "0x1 0x2", "0x10000000000000000", "0x1000+4", "\001\002",
		"\xff\xfe", "fdirect_peer_000\r",
	};
	static const char with_nul[] = "fdirect_peer_000\nfdirect_\0peer_001\n";
	char longest[3000], list[4096];
	size_t i;

	REQUIRE(!choose_peers(3), "choosing functions");
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(list, sizeof(list), "# one\nfdirect_peer_005\n%s\nfdirect_peer_006\n",
			 lines[i]);
		LIST_REFUSED(list, EINVAL, "functions:3:");
	}
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	snprintf(list, sizeof(list), "%s\n", longest);
	LIST_REFUSED(list, EINVAL, "functions:1:");
	list_refused_at(__LINE__, with_nul, sizeof(with_nul) - 1, EINVAL, "functions:2:");
}

static void empty_lists(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	LIST_REFUSED("", EINVAL, "functions");
	LIST_REFUSED("\n", EINVAL, "functions");
	LIST_REFUSED("\n\t \t\n\t\n", EINVAL, "functions");
	LIST_REFUSED("# nothing\n#\n", EINVAL, "functions");
}

static void unfinished_list(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	LIST_REFUSED("fdirect_peer_001", EINVAL, "newline");
	LIST_REFUSED("fdirect_peer_001\nfdirect_peer_002", EINVAL, "newline");
	CHECK(!fdirect("functions", "\n# one\n\t fdirect_peer_001 \t\n"
		       "fdirect_peer_002 [fdirect_peer]\n"),
	      "blanks, comments and a [module] are fine");
	CHECK(status("functions") == 2, "%lld functions", status("functions"));
	CHECK(last_error_is_empty(), "a reason after a success");
}

/* The second write(2) of a list does not replace the first one. */
static void second_write(void)
{
	struct picture before;
	int fd, err = 0;

	REQUIRE(!choose_peers(3), "choosing functions");
	fd = open(FDIRECT "functions", O_WRONLY);
	REQUIRE(fd >= 0, "open");
	REQUIRE(write(fd, "fdirect_peer_007\n", 17) == 17, "the first write");
	before = take_picture();
	if (write(fd, "fdirect_peer_008\n", 17) < 0)
		err = errno;
	close(fd);
	CHECK(err == EINVAL, "a second write in a row: %s", errname(err));
	CHECK(as_before(&before), "the second write changed something");
	CHECK(status("functions") == 1, "%lld functions", status("functions"));
}

/* 100,000 lines, up to 40,000 of them functions of the kernel, and line 77,777 is wrong. */
static void one_of_100000(void)
{
	char *addrs, *line, *next;
	struct text t = { };
	int i, functions = 0;

	addrs = must_slurp(TRACEFS "available_filter_functions_addrs");
	next = addrs;
	for (i = 1; i <= 100000; i++) {
		line = i % 5 < 2 ? strsep(&next, "\n") : NULL;
		if (i == 77777) {
			add(&t, "fdirect_bad_line\n");
		} else if (line && *line && !strchr(line, '[') &&
			   !strstr(line, "__ftrace_invalid_address")) {
			line[strcspn(line, " ")] = '\0';
			add(&t, "%s%s\n", strncmp(line, "0x", 2) ? "0x" : "", line);
			functions++;
		} else {
			add(&t, "# %d\n", i);
		}
	}
	free(addrs);
	if (functions < 30000)
		ksft_print_msg("only %d functions\n", functions);
	REQUIRE(!choose_peers(3), "choosing functions");
	list_refused_at(__LINE__, t.s, t.len, ENOENT, "functions:77777:");
	CHECK(last_error_has("fdirect_bad_line"), "the line's text is not in last_error");
	free(t.s);
}

/* Modules of 2,048 functions each, fdirect_bulk_0 and so on. */
static const char bulks[] = "0123456789ab";

/* As many functions as there are stubs, and then one more. */
static void too_many(void)
{
	struct text kernel = { }, t = { };
	char name[32], path[PATH_MAX], *bulk;
	size_t kernel_functions, functions = 0, i;
	const char *c;
	int err = 0;

	/* Read before the modules come, which would make it slow. */
	kernel_functions = add_kernel_functions(&kernel, STUBS);

	add(&t, "# more than there are stubs\n");
	for (c = bulks; *c && functions + kernel_functions < STUBS; c++) {
		snprintf(name, sizeof(name), "fdirect_bulk_%c", *c);
		snprintf(path, sizeof(path), DEBUGFS "%s", name);
		err = load(name);
		if (err)
			break;
		bulk = must_slurp(path);
		for (i = 0; bulk[i]; i += strcspn(bulk + i, "\n") + 1, functions++)
			add(&t, "%.*s\n", (int)strcspn(bulk + i, "\n"), bulk + i);
		free(bulk);
	}
	for (i = 0; kernel.s[i] && functions < STUBS; i += strcspn(kernel.s + i, "\n") + 1) {
		add(&t, "%.*s\n", (int)strcspn(kernel.s + i, "\n"), kernel.s + i);
		functions++;
	}
	free(kernel.s);

	if (err) {
		CHECK(false, "loading %s.ko: %s", name, errname(err));
	} else if (functions < STUBS) {
		snprintf(skip_reason, sizeof(skip_reason), "only %zu functions to trace",
			 functions);
	} else {
		CHECK(!write_file(FDIRECT "functions", t.s, t.len), "as many as there are stubs");
		CHECK(status("functions") == STUBS, "%lld functions", status("functions"));
		CHECK(!choose_peers(3), "choosing functions");
		add(&t, "fdirect_peer_000\n");
		list_refused_at(__LINE__, t.s, t.len, E2BIG, "functions:65538:");
	}
	free(t.s);
	while (c-- > bulks) {
		snprintf(name, sizeof(name), "fdirect_bulk_%c", *c);
		if (loaded(name))
			CHECK(!unload(name), "unloading %s.ko", name);
	}
}

static void too_long(void)
{
	const size_t max = 16 * MiB;
	char *list = malloc(max + 1);
	size_t i;

	REQUIRE(!choose_peers(3), "choosing functions");
	memset(list, '#', max + 1);
	for (i = 99; i < max + 1; i += 100)
		list[i] = '\n';
	memcpy(list, "fdirect_peer_009\n", 17);
	list[max] = '\n';
	list[max - 1] = '\n';
	list_refused_at(__LINE__, list, max + 1, EFBIG, "functions");
	CHECK(!write_file(FDIRECT "functions", list, max), "16 MiB are allowed");
	CHECK(status("functions") == 1, "%lld functions", status("functions"));
	free(list);
}

static void list_while_attached(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	REQUIRE(!fdirect("control", "attach 1 1"), "attach");
	LIST_REFUSED("fdirect_peer_001\n", EBUSY, "attached");
	LIST_REFUSED("fdirect_no_such_function\n", EBUSY, "attached");
	CHECK(!fdirect("control", "detach"), "detach");
	CHECK(!fdirect("functions", "fdirect_peer_001\n"), "a list once nothing is attached");
}

/* -------------------------------------------------------------------------- */
/* The other files                                                              */

static void bad_values(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	REFUSED("method", "", EINVAL);
	REFUSED("method", "\n", EINVAL);
	REFUSED("method", "hashes", EINVAL);
	REFUSED("method", "has", EINVAL);
	REFUSED("method", "each multi", EINVAL);
	REFUSED("ops", "4", EINVAL);
	REFUSED("ops", "-1", EINVAL);
	REFUSED("ops", "", EINVAL);
	REFUSED("ops", "one", EINVAL);
	REFUSED("ops", "1 2", EINVAL);
	REFUSED("ops", "4294967296", EINVAL);
	REFUSED("hits", "1", EINVAL);
	REFUSED("hits", "", EINVAL);
	REFUSED("hits", "zero", EINVAL);
	CHECK(!fdirect("method", "multi\n") && !fdirect("ops", " 3\n"), "what is right is taken");
	CHECK(last_error_is_empty(), "a reason after a success");
}

static void bad_commands(void)
{
	static const char * const commands[] = {
		"", "\n", " ", "attack", "attachments", "attach 0", "attach 0 x", "attach x 1",
		"attach 0 1 x", "attach 0 1 2 3", "attach -1 1", "attach 0 -1", "attach 0,1",
		"attach 0 1\nattach 1 1\n", "detach 0", "detach 0 1 2", "detach x", "detach all",
		"attach 0 0", "detach 0 0",
		"modify 0 0 0", "modify", "modify 0", "modify 0 1", "modify 0 1 x",
		"modify 0 1 2 3", "0 1",
	};
	size_t i;

	REQUIRE(!choose_peers(3), "choosing functions");
	REQUIRE(!fdirect("control", "attach 1 1"), "attach");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		REFUSED("control", commands[i], EINVAL);
}

static void out_of_range(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	REFUSED("control", "attach 0 4", ERANGE);
	REFUSED("control", "attach 3 1", ERANGE);
	REFUSED("control", "attach 1 4294967295", ERANGE);
	REFUSED("control", "attach 4294967295 2", ERANGE);
	REFUSED("control", "attach 0 1 65536", ERANGE);
	REFUSED("control", "attach 0 99999999999999999999", ERANGE);
	REQUIRE(!fdirect("control", "attach"), "attach");
	REFUSED("control", "detach 0 4", ERANGE);
	REFUSED("control", "modify 2 2 0", ERANGE);
	REFUSED("control", "modify 3 1 0", ERANGE);
}

static void no_selection(void)
{
	REQUIRE(reloaded(), "a module that has just been loaded");
	REFUSED("control", "attach", ENODATA);
	REFUSED("control", "attach 0 1", ENODATA);
	REFUSED("control", "modify 0 1 0", ENODATA);
	REFUSED("control", "detach 0 1", ENODATA);
	CHECK(status("functions") == 0 && status("attached") == 0, "something is there");
}

static void not_attached(void)
{
	char *method;

	REQUIRE(!choose_peers(8), "choosing functions");
	REFUSED("control", "detach 0 1", ENOLINK);
	REFUSED("control", "modify 0 1 0", ENOLINK);
	REQUIRE(!fdirect("control", "attach 2 4"), "attach");
	REFUSED("control", "detach 0 1", ENOLINK);
	REFUSED("control", "detach 1 5", ENOLINK);
	REFUSED("control", "detach 2 5", ENOLINK);
	REFUSED("control", "modify 5 2 100", ENOLINK);
	REFUSED("control", "modify 0 8 100", ENOLINK);

	/* Attached by another method */
	method = first_line(FDIRECT "method");
	REQUIRE(!fdirect("method", "each"), "method each");
	REFUSED("control", "detach 2 4", ENOLINK);
	REFUSED("control", "modify 2 4 100", ENOLINK);
	CHECK(!fdirect("method", "%s", method), "method %s", method);
	free(method);

	CHECK(!fdirect("control", "detach"), "detach");
	REFUSED("control", "detach 2 1", ENOLINK);
}

static void second_attach(void)
{
	static const char * const methods[] = { "each", "multi", "hash" };
	size_t i;

	REQUIRE(!choose_peers(8), "choosing functions");
	for (i = 0; i < (has_hash() ? 3 : 2); i++) {
		CHECK(!fdirect("method", "%s", methods[i]), "method %s", methods[i]);
		CHECK(!fdirect("control", "attach 2 3"), "attach by %s", methods[i]);
		CHECK(!call_peers(0, 8, 5, 3), "calling");
		REFUSED("control", "attach", EBUSY);
		REFUSED("control", "attach 2 1", EBUSY);
		REFUSED("control", "attach 4 4", EBUSY);
		REFUSED("control", "attach 0 3 500", EBUSY);
		CHECK(!fdirect("control", "detach"), "detach");
	}
}

static void part_of_multi(void)
{
	REQUIRE(!choose_peers(8), "choosing functions");
	CHECK(!fdirect("method", "multi"), "method multi");
	REQUIRE(!fdirect("control", "attach 0 4"), "attach");
	REFUSED("control", "detach 0 2", EINVAL);
	REFUSED("control", "modify 0 2 9", EINVAL);
	REFUSED("control", "attach 4 1", EBUSY);
	CHECK(!fdirect("control", "detach 0 4"), "detach");
}

/* Only the mode keeps root from these, so what counts is that nothing happens. */
static void wrong_direction(void)
{
	static const char * const read_only[] = {
		"available_methods", "status", "times", "last_error",
	};
	struct picture before;
	char path[PATH_MAX], *text;
	size_t i;
	int err;

	REQUIRE(!choose_peers(3), "choosing functions");
	REQUIRE(!fdirect("control", "attach 1 1"), "attach");
	for (i = 0; i < ARRAY_SIZE(read_only); i++) {
		before = take_picture();
		snprintf(path, sizeof(path), FDIRECT "%s", read_only[i]);
		err = put(path, "0");
		CHECK(err, "%s can be written", read_only[i]);
		CHECK(as_before(&before), "writing %s changed something", read_only[i]);
	}
	before = take_picture();
	text = slurp(FDIRECT "control");
	CHECK(!text, "control can be read: \"%.40s\"", text);
	free(text);
	CHECK(as_before(&before), "reading control changed something");
}

/* Each file refuses whatever is written, and nothing happens. */
static void garbage_to_all(void)
{
	DIR *dir = opendir(FDIRECT);
	char *buf = malloc(MiB), path[PATH_MAX];
	struct picture before;
	struct dirent *d;
	int kind, files = 0, err;
	unsigned int seed = 1;
	size_t i, len;

	REQUIRE(dir, "the directory");
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		files++;
		snprintf(path, sizeof(path), FDIRECT "%s", d->d_name);
		for (kind = 0; kind < 6; kind++) {
			len = MiB;
			switch (kind) {
			case 0:
				memset(buf, 'A', len);
				break;
			case 1:
				memset(buf, '\n', len);
				break;
			case 2:
				memset(buf, 0, len);
				break;
			case 3:
				for (i = 0; i < len; i++)
					buf[i] = (seed = seed * 1664525 + 1013904223) >> 24;
				break;
			case 4:
				len = 4096;
				memset(buf, 0xff, len);
				break;
			case 5:
				len = sprintf(buf, "%%s%%s%%n%%p attach; ../../0 \\n $(detach)");
				break;
			}
			before = take_picture();
			err = write_file(path, buf, len);
			CHECK(err, "%s took garbage %d of %zu bytes", d->d_name, kind, len);
			CHECK(as_before(&before), "%s: garbage %d changed something",
			      d->d_name, kind);
		}
	}
	closedir(dir);
	free(buf);
	CHECK(files >= 9, "only %d files", files);
}

static void garbage_idle(void)
{
	REQUIRE(!choose_peers(8), "choosing functions");
	garbage_to_all();
	CHECK(!fdirect("control", "attach"), "attach afterwards");
}

static void garbage_attached(void)
{
	REQUIRE(!choose_peers(8), "choosing functions");
	REQUIRE(!fdirect("control", "attach 2 5"), "attach");
	CHECK(!call_peers(0, 8, 5, 3), "calling");
	garbage_to_all();
	CHECK(!fdirect("control", "detach"), "detach afterwards");
}

static void reason_of_the_last(void)
{
	REQUIRE(!choose_peers(3), "choosing functions");
	CHECK(last_error_is_empty(), "a reason before a refusal");
	CHECK(fdirect("control", "attach 7 1") == ERANGE, "attach 7 1");
	CHECK(!last_error_is_empty(), "no reason");
	CHECK(fdirect("control", "frobnicate") == EINVAL, "frobnicate");
	CHECK(last_error_has("commands"), "the reason of the one before");
	CHECK(!fdirect("control", "attach"), "attach");
	CHECK(last_error_is_empty(), "a reason after a success");
}

static const struct test tests[] = {
	{ "functions: an unknown name is ENOENT, with the line", unknown_names },
	{ "functions: a name of two functions is ENOTUNIQ, with the line", ambiguous_names },
	{ "functions: an address that is no function is ENODEV, with the line", bad_addresses },
	{ "functions: a function twice is EEXIST, with the line", duplicates },
	{ "functions: a line that makes no sense is EINVAL, with the line", bad_lines },
	{ "functions: an empty list is EINVAL", empty_lists },
	{ "functions: a list that does not end in a newline is EINVAL", unfinished_list },
	{ "functions: a second write is no second list", second_write },
	{ "functions: one bad line among 100,000 refuses them all", one_of_100000 },
	{ "functions: 65,536 functions are taken, one more is E2BIG", too_many },
	{ "functions: 16 MiB are taken, one byte more is EFBIG", too_long },
	{ "functions: a list while something is attached is EBUSY", list_while_attached },
	{ "method, ops, hits: a value that makes no sense is EINVAL", bad_values },
	{ "control: a command that makes no sense is EINVAL", bad_commands },
	{ "control: a range outside the selection is ERANGE", out_of_range },
	{ "control: commands without a selection are ENODATA", no_selection },
	{ "control: what is not attached is ENOLINK to detach and modify", not_attached },
	{ "control: what is attached is EBUSY to attach", second_attach },
	{ "control: multi changes all its functions or none", part_of_multi },
	{ "files are written and read only the way they are meant to be", wrong_direction },
	{ "1 MiB and other garbage to any file is refused while nothing is attached",
	  garbage_idle },
	{ "1 MiB and other garbage to any file is refused while functions are attached",
	  garbage_attached },
	{ "last_error has the reason of the last refusal, and nothing after a success",
	  reason_of_the_last },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect");
}
