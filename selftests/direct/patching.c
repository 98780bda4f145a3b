// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls that come and go harm no other user that patches code of the kernel.
 *
 * A second task attaches, changes and detaches thousands of functions all the time.
 * They are spread over the whole text of the kernel and half of a module. Meanwhile
 * static keys and tracepoints are switched, kprobes come and go, BPF programs are
 * patched and function tracers change their filters. They use the same functions
 * and others. Each must do its work to the last call, as in a kernel that has no
 * direct calls.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "fdirect.h"

/* -------------------------------------------------------------------------- */
/* The second task                                                              */

/* The selection: all rare system calls, half of the peers, every tenth of the others. */
#define ATTACHED_PEERS	512
#define EVERY		10

#define ROUNDS		5	/* of the second task, at least, during each test */
#define PATIENCE	240	/* seconds without a turn or a round */

static struct {
	unsigned long rounds;
	int stop;
	int hold, held;		/* asked to wait; waits */
	int err;
	char command[64];	/* that failed */
} *churn;

static pid_t churner;
static int selected;
static time_t limit;

static unsigned int seed;

static unsigned int any(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static __printf(1, 2) bool tell(const char *fmt, ...)
{
	va_list args;

	while (__atomic_load_n(&churn->hold, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&churn->held, 1, __ATOMIC_RELEASE);
		usleep(1000);
	}
	__atomic_store_n(&churn->held, 0, __ATOMIC_RELEASE);
	va_start(args, fmt);
	vsnprintf(churn->command, sizeof(churn->command), fmt, args);
	va_end(args);
	churn->err = fdirect("control", "%s", churn->command);
	return !churn->err;
}

/* By `multi` all that is attached is changed and detached together. */
static bool one_round(bool hash, unsigned long round)
{
	int first = any(selected), count = 1 + any(selected - first);

	if (has_far())
		fdirect("reach", "%s", round % 2 ? "far" : "near");
	if (!hash)
		return tell("attach") && tell("modify 0 %d %d", selected, any(STUBS)) &&
		       tell("detach");
	return tell("attach") && tell("modify %d %d %d", first, count, any(STUBS)) &&
	       tell("detach %d %d", first, count) && tell("attach %d 1", first) &&
	       tell("modify %d 1 %d", first, any(STUBS)) && tell("detach");
}

static bool start_churn(void)
{
	bool hash = has_hash();
	struct text t = { };

	add_syscalls(&t, RARE_SYSCALLS);
	add_peers(&t, 0, ATTACHED_PEERS);
	add_each_kernel_function(&t, STUBS, EVERY);
	if (!CHECK(!choose(&t), "choosing functions"))
		return false;
	selected = status("functions");
	churn = mmap(NULL, sizeof(*churn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (!CHECK(churn != MAP_FAILED, "shared memory: %s", strerror(errno)))
		return false;
	limit = time(NULL) + PATIENCE;
	churner = fork();
	if (churner)
		return true;
	while (!__atomic_load_n(&churn->stop, __ATOMIC_RELAXED) && one_round(hash, churn->rounds))
		__atomic_fetch_add(&churn->rounds, 1, __ATOMIC_RELAXED);
	_exit(0);
}

/*
 * Whether to go on: both tasks have something to do, and neither has failed. Grace periods
 * of tasks RCU, which detaching waits for, end when each task has slept for a moment.
 */
static bool churning(int done, int least)
{
	unsigned long rounds = __atomic_load_n(&churn->rounds, __ATOMIC_RELAXED);
	static unsigned long last;

	if (rounds + done != last)
		limit = time(NULL) + PATIENCE;
	last = rounds + done;
	usleep(1000);
	return checks_failed < 10 && !__atomic_load_n(&churn->err, __ATOMIC_RELAXED) &&
	       (done < least || rounds < ROUNDS) &&
	       CHECK(time(NULL) < limit, "%d turns and %lu rounds, and none in %d s", done, rounds,
		     PATIENCE);
}

/* Between two commands, that is. A file that has changed while it is read is no list. */
static void hold_churn(bool hold)
{
	__atomic_store_n(&churn->hold, hold, __ATOMIC_RELEASE);
	while (__atomic_load_n(&churn->held, __ATOMIC_ACQUIRE) != hold &&
	       !__atomic_load_n(&churn->err, __ATOMIC_RELAXED) && time(NULL) < limit)
		usleep(1000);
}

static void stop_churn(int done)
{
	__atomic_store_n(&churn->stop, 1, __ATOMIC_RELAXED);
	CHECK(!signal_of(churner), "the second task died");
	CHECK(!churn->err, "%s: %s", churn->command, errname(churn->err));
	CHECK(status("attached") == 0, "%lld functions are attached", status("attached"));
	CHECK(status("misdirected") == 0, "%lld sites misdirected", status("misdirected"));
	ksft_print_msg("%d turns, beside %lu rounds of %d functions\n", done, churn->rounds,
		       selected);
	munmap(churn, sizeof(*churn));
}

/* -------------------------------------------------------------------------- */
/* BPF, without a library                                                       */

#define INSN(c, dst, src, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (dst), .src_reg = (src), .imm = (i) })
#define RETURN(value) \
	INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, value), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0)

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int load_program(const struct bpf_insn *insns, size_t count, union bpf_attr attr)
{
	if (!attr.prog_type)
		attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = count;
	attr.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

#define LOAD(insns, ...) \
	load_program(insns, ARRAY_SIZE(insns), (union bpf_attr){ __VA_ARGS__ })

static struct bpf_prog_info program_info(int fd)
{
	struct bpf_prog_info info = { };
	union bpf_attr attr = {
		.info = { .bpf_fd = fd, .info_len = sizeof(info), .info = (uintptr_t)&info },
	};

	CHECK(!bpf(BPF_OBJ_GET_INFO_BY_FD, &attr), "BPF_OBJ_GET_INFO_BY_FD: %s", strerror(errno));
	return info;
}

/* The return value of the program when it is run so many times; -1: it can't. */
static long run_program(int fd, int times)
{
	char packet[64] = "";
	union bpf_attr attr = {
		.test = {
			.prog_fd = fd, .repeat = times,
			.data_in = (uintptr_t)packet, .data_size_in = sizeof(packet),
		},
	};

	if (!CHECK(!bpf(BPF_PROG_TEST_RUN, &attr), "BPF_PROG_TEST_RUN: %s", strerror(errno)))
		return -1;
	return attr.test.retval;
}

/* A program that is not compiled is not patched either. */
static bool compiled(int fd)
{
	return program_info(fd).jited_prog_len;
}

#define BPF_STATS	"/proc/sys/kernel/bpf_stats_enabled"

/* -------------------------------------------------------------------------- */
/* Static keys                                                                  */

static void static_key(void)
{
	const struct bpf_insn insns[] = { RETURN(7) };
	unsigned long long before, ran, times;
	int fd, turn = 0;
	bool on;

	if (access(BPF_STATS, W_OK))
		SKIP("no %s", BPF_STATS);
	fd = LOAD(insns);
	REQUIRE(fd >= 0, "BPF_PROG_LOAD: %s", strerror(errno));
	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 100); turn++) {
		on = turn % 2 == 0;
		times = 1 + any(9);
		CHECK(!put(BPF_STATS, "%d", on), "switching");
		before = program_info(fd).run_cnt;
		CHECK(run_program(fd, times) == 7, "the program's result");
		ran = program_info(fd).run_cnt - before;
		CHECK(ran == (on ? times : 0), "turn %d, switched %s: %llu of %llu runs counted",
		      turn, on ? "on" : "off", ran, times);
	}
	stop_churn(turn);
	close(fd);
}

