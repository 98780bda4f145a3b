// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on functions, without memory: they are loaded, attached and detached while one
 * allocation fails after the other. A call that fails changes nothing: neither the call
 * site nor the others that are called there. Detaching never fails, and does not wait for
 * memory: without it the program is called until there is some.
 *
 * Options are described in fault.h.
 */
#include <pthread.h>

#include "bpf_trace.h"
#include "direct_api.h"
#include "fault.h"

#define INSTEAD	-55	/* what programs return that may */
#define SETNICE	"bpf_lsm_task_setnice"
#define LATEST	5000	/* milliseconds until a detached program is gone */

static int swept;		/* the tracer that comes and goes */
static int others[8], other_count;	/* those that stay */
static int function;		/* of fdirect_subject, that all of them are on */
static bool attached_before;

static bool is_lsm(enum kind kind)
{
	return kind == LSM || kind == LSM_SLEEPABLE;
}

static bool replaces(int id)
{
	enum kind kind = tracers[id].kind;

	return kind == FMOD_RET || kind == FMOD_RET_SLEEPABLE || kind == FMOD_RET_MULTI ||
	       is_lsm(kind);
}

static int one_call(void)
{
	char name[8];

	if (is_lsm(tracers[swept].kind))
		return setpriority(PRIO_PROCESS, 0, 0) ? -errno : 0;
	snprintf(name, sizeof(name), "%d", function);
	return call_function(name, 3, 4);
}

/* A program that was detached without memory goes when there is some. */
static bool goes(void)
{
	long long start = now_ms();
	unsigned long long seen;

	do {
		seen = hits(swept);
		one_call();
		if (hits(swept) == seen)
			return true;
		usleep(20000);
	} while (now_ms() - start < LATEST);
	return false;
}

/* One call is seen by those who are attached, and returns what they want. */
static void look_at_calls(bool done)
{
	unsigned long long seen[ARRAY_SIZE(others)], swept_seen;
	bool there = done != attached_before, instead = there && replaces(swept);
	int i, result, want = SUBJECT_VALUE(function, 3, 4);
	const char *when = done ? "after" : "before";

	CHECK(there || goes(), "%s: the program is still called after %d ms", when, LATEST);
	swept_seen = hits(swept);
	for (i = 0; i < other_count; i++) {
		seen[i] = hits(others[i]);
		instead |= replaces(others[i]);
	}
	result = one_call();
	if (is_lsm(tracers[swept].kind))
		want = 0;
	if (instead)
		want = is_lsm(tracers[swept].kind) ? -EPERM : INSTEAD;
	CHECK(result == want, "%s: it returns %d, not %d", when, result, want);
	CHECK(hits(swept) - swept_seen == there, "%s: %s has seen %llu calls, not %d", when,
	      kinds[tracers[swept].kind].name, hits(swept) - swept_seen, there);
	for (i = 0; i < other_count; i++)
		CHECK(hits(others[i]) - seen[i] == 1, "%s: another %s has seen %llu calls", when,
		      kinds[tracers[others[i]].kind].name, hits(others[i]) - seen[i]);
}

static int attach_it(void)	{ return attach_tracer(swept); }

static int detach_it(void)
{
	detach_tracer(swept);
	return 0;
}

static char *references(void)
{
	return first_line("/sys/module/fdirect_subject/refcnt");
}

/*
 * The kernel lets go of a program's module a moment after the program, which is not to happen
 * in the next sweep.
 */
static void await_references(char *want)
{
	long long start = now_ms();
	char *now = references();

	while (strcmp(now, want) && now_ms() - start < STUCK) {
		free(now);
		usleep(100000);
		now = references();
	}
	CHECK(!strcmp(now, want), "fdirect_subject.ko has %s references, not %s", now, want);
	free(now);
	free(want);
}

/* A program of @kind on function @n comes and goes, beside those in others. */
static void sweep_attach(enum kind kind, int n, const char *where)
{
	char *before = references(), name[128];
	struct op op = { .name = name, .look = look_at_calls };

	function = n;
	swept = load_tracer(kind, is_lsm(kind) ? SETNICE : subject(n));
	REQUIRE(swept > 0, "%s: %s", kinds[kind].name, errname(-swept));
	cells[swept].instead = INSTEAD;
	cells[swept].user = (uintptr_t)&function;

	attached_before = false;
	op.run = attach_it;
	op.undo = detach_it;
	snprintf(name, sizeof(name), "attach %s%s", kinds[kind].name, where);
	sweep(&op);

	REQUIRE(!attach_it(), "attaching %s%s", kinds[kind].name, where);
	attached_before = true;
	op.run = detach_it;
	op.undo = attach_it;
	op.sure = true;
	snprintf(name, sizeof(name), "detach %s%s", kinds[kind].name, where);
	sweep(&op);
	drop_tracer(swept);
	await_references(before);
}

