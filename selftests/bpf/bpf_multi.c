// SPDX-License-Identifier: GPL-2.0
/*
 * One program on many functions (BPF_LINK_TYPE_TRACING_MULTI): it sees every call with its
 * arguments, its result, its function and its cookie while it is attached, and none
 * afterwards, whatever else comes to its functions and goes. A link attaches to all of its
 * functions or to none, with the errno that says why. A program that modifies the return
 * value keeps functions from running, those that such a program is allowed for.
 */
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <pthread.h>
#include <linux/bpf.h>

#include "bpf_trace.h"
#include "direct_api.h"
#include "livepatch.h"

#define MULTI_LINK		15

/* Of Linux 7: programs that are called when a function is entered, and when it returns */
#define FSESSION_TYPE		58
#define FSESSION_MULTI_TYPE	((enum bpf_attach_type)61)

/* As in the headers of a kernel that has these links */
struct multi_info {
	__u32 type, id, prog_id, pad;
	__u32 attach_type, count, btf_obj_id, pad2;
	__u64 ids, addrs, cookies;
	__u64 rest[4];
};

/* -------------------------------------------------------------------------- */
/* Programs                                                                     */

/* The calls that a program has seen of the functions with one cookie */
struct seen {
	unsigned long long hits, ip, count, args[3], ret;
	unsigned long long user, copied;	/* it reads what is at @user, if that is not 0 */
	/* what it returns in 32 bits, as clang does, if it modifies the return value */
	int instead;
};

#define SEEN	1024

static struct seen *seen;
static int seen_map;

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOVI(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADDI(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define ANDI(d, i)	INSN(BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, i)
#define HELPER(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT()		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define LDX(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define LDXW(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_W, d, s, o, 0)
#define STX(d, s, o)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STXW(d, s, o)	INSN(BPF_STX | BPF_MEM | BPF_W, d, s, o, 0)
#define STW(d, o, i)	INSN(BPF_ST | BPF_MEM | BPF_W, d, 0, o, i)
#define ADD(d, s, o)	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define IFNE0(d, o)	INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, 0)

enum { BY_COOKIE = -1, COUNT_ONLY = -2 };

/* What programs return in the place of functions that return something else */
#define MODIFIED	4711

/* The first of the arguments that programs read */
static int first_arg;

/*
 * A program that writes into the seen[] with the number @where, or with the cookie for
 * BY_COOKIE. COUNT_ONLY counts in seen[0] and asks for nothing.
 */
static int load_multi(int type, int where, int btf_fd, int btf_id, unsigned int flags)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type,
		    .attach_btf_obj_fd = btf_fd, .attach_btf_id = btf_id, .prog_flags = flags);
	const bool modifies = type == FMOD_RET_MULTI_TYPE;
	const struct bpf_insn result = modifies ? LDXW(0, 7, offsetof(struct seen, instead)) :
						  MOVI(0, 0);
	struct bpf_insn insns[96];
	int n = 0, i;

#define ADD_INSN(x) (insns[n++] = (x))
	ADD_INSN(MOV(6, 1));
	if (where == BY_COOKIE) {
		ADD_INSN(HELPER(BPF_FUNC_get_attach_cookie));
		ADD_INSN(ANDI(0, SEEN - 1));
		ADD_INSN(STXW(10, 0, -4));
	} else {
		ADD_INSN(STW(10, -4, where < 0 ? 0 : where));
	}
	insns[n++] = INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, seen_map);
	insns[n++] = INSN(0, 0, 0, 0, 0);
	ADD_INSN(MOV(2, 10));
	ADD_INSN(ADDI(2, -4));
	ADD_INSN(HELPER(BPF_FUNC_map_lookup_elem));
	ADD_INSN(IFNE0(0, 2));
	ADD_INSN(MOVI(0, 0));
	ADD_INSN(EXIT());
	ADD_INSN(MOV(7, 0));
	ADD_INSN(MOVI(1, 1));
	ADD_INSN(ADD(7, 1, 0));
	if (where != COUNT_ONLY) {
		ADD_INSN(MOV(1, 6));
		ADD_INSN(HELPER(BPF_FUNC_get_func_ip));
		ADD_INSN(STX(7, 0, offsetof(struct seen, ip)));
		ADD_INSN(MOV(1, 6));
		ADD_INSN(HELPER(BPF_FUNC_get_func_arg_cnt));
		ADD_INSN(STX(7, 0, offsetof(struct seen, count)));
		for (i = 0; i < 3; i++) {
			ADD_INSN(MOV(1, 6));
			ADD_INSN(MOVI(2, first_arg + i));
			ADD_INSN(MOV(3, 10));
			ADD_INSN(ADDI(3, -16));
			ADD_INSN(HELPER(BPF_FUNC_get_func_arg));
			ADD_INSN(IFNE0(0, 2));
			ADD_INSN(LDX(1, 10, -16));
			ADD_INSN(STX(7, 1, offsetof(struct seen, args) + 8 * i));
		}
	}
	if (where != COUNT_ONLY && (type == FEXIT_MULTI_TYPE || modifies)) {
		ADD_INSN(MOV(1, 6));
		ADD_INSN(MOV(2, 10));
		ADD_INSN(ADDI(2, -16));
		ADD_INSN(HELPER(BPF_FUNC_get_func_ret));
		ADD_INSN(LDX(1, 10, -16));
		ADD_INSN(STX(7, 1, offsetof(struct seen, ret)));
	}
	if (btf_id) {
		ADD_INSN(LDX(1, 6, 0));
		ADD_INSN(STX(7, 1, offsetof(struct seen, args)));
	}
	if (flags & BPF_F_SLEEPABLE) {
		ADD_INSN(MOV(1, 7));
		ADD_INSN(ADDI(1, offsetof(struct seen, copied)));
		ADD_INSN(MOVI(2, sizeof(seen->copied)));
		ADD_INSN(LDX(3, 7, offsetof(struct seen, user)));
		ADD_INSN(IFNE0(3, 2));
		ADD_INSN(result);
		ADD_INSN(EXIT());
		ADD_INSN(HELPER(BPF_FUNC_copy_from_user));
	}
	ADD_INSN(result);
	ADD_INSN(EXIT());
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "multi", "GPL", insns, n, &opts);
}

static int fentry_multi(int where)
{
	return load_multi(FENTRY_MULTI_TYPE, where, 0, 0, 0);
}

static int fexit_multi(int where)
{
	return load_multi(FEXIT_MULTI_TYPE, where, 0, 0, 0);
}

static int fmod_ret_multi(int where)
{
	return load_multi(FMOD_RET_MULTI_TYPE, where, 0, 0, 0);
}

static unsigned long long seen_hits(int i)
{
	return __atomic_load_n(&seen[i].hits, __ATOMIC_RELAXED);
}

static void forget_seen(void)
{
	memset(seen, 0, SEEN * sizeof(*seen));
}

/* -------------------------------------------------------------------------- */
/* Functions                                                                    */

static unsigned long address_of(const char *function)
{
	char *text = must_slurp("/proc/kallsyms"), *line, *next = text, name[128];
	unsigned long address, found = 0;

	while (!found && (line = strsep(&next, "\n"))) {
		if (sscanf(line, "%lx %*c %127s", &address, name) == 2 && !strcmp(name, function))
			found = address;
	}
	free(text);
	return found;
}

