// SPDX-License-Identifier: GPL-2.0
/*
 * One program on many functions (BPF_LINK_TYPE_TRACING_MULTI): it sees every call with its
 * arguments, its result, its function and its cookie while it is attached, and none
 * afterwards. A link attaches to all of its functions or to none, with the errno that says
 * why.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/bpf.h>

#include "multi_prog.h"

/* A link with so many functions looks them up in another way. */
#define MANY	256

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
		"arch_cpu_idle_dead", "cpu_startup_entry", "do_exit", "do_task_dead",
		SYSCALL_PREFIX "exit", SYSCALL_PREFIX "exit_group",
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

#pragma GCC diagnostic pop

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

/* It would sleep in functions that no sleepable program can be attached to. */
static void sleepable_in_array(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = FENTRY_MULTI_TYPE);
	int array = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "multi", 4, 4, 1, NULL), key = 0;
	struct bpf_insn insns[] = {
		INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_FD, 0, array),
		INSN(0, 0, 0, 0, 0), MOVI(3, 0), HELPER(BPF_FUNC_tail_call), MOVI(0, 0), EXIT(),
	};
	int caller = bpf_prog_load(BPF_PROG_TYPE_TRACING, "multi", "GPL", insns,
				   ARRAY_SIZE(insns), &opts);
	int sleepable = load_multi(FENTRY_MULTI_TYPE, COUNT_ONLY, 0, 0, BPF_F_SLEEPABLE);
	int plain = fentry_multi(COUNT_ONLY), err;

	REQUIRE(caller >= 0 && sleepable >= 0 && plain >= 0, "loading: %s, %s, %s",
		errname(-caller), errname(-sleepable), errname(-plain));
	err = bpf_map_update_elem(array, &key, &sleepable, BPF_ANY);
	CHECK(err == -EINVAL, "a sleepable program in the array: %s",
	      err ? errname(-err) : "taken");
	err = bpf_map_update_elem(array, &key, &plain, BPF_ANY);
	CHECK(!err, "another program in the array: %s", errname(-err));
	close(plain);
	close(sleepable);
	close(caller);
	close(array);
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

/* Loads a module whose BTF says that its last function is of a type that is not there. */
static int load_wrong_types(const char *module, __u32 *ids, int *cnt)
{
	int fd = open_module(module), err;
	char path[32], *file, *types;
	const struct btf_type *type;
	struct btf *btf;
	const void *raw;
	struct stat st;
	__u32 size, id;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	btf = btf__parse_split(path, types_of("")->btf);
	if (fd < 0 || fstat(fd, &st) || libbpf_get_error(btf))
		return ENOENT;
	file = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	raw = btf__raw_data(btf, &size);
	if (file == MAP_FAILED)
		return errno;
	if (memmem(file, st.st_size, ".BTF.base", 9))
		return EOPNOTSUPP;
	types = memmem(file, st.st_size, raw, size);
	for (id = btf__type_cnt(types_of("")->btf); id < btf__type_cnt(btf) && *cnt < MANY; id++) {
		if (btf_is_func(btf__type_by_id(btf, id)))
			ids[(*cnt)++] = id;
	}
	if (!types || *cnt < MANY)
		return ENODATA;
	type = btf__type_by_id(btf, ids[MANY - 1]);
	((struct btf_type *)(types + ((const char *)type - (const char *)raw)))->type = INT_MAX;
	err = syscall(SYS_init_module, file, st.st_size, "") ? errno : 0;
	munmap(file, st.st_size);
	btf__free(btf);
	close(fd);
	return err;
}

/* The kernel does not check what a function in the BTF of a module points at. */
static void no_such_type(void)
{
	__u32 ids[MANY];
	int cnt = 0, err = load_wrong_types("fdirect_churn", ids, &cnt), prog, link, nr;

	if (err == EINVAL)
		SKIP("the kernel refuses a module with such BTF");
	if (err == EOPNOTSUPP)
		SKIP("the BTF of test modules has a base of its own, which the kernel trusts");
	REQUIRE(!err, "loading the module: %s", errname(err));
	prog = load_multi(FENTRY_MULTI_TYPE, COUNT_ONLY, types_of("fdirect_churn")->fd, 0, 0);
	CHECK(prog >= 0, "loading: %s", errname(-prog));
	/* Alone, and after many: these are checked in another way */
	for (nr = 1; prog >= 0 && nr <= MANY; nr += MANY - 1) {
		link = attach_multi(prog, FENTRY_MULTI_TYPE, ids + MANY - nr, NULL, nr);
		CHECK(link == -EINVAL, "the last one of %d functions: %d", nr, link);
		close(link);
	}
	close(prog);
	forget_types("fdirect_churn");
	CHECK(!unload_soon("fdirect_churn"), "unloading");
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
	{ "a program that cannot sleep has no tail call to a sleepable one", sleepable_in_array },
	{ "a program with a prototype is for functions that agree with it", named_prototype },
	{ "a last argument of 4 bytes is what an ordinary program sees", small_last_argument },
	{ "ids of vmlinux and of a module are not mixed", foreign_ids },
	{ "a function of a type that is not there is refused, also among many", no_such_type },
	{ "two ids of one address are one function", aliases },
	{ "programs that may sleep are for functions that may sleep", sleepable },
};

int main(void)
{
	start_multi();
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect_subject", "fdirect");
}
