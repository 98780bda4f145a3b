// SPDX-License-Identifier: GPL-2.0
/*
 * Programs on the hooks of the security modules. Each is asked at every call while it is
 * attached. Its refusals count, and none do when it has gone.
 */
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <pthread.h>

#include "bpf_trace.h"

#define SETNICE		"bpf_lsm_task_setnice"
#define SETTIME		"bpf_lsm_settime"
#define HOOKS		"bpf_lsm_"

/* 0 or the errno. The hook is given the task and @nice. */
static int set_nice(int nice)
{
	return setpriority(PRIO_PROCESS, 0, nice) ? errno : 0;
}

/* The clock stays as it is: its time zone is set to what it is. */
static int set_time(void)
{
	const struct timezone zone = { 0 };

	return settimeofday(NULL, &zone) ? errno : 0;
}

static void one_hook(void)
{
	int id = trace(LSM, SETNICE), nice;

	REQUIRE(ATTACHED(id), SETNICE);
	for (nice = 1; nice <= 5; nice++) {
		CHECK(set_nice(nice) == 0, "it lets all pass");
		CHECK(hits(id) == (unsigned long long)nice && (int)cells[id].args[1] == nice,
		      "call %d: the %llu-th, with %d", nice, hits(id), (int)cells[id].args[1]);
	}
	cells[id].instead = 1;
	CHECK(set_nice(7) == EPERM, "it refuses");
	CHECK(getpriority(PRIO_PROCESS, 0) == 5, "what is refused is not done");
	detach_tracer(id);
	CHECK(set_nice(0) == 0, "nobody is asked any more");
	CHECK(hits(id) == 6, "%llu calls of 6", hits(id));
}

/* The trampoline is made anew for each that comes and goes. */
static void several_programs(void)
{
	int ids[3], i, k;

	for (i = 0; i < 3; i++) {
		ids[i] = trace(LSM, SETNICE);
		REQUIRE(ATTACHED(ids[i]), "program %d", i);
		CHECK(set_nice(i) == 0, "none refuses");
		for (k = 0; k <= i; k++)
			CHECK(hits(ids[k]) == (unsigned long long)i - k + 1,
			      "with %d programs, program %d: %llu calls", i + 1, k, hits(ids[k]));
	}
	cells[ids[1]].instead = 1;
	CHECK(set_nice(0) == EPERM, "the second refuses");
	CHECK(hits(ids[0]) == 3 && hits(ids[1]) == 3 && hits(ids[2]) == 2,
	      "the latest is asked first, the first one no more: %llu, %llu, %llu",
	      hits(ids[0]), hits(ids[1]), hits(ids[2]));
	detach_tracer(ids[1]);
	CHECK(set_nice(0) == 0, "the second has gone");
	CHECK(hits(ids[0]) == 4 && hits(ids[1]) == 3 && hits(ids[2]) == 3,
	      "the others stay: %llu, %llu, %llu", hits(ids[0]), hits(ids[1]), hits(ids[2]));
}

/* fexit on the function that is the hook sees what the program has made of it. */
static void with_fexit(void)
{
	int lsm, exit;

	lsm = trace(LSM, SETNICE);
	REQUIRE(ATTACHED(lsm), "lsm");
	exit = trace(FEXIT, SETNICE);
	REQUIRE(ATTACHED(exit), "fexit");
	CHECK(set_nice(0) == 0 && cells[exit].ret == 0, "%llu", cells[exit].ret);
	cells[lsm].instead = 1;
	CHECK(set_nice(0) == EPERM && (int)cells[exit].ret == -EPERM, "%d", (int)cells[exit].ret);
	detach_tracer(lsm);
	CHECK(set_nice(0) == 0 && cells[exit].ret == 0, "%llu", cells[exit].ret);
	CHECK(hits(exit) == 3 && hits(lsm) == 2, "%llu, %llu", hits(exit), hits(lsm));
}

static void sleeping_hook(void)
{
	static unsigned long long word = 0x1234567;
	int id = trace(LSM_SLEEPABLE, SETTIME);

	REQUIRE(ATTACHED(id), SETTIME);
	cells[id].user = (uintptr_t)&word;
	CHECK(set_time() == 0 && hits(id) == 1, "%llu calls", hits(id));
	CHECK(cells[id].copied == word, "it has read %llx", cells[id].copied);
	cells[id].instead = 1;
	CHECK(set_time() == EPERM, "it refuses");
	detach_tracer(id);
	CHECK(set_time() == 0 && hits(id) == 2, "%llu calls", hits(id));
}

/* Whether the hook's value is an errno, and there are two arguments to look at */
static bool suits(const struct types *types, const struct btf_type *function)
{
	const struct btf_type *proto = btf__type_by_id(types->btf, function->type);
	const struct btf_type *ret = btf__type_by_id(types->btf, proto->type);

	return btf_vlen(proto) >= 2 && proto->type && btf_is_int(ret);
}

