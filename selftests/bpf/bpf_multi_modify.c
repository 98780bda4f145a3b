// SPDX-License-Identifier: GPL-2.0
/*
 * One program that modifies the return values of many functions: it keeps from running those
 * that such a program is allowed for, and no others.
 */
#include <sys/mount.h>
#include <sys/prctl.h>
#include <linux/bpf.h>

#include "multi_prog.h"

/* BPF_PROG_TEST_RUN calls these for them: the first returns 4, the second 29. */
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
	{ "a program modifies the results of functions, which do not run, and fexit sees it",
	  modify_return },
	{ "a program refuses system calls by hooks of the security modules", modify_hooks },
	{ "links and ordinary programs that modify a result come and go in any order", modifiers },
	{ "the functions that an ordinary fmod_ret program takes, and no others", same_functions },
	{ "a function that may not be modified refuses the whole link", unmodifiable },
	{ "bpffs does not delegate the attach type of these links", not_delegated },
	{ "a program that modifies results may read them with a prototype", modify_named },
	{ "link info and fdinfo of a program that modifies results", modifying_info },
	{ "without modify-return links their number is refused", modifying_unknown },
};

int main(void)
{
	start_multi();
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect_subject", "fdirect");
}