/* How often a task has given up its CPU, which is counted only while it is wanted. */
static unsigned long yields(void)
{
	char *text = must_slurp("/proc/schedstat"), *line, *next = text;
	unsigned long sum = 0, n;

	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "cpu%*u %lu", &n) == 1)
			sum += n;
	free(text);
	return sum;
}

static void schedstats(void)
{
	static const char sysctl[] = "/proc/sys/kernel/sched_schedstats";
	unsigned long before, seen, times, i;
	int turn = 0;
	bool on;

	if (access(sysctl, W_OK))
		SKIP("this kernel has no scheduler statistics");
	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 60); turn++) {
		on = turn % 2 == 0;
		times = 1 + any(9);
		CHECK(!put(sysctl, "%d", on), "switching");
		before = yields();
		for (i = 0; i < times; i++)
			sched_yield();
		seen = yields() - before;
		CHECK(on ? seen >= times : seen == 0, "turn %d, switched %s: %lu of %lu yields",
		      turn, on ? "on" : "off", seen, times);
	}
	stop_churn(turn);
	put(sysctl, "0");
}

#define EVENT	TRACE_INSTANCE "events/task/task_rename/enable"

static void tracepoint(void)
{
	int turn = 0, times, seen, i;
	char name[32], *line;
	bool on;

	REQUIRE(!mkdir(TRACE_INSTANCE, 0755), "an instance: %s", strerror(errno));
	if (access(EVENT, W_OK))
		SKIP("there is no event task:task_rename");
	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 60); turn++) {
		on = turn % 2 == 0;
		times = 1 + any(5);
		CHECK(!put(EVENT, "%d", on), "switching");
		for (i = 0; i < times; i++) {
			snprintf(name, sizeof(name), "fd-%d-%d", turn, i);
			prctl(PR_SET_NAME, name);
		}
		snprintf(name, sizeof(name), "newcomm=fd-%d-", turn);
		seen = 0;
		for (line = read_trace(TRACE_INSTANCE); (line = strstr(line, name)); line++)
			seen++;
		CHECK(seen == (on ? times : 0), "turn %d, switched %s: %d of %d events", turn,
		      on ? "on" : "off", seen, times);
	}
	stop_churn(turn);
}