/* The kernel has over 200 of them. Some take no program; those that do let all pass. */
static void every_hook(void)
{
	struct types *types = types_of("");
	int taken = 0, refused = 0, asked = 0, id, nice, setnice = -1;
	__u32 type;

	for (type = types->first; type < btf__type_cnt(types->btf); type++) {
		const struct btf_type *t = btf__type_by_id(types->btf, type);
		const char *name = btf__name_by_offset(types->btf, t->name_off);

		if (!btf_is_func(t) || strncmp(name, HOOKS, strlen(HOOKS)) || !suits(types, t))
			continue;
		id = trace(LSM, name);
		if (id == -EINVAL) {
			refused++;
			continue;
		}
		REQUIRE(ATTACHED(id), "%s", name);
		taken++;
		if (!strcmp(name, SETNICE))
			setnice = id;
	}
	REQUIRE(taken >= 50 && setnice > 0, "%d hooks taken, %d refused", taken, refused);
	for (nice = 1; nice <= 3; nice++)
		CHECK(set_nice(nice) == 0, "nice %d", nice);
	CHECK(hits(setnice) == 3, "%llu of 3 calls", hits(setnice));
	CHECK(!access("/proc/self/status", R_OK), "the machine still runs");
	for (id = 1; id < used_tracers; id++)
		asked += hits(id) > 0;
	CHECK(asked >= 3, "%d hooks have been called", asked);
	ksft_print_msg("%d hooks taken, %d refused, %d called\n", taken, refused, asked);
}

#define CGROUP		"/tmp/bpf_lsm_cgroup"
#define SLOTS		10	/* for hooks with programs of cgroups, in the whole kernel */
#define TURNS		5

static const char *const cgroup_hooks[] = {
	"file_open", "file_lock", "file_fcntl", "inode_mkdir", "inode_rmdir", "inode_link",
	"inode_unlink", "inode_symlink", "inode_create", "inode_rename", "inode_mknod",
	"task_setnice", "task_setpgid", "settime",
};

/* A program of cgroups for the hook, which returns @value: a file descriptor or -errno */
static int load_cgroup_program(const char *hook, int value)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = value },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_LSM_CGROUP);
	char name[64];
	int type;

	snprintf(name, sizeof(name), HOOKS "%s", hook);
	type = find_type(types_of(""), name, BTF_KIND_FUNC);
	if (type < 0)
		return type;
	opts.attach_btf_id = type;
	return bpf_prog_load(BPF_PROG_TYPE_LSM, "cgroup_hook", "GPL", insns, ARRAY_SIZE(insns),
			     &opts);
}

static int open_cgroup(void)
{
	int fd;

	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL))
		return -errno;
	fd = open(CGROUP, O_RDONLY | O_DIRECTORY);
	umount2(CGROUP, MNT_DETACH);
	rmdir(CGROUP);
	return fd < 0 ? -errno : fd;
}

/* A hook lets go of its program some time after the link is closed, by a work. */
static bool hooks_are_free(int unused)
{
	char *text = enabled_functions();
	bool traced = strstr(text, HOOKS);

	free(text);
	return !traced;
}

/* The program lets a call pass with 1, and refuses it with 0. */
static void cgroup_program(void)
{
	int cgroup = open_cgroup(), pass, refuse, first, second;

	REQUIRE(cgroup >= 0, "cgroup2: %s", errname(-cgroup));
	pass = load_cgroup_program("task_setnice", 1);
	refuse = load_cgroup_program("task_setnice", 0);
	REQUIRE(pass >= 0 && refuse >= 0, "%s, %s", errname(-pass), errname(-refuse));
	first = bpf_link_create(pass, cgroup, BPF_LSM_CGROUP, NULL);
	REQUIRE(first >= 0, "%s", errname(-first));
	CHECK(set_nice(1) == 0, "it lets all pass");
	second = bpf_link_create(refuse, cgroup, BPF_LSM_CGROUP, NULL);
	REQUIRE(second >= 0, "%s", errname(-second));
	CHECK(set_nice(2) == EPERM, "it refuses");
	close(second);
	CHECK(set_nice(0) == 0, "the one that refuses has gone");
	close(first);
	CHECK(comes(hooks_are_free, 0), "a hook keeps its program");
	close(pass);
	close(refuse);
	close(cgroup);
}