static __u32 id_of(const char *function)
{
	int id = find_type(types_of(""), function, BTF_KIND_FUNC);

	return id < 0 ? 0 : id;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of functions that ftrace has, or of symbols, sorted */
static size_t sorted_names(char *text, bool symbols, char ***names)
{
	char *line, *next = text;
	size_t nr = 0, room = 0;

	*names = NULL;
	while ((line = strsep(&next, "\n"))) {
		if (!*line || strchr(line, '['))
			continue;
		if (symbols && strrchr(line, ' '))
			line = strrchr(line, ' ') + 1;
		if (nr == room) {
			room = room ? 2 * room : 4096;
			*names = realloc(*names, room * sizeof(**names));
		}
		(*names)[nr++] = line;
	}
	qsort(*names, nr, sizeof(**names), compare_names);
	return nr;
}

/* All functions of the kernel that a link takes: those that are the only one of a name */
static size_t all_functions(__u32 **ids)
{
	char *texts[2] = { must_slurp(TRACEFS "available_filter_functions"),
			   must_slurp("/proc/kallsyms") };
	struct types *types = types_of("");
	char **names[2], **symbol;
	size_t nr[2], found = 0;
	__u32 id;

	nr[0] = sorted_names(texts[0], false, &names[0]);
	nr[1] = sorted_names(texts[1], true, &names[1]);
	*ids = malloc(btf__type_cnt(types->btf) * sizeof(**ids));
	for (id = 1; id < btf__type_cnt(types->btf); id++) {
		const struct btf_type *type = btf__type_by_id(types->btf, id);
		const char *name = btf__name_by_offset(types->btf, type->name_off);

		if (btf_kind(type) != BTF_KIND_FUNC ||
		    !bsearch(&name, names[0], nr[0], sizeof(*names[0]), compare_names))
			continue;
		symbol = bsearch(&name, names[1], nr[1], sizeof(*names[1]), compare_names);
		if (!symbol || (symbol > names[1] && !strcmp(symbol[-1], name)) ||
		    (symbol < names[1] + nr[1] - 1 && !strcmp(symbol[1], name)))
			continue;
		(*ids)[found++] = id;
	}
	free(names[0]);
	free(names[1]);
	free(texts[0]);
	free(texts[1]);
	return found;
}

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * Attach to as many of @ids as can be: those that one link alone is refused for are left
 * out, found by halves. Returns how many are left.
 */
static size_t keep_attachable(int prog, int type, __u32 *ids, size_t nr)
{
	size_t half = nr / 2, kept, rest;
	int link;

	if (!nr)
		return 0;
	link = attach_multi(prog, type, ids, NULL, nr);
	if (link >= 0) {
		close(link);
		return nr;
	}
	if (nr == 1)
		return 0;
	kept = keep_attachable(prog, type, ids, half);
	rest = keep_attachable(prog, type, ids + half, nr - half);
	memmove(ids + kept, ids + half, rest * sizeof(*ids));
	return kept + rest;
}

/* Images for many functions: they have numbers that no trampoline of one function has. */
static int shared_images(void)
{
	char *text = must_slurp("/proc/kallsyms"), *next = text;
	int nr = 0;

	while ((next = strstr(next, "bpf_trampoline_")))
		nr += strtoull(next += strlen("bpf_trampoline_"), NULL, 10) >> 63;
	free(text);
	return nr;
}

/*
 * All functions that any link takes. Finding them takes hundreds of links, so it is done once.
 * Without shared images each link takes an image for each function, which takes ten times as
 * long: one function in eight is enough then.
 */
static size_t attachable_functions(const __u32 **ids)
{
	static __u32 *found;
	static size_t nr;
	__u32 one = id_of("bpf_fentry_test1");
	size_t all, i;
	int prog, link;

	if (!found) {
		prog = load_multi(FEXIT_MULTI_TYPE, COUNT_ONLY, 0, 0, 0);
		all = all_functions(&found);
		link = attach_multi(prog, FEXIT_MULTI_TYPE, &one, NULL, 1);
		CHECK(link >= 0, "attaching: %s", errname(-link));
		if (!shared_images()) {
			for (i = 0; i < all / 8; i++)
				found[i] = found[8 * i];
			all = i;
		}
		close(link);
		nr = keep_attachable(prog, FEXIT_MULTI_TYPE, found, all);
		close(prog);
		ksft_print_msg("%zu of %zu functions\n", nr, all);
		CHECK(nr > all - all / 20 && nr > 1000, "%zu of %zu", nr, all);
	}
	*ids = found;
	return nr;
}

/* The functions that BPF_PROG_TEST_RUN calls once each, with arguments and results */
static const struct {
	const char *name;
	unsigned int count;
	unsigned long long args[3], ret;
} tested[] = {
	{ "bpf_fentry_test1", 1, { 1 }, 2 },
	{ "bpf_fentry_test2", 2, { 2, 3 }, 5 },
	{ "bpf_fentry_test3", 3, { 4, 5, 6 }, 15 },
	{ "bpf_fentry_test4", 4, { 7, 8, 9 }, 34 },
	{ "bpf_fentry_test5", 5, { 11, 12, 13 }, 65 },
	{ "bpf_fentry_test6", 6, { 16, 17, 18 }, 111 },
};

#define TESTED ARRAY_SIZE(tested)

static __u32 tested_ids[TESTED];
static __u64 tested_cookies[TESTED];
static unsigned long tested_addrs[TESTED];

static void run_tested(int prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	CHECK(!bpf_prog_test_run_opts(prog, &opts), "the functions return what they do: %s",
	      errname(errno));
}

/* Were all of them seen @times, with all there is to see? */
static void check_tested(int first, unsigned int times, bool ret)
{
	static const unsigned int bytes[] = { 0xff, 0xff, 0xff };
	size_t i, k;

	for (i = 0; i < TESTED; i++) {
		const struct seen *s = &seen[first + i];

		CHECK(s->hits == times, "%s: %llu of %u calls", tested[i].name, s->hits, times);
		if (!times)
			continue;
		CHECK(s->ip == tested_addrs[i], "%s: at %llx", tested[i].name, s->ip);
		CHECK(s->count == tested[i].count, "%s: %llu arguments", tested[i].name, s->count);
		for (k = 0; k < 3 && k < tested[i].count; k++)
			CHECK((s->args[k] & bytes[k]) == tested[i].args[k],
			      "%s: argument %zu: %llu", tested[i].name, k, s->args[k]);
		CHECK(!ret || (unsigned int)s->ret == tested[i].ret, "%s: returned %llu",
		      tested[i].name, s->ret);
	}
}

static void cookies_from(int first)
{
	size_t i;

	for (i = 0; i < TESTED; i++)
		tested_cookies[i] = first + i;
}

/* -------------------------------------------------------------------------- */
/* Tests                                                                        */

static void arguments(void)
{
	int prog, link, k, round;

	for (k = 0; k < 2; k++) {
		forget_seen();
		prog = k ? fexit_multi(BY_COOKIE) : fentry_multi(BY_COOKIE);
		REQUIRE(prog >= 0, "loading: %s", errname(-prog));
		cookies_from(1);
		link = attach_multi(prog, FENTRY_MULTI_TYPE + k, tested_ids, tested_cookies,
				    TESTED);
		REQUIRE(link >= 0, "attaching: %s", errname(-link));
		for (round = 1; round <= 3; round++) {
			run_tested(prog);
			check_tested(1, round, k);
		}
		close(link);
		run_tested(prog);
		check_tested(1, 3, k);
		close(prog);
	}
}

static void order_of_cookies(void)
{
	__u32 ids[TESTED];
	__u64 cookies[TESTED];
	int prog = fentry_multi(BY_COOKIE), link;
	size_t i;

	REQUIRE(prog >= 0, "loading: %s", errname(-prog));
	forget_seen();
	for (i = 0; i < TESTED; i++) {
		ids[i] = tested_ids[TESTED - 1 - i];
		cookies[i] = TESTED - i;
	}
	link = attach_multi(prog, FENTRY_MULTI_TYPE, ids, cookies, TESTED);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	run_tested(prog);
	check_tested(1, 1, false);
	close(link);

	forget_seen();
	link = attach_multi(prog, FENTRY_MULTI_TYPE, ids, NULL, TESTED);
	REQUIRE(link >= 0, "attaching without cookies: %s", errname(-link));
	run_tested(prog);
	CHECK(seen_hits(0) == TESTED, "without cookies: %llu calls", seen_hits(0));
	close(link);
	close(prog);
}

static void link_info(void)
{
	struct multi_info info = { 0 };
	__u32 len = sizeof(info), ids[TESTED];
	__u64 addrs[TESTED], cookies[TESTED];
	int prog = fentry_multi(BY_COOKIE), link;
	char path[64], line[128], *text;
	unsigned int shown = 0;
	size_t i;

	cookies_from(10);
	link = attach_multi(prog, FENTRY_MULTI_TYPE, tested_ids, tested_cookies, TESTED);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	CHECK(!bpf_obj_get_info_by_fd(link, &info, &len), "%s", errname(errno));
	CHECK(info.type == MULTI_LINK && info.attach_type == FENTRY_MULTI_TYPE &&
	      info.count == TESTED && info.btf_obj_id, "type %u, attach type %u, count %u, BTF %u",
	      info.type, info.attach_type, info.count, info.btf_obj_id);

	memset(&info, 0, sizeof(info));
	info.count = TESTED;
	info.ids = (uintptr_t)ids;
	info.addrs = (uintptr_t)addrs;
	info.cookies = (uintptr_t)cookies;
	len = sizeof(info);
	CHECK(!bpf_obj_get_info_by_fd(link, &info, &len), "%s", errname(errno));
	/* Linux 7 shows the call site in the function */
	if (is_linux_7())
		shown = addrs[0] - tested_addrs[0];
	CHECK(shown < 16, "bpf_fentry_test1 at %llx", addrs[0]);
	for (i = 0; i < TESTED; i++)
		CHECK(ids[i] == tested_ids[i] && addrs[i] == tested_addrs[i] + shown &&
		      cookies[i] == 10 + i, "%s: id %u, %llx, cookie %llu", tested[i].name, ids[i],
		      addrs[i], cookies[i]);

	memset(&info, 0, sizeof(info));
	info.ids = (uintptr_t)ids;
	len = sizeof(info);
	CHECK(bpf_obj_get_info_by_fd(link, &info, &len) && errno == EINVAL,
	      "room for no ids: %s", errname(errno));
	info.ids = 0;
	info.count = 1;
	CHECK(!bpf_obj_get_info_by_fd(link, &info, &len) && info.count == TESTED,
	      "no ids asked for: %s, %u", errname(errno), info.count);

	memset(&info, 0, sizeof(info));
	info.count = 2;
	info.ids = (uintptr_t)ids;
	len = sizeof(info);
	CHECK(bpf_obj_get_info_by_fd(link, &info, &len) && errno == ENOSPC, "%s", errname(errno));

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", link);
	text = must_slurp(path);
	CHECK(strstr(text, "link_type:\ttracing_multi\n") && strstr(text, "attach_type:\t59\n") &&
	      strstr(text, "cnt:\t6\n"), "fdinfo: %s", text);
	for (i = 0; i < TESTED; i++) {
		snprintf(line, sizeof(line), "\t %u\t %zu\t %s+0x%x/", tested_ids[i], 10 + i,
			 tested[i].name, shown);
		CHECK(strstr(text, line), "no %s in fdinfo: %s", line, text);
	}
	free(text);
	close(link);
	close(prog);
}

#define REFUSED_LINK(want, ...) \
	do { \
		struct multi_attr attr = { \
			.prog_fd = prog, .attach_type = FENTRY_MULTI_TYPE, \
			.ids = (uintptr_t)ids, .cnt = 3, ##__VA_ARGS__ \
		}; \
		int got = create_multi(&attr); \
		CHECK(got == -(want), #__VA_ARGS__ ": %s", got < 0 ? errname(-got) : "attached"); \
		if (got >= 0) \
			close(got); \
	} while (0)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static void errnos(void)
{
	static const char *const never_return[] = {
		"do_exit", "do_task_dead", SYSCALL_PREFIX "exit", SYSCALL_PREFIX "exit_group",
	};
	int prog = fentry_multi(COUNT_ONLY), fexit = fexit_multi(COUNT_ONLY), link;
	__u32 ids[3] = { tested_ids[0], tested_ids[1], tested_ids[2] };
	__u32 other;
	size_t i;
	int type;

	REQUIRE(prog >= 0 && fexit >= 0, "loading");
	REFUSED_LINK(EINVAL, .cnt = 0);
	REFUSED_LINK(EINVAL, .ids = 0);
	REFUSED_LINK(EINVAL, .flags = 1);
	REFUSED_LINK(EINVAL, .target_fd = 1);
	/* Linux 7 does not read what follows its attributes */
	if (!is_linux_7()) {
		REFUSED_LINK(EINVAL, .rest = { 1 });
		REFUSED_LINK(EINVAL, .rest = { 0, 0, 1 });
	}
	REFUSED_LINK(E2BIG, .cnt = (1 << 20) + 1);
	REFUSED_LINK(E2BIG, .cnt = INT_MAX);
	REFUSED_LINK(E2BIG, .cnt = UINT_MAX);
	REFUSED_LINK(EFAULT, .ids = 8);
	REFUSED_LINK(EFAULT, .cookies = 8);
	REFUSED_LINK(EINVAL, .attach_type = FEXIT_MULTI_TYPE);
	REFUSED_LINK(EINVAL, .attach_type = BPF_TRACE_FENTRY);
	ids[2] = ids[0];
	REFUSED_LINK(EINVAL);
	ids[2] = 0;
	REFUSED_LINK(EINVAL);
	ids[2] = 1;
	REFUSED_LINK(EINVAL);
	ids[2] = 1 << 24; /* BTF has at most 1 << 20 types */
	REFUSED_LINK(EINVAL);
	ids[2] = UINT_MAX;
	REFUSED_LINK(EINVAL);

	other = id_of("migrate_disable");
	if (other) {
		ids[2] = other;
		REFUSED_LINK(EINVAL);
	}
	for (i = 0; i < ARRAY_SIZE(never_return); i++) {
		ids[2] = id_of(never_return[i]);
		if (!ids[2])
			continue;
		link = attach_multi(fexit, FEXIT_MULTI_TYPE, ids, NULL, 3);
		CHECK(link == -EINVAL, "fexit of %s, which never returns: %d", never_return[i],
		      link);
		link = attach_multi(prog, FENTRY_MULTI_TYPE, ids, NULL, 3);
		CHECK(link >= 0, "its fentry: %d", link);
		close(link);
	}
	/* Not the call site of a function: ftrace leaves it out */
	other = id_of("__bpf_tramp_enter");
	if (other) {
		ids[2] = other;
		REFUSED_LINK(ENOENT);
	}
	for (type = 57; type <= 256; type++) {
		if (type == FENTRY_MULTI_TYPE || type == FEXIT_MULTI_TYPE ||
		    type == FMOD_RET_MULTI_TYPE)
			continue;
		if (is_linux_7() && (type == FSESSION_TYPE || type == FSESSION_MULTI_TYPE))
			continue;
		CHECK(load_multi(type, COUNT_ONLY, 0, 0, 0) == -EINVAL, "attach type %d", type);
		CHECK(load_multi(type, COUNT_ONLY, 0, tested_ids[0], 0) == -EINVAL,
		      "attach type %d with a function", type);
	}
	/* None of the functions that are all right was attached */
	forget_seen();
	run_tested(prog);
	CHECK(seen_hits(0) == 0, "%llu calls", seen_hits(0));
	close(fexit);
	close(prog);
}

static void same_program_twice(void)
{
	int prog = fentry_multi(COUNT_ONLY), link, second;

	forget_seen();
	link = attach_multi(prog, FENTRY_MULTI_TYPE, tested_ids, NULL, TESTED);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	second = attach_multi(prog, FENTRY_MULTI_TYPE, tested_ids + 2, NULL, 1);
	CHECK(second == -EBUSY, "again on one: %d", second);
	run_tested(prog);
	CHECK(seen_hits(0) == TESTED, "%llu calls", seen_hits(0));
	close(link);
	second = attach_multi(prog, FENTRY_MULTI_TYPE, tested_ids + 2, NULL, 1);
	CHECK(second >= 0, "when the other is gone: %d", second);
	close(second);
	close(prog);
}

#pragma GCC diagnostic pop

/* A return value that no program can read */
static void long_results(void)
{
	const struct btf *btf = types_of("")->btf;
	const struct btf_type *type, *result;
	__u32 id, found = 0;
	int prog = fexit_multi(COUNT_ONLY), modifying = fmod_ret_multi(COUNT_ONLY), link;

	for (id = 1; !found && id < btf__type_cnt(btf); id++) {
		type = btf__type_by_id(btf, id);
		if (btf_kind(type) != BTF_KIND_FUNC)
			continue;
		type = btf__type_by_id(btf, type->type);
		if (!type->type || btf__resolve_size(btf, type->type) <= 8)
			continue;
		result = btf__type_by_id(btf, btf__resolve_type(btf, type->type));
		if (btf_kind(result) == BTF_KIND_INT)
			found = id;
	}
	if (!found)
		SKIP("no function of this kernel returns more than 8 bytes");
	link = attach_multi(prog, FEXIT_MULTI_TYPE, &found, NULL, 1);
	CHECK(link == -EOPNOTSUPP, "%s: %d",
	      btf__name_by_offset(btf, btf__type_by_id(btf, found)->name_off), link);
	close(prog);
	if (modifying < 0)
		return;
	link = attach_multi(modifying, FMOD_RET_MULTI_TYPE, &found, NULL, 1);
	CHECK(link == -EOPNOTSUPP, "a program that modifies the return value: %d", link);
	close(modifying);
}

/* One function with all links that it can have: one more is refused, and takes none away. */
static void too_many_links(void)
{
	int progs[MOST_PROGRAMS + 1], links[MOST_PROGRAMS], limit = most_programs(), most = limit;
	int more, i, id;

	forget_seen();
	for (i = 0; i <= limit; i++) {
		progs[i] = fentry_multi(i);
		REQUIRE(progs[i] >= 0, "loading: %s", errname(-progs[i]));
	}
	for (i = 0; i < most; i++) {
		links[i] = attach_multi(progs[i], FENTRY_MULTI_TYPE, tested_ids, NULL, TESTED);
		if (links[i] == -E2BIG && i >= programs_that_fit())
			most = i;
		else
			REQUIRE(links[i] >= 0, "link %d: %s", i, errname(-links[i]));
	}
	more = attach_multi(progs[most], FENTRY_MULTI_TYPE, tested_ids, NULL, TESTED);
	CHECK(more == -E2BIG, "one link more: %d", more);
	if (most == limit) {
		id = trace(FENTRY, "bpf_fentry_test2");
		CHECK(id == -E2BIG, "one program more: %d", id);
	}
	run_tested(progs[0]);
	for (i = 0; i < most; i++)
		CHECK(seen_hits(i) == TESTED, "link %d: %llu calls", i, seen_hits(i));
	CHECK(seen_hits(most) == 0, "the link that was refused: %llu calls", seen_hits(most));

	/* One goes, from the middle, and an ordinary program has room */
	close(links[most / 2]);
	id = trace(FENTRY, "bpf_fentry_test2");
	ATTACHED(id);
	if (most == limit) {
		more = attach_multi(progs[most], FENTRY_MULTI_TYPE, tested_ids, NULL, TESTED);
		CHECK(more == -E2BIG, "one link more than the ordinary trampoline takes: %d", more);
	}
	forget_seen();
	run_tested(progs[0]);
	CHECK(hits(id) == 1, "the ordinary program: %llu calls", hits(id));
	for (i = 0; i < most; i++)
		CHECK(seen_hits(i) == (i == most / 2 ? 0 : TESTED), "link %d: %llu calls", i,
		      seen_hits(i));
	drop_tracer(id);
	for (i = 0; i < most; i++) {
		if (i != most / 2)
			close(links[i]);
	}
	for (i = 0; i <= limit; i++)
		close(progs[i]);
}

/* Addresses are for those who may see them. */
static void hidden_addresses(void)
{
	struct multi_info info = { .count = TESTED };
	__u32 len = sizeof(info), ids[TESTED];
	__u64 addrs[TESTED];
	int prog = fentry_multi(COUNT_ONLY), link;
	char *restrict_before = first_line("/proc/sys/kernel/kptr_restrict");
	size_t i;

	link = attach_multi(prog, FENTRY_MULTI_TYPE, tested_ids, NULL, TESTED);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	info.ids = (uintptr_t)ids;
	info.addrs = (uintptr_t)addrs;
	memset(addrs, 1, sizeof(addrs));
	REQUIRE(!put("/proc/sys/kernel/kptr_restrict", "2"), "kptr_restrict");
	CHECK(!bpf_obj_get_info_by_fd(link, &info, &len), "%s", errname(errno));
	CHECK(!put("/proc/sys/kernel/kptr_restrict", restrict_before), "kptr_restrict");
	for (i = 0; i < TESTED; i++)
		CHECK(ids[i] == tested_ids[i] && !addrs[i], "%s: id %u, %llx", tested[i].name,
		      ids[i], addrs[i]);
	free(restrict_before);
	close(link);
	close(prog);
}

/* A program may not read arguments of functions that it does not know */
static void context_is_closed(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = FENTRY_MULTI_TYPE);
	struct bpf_insn insns[] = { LDX(0, 1, 0), MOVI(0, 0), EXIT() };
	int prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "multi", "GPL", insns, 3, &opts);

	CHECK(prog < 0 && errno == EACCES, "%d, %s", prog, errname(errno));
	if (prog >= 0)
		close(prog);
}

