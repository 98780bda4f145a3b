// SPDX-License-Identifier: GPL-2.0
/*
 * An unmodified libbpf 1.8 attaches programs to many functions of this kernel, and an
 * unmodified bpftool shows the links.
 *
 * usage: multi_link OBJECT BPFTOOL
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "multi_link.h"

/* bpf_fentry_test1() to bpf_fentry_test9(): BPF_PROG_TEST_RUN calls each of them once */
#define FUNCTIONS	9

static struct bpf_object *object;
static const char *bpftool;
static int counts;
static bool right;

static void check(bool holds, const char *format, ...)
{
	va_list args;

	if (holds)
		return;
	right = false;
	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static struct bpf_program *program(const char *name)
{
	return bpf_object__find_program_by_name(object, name);
}

static unsigned long long calls(__u32 place)
{
	unsigned long long number = 0;

	check(!bpf_map_lookup_elem(counts, &place, &number), "count %u: %s", place,
	      strerror(errno));
	return number;
}

static void run_functions(void)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	__u64 zero = 0;
	__u32 place;

	for (place = 0; place < CLIENT_COUNTS; place++)
		bpf_map_update_elem(counts, &place, &zero, BPF_ANY);
	check(!bpf_prog_test_run_opts(bpf_program__fd(program("entered")), &opts), "test run: %s",
	      strerror(errno));
}

static void attach_by_pattern(const char *name, __u32 place)
{
	struct bpf_link *link = bpf_program__attach(program(name));

	check(link, "%s: %s", name, strerror(errno));
	if (!link)
		return;
	run_functions();
	check(calls(place) == FUNCTIONS, "%llu calls, not %d", calls(place), FUNCTIONS);
	bpf_link__destroy(link);
	run_functions();
	check(calls(place) == 0, "%llu calls without the link", calls(place));
}

static void entry(void)		{ attach_by_pattern("entered", CLIENT_ENTERED); }
static void result(void)	{ attach_by_pattern("returned", CLIENT_RETURNED); }

/* In ids[], with the cookies in cookies[] */
static struct bpf_link *attach_by_ids(__u32 *ids, __u64 *cookies)
{
	LIBBPF_OPTS(bpf_tracing_multi_opts, opts, .ids = ids, .cookies = cookies, .cnt = FUNCTIONS);
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_link *link;
	char name[32];
	int i;

	for (i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "bpf_fentry_test%d", i + 1);
		ids[i] = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
		cookies[i] = CLIENT_FIRST_COOKIE + i;
	}
	btf__free(btf);
	link = bpf_program__attach_tracing_multi(program("told_apart"), NULL, &opts);
	check(link, "attaching by ids: %s", strerror(errno));
	return link;
}

static void cookies(void)
{
	__u32 ids[FUNCTIONS];
	__u64 cookies[FUNCTIONS];
	struct bpf_link *link = attach_by_ids(ids, cookies);
	int i;

	if (!link)
		return;
	run_functions();
	for (i = 0; i < FUNCTIONS; i++)
		check(calls(CLIENT_FIRST_COOKIE + i) == 1, "function %d: %llu calls", i + 1,
		      calls(CLIENT_FIRST_COOKIE + i));
	bpf_link__destroy(link);
}

/*
 * The text that bpftool shows of all links. Asked for one by its id, it shows the link, and its
 * exit code is that of whatever failed last.
 */
static const char *shown(const char *option)
{
	static char text[65536];
	char command[256];
	size_t size = 0;
	FILE *from;

	snprintf(command, sizeof(command), "%s %s link show 2>&1", bpftool, option);
	from = popen(command, "r");
	if (from)
		size = fread(text, 1, sizeof(text) - 1, from);
	text[size] = 0;
	check(from && pclose(from) == 0, "%s: %s", command, text);
	return text;
}

static void show(void)
{
	__u32 ids[FUNCTIONS];
	__u64 cookies[FUNCTIONS];
	struct bpf_link *link = attach_by_ids(ids, cookies);
	const char *text;
	char line[128];
	int i;

	if (!link)
		return;
	text = shown("");
	check(strstr(text, "tracing_multi") && strstr(text, "count 9"), "%s", text);
	text = shown("--json");
	for (i = 0; i < FUNCTIONS; i++) {
		snprintf(line, sizeof(line), "\"func\":\"bpf_fentry_test%d\"", i + 1);
		check(strstr(text, line), "no %s: %s", line, text);
		snprintf(line, sizeof(line), "\"cookie\":%llu", (unsigned long long)cookies[i]);
		check(strstr(text, line), "no %s: %s", line, text);
	}
	bpf_link__destroy(link);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "libbpf 1.8 attaches an fentry program by a pattern, and detaches it", entry },
	{ "libbpf 1.8 attaches an fexit program by a pattern, and detaches it", result },
	{ "libbpf 1.8 attaches by ids, with a cookie for each function", cookies },
	{ "bpftool shows the functions and cookies of a link", show },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 3)
		ksft_exit_fail_msg("usage: multi_link OBJECT BPFTOOL\n");
	bpftool = argv[2];
	ksft_print_header();
	ksft_set_plan(ARRAY_SIZE(tests));
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object))
		ksft_exit_fail_msg("%s is not loaded: %s\n", argv[1], strerror(errno));
	counts = bpf_map__fd(bpf_object__find_map_by_name(object, "counts"));
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		right = true;
		tests[i].run();
		ksft_test_result(right, "%s\n", tests[i].name);
	}
	bpf_object__close(object);
	ksft_finished();
}