/* -------------------------------------------------------------------------- */
/* Programs themselves                                                          */

static int loaded_prog = -1, load_type, load_fd;
static enum kind load_kind;

/* Without libbpf, whose own memory is none of the kernel's. */
static int load_it(void)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.insns = (uintptr_t)bpf_program__insns(model(load_kind)),
		.insn_cnt = bpf_program__insn_cnt(model(load_kind)),
		.license = (uintptr_t)"GPL",
		.expected_attach_type = kinds[load_kind].type,
		.prog_flags = kinds[load_kind].flags,
		.attach_btf_id = load_type,
		.attach_btf_obj_fd = load_fd,
	};

	loaded_prog = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	return loaded_prog < 0 ? errno : 0;
}

static int unload_it(void)
{
	return close(loaded_prog) ? errno : 0;
}

static void loading(void)
{
	enum kind all[] = { FENTRY, FEXIT, FMOD_RET, FENTRY_SLEEPABLE };
	char name[64];
	struct op op = {
		.name = name, .run = load_it, .undo = unload_it,
		/* No program, no state of the verifier, no code where only the JIT runs it */
		.also = { EINVAL, EFAULT, ENOTSUPP },
	};
	size_t i;

	load_fd = types_of("fdirect_subject")->fd;
	load_type = find_type(types_of("fdirect_subject"), "fdirect_subject_0", BTF_KIND_FUNC);
	REQUIRE(load_type > 0, "fdirect_subject_0");
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		load_kind = all[i];
		snprintf(name, sizeof(name), "load %s program", kinds[all[i]].name);
		sweep(&op);
	}
}

/* -------------------------------------------------------------------------- */
/* Attached to functions                                                        */

static char *references_before;	/* those that stay */

static void stay(enum kind kind, int n)
{
	int id;

	if (!other_count)
		references_before = references();
	id = trace(kind, subject(n));

	REQUIRE(id > 0, "%s: %s", kinds[kind].name, errname(-id));
	cells[id].instead = INSTEAD;
	others[other_count++] = id;
}

static void leave(void)
{
	while (other_count)
		drop_tracer(others[--other_count]);
	await_references(references_before);
}

static void alone(void)
{
	enum kind kind;

	for (kind = FENTRY; kind <= LSM_SLEEPABLE; kind++)
		if (!is_lsm(kind))
			sweep_attach(kind, 0, "");
}

static void lsm_programs(void)
{
	if (find_type(types_of(""), SETNICE, BTF_KIND_FUNC) < 0)
		SKIP("this kernel has no hooks for programs");
	sweep_attach(LSM, 0, "");
}

static void second(void)
{
	stay(FENTRY, 1);
	sweep_attach(FEXIT, 1, " beside fentry");
	stay(FEXIT, 1);
	sweep_attach(FENTRY, 1, " beside fentry and fexit");
	stay(FMOD_RET, 1);
	sweep_attach(FENTRY, 1, " beside fentry, fexit and fmod_ret");
	leave();
}

/*
 * A link to all functions of fdirect_subject.ko: alone, where another link has its call
 * sites, and where some of them have ordinary programs.
 */
static void links_to_many(void)
{
	int n;

	NEED_MULTI();
	sweep_attach(FENTRY_MULTI, 6, "");
	sweep_attach(FEXIT_MULTI, 6, "");
	stay(FENTRY_MULTI, 6);
	sweep_attach(FENTRY, 6, " beside fentry.multi");
	sweep_attach(FEXIT_MULTI, 6, " beside fentry.multi");
	stay(FEXIT_MULTI, 6);
	sweep_attach(FENTRY_MULTI, 6, " beside two links");
	if (has_fmod_ret_multi())
		sweep_attach(FMOD_RET_MULTI, 6, " beside two links");
	leave();
	for (n = 0; n < 2; n++) {
		stay(n ? FEXIT : FENTRY, 6);
		sweep_attach(FENTRY_MULTI, 6, n ? " beside fentry and fexit" : " beside fentry");
	}
	leave();
}