static void named_prototype(void)
{
	__u32 same[2] = { id_of("bpf_fentry_test1"), 0 };
	int prog = load_multi(FENTRY_MULTI_TYPE, 0, 0, id_of("bpf_fentry_test1"), 0), link;
	int array, key = 0;

	if (is_linux_7())
		SKIP("Linux 7 loads no such program");
	REQUIRE(prog >= 0, "loading: %s", errname(-prog));
	forget_seen();
	link = attach_multi(prog, FENTRY_MULTI_TYPE, same, NULL, 1);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	run_tested(prog);
	CHECK(seen_hits(0) == 1 && (int)seen[0].args[0] == 1, "%llu calls with %llu", seen[0].hits,
	      seen[0].args[0]);
	close(link);
	/* bpf_fentry_test4 begins with a pointer */
	same[1] = id_of("bpf_fentry_test4");
	link = attach_multi(prog, FENTRY_MULTI_TYPE, same, NULL, 2);
	CHECK(link == -EINVAL, "a function with another argument: %d", link);
	/* A tail call would take it to functions that nobody has compared */
	array = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "multi", 4, 4, 1, NULL);
	CHECK(bpf_map_update_elem(array, &key, &prog, BPF_ANY) && errno == EINVAL,
	      "in an array of programs: %s", errname(errno));
	close(array);
	close(prog);
}

/* The last argument has 4 bytes, and is the only one on the stack on x86_64. */
static void small_last_argument(void)
{
	struct types *types = types_of("fdirect_subject");
	__u32 id = find_type(types, "fdirect_subject_seven", BTF_KIND_FUNC);
	int progs[2], link, i, value;

	first_arg = 5;
	progs[0] = load_multi(FENTRY_MULTI_TYPE, 0, types->fd, 0, 0);
	progs[1] = load_multi(BPF_TRACE_FENTRY, 1, types->fd, id, 0);
	first_arg = 0;
	REQUIRE(progs[0] >= 0 && progs[1] >= 0, "loading: %s, %s", errname(-progs[0]),
		errname(-progs[1]));
	forget_seen();
	for (i = 0; i < 2; i++) {
		link = i ? bpf_link_create(progs[1], 0, BPF_TRACE_FENTRY, NULL) :
			   attach_multi(progs[0], FENTRY_MULTI_TYPE, &id, NULL, 1);
		REQUIRE(link >= 0, "attaching: %s", errname(-link));
		value = call_function("seven", 1, 5);
		CHECK(value == 11, "the function returns %d", value);
		close(link);
	}
	CHECK((__u32)seen[0].args[1] == 5, "the last argument: %llx", seen[0].args[1]);
	CHECK(seen[0].args[1] == seen[1].args[1], "a link shows %llx, an ordinary program %llx",
	      seen[0].args[1], seen[1].args[1]);
	close(progs[0]);
	close(progs[1]);
}