/* -------------------------------------------------------------------------- */
/* Kprobes                                                                      */

/* On functions that the second task attaches, and on others beside them. */
static const struct probed {
	bool syscall;
	int number;		/* in rare_syscalls, or of the peer */
	bool middle;
} probed[] = {
	{ true, 0 }, { true, 1 }, { true, 2, true }, { true, 3, true },
	{ false, 0 }, { false, 1 }, { false, 2, true }, { false, 3, true },
	{ false, 511 }, { false, 512 }, { false, 600, true }, { false, 601, true },
	/* Both in one function */
	{ true, 4 }, { true, 4, true }, { false, 4 }, { false, 4, true },
};

#define PROBED	ARRAY_SIZE(probed)
#define KPROBES	DEBUGFS "kprobes/list"

/*
 * QEMU emulates what single-steps an instruction on s390x, and gets it wrong: 7.2 loses its
 * condition code, and 10.0 stops with an illegal operation. All kprobes are at call sites there.
 */
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
#define CAN_STEP	true
#else
#define CAN_STEP	false
#endif

/* The first instruction that can be probed behind the call site. */
static int probe_middle(size_t i, const char *function)
{
	int offset, err = EINVAL;

	for (offset = has_far() ? 12 : 9; err && offset < 32; offset++)
		err = put(TRACEFS "kprobe_events", "p:fd_p/fd_%zu %s+%d", i, function, offset);
	return err;
}

static bool add_probe(size_t i)
{
	const struct probed *p = &probed[i];
	char function[64];
	int err;

	if (p->syscall)
		snprintf(function, sizeof(function), SYSCALL_PREFIX "%s",
			 rare_syscalls[p->number].name);
	else
		snprintf(function, sizeof(function), "fdirect_peer:fdirect_peer_%03x", p->number);
	err = p->middle && CAN_STEP ? probe_middle(i, function) :
			  put(TRACEFS "kprobe_events", "p:fd_p/fd_%zu %s" PROBE_OFFSET, i,
			      function);
	return CHECK(!err, "a kprobe in %s: %s", function, errname(err));
}

static bool add_probes(void)
{
	size_t i;

	for (i = 0; i < PROBED; i++)
		if (!add_probe(i))
			return false;
	return true;
}

static void enable_probes(bool on)
{
	int err = put(TRACEFS "events/fd_p/enable", "%d", on);

	CHECK(!err, "%s the kprobes: %s", on ? "enabling" : "disabling", errname(err));
}

static bool remove_probes(void)
{
	size_t i;
	int err = 0;

	for (i = 0; i < PROBED && !err; i++)
		err = put(TRACEFS "kprobe_events", "-:fd_p/fd_%zu", i);
	return !err;
}

static void read_profile(unsigned long hits[PROBED])
{
	char *text = must_slurp(TRACEFS "kprobe_profile"), *line, *next = text;
	unsigned long n, missed;
	size_t i;

	for (i = 0; i < PROBED; i++)
		hits[i] = -1UL;
	while ((line = strsep(&next, "\n"))) {
		if (sscanf(line, " fd_%zu %lu %lu", &i, &n, &missed) != 3 || i >= PROBED)
			continue;
		hits[i] = n;
		CHECK(!missed, "kprobe %zu missed %lu hits", i, missed);
	}
	free(text);
}

/* Calls the function of each kprobe, for each of them. */
static void call_probed(int times)
{
	size_t i;

	for (i = 0; i < PROBED; i++) {
		if (probed[i].syscall)
			call_syscall(probed[i].number, times);
		else
			CHECK(!call_peers(probed[i].number, 1, times, 1), "calling peers");
	}
}