static void beside_tracers(void)
{
	REQUIRE(!write_words(TRACEFS "set_ftrace_filter", O_TRUNC, "fdirect_subject_2\n"),
		"filter");
	REQUIRE(!put(TRACEFS "current_tracer", "function"), "the function tracer");
	sweep_attach(FEXIT, 2, " beside the function tracer");
	REQUIRE(!put(TRACEFS "kprobe_events", "p:fd_k fdirect_subject_3" PROBE_OFFSET),
		"kprobe");
	REQUIRE(!put(TRACEFS "events/kprobes/fd_k/enable", "1"), "kprobe");
	sweep_attach(FENTRY, 3, " beside a kprobe");
	sweep_attach(FEXIT, 3, " beside a kprobe");
}

/* The functions are replaced by an IPMODIFY ops, as a livepatch does. */
static void beside_ipmodify(void)
{
	REQUIRE(!call("ipmodify on fdirect_subject_4"), "the IPMODIFY ops");
	sweep_attach(FENTRY, 4, " beside an IPMODIFY ops");
	sweep_attach(FEXIT, 4, " beside an IPMODIFY ops");
	CHECK(!call("ipmodify off"), "the IPMODIFY ops");
}

static int ipmodify_on(void)	{ return call("ipmodify on fdirect_subject_5"); }
static int ipmodify_off(void)	{ return call("ipmodify off"); }

/* The program that is not attached sees nothing, before and after. */
static void look_at_others(bool done)
{
	look_at_calls(false);
}

/* And it comes to functions with programs. */
static void ipmodify_comes(void)
{
	struct op op = {
		.name = "an IPMODIFY ops on a function with programs", .run = ipmodify_on,
		.undo = ipmodify_off, .look = look_at_others,
	};

	function = 5;
	swept = load_tracer(FEXIT, subject(5));
	attached_before = false;
	REQUIRE(swept > 0, "fexit: %s", errname(-swept));
	stay(FENTRY, 5);
	stay(FEXIT, 5);
	sweep(&op);
	look_at_others(true);
	leave();
}

#define MOST_FAULTS	"1000000"
#define TURNS		3	/* of what has to happen before the kernel has memory */

/* All memory is refused to the task that detaches, until it ends */
static void *detach_starving(void *unused)
{
	CHECK(!put("/proc/thread-self/make-it-fail", "1"), "make-it-fail");
	detach_tracer(swept);
	return NULL;
}

/* Only tasks that ask for it have no memory */
static bool starve(bool on)
{
	static const char * const kinds_of_memory[] = { "failslab", "fail_page_alloc" };
	char path[64];
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds_of_memory); i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s/task-filter", kinds_of_memory[i]);
		ok &= !on || !put(path, "Y");
		snprintf(path, sizeof(path), DEBUGFS "%s/probability", kinds_of_memory[i]);
		ok &= !put(path, on ? "100" : "0");
		snprintf(path, sizeof(path), DEBUGFS "%s/times", kinds_of_memory[i]);
		ok &= !put(path, on ? MOST_FAULTS : "1");
		snprintf(path, sizeof(path), DEBUGFS "%s/task-filter", kinds_of_memory[i]);
		ok &= on || !put(path, "N");
	}
	return ok;
}

static bool refused;	/* detaching has asked for memory */

static long long starving;	/* since when, in milliseconds */

/* Detach the swept program without memory, and call @at_once before the kernel finds some */
static void starve_detaching(void (*at_once)(void))
{
	struct timespec until;
	pthread_t thread;
	char *faults;
	bool ended;

	REQUIRE(starve(true), "no memory");
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LATEST / 1000;
	starving = now_ms();
	REQUIRE(!pthread_create(&thread, NULL, detach_starving, NULL), "a thread");
	ended = !pthread_timedjoin_np(thread, NULL, &until);
	CHECK(ended, "detaching waits for memory");
	if (ended && at_once)
		at_once();
	faults = first_line(DEBUGFS "failslab/times");
	refused = strcmp(faults, MOST_FAULTS);
	free(faults);
	CHECK(starve(false), "memory");
	if (!ended)
		pthread_join(thread, NULL);
}