/* Two links and an ordinary program come to the tested functions and go, in all orders. */
static void overlaps(void)
{
	static const int orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	int progs[2], links[3], come, go, i, k, id = 0;
	bool on[3];

	for (k = 0; k < 4; k++) {
		progs[0] = load_multi(FENTRY_MULTI_TYPE + (k & 1), BY_COOKIE, 0, 0, 0);
		progs[1] = load_multi(FENTRY_MULTI_TYPE + (k >> 1), BY_COOKIE, 0, 0, 0);
		REQUIRE(progs[0] >= 0 && progs[1] >= 0, "loading");
		for (come = 0; come < 6; come++) {
			for (go = 0; go < 6; go++) {
				memset(on, 0, sizeof(on));
				for (i = 0; i < 6; i++) {
					int who = i < 3 ? orders[come][i] : orders[go][i - 3];
					int type = FENTRY_MULTI_TYPE + (who ? k >> 1 : k & 1);

					on[who] = i < 3;
					if (i < 3 && who == 2) {
						id = trace(k & 1 ? FEXIT : FENTRY,
							   "bpf_fentry_test2");
						REQUIRE(ATTACHED(id), "ordinary");
					} else if (who == 2) {
						drop_tracer(id);
						used_tracers--;
					} else if (i < 3) {
						cookies_from(who ? 101 : 1);
						links[who] = attach_multi(progs[who], type,
									  tested_ids + who,
									  tested_cookies + who,
									  TESTED - who);
						REQUIRE(links[who] >= 0, "link %d: %s", who,
							errname(-links[who]));
					} else {
						close(links[who]);
					}
					forget_seen();
					cells[id].hits = 0;
					run_tested(progs[0]);
					CHECK(seen_hits(1) == on[0] && seen_hits(2) == on[0] &&
					      seen_hits(6) == on[0] && seen_hits(102) == on[1] &&
					      seen_hits(106) == on[1],
					      "kinds %d, orders %d, %d, step %d: %llu %llu %llu, %llu %llu",
					      k, come, go, i, seen_hits(1), seen_hits(2),
					      seen_hits(6), seen_hits(102), seen_hits(106));
					CHECK(!on[2] || hits(id) == 1, "ordinary: %llu calls",
					      hits(id));
					CHECK(!on[0] || seen[2].ip == tested_addrs[1],
					      "at %llx", seen[2].ip);
				}
			}
		}
		close(progs[0]);
		close(progs[1]);
	}
}

/* Ids of the functions of fdirect_subject.ko, and a cookie for each */
static void subjects(__u32 *ids, __u64 *cookies)
{
	int n;

	subject_ids(ids);
	for (n = 0; n < SUBJECTS; n++)
		cookies[n] = 1 + n;
}

static void modules_functions(void)
{
	__u32 ids[SUBJECTS];
	__u64 cookies[SUBJECTS];
	int prog, link, n, err, round;

	for (round = 0; round < 2; round++) {
		subjects(ids, cookies);
		forget_seen();
		prog = load_multi(round ? FEXIT_MULTI_TYPE : FENTRY_MULTI_TYPE, BY_COOKIE,
				  types_of("fdirect_subject")->fd, 0, 0);
		REQUIRE(prog >= 0, "loading: %s", errname(-prog));
		link = attach_multi(prog, FENTRY_MULTI_TYPE + round, ids, cookies, SUBJECTS);
		REQUIRE(link >= 0, "attaching: %s", errname(-link));
		for (n = 0; n < SUBJECTS; n++) {
			CHECK(call_subject(n) == 0, "function %d returns what it does", n);
			CHECK(seen_hits(1 + n) == 1, "function %d: %llu calls", n,
			      seen_hits(1 + n));
		}
		err = unload("fdirect_subject");
		CHECK(err == IN_USE, "unloading while attached: %s", errname(err));
		close(link);
		close(prog);
		err = unload_soon("fdirect_subject");
		REQUIRE(!err, "unloading: %s", errname(err));
		forget_types("fdirect_subject");
		REQUIRE(!load("fdirect_subject"), "loading");
		forget_types("fdirect_subject");
	}
}

/* One call site has a direct call of somebody else: nothing is left of the link at the others. */
static void foreign_direct_call(void)
{
	__u32 ids[SUBJECTS];
	__u64 cookies[SUBJECTS];
	int id = trace(FENTRY, subject(1)), prog, link, n;

	REQUIRE(id > 0, "ordinary: %s", errname(-id));
	subjects(ids, cookies);
	prog = load_multi(FENTRY_MULTI_TYPE, BY_COOKIE, types_of("fdirect_subject")->fd, 0, 0);
	REQUIRE(prog >= 0, "loading: %s", errname(-prog));
	if (call("register_hash 0 fdirect_subject_3=1"))
		SKIP("this kernel has no hashes of direct targets");
	forget_seen();
	link = attach_multi(prog, FENTRY_MULTI_TYPE, ids, cookies, SUBJECTS);
	CHECK(link == -EBUSY, "beside a direct call of somebody else: %d", link);
	for (n = 0; n < SUBJECTS; n++)
		CHECK(call_subject(n) == 0 && seen_hits(1 + n) == 0, "function %d: %llu calls", n,
		      seen_hits(1 + n));
	CHECK(hits(id) == 1, "the ordinary program: %llu calls", hits(id));
	CHECK(!call("unregister_hash 0 fdirect_subject_3=1"), "the other direct call");
	link = attach_multi(prog, FENTRY_MULTI_TYPE, ids, cookies, SUBJECTS);
	CHECK(link >= 0, "when it is gone: %d", link);
	for (n = 0; n < SUBJECTS; n++)
		CHECK(call_subject(n) == 0 && seen_hits(1 + n) == 1, "function %d: %llu calls", n,
		      seen_hits(1 + n));
	close(link);
	close(prog);
}

/*
 * An IPMODIFY ops comes to a call site of two links by its filter, which ftrace asks nobody
 * about, and one of the links goes.
 */
static void ipmodify_by_filter(void)
{
	__u32 ids[SUBJECTS];
	__u64 cookies[SUBJECTS];
	int progs[2], links[2], i, n;

	subjects(ids, cookies);
	for (i = 0; i < 2; i++) {
		progs[i] = load_multi(FEXIT_MULTI_TYPE, i ? BY_COOKIE : 50,
				      types_of("fdirect_subject")->fd, 0, 0);
		REQUIRE(progs[i] >= 0, "loading: %s", errname(-progs[i]));
		links[i] = attach_multi(progs[i], FEXIT_MULTI_TYPE, ids, cookies, SUBJECTS);
		REQUIRE(links[i] >= 0, "attaching: %s", errname(-links[i]));
	}
	if (call("ipmodify on fdirect_subject_0"))
		SKIP("no IPMODIFY ops comes to direct calls on this kernel");
	CHECK(!call("ipmodify more fdirect_subject_1"), "the second function");
	close(links[0]);
	forget_seen();
	for (n = 0; n < SUBJECTS; n++)
		CHECK(call_subject(n) == 0 && seen_hits(1 + n) == 1, "function %d: %llu calls", n,
		      seen_hits(1 + n));
	CHECK(seen_hits(50) == 0, "the link that went: %llu calls", seen_hits(50));
	close(links[1]);
	for (n = 0; n < SUBJECTS; n++)
		CHECK(call_subject(n) == 0 && seen_hits(1 + n) == 1, "function %d: %llu calls", n,
		      seen_hits(1 + n));
	CHECK(!call("ipmodify off"), "the IPMODIFY ops");
	close(progs[0]);
	close(progs[1]);
}

/* A kprobe ends calls of a function with a result of its own, as error injection does. */
static void overridden_beside(int type)
{
	__u32 ids[SUBJECTS];
	__u64 cookies[SUBJECTS];
	int prog = load_multi(type, BY_COOKIE, types_of("fdirect_subject")->fd, 0, 0);
	int link, value, want = SUBJECT_OVERRIDDEN;

	REQUIRE(prog >= 0, "loading: %s", errname(-prog));
	forget_seen();
	subjects(ids, cookies);
	link = attach_multi(prog, type, ids, cookies, SUBJECTS);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
#if defined(__x86_64__)
	/* Ftrace calls the kprobe first. The image of one function then calls its body. */
	if (!shared_images())
		want = SUBJECT_VALUE(0, 1, 2);
#endif
	REQUIRE(!put(SUBJECT "override", "0"), "the kprobe");
	value = call_function("0", 1, 2);
	CHECK(value == want, "a call that ends in a kprobe returns %d, not %d", value, want);
	CHECK(call_subject(1) == 0, "another function");
	CHECK(!put(SUBJECT "override", "-1"), "without the kprobe");
	forget_seen();
	CHECK(call_subject(0) == 0 && seen_hits(1) == 1, "without the kprobe: %llu calls",
	      seen_hits(1));
	close(link);
	close(prog);
}

static void overridden(void)
{
	overridden_beside(FEXIT_MULTI_TYPE);
}

static void overridden_modified(void)
{
	NEED_FMOD_RET_MULTI();
	overridden_beside(FMOD_RET_MULTI_TYPE);
}

/*
 * Sessions: the program writes into seen[@where + cookie] when a function is entered, and
 * RETURNED behind that when it returns. It passes its first argument from one to the other.
 */
#define RETURNED	512

static int load_session(int where, int btf_fd)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = FSESSION_MULTI_TYPE,
		    .attach_btf_obj_fd = btf_fd);
	const int is_return = id_of("bpf_session_is_return"), cookie = id_of("bpf_session_cookie");
	const struct bpf_insn insns[] = {
#define KFUNC(f)	INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, f)
		MOV(6, 1),
		KFUNC(is_return),
		MOV(8, 0),
		MOV(1, 6),
		HELPER(BPF_FUNC_get_attach_cookie),
		ANDI(0, RETURNED / 2 - 1),
		ADDI(0, where),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 8, 0, 1, 0),
		ADDI(0, RETURNED),
		STXW(10, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, seen_map),
		INSN(0, 0, 0, 0, 0),
		MOV(2, 10),
		ADDI(2, -4),
		HELPER(BPF_FUNC_map_lookup_elem),
		IFNE0(0, 2),
		MOVI(0, 0),
		EXIT(),
		MOV(7, 0),
		MOVI(1, 1),
		ADD(7, 1, 0),
		MOV(1, 6),
		HELPER(BPF_FUNC_get_func_ip),
		STX(7, 0, offsetof(struct seen, ip)),
		MOV(1, 6),
		MOV(2, 10),
		ADDI(2, -16),
		HELPER(BPF_FUNC_get_func_ret),
		LDX(1, 10, -16),
		STX(7, 1, offsetof(struct seen, ret)),
		MOV(1, 6),
		MOVI(2, 0),
		MOV(3, 10),
		ADDI(3, -16),
		HELPER(BPF_FUNC_get_func_arg),
		LDX(9, 10, -16),
		MOV(1, 6),
		KFUNC(cookie),
		/* At the entry: remember the argument. At the return: what was remembered */
		IFNE0(8, 2),
		STX(0, 9, 0),
		INSN(BPF_JMP | BPF_JA, 0, 0, 2, 0),
		LDX(1, 0, 0),
		STX(7, 1, offsetof(struct seen, copied)),
		MOVI(0, 0),
		EXIT(),
	};

	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "session", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
}