/* A function with two kprobes is called for both. */
static int calls_of(size_t i, int times)
{
	size_t j;
	int calls = 0;

	for (j = 0; j < PROBED; j++)
		if (probed[j].syscall == probed[i].syscall && probed[j].number == probed[i].number)
			calls += times;
	return calls;
}

static void check_probes(const char *when, bool on, int times)
{
	unsigned long before[PROBED], after[PROBED];
	size_t i;

	read_profile(before);
	call_probed(times);
	read_profile(after);
	for (i = 0; i < PROBED; i++)
		CHECK(after[i] - before[i] == (on ? (unsigned long)calls_of(i, times) : 0),
		      "%s: kprobe %zu has counted %ld of %d calls", when, i,
		      (long)(after[i] - before[i]), calls_of(i, times));
}

static void changing_kprobes(void)
{
	int turn = 0;

	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 4); turn++) {
		if (!add_probes())
			break;
		check_probes("before", false, 1);
		enable_probes(true);
		check_probes("enabled", true, 1 + any(9));
		enable_probes(false);
		check_probes("disabled", false, 2);
		CHECK(remove_probes(), "removing the kprobes");
	}
	stop_churn(turn);
}

#define OPTIMIZE	"/proc/sys/debug/kprobes-optimization"

static int optimized(void)
{
	char *text = must_slurp(KPROBES), *s = text;
	int n = 0;

	for (; (s = strstr(s, "[OPTIMIZED]")); s++)
		n++;
	free(text);
	return n;
}

/* It is a worker that makes jumps of them, after a grace period. */
static bool wait_for_optimized(int least)
{
	int tries;

	for (tries = 0; tries < 1200 && optimized() < least; tries++)
		usleep(50000);
	return CHECK(optimized() >= least, "%d kprobes are jumps", optimized());
}

static void optimized_kprobes(void)
{
	int turn = 0, middle = 0;
	size_t i;

	if (access(OPTIMIZE, W_OK))
		SKIP("this architecture does not make jumps of kprobes");
	/* A kprobe behind the call site of a function with another one stays a breakpoint. */
	for (i = 0; i < PROBED; i++)
		middle += probed[i].middle && calls_of(i, 1) == 1;
	REQUIRE(add_probes(), "kprobes");
	enable_probes(true);
	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 6); turn++) {
		CHECK(!put(OPTIMIZE, "1"), "switching on");
		check_probes("becoming jumps", true, 5);
		if (!wait_for_optimized(middle))
			break;
		check_probes("jumps", true, 5);
		CHECK(!put(OPTIMIZE, "0"), "switching off");
		CHECK(optimized() == 0, "%d kprobes are jumps", optimized());
		check_probes("breakpoints", true, 5);
	}
	stop_churn(turn);
	put(OPTIMIZE, "1");
	enable_probes(false);
	CHECK(remove_probes(), "removing the kprobes");
}

/* -------------------------------------------------------------------------- */
/* BPF programs                                                                 */

enum { NOBODY = 2 };

/* A tail call with a constant index is a jump that is patched, on x86_64. */
static void tail_calls(void)
{
	union bpf_attr create = {
		.map_type = BPF_MAP_TYPE_PROG_ARRAY,
		.key_size = 4, .value_size = 4, .max_entries = 1,
	};
	static const long results[] = { 11, 22, 33 };
	const struct bpf_insn first[] = { RETURN(11) }, second[] = { RETURN(22) };
	int fds[2], key = 0, now = NOBODY, next, caller, turn = 0;
	const int map = bpf(BPF_MAP_CREATE, &create);
	const struct bpf_insn call[] = {
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_2, BPF_PSEUDO_MAP_FD, map),
		INSN(0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, BPF_FUNC_tail_call),
		RETURN(33),
	};
	union bpf_attr slot = { .map_fd = map, .key = (uintptr_t)&key };

	REQUIRE(map >= 0, "BPF_MAP_CREATE: %s", strerror(errno));
	fds[0] = LOAD(first);
	fds[1] = LOAD(second);
	caller = LOAD(call);
	REQUIRE(fds[0] >= 0 && fds[1] >= 0 && caller >= 0, "BPF_PROG_LOAD: %s", strerror(errno));
	if (!compiled(caller))
		SKIP("BPF programs are not compiled");
	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 200); turn++) {
		next = any(3);
		slot.value = next == NOBODY ? 0 : (uintptr_t)&fds[next];
		if (next != NOBODY)
			CHECK(!bpf(BPF_MAP_UPDATE_ELEM, &slot), "filling the slot: %s",
			      strerror(errno));
		else if (now != NOBODY)
			CHECK(!bpf(BPF_MAP_DELETE_ELEM, &slot), "emptying the slot: %s",
			      strerror(errno));
		now = next;
		CHECK(run_program(caller, 3) == results[now], "turn %d: %ld, not %ld", turn,
		      run_program(caller, 1), results[now]);
	}
	stop_churn(turn);
	close(caller);
	close(fds[1]);
	close(fds[0]);
	close(map);
}