/* A hook that lost its last program keeps its slot until its image is freed. */
static void cgroup_hooks_in_turn(void)
{
	int programs[ARRAY_SIZE(cgroup_hooks)], links[SLOTS], i, turn, link;
	int cgroup = open_cgroup();

	REQUIRE(cgroup >= 0, "cgroup2: %s", errname(-cgroup));
	for (i = 0; i < (int)ARRAY_SIZE(cgroup_hooks); i++) {
		programs[i] = load_cgroup_program(cgroup_hooks[i], 1);
		REQUIRE(programs[i] >= 0, "%s: %s", cgroup_hooks[i], errname(-programs[i]));
	}
	for (turn = 0; turn < TURNS; turn++) {
		for (i = 0; i < (int)ARRAY_SIZE(cgroup_hooks); i++) {
			link = bpf_link_create(programs[i], cgroup, BPF_LSM_CGROUP, NULL);
			REQUIRE(link >= 0, "turn %d, %s: %s", turn, cgroup_hooks[i],
				errname(-link));
			close(link);
		}
	}
	for (i = 0; i < SLOTS; i++) {
		links[i] = bpf_link_create(programs[i], cgroup, BPF_LSM_CGROUP, NULL);
		REQUIRE(links[i] >= 0, "%s: %s", cgroup_hooks[i], errname(-links[i]));
	}
	link = bpf_link_create(programs[SLOTS], cgroup, BPF_LSM_CGROUP, NULL);
	CHECK(link == -EINVAL, "with a program on each of %d hooks: %s", SLOTS, errname(-link));
	for (i = 0; i < SLOTS; i++)
		close(links[i]);
	CHECK(comes(hooks_are_free, 0), "a hook keeps its program");
	for (i = 0; i < (int)ARRAY_SIZE(cgroup_hooks); i++)
		close(programs[i]);
	close(cgroup);
}

/* An attach that waits for a slot */
struct waiting {
	int program, cgroup, link;
	bool done;
};

static void *attach_to_cgroup(void *arg)
{
	struct waiting *w = arg;

	w->link = bpf_link_create(w->program, w->cgroup, BPF_LSM_CGROUP, NULL);
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The cgroup is removed while a task waits for a slot: nobody would detach its program. */
static void cgroup_goes_meanwhile(void)
{
	int programs[SLOTS + 1], links[SLOTS], i, round, cgroup = open_cgroup(), refused = 0;
	struct waiting w;
	pthread_t thread;

	REQUIRE(cgroup >= 0, "cgroup2: %s", errname(-cgroup));
	for (i = 0; i <= SLOTS; i++) {
		programs[i] = load_cgroup_program(cgroup_hooks[i], 1);
		REQUIRE(programs[i] >= 0, "%s: %s", cgroup_hooks[i], errname(-programs[i]));
	}
	for (i = 0; i < SLOTS; i++) {
		links[i] = bpf_link_create(programs[i], cgroup, BPF_LSM_CGROUP, NULL);
		REQUIRE(links[i] >= 0, "%s: %s", cgroup_hooks[i], errname(-links[i]));
	}
	for (round = 0; round < TURNS && !refused; round++) {
		REQUIRE(!mkdirat(cgroup, "child", 0700), "a cgroup: %s", errname(errno));
		w = (struct waiting){ programs[SLOTS],
				      openat(cgroup, "child", O_RDONLY | O_DIRECTORY) };
		REQUIRE(w.cgroup >= 0, "the cgroup: %s", errname(errno));
		close(links[0]);
		REQUIRE(!pthread_create(&thread, NULL, attach_to_cgroup, &w), "thread");
		usleep(20000);
		/* It may have been attached before */
		i = __atomic_load_n(&w.done, __ATOMIC_ACQUIRE);
		CHECK(!unlinkat(cgroup, "child", AT_REMOVEDIR), "rmdir: %s", errname(errno));
		pthread_join(thread, NULL);
		refused = w.link == -ENODEV;
		CHECK(w.link >= 0 || refused, "attaching: %s", errname(-w.link));
		ksft_print_msg("the task waited: %s, %s\n", i ? "no" : "yes",
			       refused ? "refused" : "attached");
		if (w.link >= 0)
			close(w.link);
		close(w.cgroup);
		links[0] = bpf_link_create(programs[0], cgroup, BPF_LSM_CGROUP, NULL);
		REQUIRE(links[0] >= 0, "%s again: %s", cgroup_hooks[0], errname(-links[0]));
	}
	CHECK(refused, "a program is attached to a cgroup that was removed before");
	for (i = 0; i < SLOTS; i++)
		close(links[i]);
	CHECK(comes(hooks_are_free, 0), "a hook keeps its program");
	for (i = 0; i <= SLOTS; i++)
		close(programs[i]);
	close(cgroup);
}

static const struct test tests[] = {
	{ "a program on a hook is asked at every call, and what it refuses is refused", one_hook },
	{ "several programs on a hook come and go", several_programs },
	{ "fexit on a hook sees what a program returned", with_fexit },
	{ "a program on a hook that may sleep does", sleeping_hook },
	{ "every hook that takes a program takes one", every_hook },
	{ "a program of a cgroup is asked, and what it refuses is refused", cgroup_program },
	{ "14 hooks in turn get a program of a cgroup, though there are 10 slots",
	  cgroup_hooks_in_turn },
	{ "a cgroup that is removed while a task waits for a slot gets no program",
	  cgroup_goes_meanwhile },
};

static void restore(void)
{
	restore_bpf();
	set_nice(0);
}

int main(void)
{
	start_bpf();
	if (find_type(types_of(""), SETNICE, BTF_KIND_FUNC) < 0)
		ksft_exit_skip("this kernel has no BPF programs on hooks (CONFIG_BPF_LSM)\n");
	suite_restore = restore;
	expedite();
	SUITE(tests, "fdirect");
}