static void check_session(int where, unsigned long ip, int value, const char *when)
{
	const struct seen *entry = &seen[where + 1], *ret = &seen[where + 1 + RETURNED];

	CHECK(entry->hits == 1 && ret->hits == 1, "%s: %llu entries, %llu returns", when,
	      entry->hits, ret->hits);
	CHECK(entry->ip == ip && ret->ip == ip, "%s: %llx and %llx, not %lx", when, entry->ip,
	      ret->ip, ip);
	CHECK(entry->ret == 0 && (int)ret->ret == value, "%s: the results are %llx and %llx", when,
	      entry->ret, ret->ret);
	CHECK(ret->copied == 1, "%s: the session remembers %llu", when, ret->copied);
}

static void entered_and_left(void)
{
	static const char *const when[] = {
		"one link", "two links", "and an ordinary program", "without the first link",
		"without the ordinary program",
	};
	struct types *types = types_of("fdirect_subject");
	int progs[3] = { load_session(0, types->fd), load_session(100, types->fd), -1 };
	int links[3] = { -1, -1, -1 }, stage, value;
	unsigned long ip = address_of("fdirect_subject_0");
	__u64 cookies[SUBJECTS];
	__u32 ids[SUBJECTS];

	if (!is_linux_7()) {
		CHECK(progs[0] < 0, "a session loads");
		SKIP("this kernel has no sessions");
	}
	subjects(ids, cookies);
	progs[2] = load_multi(BPF_TRACE_FENTRY, 200, types->fd, ids[0], 0);
	REQUIRE(progs[0] >= 0 && progs[1] >= 0 && progs[2] >= 0, "loading: %s, %s, %s",
		errname(-progs[0]), errname(-progs[1]), errname(-progs[2]));
	for (stage = 0; stage < 5; stage++) {
		if (stage < 2) {
			links[stage] = attach_multi(progs[stage], FSESSION_MULTI_TYPE, ids, cookies,
						    SUBJECTS);
			REQUIRE(links[stage] >= 0, "%s: %s", when[stage], errname(-links[stage]));
		} else if (stage == 2) {
			links[2] = bpf_link_create(progs[2], 0, BPF_TRACE_FENTRY, NULL);
			REQUIRE(links[2] >= 0, "%s: %s", when[stage], errname(-links[2]));
		} else {
			close(links[stage == 3 ? 0 : 2]);
		}
		forget_seen();
		value = call_function("0", 1, 2);
		if (stage < 3)
			check_session(0, ip, value, when[stage]);
		else
			CHECK(seen_hits(1) == 0 && seen_hits(1 + RETURNED) == 0,
			      "%s: a closed link is called", when[stage]);
		if (stage)
			check_session(100, ip, value, when[stage]);
		CHECK(seen_hits(200) == (stage == 2 || stage == 3), "%s: %llu calls of it",
		      when[stage], seen_hits(200));
	}
	close(links[1]);
	forget_seen();
	CHECK(call_subject(0) == 0 && seen_hits(101) == 0, "a closed link is called");

	links[0] = attach_multi(progs[0], FSESSION_MULTI_TYPE, ids, cookies, SUBJECTS);
	REQUIRE(links[0] >= 0, "attaching again: %s", errname(-links[0]));
	REQUIRE(!put(SUBJECT "override", "0"), "the kprobe");
	value = call_function("0", 1, 2);
	CHECK(value == SUBJECT_OVERRIDDEN, "a call that ends in a kprobe returns %d", value);
	CHECK(!put(SUBJECT "override", "-1"), "without the kprobe");
	close(links[0]);
	for (stage = 0; stage < 3; stage++)
		close(progs[stage]);
}

/* Ids of vmlinux are none of a module's program, and the other way round. */
static void foreign_ids(void)
{
	int progs[2] = { fentry_multi(COUNT_ONLY), load_multi(FENTRY_MULTI_TYPE, COUNT_ONLY,
			 types_of("fdirect_subject")->fd, 0, 0) }, link;
	__u32 ids[SUBJECTS];

	REQUIRE(progs[0] >= 0 && progs[1] >= 0, "loading");
	subject_ids(ids);
	link = attach_multi(progs[0], FENTRY_MULTI_TYPE, ids, NULL, 1);
	CHECK(link == -EINVAL, "a module's id: %d", link);
	link = attach_multi(progs[1], FENTRY_MULTI_TYPE, tested_ids, NULL, 1);
	CHECK(link == (is_linux_7() ? -ENOENT : -EINVAL), "an id of vmlinux: %d", link);
	close(progs[0]);
	close(progs[1]);
}

#define LIVEPATCH	"fdirect_livepatch"

static void livepatched(void)
{
	static const int each[] = { FENTRY_MULTI_TYPE, FEXIT_MULTI_TYPE, FMOD_RET_MULTI_TYPE };
	struct types *types = types_of("fdirect_subject");
	int prog, link, n, err, kind, order;
	__u32 ids[SUBJECTS];
	__u64 cookies[SUBJECTS];

	if (!module_file_there(LIVEPATCH))
		SKIP("this kernel has no livepatch");
	subjects(ids, cookies);
	for (kind = 0; kind < 2 + has_fmod_ret_multi(); kind++) {
		for (order = 0; order < 2; order++) {
			prog = load_multi(each[kind], BY_COOKIE, types->fd, 0, 0);
			REQUIRE(prog >= 0, "loading: %s", errname(-prog));
			if (order) {
				err = livepatch_on(LIVEPATCH, "functions=1,3");
				CHECK(!err, "livepatch: %s", errname(err));
			}
			link = attach_multi(prog, each[kind], ids, cookies, SUBJECTS);
			CHECK(link >= 0, "attaching: %s", errname(-link));
			if (!order) {
				err = livepatch_on(LIVEPATCH, "functions=1,3");
				CHECK(!err, "livepatch: %s", errname(err));
			}
			forget_seen();
			for (n = 0; n < SUBJECTS; n++) {
				int more = call_subject(n);

				CHECK(more == (n == 1 || n == 3 ? SUBJECT_LIVEPATCHED : 0),
				      "kind %d, order %d: function %d returned %d more", kind,
				      order, n, more);
				CHECK(seen_hits(1 + n) == 1,
				      "kind %d, order %d: function %d: %llu calls", kind, order, n,
				      seen_hits(1 + n));
			}
			if (each[kind] == FMOD_RET_MULTI_TYPE) {
				seen[1 + 3].instead = MODIFIED;
				CHECK(call_function("3", 1, 2) == MODIFIED,
				      "order %d: function 3 runs", order);
				seen[1 + 3].instead = 0;
				seen[1 + 3].hits--;
			}
			err = livepatch_off(LIVEPATCH);
			CHECK(!err, "livepatch off: %s", errname(err));
			for (n = 0; n < SUBJECTS; n++) {
				CHECK(call_subject(n) == 0, "function %d returns what it does", n);
				CHECK(seen_hits(1 + n) == 2, "without: function %d: %llu calls", n,
				      seen_hits(1 + n));
			}
			close(link);
			for (n = 0; n < SUBJECTS; n++)
				CHECK(call_subject(n) == 0 && seen_hits(1 + n) == 2,
				      "detached: %llu", seen_hits(1 + n));
			close(prog);
		}
	}
}

/* Two ids of one address: attached once, with the first cookie */
static void aliases(void)
{
	struct types *types = types_of("");
	__u32 ids[2] = { 0, 0 }, id;
	__u64 cookies[2] = { 7, 8 };
	unsigned long addr = 0;
	char *text = must_slurp("/proc/kallsyms"), *line, *next = text, name[128], before[128] = "";
	unsigned long address, last = 0;
	unsigned long long hits_then;
	int prog, link, nr;

	/* Any two functions of one address that both have an id */
	while (!ids[1] && (line = strsep(&next, "\n"))) {
		char type;

		if (sscanf(line, "%lx %c %127s", &address, &type, name) != 3 ||
		    (type != 't' && type != 'T') || strchr(line, '['))
			continue;
		if (address == last && strncmp(name, SYSCALL_PREFIX, strlen(SYSCALL_PREFIX)) == 0) {
			ids[0] = find_type(types, before, BTF_KIND_FUNC);
			id = find_type(types, name, BTF_KIND_FUNC);
			if ((int)ids[0] > 0 && (int)id > 0) {
				ids[1] = id;
				addr = address;
			}
		}
		last = address;
		snprintf(before, sizeof(before), "%s", name);
	}
	free(text);
	if (!ids[1])
		SKIP("this kernel has no two functions of one address in its BTF");

	prog = fentry_multi(BY_COOKIE);
	forget_seen();
	link = attach_multi(prog, FENTRY_MULTI_TYPE, ids, cookies, 2);
	REQUIRE(link >= 0, "attaching %s: %s", name, errname(-link));
	CHECK(seen_hits(7) == 0, "%llu calls before", seen_hits(7));
	/* Missing system calls have one address in a small kernel */
	for (nr = 425; nr < 470; nr++)
		syscall(nr, -1L, 0L, 0L, 0L, 0L, 0L);
	CHECK(seen_hits(8) == 0, "the second cookie: %llu calls", seen_hits(8));
	CHECK(!seen_hits(7) || seen[7].ip == addr, "at %llx", seen[7].ip);
	ksft_print_msg("%s and %s: %llu calls\n", before, name, seen_hits(7));
	close(link);
	hits_then = seen_hits(7);
	for (nr = 425; nr < 470; nr++)
		syscall(nr, -1L, 0L, 0L, 0L, 0L, 0L);
	CHECK(seen_hits(7) == hits_then, "%llu calls when it is gone", seen_hits(7) - hits_then);
	close(prog);
}

static bool are_few(int unused)
{
	return shared_images() < 100;
}

static bool sees_nothing(int prog)
{
	unsigned long long before = seen_hits(0);

	run_tested(prog);
	return before == seen_hits(0);
}

#define LONG_ENOUGH	600000	/* milliseconds: no further round, on a kernel with checkers */