/* int target(void *ctx) */
enum { BTF_TARGET = 4 };

static int load_btf(void)
{
	static const char strings[] = "\0int\0ctx\0target";
	struct {
		struct btf_header header;
		struct btf_type number;
		__u32 number_bits;
		struct btf_type pointer;
		struct btf_type proto;
		struct btf_param ctx;
		struct btf_type target;
		char strings[sizeof(strings)];
	} btf = {
		.header = {
			.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(btf.header),
			.type_len = offsetof(typeof(btf), strings) - sizeof(btf.header),
			.str_off = offsetof(typeof(btf), strings) - sizeof(btf.header),
			.str_len = sizeof(strings),
		},
		.number = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
		.number_bits = BTF_INT_SIGNED << 24 | 32,
		.pointer = { .info = BTF_KIND_PTR << 24 },
		.proto = { .info = BTF_KIND_FUNC_PROTO << 24 | 1, .type = 1 },
		.ctx = { .name_off = 5, .type = 2 },
		.target = {
			.name_off = 9, .info = BTF_KIND_FUNC << 24 | BTF_FUNC_GLOBAL, .type = 3,
		},
	};
	union bpf_attr attr = { .btf = (uintptr_t)&btf, .btf_size = sizeof(btf) };

	memcpy(btf.strings, strings, sizeof(strings));
	return bpf(BPF_BTF_LOAD, &attr);
}

static int load_target(void)
{
	const struct bpf_insn insns[] = { RETURN(44) };
	const struct bpf_func_info info = { .insn_off = 0, .type_id = BTF_TARGET };
	int btf = load_btf(), target;

	if (btf < 0)
		return -1;
	target = LOAD(insns, .prog_btf_fd = btf, .func_info = (uintptr_t)&info,
		      .func_info_rec_size = sizeof(info), .func_info_cnt = 1);
	close(btf);
	return target;
}

static int load_tracer(int target)
{
	const struct bpf_insn insns[] = { RETURN(0) };

	return LOAD(insns, .prog_type = BPF_PROG_TYPE_TRACING,
		    .expected_attach_type = BPF_TRACE_FENTRY, .attach_btf_id = BTF_TARGET,
		    .attach_prog_fd = target);
}

/* A program that traces another one is called by it: an instruction that is patched. */
static void traced_program(void)
{
	int target, tracer, link, turn = 0, times;
	unsigned long long ran;
	union bpf_attr attach;

	target = load_target();
	REQUIRE(target >= 0, "the traced program: %s", strerror(errno));
	if (!compiled(target))
		SKIP("BPF programs are not compiled");
	if (access(BPF_STATS, W_OK))
		SKIP("no %s", BPF_STATS);
	CHECK(!put(BPF_STATS, "1"), "counting runs");
	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 40); turn++) {
		times = 1 + any(5);
		tracer = load_tracer(target);
		if (!CHECK(tracer >= 0, "the tracing program: %s", strerror(errno)))
			break;
		attach = (union bpf_attr){ .raw_tracepoint = { .prog_fd = tracer } };
		link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attach);
		if (!CHECK(link >= 0, "attaching: %s", strerror(errno)))
			break;
		ran = program_info(tracer).run_cnt;
		CHECK(run_program(target, times) == 44, "the result while traced");
		ran = program_info(tracer).run_cnt - ran;
		CHECK(ran == (unsigned long long)times, "turn %d: %llu of %d runs seen", turn, ran,
		      times);
		close(link);
		ran = program_info(tracer).run_cnt;
		CHECK(run_program(target, times) == 44, "the result while not traced");
		ran = program_info(tracer).run_cnt - ran;
		CHECK(ran == 0, "turn %d: %llu runs seen after detaching", turn, ran);
		close(tracer);
	}
	stop_churn(turn);
	close(target);
}

/* -------------------------------------------------------------------------- */
/* Function tracers                                                             */

/*
 * Three of them, each with a filter of its own, on peers that the second task attaches
 * and on as many others.
 */
#define TRACERS		3
#define WATCHED		48
#define FIRST_WATCHED	(ATTACHED_PEERS - WATCHED / 2)
#define SECOND_INSTANCE	TRACEFS "instances/fdirect2/"