/* A program of @kind beside one of @other, in whose image it is */
static void detach_without_memory(enum kind kind, enum kind other)
{
	function = 6;
	stay(other, 6);
	swept = trace(kind, subject(6));
	attached_before = true;
	REQUIRE(swept > 0, "%s: %s", kinds[kind].name, errname(-swept));
	look_at_calls(false);
	starve_detaching(NULL);
	CHECK(refused, "detaching has found memory");
	look_at_calls(true);
	/* It was called until there was memory */
	tracers[swept].last_hits = hits(swept);
	drop_tracer(swept);
	leave();
}

static void program_without_memory(void)
{
	detach_without_memory(FEXIT, FENTRY);
}

static void link_without_memory(void)
{
	NEED_MULTI();
	detach_without_memory(FEXIT_MULTI, FENTRY_MULTI);
}

/* Is the tracer called by the function? */
static bool still_called(int id)
{
	unsigned long long before = hits(id);

	call_subject(function);
	return hits(id) != before;
}

/* A task sleeps in another program. Are two links gone before it wakes up? */
static bool gone_beside_sleeper(int sleepable)
{
	int links[2], status, i;
	pid_t sleeper;
	bool asleep;

	for (i = 0; i < 2; i++) {
		links[i] = trace(FENTRY_MULTI, subject(function));
		if (!CHECK(links[i] > 0, "fentry.multi: %s", errname(-links[i])))
			return false;
	}
	memset(&cells[sleepable].hits, 0, sizeof(cells[sleepable].hits));
	sleeper = fork_without_tracers();
	if (!sleeper)
		_exit(call_subject(0) == INT_MIN);
	CHECK(comes(is_hit, sleepable), "no task sleeps");
	for (i = 0; i < 2; i++) {
		swept = links[i];
		starve_detaching(NULL);
	}
	do {
		asleep = !waitpid(sleeper, &status, WNOHANG);
		usleep(10 * 1000);
	} while (asleep && (still_called(links[0]) || still_called(links[1])));
	if (asleep)
		waitpid(sleeper, &status, 0);
	for (i = 0; i < 2; i++) {
		tracers[links[i]].last_hits = hits(links[i]);
		drop_tracer(links[i]);
	}
	return asleep;
}

/* A host that stands still for a second wakes the task up first. */
static void links_beside_sleeper(void)
{
	int sleepable, turn;
	const void *slow;

	NEED_MULTI();
	slow = slow_memory();
	REQUIRE(slow, "no slow memory");
	sleepable = trace(FENTRY_SLEEPABLE, subject(0));
	ATTACHED(sleepable);
	cells[sleepable].user = (uintptr_t)slow;
	function = 6;
	stay(FENTRY_MULTI, 6);
	for (turn = 0; turn < TURNS && !gone_beside_sleeper(sleepable); turn++)
		;
	CHECK(turn < TURNS, "links stay attached while a task sleeps in another program");
	leave();
	munmap((void *)slow, getpagesize());
}

static int at_once_err;

static void ipmodify_on_at_once(void)	{ at_once_err = ipmodify_on(); }
static void ipmodify_off_at_once(void)	{ at_once_err = ipmodify_off(); }

/* The image of a fexit program is another one beside an IPMODIFY ops */
static void ipmodify_after_the_last(void)
{
	int turn;

	function = 5;
	for (turn = 0; turn < 2 * TURNS; turn++) {
		bool leaves = turn % 2;

		REQUIRE(!leaves || !ipmodify_on(), "the IPMODIFY ops");
		swept = trace(FEXIT, subject(5));
		REQUIRE(swept > 0, "fexit: %s", errname(-swept));
		attached_before = true;
		look_at_calls(false);
		starve_detaching(leaves ? ipmodify_off_at_once : ipmodify_on_at_once);
		CHECK(!at_once_err, "the IPMODIFY ops %s: %s", leaves ? "goes" : "comes",
		      errname(at_once_err));
		look_at_calls(true);
		CHECK(leaves || at_once_err || !ipmodify_off(), "the IPMODIFY ops goes");
		drop_tracer(swept);
	}
}

/* A BPF program that is traced. No other holds it but a link. */
static int target, target_id;
static bool called_yet, freed_early;

static int load_target(int type)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 44 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_func_info info = { .type_id = type };
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts), .prog_btf_fd = bpf_object__btf_fd(bpf_trace->obj),
		.func_info = &info, .func_info_cnt = 1, .func_info_rec_size = sizeof(info),
	};

	return bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "target", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
}