static void many_functions(void)
{
	static const int types[] = { FENTRY_MULTI_TYPE, FENTRY_MULTI_TYPE, FEXIT_MULTI_TYPE };
	unsigned long long before, start;
	int progs[3], links[3], i, round;
	const __u32 *ids;
	size_t nr = attachable_functions(&ids);
	long long begun = now_ms();

	for (i = 0; i < 3; i++) {
		progs[i] = load_multi(types[i], COUNT_ONLY, 0, 0, 0);
		REQUIRE(progs[i] >= 0, "loading");
	}

	for (round = 0; round < 3 && now_ms() - begun < LONG_ENOUGH; round++) {
		for (i = 0; i < 3; i++) {
			before = seen_hits(0);
			start = now_ns();
			links[i] = attach_multi(progs[i], types[i], ids, NULL, nr);
			start = now_ns() - start;
			REQUIRE(links[i] >= 0, "link %d: %s", i, errname(-links[i]));
			ksft_print_msg("round %d: link %d: %llu ns for each function, %d images\n",
				       round, i, start / nr, shared_images());
			/* Images of links that went are freed a moment later */
			CHECK(i || comes(are_few, 0), "%d images for one link", shared_images());
			run_tested(progs[0]);
			CHECK(seen_hits(0) >= before + (i + 1) * TESTED, "%llu calls",
			      seen_hits(0) - before);
		}
		for (i = 0; i < 3; i++) {
			int who = (i + round) % 3;

			start = now_ns();
			close(links[who]);
			start = now_ns() - start;
			ksft_print_msg("round %d: link %d detached, %llu ns for each function\n",
				       round, who, start / nr);
			run_tested(progs[0]);
		}
		/* A task may have been in an image */
		CHECK(comes(sees_nothing, progs[0]), "calls come afterwards");
	}
	for (i = 0; i < 3; i++)
		close(progs[i]);
}

/* Calls go on while a link comes and goes */
static volatile bool stop;

static void *call_on(void *arg)
{
	int n;

	while (!stop) {
		for (n = 0; n < 50; n++)
			prctl(PR_GET_NAME, arg);
		/* RCU tasks waits for this, and the task that attaches for the CPU */
		usleep(1000);
	}
	return NULL;
}

static void while_running(void)
{
	char names[2][16];
	pthread_t threads[2];
	const __u32 *ids;
	size_t nr = attachable_functions(&ids);
	int progs[2] = { fentry_multi(COUNT_ONLY), fexit_multi(COUNT_ONLY) }, links[2], i, round;
	long long begun = now_ms();

	stop = false;
	for (i = 0; i < 2; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, call_on, names[i]), "thread");
	for (round = 0; round < 3 && now_ms() - begun < LONG_ENOUGH; round++) {
		for (i = 0; i < 2; i++) {
			links[i] = attach_multi(progs[i], FENTRY_MULTI_TYPE + i, ids, NULL, nr);
			CHECK(links[i] >= 0, "link %d: %s", i, errname(-links[i]));
		}
		close(links[round & 1]);
		close(links[!(round & 1)]);
	}
	ksft_print_msg("%d rounds\n", round);
	stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close(progs[0]);
	close(progs[1]);
}

/* A task sleeps in a function while the link of its fexit program goes */
static void asleep_in_function(void)
{
	__u32 id = id_of(SYSCALL_PREFIX "clock_nanosleep"), ids[1];
	int progs[2] = { fexit_multi(3), fexit_multi(4) }, links[2], i;
	struct timespec second = { 1, 0 }, tick = { 0, 1000 };
	unsigned long long before, gone;
	pid_t child;

	REQUIRE(id, "no such function");
	ids[0] = id;
	forget_seen();
	for (i = 0; i < 2; i++) {
		links[i] = attach_multi(progs[i], FEXIT_MULTI_TYPE, ids, NULL, 1);
		REQUIRE(links[i] >= 0, "attaching: %s", errname(-links[i]));
	}
	child = fork();
	if (!child) {
		close_range(3, ~0U, 0);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL);
		_exit(0);
	}
	usleep(300000);
	close(links[0]);
	close(progs[0]);
	gone = seen_hits(3);
	waitpid(child, &i, 0);
	CHECK(i == 0, "the child: %x", i);
	/* The call of the child returned by the image of both, which lost its programs */
	CHECK(seen_hits(3) == gone, "the link that went: %llu calls more", seen_hits(3) - gone);
	before = seen_hits(4);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, NULL);
	CHECK(seen_hits(4) > before, "the link that stays: %llu calls", seen_hits(4) - before);
	CHECK(seen_hits(3) == gone, "the link that went: %llu calls more", seen_hits(3) - gone);
	close(links[1]);
	close(progs[1]);
}

static bool is_seen(int i)
{
	return seen_hits(i);
}

/* A task that calls subject 0, without the links and programs of its parent */
static pid_t start_call(void)
{
	pid_t pid = fork_without_tracers();

	if (pid)
		return pid;
	close_range(3, ~0U, 0);
	_exit(call_subject(0) ? 1 : 0);
}

/*
 * A task sleeps in the first program of an image. Its call site goes to another image, if
 * @leave, or calls it still; then the link of the second program is closed. The task goes on
 * to that program, which reads its cookie.
 */
static void sleep_in_image(bool leave)
{
	int btf_fd = types_of("fdirect_subject")->fd, progs[3], links[3], ids[3], i, status;
	/* Linux 7 takes the call of a program that is detached out of the image */
	const bool skips = is_linux_7();
	enum { FIRST, SECOND, NEXT };
	const void *slow = slow_memory();
	__u32 funcs[SUBJECTS];
	__u64 cookies[SUBJECTS];
	pid_t caller;

	REQUIRE(slow, "no slow memory");
	subjects(funcs, cookies);
	progs[FIRST] = load_multi(FENTRY_MULTI_TYPE, 50, btf_fd, 0, BPF_F_SLEEPABLE);
	progs[SECOND] = load_multi(FENTRY_MULTI_TYPE, BY_COOKIE, btf_fd, 0, 0);
	progs[NEXT] = load_multi(FENTRY_MULTI_TYPE, 51, btf_fd, 0, 0);
	forget_seen();
	for (i = 0; i < 3; i++) {
		REQUIRE(progs[i] >= 0, "loading: %s", errname(-progs[i]));
		ids[i] = prog_id(progs[i]);
	}
	/* The link attached last is called first */
	links[SECOND] = attach_multi(progs[SECOND], FENTRY_MULTI_TYPE, funcs, cookies, SUBJECTS);
	links[FIRST] = attach_multi(progs[FIRST], FENTRY_MULTI_TYPE, funcs, NULL, 1);
	REQUIRE(links[FIRST] >= 0 && links[SECOND] >= 0, "attaching: %s, %s",
		errname(-links[FIRST]), errname(-links[SECOND]));
	seen[50].user = (uintptr_t)slow;
	caller = start_call();
	CHECK(comes(is_seen, 50), "the first program is not called");
	if (leave) {
		links[NEXT] = attach_multi(progs[NEXT], FENTRY_MULTI_TYPE, funcs, NULL, SUBJECTS);
		CHECK(links[NEXT] >= 0, "attaching: %s", errname(-links[NEXT]));
	}
	close(links[SECOND]);
	close(progs[SECOND]);
	CHECK(seen_hits(1) == 0, "the first program did not sleep");
	/* The grace periods that would be enough if nobody slept */
	usleep(500000);
	CHECK(skips || !is_freed(ids[SECOND]) || seen_hits(1),
	      "the second program is freed before the task comes to it");
	waitpid(caller, &status, 0);
	CHECK(status == 0, "the task: %x", status);
	CHECK(seen_hits(1) == !skips, "the second program has seen %llu calls", seen_hits(1));
	CHECK(comes(is_freed, ids[SECOND]), "the second program is not freed");

	seen[50].user = 0;
	CHECK(call_subject(0) == 0, "the function returns what it does");
	CHECK(seen_hits(50) == 2 && seen_hits(1) == !skips && seen_hits(51) == leave,
	      "afterwards: %llu, %llu, %llu calls", seen_hits(50), seen_hits(1), seen_hits(51));
	if (leave)
		close(links[NEXT]);
	close(links[FIRST]);
	close(progs[FIRST]);
	close(progs[NEXT]);
	CHECK(comes(is_freed, ids[FIRST]) && comes(is_freed, ids[NEXT]), "programs are not freed");
	munmap((void *)slow, getpagesize());
}

static void sleep_in_left_image(void)	{ sleep_in_image(true); }
static void sleep_in_used_image(void)	{ sleep_in_image(false); }

static void sleepable(void)
{
	int prog = load_multi(FENTRY_MULTI_TYPE, 5, 0, 0, BPF_F_SLEEPABLE), link;
	/* A program may sleep in the first of them */
	__u32 ids[2] = { tested_ids[0], tested_ids[1] };

	REQUIRE(prog >= 0, "loading: %s", errname(-prog));
	link = attach_multi(prog, FENTRY_MULTI_TYPE, ids, NULL, 2);
	CHECK(link == -EINVAL, "on a function that may not sleep: %d", link);
	link = attach_multi(prog, FENTRY_MULTI_TYPE, ids, NULL, 1);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	forget_seen();
	run_tested(prog);
	CHECK(seen_hits(5) == 1, "%llu calls", seen_hits(5));
	close(link);
	close(prog);
}

/* -------------------------------------------------------------------------- */
/* Programs that modify return values                                           */

/* What BPF_PROG_TEST_RUN calls for them: the first returns 4, the second 29. */
static const char *const modified[] = { "bpf_modify_return_test", "bpf_modify_return_test2" };

#define MODIFIED_FUNCTIONS	ARRAY_SIZE(modified)

static void modified_ids(__u32 ids[MODIFIED_FUNCTIONS])
{
	size_t i;

	for (i = 0; i < MODIFIED_FUNCTIONS; i++)
		ids[i] = id_of(modified[i]);
}

/* The sum of what they return, and how many of them ran, or INT_MIN */
static int run_modified(int prog, int *ran)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (!CHECK(!bpf_prog_test_run_opts(prog, &opts), "the test: %s", errname(errno)))
		return INT_MIN;
	*ran = opts.retval >> 16;
	return opts.retval & 0xffff;
}

