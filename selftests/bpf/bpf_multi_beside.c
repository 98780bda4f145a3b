// SPDX-License-Identifier: GPL-2.0
/*
 * Links of one program to many functions, and others at the same functions: further links,
 * ordinary programs, direct calls of a module, kprobes, livepatches, the functions' own module.
 * Each sees every call, or is refused, whoever comes and goes.
 */
#include "direct_api.h"
#include "livepatch.h"
#include "multi_prog.h"

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
static void overridden_beside(int type, bool post)
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
	if (!shared_images() && !post)
		want = SUBJECT_VALUE(0, 1, 2);
#endif
	REQUIRE(!put(SUBJECT "override", post ? "0 post" : "0"), "the kprobe");
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
	overridden_beside(FEXIT_MULTI_TYPE, false);
	overridden_beside(FEXIT_MULTI_TYPE, true);
}

static void overridden_modified(void)
{
	NEED_FMOD_RET_MULTI();
	overridden_beside(FMOD_RET_MULTI_TYPE, false);
	overridden_beside(FMOD_RET_MULTI_TYPE, true);
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

/* The number of a link, or -errno. The kernel runs bpf_sys_bpf() as a reader of RCU tasks trace. */
static int attach_by_program(const struct multi_attr *attr)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = attr, .ctx_size_in = sizeof(*attr));
	const int size = sizeof(*attr);
	struct bpf_insn insns[32];
	int prog, n = 0, i;

	/* The attributes are on its stack */
	for (i = 0; i < size; i += 8) {
		insns[n++] = LDX(2, 1, i);
		insns[n++] = STX(10, 2, i - size);
	}
	insns[n++] = MOV(2, 10);
	insns[n++] = ADDI(2, -size);
	insns[n++] = MOVI(1, BPF_LINK_CREATE);
	insns[n++] = MOVI(3, size);
	insns[n++] = HELPER(BPF_FUNC_sys_bpf);
	insns[n++] = EXIT();
	prog = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "attach", "GPL", insns, n, &opts);
	if (prog < 0 || bpf_prog_test_run_opts(prog, &run))
		return -errno;
	close(prog);
	return (int)run.retval;
}

static int child_status;

static bool has_ended(int pid)
{
	return waitpid(pid, &child_status, WNOHANG) == pid;
}

/*
 * A program attaches a link that is refused when its program is in some trampolines already.
 * The task must not wait for a grace period of RCU tasks trace then: this waits for the task.
 */
static void attached_by_program(void)
{
	struct multi_attr attr = {
		.attach_type = FENTRY_MULTI_TYPE, .ids = (uintptr_t)tested_ids, .cnt = 3,
	};
	int prog = fentry_multi(COUNT_ONLY), link, second, i;
	pid_t child;

	REQUIRE(prog >= 0, "loading: %s", errname(-prog));
	for (i = 0; i < 3; i++)
		REQUIRE(ATTACHED(trace(FENTRY, tested[i].name)), "%s", tested[i].name);
	attr.prog_fd = prog;
	/* In the middle: the trampoline of another function gets the program before */
	link = attach_multi(prog, FENTRY_MULTI_TYPE, tested_ids + 1, NULL, 1);
	REQUIRE(link >= 0, "attaching: %s", errname(-link));
	child = fork();
	if (!child) {
		/* If it stays for good, nobody waits for more of its output */
		i = open("/dev/null", O_WRONLY);
		if (dup2(i, STDOUT_FILENO) < 0 || dup2(i, STDERR_FILENO) < 0)
			_exit(errno);
		second = attach_by_program(&attr);
		_exit(second < 0 ? -second : 0);
	}
	/* If not, what waits for RCU tasks trace never ends any more */
	if (!CHECK(comes(has_ended, child), "a program that attaches a link does not return"))
		ksft_exit_fail_msg("the kernel waits for good\n");
	CHECK(WIFEXITED(child_status) && WEXITSTATUS(child_status) == EBUSY,
	      "attaching twice by a program: status %x", child_status);
	close(link);

	forget_seen();
	link = attach_by_program(&attr);
	REQUIRE(link >= 0, "attaching by a program: %s", errname(-link));
	run_tested(prog);
	CHECK(seen_hits(0) == 3, "%llu calls", seen_hits(0));
	close(link);
	run_tested(prog);
	CHECK(seen_hits(0) == 3, "%llu calls when it is gone", seen_hits(0));
	close(prog);
}

static const struct test tests[] = {
	{ "two links and an ordinary program come and go in any order", overlaps },
	{ "a direct call of somebody else refuses the whole link", foreign_direct_call },
	{ "a program attaches a link, and returns though that is refused late",
	  attached_by_program },
	{ "an IPMODIFY ops comes by its filter, and a link goes", ipmodify_by_filter },
	{ "a kprobe ends a call with a result, which an fexit program leaves alone", overridden },
	{ "a kprobe ends a call with a result, which an fmod_ret program leaves alone",
	  overridden_modified },
	{ "a session sees a function entered and left, whoever else comes or goes",
	  entered_and_left },
	{ "functions of a module, which does not unload", modules_functions },
	{ "a livepatch comes to functions of a link, or is there", livepatched },
};

int main(void)
{
	start_multi();
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect_subject", "fdirect");
}