static const char * const tracer_dir[TRACERS] = { TRACEFS, TRACE_INSTANCE, SECOND_INSTANCE };
static const char * const filter_file[] = { "set_ftrace_filter", "set_ftrace_notrace" };

/* The content of the two files. An empty filter would be all functions, so that is never. */
static bool listed[TRACERS][2][WATCHED];

static bool traced(int tracer, int i)
{
	return listed[tracer][0][i] && !listed[tracer][1][i];
}

static int set_file(int tracer, const char *file, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", tracer_dir[tracer], file);
	return put(path, "%s\n", text);
}

static void clear_file(int tracer, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", tracer_dir[tracer], file);
	close(open(path, O_WRONLY | O_TRUNC));
}

static void toggle(int tracer, int which, int i)
{
	char text[64];
	int err;

	listed[tracer][which][i] ^= true;
	snprintf(text, sizeof(text), "%sfdirect_peer_%03x", listed[tracer][which][i] ? "" : "!",
		 FIRST_WATCHED + i);
	err = set_file(tracer, filter_file[which], text);
	CHECK(!err, "%s of tracer %d: %s: %s", filter_file[which], tracer, text, errname(err));
}

/* Function 0 is in each filter, in none of the others. */
static bool start_tracers(void)
{
	int t;

	memset(listed, 0, sizeof(listed));
	for (t = 0; t < TRACERS; t++) {
		if (t && !CHECK(!mkdir(tracer_dir[t], 0755), "an instance: %s", strerror(errno)))
			return false;
		toggle(t, 0, 0);
		if (!CHECK(!set_file(t, "current_tracer", "function"), "the function tracer"))
			return false;
	}
	return true;
}

static void stop_tracers(void)
{
	size_t i;
	int t;

	for (t = 0; t < TRACERS; t++) {
		if (access(tracer_dir[t], F_OK))
			continue;
		set_file(t, "current_tracer", "nop");
		for (i = 0; i < ARRAY_SIZE(filter_file); i++)
			clear_file(t, filter_file[i]);
		if (t)
			rmdir(tracer_dir[t]);
	}
}

/* Calls every watched function: each tracer has seen those that it should, and no other. */
static void check_traces(int turn, int times)
{
	int t, i, peer, seen[WATCHED];
	char *line, *next;

	CHECK(!call_peers(FIRST_WATCHED, WATCHED, times, 1), "calling peers");
	for (t = 0; t < TRACERS; t++) {
		memset(seen, 0, sizeof(seen));
		next = read_trace(tracer_dir[t]);
		while ((line = strsep(&next, "\n"))) {
			line = strstr(line, ": ");
			if (!line || !CHECK(sscanf(line, ": fdirect_peer_%3x <-", &peer) == 1,
					    "tracer %d has \"%s\"", t, line))
				continue;
			if (peer >= FIRST_WATCHED && peer < FIRST_WATCHED + WATCHED)
				seen[peer - FIRST_WATCHED]++;
		}
		for (i = 0; i < WATCHED; i++)
			CHECK(seen[i] == (traced(t, i) ? times : 0),
			      "turn %d: tracer %d saw %d of %d calls of what it %s", turn, t,
			      seen[i], times, traced(t, i) ? "traces" : "does not trace");
	}
}

/* The functions that nobody attaches are enabled for the tracers only. */
static void check_enabled(int turn)
{
	int t, i, peer, n, want, users[WATCHED] = { 0 };
	char *text, *line, *next;

	hold_churn(true);
	text = enabled_functions();
	hold_churn(false);
	next = text;
	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "fdirect_peer_%3x%*[^(](%d)", &peer, &n) == 2 &&
		    peer >= ATTACHED_PEERS && peer < FIRST_WATCHED + WATCHED)
			users[peer - FIRST_WATCHED] = n;
	free(text);
	for (i = ATTACHED_PEERS - FIRST_WATCHED; i < WATCHED; i++) {
		for (t = want = 0; t < TRACERS; t++)
			want += traced(t, i);
		CHECK(users[i] == want, "turn %d: peer %d has %d users, not %d", turn,
		      FIRST_WATCHED + i, users[i], want);
	}
}

static void filters(void)
{
	int turn = 0;

	REQUIRE(start_tracers(), "tracers");
	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 50); turn++) {
		toggle(any(TRACERS), any(4) == 0, 1 + any(WATCHED - 1));
		check_traces(turn, 1 + any(3));
		if (turn % 8 == 0)
			check_enabled(turn);
	}
	stop_churn(turn);
}