/* Two functions with different arguments, and so with different images */
static void modify_return(void)
{
	static const struct { int instead[2], sum, ran; } steps[] = {
		{ { 0, 0 }, 33, 2 }, { { 7, 0 }, 36, 1 }, { { 0, 8 }, 12, 1 }, { { 7, 8 }, 15, 0 },
	};
	int prog, fexit, links[2], sum, ran;
	__u32 ids[MODIFIED_FUNCTIONS];
	__u64 cookies[] = { 1, 2 }, after[] = { 3, 4 };
	size_t i, k;

	NEED_FMOD_RET_MULTI();
	modified_ids(ids);
	prog = fmod_ret_multi(BY_COOKIE);
	fexit = fexit_multi(BY_COOKIE);
	REQUIRE(prog >= 0 && fexit >= 0, "loading: %s, %s", errname(-prog), errname(-fexit));
	links[0] = attach_multi(prog, FMOD_RET_MULTI_TYPE, ids, cookies, MODIFIED_FUNCTIONS);
	links[1] = attach_multi(fexit, FEXIT_MULTI_TYPE, ids, after, MODIFIED_FUNCTIONS);
	REQUIRE(links[0] >= 0 && links[1] >= 0, "attaching: %s, %s", errname(-links[0]),
		errname(-links[1]));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		forget_seen();
		for (k = 0; k < 2; k++)
			seen[1 + k].instead = steps[i].instead[k];
		sum = run_modified(prog, &ran);
		CHECK(sum == steps[i].sum && ran == steps[i].ran,
		      "step %zu: they return %d, %d ran", i, sum, ran);
		for (k = 0; k < 2; k++) {
			const struct seen *before = &seen[1 + k], *then = &seen[3 + k];
			int result = steps[i].instead[k] ?: (k ? 29 : 4);

			CHECK(before->hits == 1 && before->ip == address_of(modified[k]),
			      "step %zu, %s: %llu calls, at %llx", i, modified[k], before->hits,
			      before->ip);
			CHECK(before->count == (k ? 7 : 2) && (int)before->args[0] == 1 &&
			      before->ret == 0, "step %zu, %s: %llu arguments, %llu, %llu", i,
			      modified[k], before->count, before->args[0], before->ret);
			CHECK(then->hits == 1 && (int)then->ret == result,
			      "step %zu, %s: fexit sees %llu", i, modified[k], then->ret);
		}
	}
	close(links[0]);
	sum = run_modified(prog, &ran);
	CHECK(sum == 33 && ran == 2 && seen_hits(1) == 1 && seen_hits(3) == 2,
	      "detached: they return %d, %d ran", sum, ran);
	close(links[1]);
	close(prog);
	close(fexit);
}

/* Hooks of the security modules: those of two system calls refuse them to this program. */
static void modify_hooks(void)
{
	__u32 ids[] = { id_of("security_task_prctl"), id_of("security_task_getpgid") };
	__u64 cookies[] = { 1, 2 };
	char name[16];
	int prog, link;

	NEED_FMOD_RET_MULTI();
	if (!ids[0] || !ids[1])
		SKIP("this kernel has no hooks for security modules");
	prog = fmod_ret_multi(BY_COOKIE);
	REQUIRE(prog >= 0, "loading: %s", errname(-prog));
	forget_seen();
	link = attach_multi(prog, FMOD_RET_MULTI_TYPE, ids, cookies, 2);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	CHECK(!prctl(PR_GET_NAME, name) && getpgid(getpid()) >= 0, "the program changes nothing");
	CHECK(seen_hits(1) && seen_hits(2), "%llu, %llu calls", seen_hits(1), seen_hits(2));
	seen[1].instead = -EPERM;
	errno = 0;
	CHECK(prctl(PR_GET_NAME, name) == -1 && errno == EPERM, "prctl: %s", errname(errno));
	CHECK(getpgid(getpid()) >= 0, "getpgid, which is not refused: %s", errname(errno));
	seen[1].instead = 0;
	seen[2].instead = -EACCES;
	CHECK(!prctl(PR_GET_NAME, name), "prctl, which is not refused: %s", errname(errno));
	errno = 0;
	CHECK(getpgid(getpid()) == -1 && errno == EACCES, "getpgid: %s", errname(errno));
	close(link);
	CHECK(!prctl(PR_GET_NAME, name) && getpgid(getpid()) >= 0, "detached");
	close(prog);
}

/*
 * Two links and two ordinary programs, one of each that modifies the return value, on the
 * functions of a module come and go. Of two that modify it, the one attached last does.
 */
enum { MULTI_FMOD, MULTI_FEXIT, ONE_FMOD, ONE_FEXIT, MODIFIERS };

#define ONE	1	/* the function that has the ordinary programs */

static int modifier_ids[MODIFIERS];
static int modifiers_on[MODIFIERS];	/* the turn in which each came, or 0 */

static bool turn_on(int who, int turn)
{
	static const enum kind kinds_of[] = { FMOD_RET_MULTI, FEXIT_MULTI, FMOD_RET, FEXIT };
	int id = trace(kinds_of[who], subject(ONE));

	modifier_ids[who] = id > 0 ? id : 0;
	modifiers_on[who] = turn;
	return ATTACHED(id);
}

static void turn_off(int who)
{
	drop_tracer(modifier_ids[who]);
	modifiers_on[who] = 0;
}

static void check_modifiers(const char *when, int turn)
{
	int set, who, value, want, n;

	for (set = 0; set < 4; set++) {
		int link = modifiers_on[MULTI_FMOD] && set & 1;
		int one = modifiers_on[ONE_FMOD] && set & 2;
		bool first = modifiers_on[MULTI_FMOD] > modifiers_on[ONE_FMOD];

		for (who = 0; who < MODIFIERS; who++)
			cells[modifier_ids[who]].hits = 0;
		cells[modifier_ids[MULTI_FMOD]].instead = link ? MODIFIED : 0;
		cells[modifier_ids[ONE_FMOD]].instead = one ? -MODIFIED : 0;
		want = SUBJECT_VALUE(ONE, 1, 2);
		if (link || one)
			want = link && (first || !one) ? MODIFIED : -MODIFIED;
		value = call_function("1", 1, 2);
		CHECK(value == want, "%s, turn %d, %d: it returns %d, not %d", when, turn, set,
		      value, want);
		/* The first that modifies the return value keeps the others from running */
		CHECK(!modifiers_on[MULTI_FMOD] ||
		      hits(modifier_ids[MULTI_FMOD]) == (first || !one),
		      "%s, turn %d, %d: fmod_ret.multi: %llu calls", when, turn, set,
		      hits(modifier_ids[MULTI_FMOD]));
		CHECK(!modifiers_on[ONE_FMOD] || hits(modifier_ids[ONE_FMOD]) == (!first || !link),
		      "%s, turn %d, %d: fmod_ret: %llu calls", when, turn, set,
		      hits(modifier_ids[ONE_FMOD]));
		for (who = MULTI_FEXIT; who < MODIFIERS; who += ONE_FEXIT - MULTI_FEXIT) {
			if (!modifiers_on[who])
				continue;
			CHECK(hits(modifier_ids[who]) == 1 &&
			      (int)cells[modifier_ids[who]].ret == want,
			      "%s, turn %d, %d: fexit: %llu calls, %d", when, turn, set,
			      hits(modifier_ids[who]), (int)cells[modifier_ids[who]].ret);
		}
		for (n = 0; n < SUBJECTS; n += SUBJECTS - 1) {
			int more = call_subject(n);

			CHECK(link ? more != 0 : more == 0, "%s, turn %d, %d: function %d: %d more",
			      when, turn, set, n, more);
		}
	}
	cells[modifier_ids[MULTI_FMOD]].instead = 0;
	cells[modifier_ids[ONE_FMOD]].instead = 0;
}

static void modifiers(void)
{
	int a, b, c, d, i, round;

	NEED_FMOD_RET_MULTI();
	for (i = 0; i < MODIFIERS * MODIFIERS * MODIFIERS * MODIFIERS; i++) {
		a = i % 4, b = i / 4 % 4, c = i / 16 % 4, d = i / 64;
		if (a == b || a == c || a == d || b == c || b == d || c == d)
			continue;
		for (round = 0; round < 2; round++) {
			int order[] = { a, b, c, d }, turn;

			memset(modifier_ids, 0, sizeof(modifier_ids));
			for (turn = 1; turn <= MODIFIERS; turn++) {
				REQUIRE(turn_on(order[turn - 1], turn), "turn %d", turn);
				check_modifiers("coming", turn);
			}
			for (turn = 1; turn <= MODIFIERS; turn++) {
				turn_off(order[round ? MODIFIERS - turn : turn - 1]);
				check_modifiers("going", turn);
			}
			used_tracers -= MODIFIERS;
		}
	}
}

/* Can a function have an ordinary program that modifies its return value: 0 or -errno */
static int try_fmod_ret(__u32 id, unsigned int flags)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_MODIFY_RETURN,
		    .attach_btf_id = id, .prog_flags = flags);
	struct bpf_insn insns[] = { MOVI(0, 0), EXIT() };
	int prog, link;

	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "one", "GPL", insns, 2, &opts);
	if (prog < 0)
		return -errno;
	link = bpf_link_create(prog, 0, BPF_MODIFY_RETURN, NULL);
	close(prog);
	if (link < 0)
		return link;
	close(link);
	return 0;
}

/* Hooks, functions for such programs, and some for error injection */
static bool is_interesting(const char *name)
{
	static const char *const begin[] = {
		"security_", "bpf_modify_return_", "bpf_fentry_test", "should_fail",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(begin); i++) {
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return true;
	}
	return false;
}

/* A link takes the functions that an ordinary program takes, and refuses others as that does. */
static void same_functions(void)
{
	static const unsigned int each[] = { 0, BPF_F_SLEEPABLE };
	const struct btf *btf = types_of("")->btf;
	int prog, link, single, i, taken, refused;
	size_t nr, n;
	__u32 *ids;

	NEED_FMOD_RET_MULTI();
	nr = all_functions(&ids);
	for (i = 0; i < 2; i++) {
		prog = load_multi(FMOD_RET_MULTI_TYPE, COUNT_ONLY, 0, 0, each[i]);
		REQUIRE(prog >= 0, "loading: %s", errname(-prog));
		taken = 0;
		refused = 0;
		for (n = 0; n < nr; n++) {
			const struct btf_type *type = btf__type_by_id(btf, ids[n]);
			const char *name = btf__name_by_offset(btf, type->name_off);

			if (n % 40 && !is_interesting(name))
				continue;
			single = try_fmod_ret(ids[n], each[i]);
			link = attach_multi(prog, FMOD_RET_MULTI_TYPE, &ids[n], NULL, 1);
			CHECK(link < 0 ? link == single : !single,
			      "%s: link %d, ordinary program %d", name, link, single);
			taken += link >= 0;
			refused += link < 0;
			if (link >= 0)
				close(link);
		}
		ksft_print_msg("%s: %d functions taken, %d refused\n", i ? "sleepable" : "others",
			       taken, refused);
		CHECK(taken && refused, "none");
		close(prog);
	}
	free(ids);
}