static int load_tracer_of_target(int type)
{
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts), .expected_attach_type = BPF_TRACE_FENTRY,
		.attach_btf_id = type, .attach_prog_fd = target,
	};
	int prog;

	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "tracer", "GPL",
			     bpf_program__insns(model(FENTRY)),
			     bpf_program__insn_cnt(model(FENTRY)), &opts);
	if (prog < 0)
		return prog;
	tracers[used_tracers] = (struct tracer){ .kind = FENTRY, .prog = prog, .link = -1 };
	memset(&cells[used_tracers], 0, sizeof(*cells));
	return used_tracers++;
}

/* Is the tracer called by it? */
static bool target_calls(void)
{
	unsigned long long seen = hits(swept);
	char packet[64] = "";
	struct bpf_test_run_opts opts = {
		.sz = sizeof(opts), .data_in = packet, .data_size_in = sizeof(packet),
	};
	int err;

	err = bpf_prog_test_run_opts(target, &opts);
	CHECK(!err && opts.retval == 44, "the traced program: %s, it returns %u", errname(-err),
	      opts.retval);
	return hits(swept) != seen;
}

/* As long as it calls the tracer, the kernel has to change it, so it has to stay. */
static void close_target_at_once(void)
{
	called_yet = target_calls();
	close(target);
	freed_early = is_freed(target_id);
	/* The kernel finds memory 100 ms after the program was detached */
	if (now_ms() - starving > 80)
		called_yet = false;
}

static void traced_program_without_memory(void)
{
	int type = btf__find_by_name_kind(bpf_object__btf(bpf_trace->obj), "fentry",
					  BTF_KIND_FUNC);
	int turn, called = 0, early = 0, err;

	for (turn = 0; turn < TURNS; turn++) {
		target = load_target(type);
		REQUIRE(target >= 0, "the traced program: %s", errname(-target));
		target_id = prog_id(target);
		swept = load_tracer_of_target(type);
		REQUIRE(swept > 0, "fentry of a program: %s", errname(-swept));
		err = attach_tracer(swept);
		REQUIRE(!err, "fentry of a program: %s", errname(err));
		CHECK(target_calls(), "the tracer is not called");
		starve_detaching(close_target_at_once);
		called += called_yet;
		early += called_yet && freed_early;
		tracers[swept].last_hits = hits(swept);
		drop_tracer(swept);
		CHECK(comes(is_freed, target_id), "the traced program stays");
	}
	CHECK(!early, "%d programs are freed while the kernel has to change them", early);
	if (!called)
		SKIP("no traced program called its tracer any more when it was closed");
}

static void ipmodify_comes_to_link(void)
{
	struct op op = {
		.name = "an IPMODIFY ops on a function of a link", .run = ipmodify_on,
		.undo = ipmodify_off, .look = look_at_others,
	};

	NEED_MULTI();
	function = 5;
	swept = load_tracer(FEXIT, subject(5));
	attached_before = false;
	REQUIRE(swept > 0, "fexit: %s", errname(-swept));
	stay(FENTRY_MULTI, 5);
	sweep(&op);
	look_at_others(true);
	leave();
}

static void restore(void)
{
	starve(false);
	sweeps_end();
	other_count = 0;
	put(TRACEFS "current_tracer", "nop");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
	put(TRACEFS "events/kprobes/enable", "0");
	put(TRACEFS "kprobe_events", "-:fd_k");
	restore_bpf();
	await_references(strdup("0"));
	restore_api();
}

static const struct test tests[] = {
	{ "programs are loaded", loading },
	{ "programs alone on a function", alone },
	{ "programs on a hook of the security modules", lsm_programs },
	{ "several programs on a function", second },
	{ "links of one program to many functions", links_to_many },
	{ "programs beside tracers and kprobes", beside_tracers },
	{ "programs beside an IPMODIFY ops", beside_ipmodify },
	{ "an IPMODIFY ops comes to programs", ipmodify_comes },
	{ "a program is detached without any memory", program_without_memory },
	{ "a link to many functions is closed without any memory", link_without_memory },
	{ "two links are closed without any memory while a task sleeps in another program",
	  links_beside_sleeper },
	{ "a program that traces another one is detached without any memory",
	  traced_program_without_memory },
	{ "an IPMODIFY ops comes, or goes, after the last program was detached without memory",
	  ipmodify_after_the_last },
	{ "an IPMODIFY ops comes to a link", ipmodify_comes_to_link },
	{ "no memory was lost", no_leaks },
};

int main(int argc, char **argv)
{
	start_faults(argc, argv);
	start_bpf();
	suite_restore = restore;
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect_subject");
}