/* All functions of the module but one, by both ways to say that. */
static void all_but_one(void)
{
	int turn = 0, i, gap;
	char text[32];
	bool negated;

	REQUIRE(start_tracers(), "tracers");
	REQUIRE(start_churn(), "the second task");
	for (; churning(turn, 12); turn++) {
		gap = any(WATCHED);
		negated = turn % 2;
		memset(listed[0], 0, sizeof(listed[0]));
		for (i = 0; i < WATCHED; i++)
			listed[0][0][i] = i != gap;
		CHECK(!set_file(0, "set_ftrace_filter", "fdirect_peer_*"), "the filter");
		snprintf(text, sizeof(text), "%sfdirect_peer_%03x", negated ? "!" : "",
			 FIRST_WATCHED + gap);
		CHECK(!set_file(0, filter_file[!negated], text), "all but one");
		check_traces(turn, 2);
		check_enabled(turn);
		if (!negated)
			clear_file(0, "set_ftrace_notrace");
	}
	stop_churn(turn);
}

/* -------------------------------------------------------------------------- */
/* CPUs that come and go                                                        */

#define STARTS	40
#define LEAVES	10

/* The last CPU: the file that takes it away */
static int last_cpu(char online[64])
{
	int cpu = sysconf(_SC_NPROCESSORS_CONF) - 1;

	snprintf(online, 64, "/sys/devices/system/cpu/cpu%d/online", cpu);
	return cpu;
}

/* Take the CPU away and bring it back. @starts counts that. */
static int restart_cpu(const char *online, int times, int *starts)
{
	int err = 0;

	for (*starts = 0; *starts < times && !err; *starts += !err)
		err = put(online, "0") ?: put(online, "1");
	return err;
}

static void switch_tracer(void)
{
	for (;;) {
		set_file(0, "current_tracer", "function");
		set_file(0, "current_tracer", "nop");
	}
}

/* On x86_64 a call site has a breakpoint while it changes, and a CPU cannot handle it at first. */
static void starting_cpu(void)
{
	/* What a CPU executes when it comes or goes, some of it on one architecture only */
	static const char * const early[] = {
		"load_current_idt", "initialize_tlbstate_and_flush", "enter_lazy_tlb",
		"notify_cpu_starting",
	};
	char online[64], filter[64];
	int cpu = last_cpu(online), starts, err, traced = 0;
	pid_t child;
	size_t i;

	NEED_TWO_CPUS("one CPU cannot be taken away");
	clear_file(0, "set_ftrace_filter");
	for (i = 0; i < ARRAY_SIZE(early); i++) {
		snprintf(filter, sizeof(filter), "%s\n", early[i]);
		traced += !write_words(TRACEFS "set_ftrace_filter", 0, filter);
	}
	REQUIRE(traced, "none of the functions can be traced");
	child = fork();
	if (!child)
		switch_tracer();
	REQUIRE(child > 0, "a second task: %s", strerror(errno));
	err = restart_cpu(online, STARTS, &starts);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	put(online, "1");
	CHECK(!err, "CPU %d off and on: %s", cpu, errname(err));
	ksft_print_msg("%d functions traced, %d starts\n", traced, starts);
}

/* What union bpf_attr has for BPF_RAW_TRACEPOINT_OPEN */
struct attach_attr {
	__u64 name;
	__u32 program, pad;
};

/* 8 bytes from or to memory */
#define MEM(c, dst, src, o) \
	((struct bpf_insn){							\
		.code = (c) | BPF_MEM | BPF_DW, .dst_reg = (dst), .src_reg = (src), .off = (o) \
	})

/* BPF_RAW_TRACEPOINT_OPEN by a program that gets these */
static int load_attacher(void)
{
	const struct bpf_insn insns[] = {
		MEM(BPF_LDX, BPF_REG_2, BPF_REG_1, 0), MEM(BPF_STX, BPF_REG_10, BPF_REG_2, -16),
		MEM(BPF_LDX, BPF_REG_2, BPF_REG_1, 8), MEM(BPF_STX, BPF_REG_10, BPF_REG_2, -8),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, BPF_RAW_TRACEPOINT_OPEN),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, -16),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 16),
		INSN(BPF_JMP | BPF_CALL, 0, 0, BPF_FUNC_sys_bpf),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0),
	};

	return LOAD(insns, .prog_type = BPF_PROG_TYPE_SYSCALL, .prog_flags = BPF_F_SLEEPABLE);
}

static int load_raw(void)
{
	const struct bpf_insn insns[] = { RETURN(0) };

	return LOAD(insns, .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT);
}