/* A mask of what bpffs delegates has 64 bits, so the number of these links is not for it. */
static void not_delegated(void)
{
	char dir[] = "/tmp/fdirect-bpffs-XXXXXX";
	int err;

	REQUIRE(mkdtemp(dir), "a directory: %s", errname(errno));
	err = mount("none", dir, "bpf", 0, "delegate_attachs=modify_return_multi") ? errno : 0;
	CHECK(err == EINVAL, "links of programs that modify return values: %s", errname(err));
	if (!err)
		umount(dir);
	err = mount("none", dir, "bpf", 0, "delegate_attachs=modify_return") ? errno : 0;
	CHECK(!err, "programs that modify return values: %s", errname(err));
	if (!err)
		umount(dir);
	rmdir(dir);
}

static void unmodifiable(void)
{
	struct types *types = types_of("fdirect_subject");
	__u32 ids[3], subjects_of[SUBJECTS + 1];
	int prog, other, link, sum, ran;

	NEED_FMOD_RET_MULTI();
	modified_ids(ids);
	prog = fmod_ret_multi(COUNT_ONLY);
	other = load_multi(FMOD_RET_MULTI_TYPE, COUNT_ONLY, types->fd, 0, 0);
	REQUIRE(prog >= 0 && other >= 0, "loading: %s, %s", errname(-prog), errname(-other));

	/* One that it may not modify: nothing is left at the others */
	forget_seen();
	seen[0].instead = MODIFIED;
	ids[2] = tested_ids[1];
	link = attach_multi(prog, FMOD_RET_MULTI_TYPE, ids, NULL, 3);
	CHECK(link == -EINVAL, "with a function that it may not modify: %d", link);
	sum = run_modified(prog, &ran);
	CHECK(sum == 33 && ran == 2 && seen_hits(0) == 0, "they return %d, %d ran, %llu calls", sum,
	      ran, seen_hits(0));
	seen[0].instead = 0;
	ids[2] = id_of("do_exit");
	link = attach_multi(prog, FMOD_RET_MULTI_TYPE, ids, NULL, 3);
	CHECK(link == -EINVAL, "with a function that never returns: %d", link);
	link = attach_multi(prog, FMOD_RET_MULTI_TYPE, ids, NULL, 2);
	CHECK(link >= 0, "without it: %d", link);
	close(link);

	/* The same of a module */
	subject_ids(subjects_of);
	subjects_of[SUBJECTS] = find_type(types, "fdirect_subject_seven", BTF_KIND_FUNC);
	link = attach_multi(other, FMOD_RET_MULTI_TYPE, subjects_of, NULL, SUBJECTS + 1);
	CHECK(link == -EINVAL, "a module's function that it may not modify: %d", link);
	CHECK(call_subject(0) == 0 && seen_hits(0) == 0, "%llu calls", seen_hits(0));
	close(other);
	other = load_multi(FMOD_RET_MULTI_TYPE, COUNT_ONLY, types->fd, 0, BPF_F_SLEEPABLE);
	REQUIRE(other >= 0, "loading: %s", errname(-other));
	link = attach_multi(other, FMOD_RET_MULTI_TYPE, subjects_of, NULL, 2);
	CHECK(link == -EINVAL, "one that may not sleep: %d", link);
	link = attach_multi(other, FMOD_RET_MULTI_TYPE, subjects_of, NULL, 1);
	CHECK(link >= 0, "one that may sleep: %d", link);
	seen[0].instead = MODIFIED;
	CHECK(call_function("0", 1, 2) == MODIFIED, "a sleepable program");
	seen[0].instead = 0;
	close(link);

	/* Other ways to attach it */
	link = attach_multi(prog, FEXIT_MULTI_TYPE, ids, NULL, 2);
	CHECK(link == -EINVAL, "as fexit: %d", link);
	link = bpf_link_create(prog, 0, FMOD_RET_MULTI_TYPE, NULL);
	CHECK(link == -EINVAL, "without functions: %d", link);
	link = bpf_raw_tracepoint_open(NULL, prog);
	CHECK(link == -EINVAL, "as one for a function: %d", link);
	close(prog);
	close(other);
}

/* A program with a prototype may read the return value, which is 0, and another argument not. */
static void modify_named(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = FMOD_RET_MULTI_TYPE,
		    .attach_btf_id = id_of(modified[0]));
	/* The return value is behind two arguments */
	struct bpf_insn insns[] = { LDX(0, 1, 16), ADDI(0, 5), EXIT() };
	int prog, link, sum, ran;
	__u32 ids[MODIFIED_FUNCTIONS];

	NEED_FMOD_RET_MULTI();
	modified_ids(ids);
	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "named", "GPL", insns, 3, &opts);
	REQUIRE(prog >= 0, "loading: %s", errname(errno));
	link = attach_multi(prog, FMOD_RET_MULTI_TYPE, ids, NULL, 2);
	CHECK(link == -EINVAL, "a function with other arguments: %d", link);
	link = attach_multi(prog, FMOD_RET_MULTI_TYPE, ids, NULL, 1);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	sum = run_modified(prog, &ran);
	CHECK(sum == 34 && ran == 1, "they return %d, %d ran", sum, ran);
	close(link);
	close(prog);
}

static void modifying_info(void)
{
	struct multi_info info = { 0 };
	__u32 len = sizeof(info), ids[MODIFIED_FUNCTIONS];
	char path[64], *text;
	int prog, link;

	NEED_FMOD_RET_MULTI();
	modified_ids(ids);
	prog = fmod_ret_multi(COUNT_ONLY);
	link = attach_multi(prog, FMOD_RET_MULTI_TYPE, ids, NULL, MODIFIED_FUNCTIONS);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	CHECK(!bpf_obj_get_info_by_fd(link, &info, &len), "%s", errname(errno));
	CHECK(info.type == MULTI_LINK && info.attach_type == FMOD_RET_MULTI_TYPE &&
	      info.count == MODIFIED_FUNCTIONS, "type %u, attach type %u, count %u", info.type,
	      info.attach_type, info.count);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", link);
	text = must_slurp(path);
	CHECK(strstr(text, "attach_type:\t128\n") && strstr(text, "cnt:\t2\n"), "fdinfo: %s", text);
	free(text);
	close(link);
	close(prog);
}

static void modifying_unknown(void)
{
	if (has_fmod_ret_multi())
		SKIP("this kernel has links of programs that modify return values");
	CHECK(fmod_ret_multi(COUNT_ONLY) == -EINVAL, "without a function");
	CHECK(load_multi(FMOD_RET_MULTI_TYPE, COUNT_ONLY, 0, id_of(modified[0]), 0) == -EINVAL,
	      "with a function");
}

static const struct test tests[] = {
	{ "one program sees arguments, results, functions and cookies of many functions",
	  arguments },
	{ "each function has its own cookie in any order of ids", order_of_cookies },
	{ "link info and fdinfo tell what is attached", link_info },
	{ "addresses are for those who may see them", hidden_addresses },
	{ "a link is refused as a whole, with an errno that says why", errnos },
	{ "an fexit program is for functions that return 8 bytes at most", long_results },
	{ "a function takes some programs, of links and others together", too_many_links },
	{ "a program is on a function once", same_program_twice },
	{ "a program without a prototype reads no argument from its context", context_is_closed },
	{ "a program with a prototype is for functions that agree with it", named_prototype },
	{ "a last argument of 4 bytes is what an ordinary program sees", small_last_argument },
	{ "two links and an ordinary program come and go in any order", overlaps },
	{ "a direct call of somebody else refuses the whole link", foreign_direct_call },
	{ "ids of vmlinux and of a module are not mixed", foreign_ids },
	{ "an IPMODIFY ops comes by its filter, and a link goes", ipmodify_by_filter },
	{ "a kprobe ends a call with a result, which an fexit program leaves alone", overridden },
	{ "a session sees a function entered and left, whoever else comes or goes",
	  entered_and_left },
	{ "functions of a module, which does not unload", modules_functions },
	{ "a livepatch comes to functions of a link, or is there", livepatched },
	{ "two ids of one address are one function", aliases },
	{ "programs that may sleep are for functions that may sleep", sleepable },
	{ "a task sleeps in an image that its call site leaves, and goes on to a closed program",
	  sleep_in_left_image },
	{ "a task sleeps in an image and goes on to a closed program", sleep_in_used_image },
	{ "a task that sleeps in a function returns when the link is gone", asleep_in_function },
	{ "a program modifies the results of functions, which do not run, and fexit sees it",
	  modify_return },
	{ "a program refuses system calls by hooks of the security modules", modify_hooks },
	{ "links and ordinary programs that modify a result come and go in any order", modifiers },
	{ "the functions that an ordinary fmod_ret program takes, and no others", same_functions },
	{ "a function that may not be modified refuses the whole link", unmodifiable },
	{ "bpffs does not delegate the attach type of these links", not_delegated },
	{ "a program that modifies results may read them with a prototype", modify_named },
	{ "a kprobe ends a call with a result, which an fmod_ret program leaves alone",
	  overridden_modified },
	{ "link info and fdinfo of a program that modifies results", modifying_info },
	{ "without modify-return links their number is refused", modifying_unknown },
	/*
	 * Last, since a task that sleeps in one of the functions for good keeps an image of fexit
	 * programs on its stack. A livepatch then waits for that task, as for any fexit program.
	 */
	{ "three links on many functions come and go", many_functions },
	{ "links come and go while their functions run", while_running },
};

static void restore(void)
{
	if (!loaded("fdirect_subject")) {
		load("fdirect_subject");
		forget_types("fdirect_subject");
	}
	CHECK(!put(SUBJECT "override", "-1"), "without a kprobe");
	restore_api();
	restore_bpf();
}

static void need_links(void)
{
	int prog = fentry_multi(COUNT_ONLY), link;

	if (!has_multi())
		ksft_exit_skip("this kernel has no links of one program to many functions\n");
	link = attach_multi(prog, FENTRY_MULTI_TYPE, tested_ids, NULL, 1);
	if (link < 0)
		ksft_exit_fail_msg("a link of one function: %s\n", errname(-link));
	close(link);
	close(prog);
}

int main(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t i;

	start_bpf();
	suite_restore = restore;
	expedite();
	seen_map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "seen", 4, sizeof(*seen), SEEN, &opts);
	seen = seen_map < 0 ? MAP_FAILED :
	       mmap(NULL, SEEN * sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED, seen_map, 0);
	if (seen == MAP_FAILED)
		ksft_exit_fail_msg("no map: %s\n", errname(errno));
	for (i = 0; i < TESTED; i++) {
		tested_ids[i] = id_of(tested[i].name);
		tested_addrs[i] = address_of(tested[i].name);
	}
	need_links();
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect_subject", "fdirect");
}