/*
 * Attach on @cpu, whenever it is there, by a program that must not migrate: to a tracepoint,
 * and to the program @target, if that is one.
 */
static void attach_on(int cpu, int attacher, int target, int *attached)
{
	cpu_set_t cpus;
	int turn;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	for (turn = 0;; turn++) {
		bool raw = target < 0 || turn % 2;
		int tracer = raw ? load_raw() : load_tracer(target);
		struct attach_attr context = {
			.name = raw ? (uintptr_t)"sched_process_exec" : 0, .program = tracer,
		};
		union bpf_attr run = {
			.test = {
				.prog_fd = attacher, .ctx_in = (uintptr_t)&context,
				.ctx_size_in = sizeof(context),
			},
		};

		sched_setaffinity(0, sizeof(cpus), &cpus);
		if (tracer < 0 || bpf(BPF_PROG_TEST_RUN, &run) || (int)run.test.retval < 0)
			_exit(KSFT_FAIL);
		close(run.test.retval);
		close(tracer);
		__atomic_fetch_add(attached, 1, __ATOMIC_RELAXED);
	}
}

/*
 * A CPU that goes offline waits for tasks that must not migrate. Attaching to a tracepoint waits
 * for the CPU, and attaching to a program on x86_64. Both wait for ever if the program that
 * attaches is such a task.
 */
static void leaving_cpu(void)
{
	struct { int attached, starts, err; } *seen;
	int target, attacher, status;
	char online[64];
	int cpu = last_cpu(online), before;
	pid_t attaching, restarting;
	long long until;

	NEED_TWO_CPUS("one CPU cannot be taken away");
	target = load_target();
	REQUIRE(target >= 0, "the traced program: %s", strerror(errno));
	attacher = load_attacher();
	REQUIRE(attacher >= 0, "the program that attaches: %s", strerror(errno));
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(seen != MAP_FAILED, "shared memory: %s", strerror(errno));

	attaching = fork();
	if (!attaching)
		attach_on(cpu, attacher, compiled(target) ? target : -1, &seen->attached);
	REQUIRE(attaching > 0, "a second task: %s", strerror(errno));
	restarting = fork();
	if (!restarting) {
		seen->err = restart_cpu(online, LEAVES, &seen->starts);
		_exit(KSFT_PASS);
	}
	REQUIRE(restarting > 0, "a third task: %s", strerror(errno));
	/* None of them can be killed when they wait for each other. */
	for (before = -1, until = now_ms() + STUCK; now_ms() < until; usleep(10000)) {
		if (waitpid(restarting, &status, WNOHANG) == restarting)
			break;
		if (__atomic_load_n(&seen->starts, __ATOMIC_RELAXED) != before) {
			before = seen->starts;
			until = now_ms() + STUCK;
		}
	}
	REQUIRE(now_ms() < until, "CPU %d is stuck after %d starts and %d programs attached", cpu,
		seen->starts, seen->attached);
	CHECK(waitpid(attaching, &status, WNOHANG) == 0, "a program cannot attach another one");
	kill(attaching, SIGKILL);
	waitpid(attaching, NULL, 0);
	put(online, "1");
	CHECK(!seen->err, "CPU %d off and on: %s", cpu, errname(seen->err));
	CHECK(seen->attached, "no program was attached");
	ksft_print_msg("%d programs attached, %d starts\n", seen->attached, seen->starts);
	munmap(seen, sizeof(*seen));
	close(attacher);
	close(target);
}

/* -------------------------------------------------------------------------- */

static void restore(void)
{
	put(BPF_STATS, "0");
	put(EVENT, "0");
	put(TRACEFS "events/fd_p/enable", "0");
	remove_probes();
	stop_tracers();
}

static const struct test tests[] = {
	{ "a static key is on and off as it was switched", static_key },
	{ "scheduler statistics are on and off as they were switched", schedstats },
	{ "a tracepoint is on and off as it was switched", tracepoint },
	{ "kprobes that come and go count every call", changing_kprobes },
	{ "kprobes that become jumps and breakpoints count every call", optimized_kprobes },
	{ "a tail call goes where it was sent last", tail_calls },
	{ "a BPF program is traced by another one from attaching to detaching", traced_program },
	{ "three function tracers trace what their changing filters say", filters },
	{ "a function tracer traces all functions of a module but one", all_but_one },
	{ "a CPU comes and goes while functions that it executes then are traced", starting_cpu },
	{ "a CPU goes while a program attaches another one on it", leaving_cpu },
};

int main(void)
{
	suite_restore = restore;
	SUITE(tests, "fdirect_peer", "fdirect");
}
