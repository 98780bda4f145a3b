// SPDX-License-Identifier: GPL-2.0
#include <sys/mman.h>

#include "bpf_trace.h"

const struct program_kind kinds[] = {
	[FENTRY]		= { "fentry",	BPF_TRACE_FENTRY },
	[FEXIT]			= { "fexit",	BPF_TRACE_FEXIT },
	[FMOD_RET]		= { "fmod_ret",	BPF_MODIFY_RETURN },
	[LSM]			= { "lsm",	BPF_LSM_MAC },
	[FENTRY_SLEEPABLE]	= { "fentry.s",	BPF_TRACE_FENTRY, BPF_F_SLEEPABLE },
	[FEXIT_SLEEPABLE]	= { "fexit.s",	BPF_TRACE_FEXIT, BPF_F_SLEEPABLE },
	[FMOD_RET_SLEEPABLE]	= { "fmod_ret.s", BPF_MODIFY_RETURN, BPF_F_SLEEPABLE },
	[LSM_SLEEPABLE]		= { "lsm.s",	BPF_LSM_MAC, BPF_F_SLEEPABLE },
	[FENTRY_LATE]		= { "fentry.late", BPF_TRACE_FENTRY, 0, "released" },
	[FEXIT_LATE]		= { "fexit.late", BPF_TRACE_FEXIT, 0, "released" },
	[FENTRY_SLOW]		= { "fentry.slow", BPF_TRACE_FENTRY, 0, "passed" },
	[FENTRY_MULTI]		= { "fentry.multi", FENTRY_MULTI_TYPE },
	[FEXIT_MULTI]		= { "fexit.multi", FEXIT_MULTI_TYPE },
	[FMOD_RET_MULTI]	= { "fmod_ret.multi", FMOD_RET_MULTI_TYPE },
};

struct tracer tracers[CELLS];
int used_tracers = 1;

struct bpf_trace_bpf *bpf_trace;
struct cell *cells;
static struct btf *vmlinux;

static int find_module_types(const char *module)
{
	struct bpf_btf_info info;
	__u32 id = 0, len = sizeof(info);
	char name[32];
	int fd;

	while (!bpf_btf_get_next_id(id, &id)) {
		fd = bpf_btf_get_fd_by_id(id);
		info = (struct bpf_btf_info){
			.name = (uintptr_t)name, .name_len = sizeof(name)
		};
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf &&
		    !strcmp(name, module))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

static struct types load_types(const char *module)
{
	struct types types = { .btf = vmlinux, .first = 1 };

	snprintf(types.module, sizeof(types.module), "%s", module);
	if (!*module)
		return types;
	types.fd = find_module_types(module);
	types.btf = btf__load_module_btf(module, vmlinux);
	types.first = btf__type_cnt(vmlinux);
	return types;
}

struct types *types_of(const char *module)
{
	static struct types kernel, last;

	if (!*module) {
		if (!kernel.btf)
			kernel = load_types("");
		return &kernel;
	}
	if (!last.btf || strcmp(last.module, module)) {
		if (last.btf) {
			btf__free(last.btf);
			close(last.fd);
		}
		last = load_types(module);
	}
	return &last;
}

void forget_types(const char *module)
{
	struct types *types = types_of(module);

	btf__free(types->btf);
	close(types->fd);
	types->btf = NULL;
}

int find_type(const struct types *types, const char *name, __u32 kind)
{
	__u32 id;

	for (id = types->first; types->btf && id < btf__type_cnt(types->btf); id++) {
		const struct btf_type *type = btf__type_by_id(types->btf, id);

		if (btf_kind(type) == kind &&
		    !strcmp(btf__name_by_offset(types->btf, type->name_off), name))
			return id;
	}
	return -ENOENT;
}

const struct bpf_program *model(enum kind kind)
{
	const struct bpf_program *models[] = {
		[FENTRY] = bpf_trace->progs.fentry,
		[FEXIT] = bpf_trace->progs.fexit,
		[FMOD_RET] = bpf_trace->progs.fmod_ret,
		[LSM] = bpf_trace->progs.lsm,
		[FENTRY_SLEEPABLE] = bpf_trace->progs.fentry_sleepable,
		[FEXIT_SLEEPABLE] = bpf_trace->progs.fexit_sleepable,
		[FMOD_RET_SLEEPABLE] = bpf_trace->progs.fmod_ret_sleepable,
		[LSM_SLEEPABLE] = bpf_trace->progs.lsm_sleepable,
		[FENTRY_LATE] = bpf_trace->progs.late,
		[FEXIT_LATE] = bpf_trace->progs.late,
		[FENTRY_SLOW] = bpf_trace->progs.slow,
		[FENTRY_MULTI] = bpf_trace->progs.fentry,
		[FEXIT_MULTI] = bpf_trace->progs.fexit,
		[FMOD_RET_MULTI] = bpf_trace->progs.fmod_ret,
	};

	return models[kind];
}

static int own_type(const char *function)
{
	return btf__find_by_name_kind(bpf_object__btf(bpf_trace->obj), function, BTF_KIND_FUNC);
}

/* The functions of a program with a callback: where each begins, and its type */
static void describe_callback(const struct bpf_program *program, const char *callback,
			      struct bpf_func_info info[2])
{
	const struct bpf_insn *insns = bpf_program__insns(program);
	size_t i;

	info[0] = (struct bpf_func_info){ 0, own_type(bpf_program__name(program)) };
	for (i = 0; i < bpf_program__insn_cnt(program); i++)
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    insns[i].src_reg == BPF_PSEUDO_FUNC)
			info[1] = (struct bpf_func_info){ i + insns[i].imm + 1,
							  own_type(callback) };
}

static bool is_multi(enum kind kind)
{
	return kind == FENTRY_MULTI || kind == FEXIT_MULTI || kind == FMOD_RET_MULTI;
}

int load_program(enum kind kind, int btf_fd, int type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = kinds[kind].type,
		    .prog_flags = kinds[kind].flags,
		    .attach_btf_id = is_multi(kind) ? 0 : type,
		    .attach_btf_obj_fd = btf_fd);
	struct bpf_func_info info[2];

	if (kinds[kind].callback) {
		describe_callback(model(kind), kinds[kind].callback, info);
		opts.prog_btf_fd = bpf_object__btf_fd(bpf_trace->obj);
		opts.func_info = info;
		opts.func_info_cnt = 2;
		opts.func_info_rec_size = sizeof(info[0]);
	}
	return bpf_prog_load(kinds[kind].type == BPF_LSM_MAC ? BPF_PROG_TYPE_LSM :
							       BPF_PROG_TYPE_TRACING,
			     kinds[kind].name, "GPL",
			     bpf_program__insns(model(kind)), bpf_program__insn_cnt(model(kind)),
			     &opts);
}

int load_tracer(enum kind kind, const char *function)
{
	const char *colon = strchr(function, ':'), *name = colon ? colon + 1 : function;
	struct types *types;
	char module[32] = "";
	int type, prog;

	if (colon)
		snprintf(module, sizeof(module), "%.*s", (int)(colon - function), function);
	types = types_of(module);
	type = find_type(types, name, BTF_KIND_FUNC);
	if (type < 0)
		return type;
	prog = load_program(kind, types->fd, type);
	if (prog < 0)
		return prog;
	if (used_tracers == CELLS)
		ksft_exit_fail_msg("more than %d tracers\n", CELLS);
	tracers[used_tracers] = (struct tracer){ .kind = kind, .prog = prog, .link = -1 };
	memset(&cells[used_tracers], 0, sizeof(*cells));
	return used_tracers++;
}

int create_multi(const struct multi_attr *attr)
{
	int fd = syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

int attach_multi(int prog, int type, const __u32 *ids, const __u64 *cookies, __u32 cnt)
{
	struct multi_attr attr = {
		.prog_fd = prog, .attach_type = type, .ids = (uintptr_t)ids,
		.cookies = (uintptr_t)cookies, .cnt = cnt,
	};

	return create_multi(&attr);
}

void subject_ids(__u32 ids[SUBJECTS])
{
	struct types *types = types_of("fdirect_subject");
	char name[32];
	int n;

	for (n = 0; n < SUBJECTS; n++) {
		snprintf(name, sizeof(name), "fdirect_subject_%d", n);
		ids[n] = find_type(types, name, BTF_KIND_FUNC);
	}
}

static bool loads(enum kind kind)
{
	int prog = load_program(kind, 0, 0);

	if (prog >= 0)
		close(prog);
	return prog >= 0;
}

bool has_multi(void)
{
	return !getenv("FDIRECT_NO_LINKS") && loads(FENTRY_MULTI);
}

bool has_fmod_ret_multi(void)
{
	return loads(FMOD_RET_MULTI);
}

static int attach_to_subjects(int id)
{
	__u32 ids[SUBJECTS];
	__u64 cookies[SUBJECTS];
	int n;

	subject_ids(ids);
	for (n = 0; n < SUBJECTS; n++)
		cookies[n] = id;
	return attach_multi(tracers[id].prog, kinds[tracers[id].kind].type, ids, cookies, SUBJECTS);
}

int attach_tracer(int id)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = id);
	int link;

	if (is_multi(tracers[id].kind))
		link = attach_to_subjects(id);
	else
		link = bpf_link_create(tracers[id].prog, 0, kinds[tracers[id].kind].type, &opts);
	if (link < 0)
		return -link;
	tracers[id].link = link;
	return 0;
}

unsigned long long hits(int id)
{
	return __atomic_load_n(&cells[id].hits, __ATOMIC_RELAXED);
}

static struct bpf_prog_info prog_info(int fd)
{
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		memset(&info, 0, sizeof(info));
	return info;
}

static unsigned long long misses(int id)
{
	return prog_info(tracers[id].prog).recursion_misses;
}

static bool is_fexit(int id)
{
	return kinds[tracers[id].kind].type == BPF_TRACE_FEXIT || tracers[id].kind == FEXIT_MULTI;
}

/* So many times in a row others may replace the image in the middle of calls. */
#define SKIPS	3

const char *unseen_calls(int id, unsigned int count, void (*call)(void *data), void *data)
{
	static char text[128];
	unsigned long long seen, missed;
	long long start = now_ms();
	int tries = 0, skips = 0;

	do {
		usleep(tries++ ? 1000 : 0);
		missed = misses(id);
		seen = hits(id);
		call(data);
		seen = hits(id) - seen;
		missed = misses(id) - missed;
		if (seen >= count)
			return NULL;
		if (seen + missed < count && !(is_fexit(id) && skips++ < SKIPS))
			break;
	} while (now_ms() - start < STUCK);
	snprintf(text, sizeof(text), "%llu of %u calls seen, %llu missed, at try %d", seen, count,
		 missed, tries);
	return text;
}

void detach_tracer(int id)
{
	if (tracers[id].link < 0)
		return;
	close(tracers[id].link);
	tracers[id].link = -1;
	tracers[id].last_hits = hits(id);
}

void drop_tracer(int id)
{
	detach_tracer(id);
	if (tracers[id].prog >= 0)
		close(tracers[id].prog);
	tracers[id].prog = -1;
}

int trace(enum kind kind, const char *function)
{
	int id = load_tracer(kind, function), err;

	if (id < 0)
		return id;
	err = attach_tracer(id);
	if (!err)
		return id;
	drop_tracer(id);
	return -err;
}

long run_tracer(int id)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(tracers[id].prog, &opts);

	return err ? err : (long)opts.retval;
}

const char *subject(int n)
{
	static char text[SUBJECTS][48];

	snprintf(text[n], sizeof(text[n]), "fdirect_subject:fdirect_subject_%d", n);
	return text[n];
}

int call_function(const char *name, int a, int b)
{
	int fd = open(SUBJECT "call", O_RDWR | O_CLOEXEC), result = INT_MIN;
	char text[64];
	ssize_t n;

	if (fd < 0)
		return INT_MIN;
	n = snprintf(text, sizeof(text), "%s %d %d", name, a, b);
	if (write(fd, text, n) == n) {
		n = read(fd, text, sizeof(text) - 1);
		if (n > 0) {
			text[n] = '\0';
			result = atoi(text);
		}
	}
	close(fd);
	return result;
}

int call_subject(int n)
{
	static int a, b;
	char name[8];
	int result;

	a = (a + 7) % 50;
	b = (b + 3) % 20;
	snprintf(name, sizeof(name), "%d", n);
	result = call_function(name, a, b);
	return result == INT_MIN ? result : result - SUBJECT_VALUE(n, a, b);
}

int redirect(unsigned int mask)
{
	char text[2 * SUBJECTS + 2] = "\n";
	int n, len = 0;

	for (n = 0; n < SUBJECTS; n++)
		if (mask & 1 << n)
			len += sprintf(text + len, "%d ", n);
	return put(SUBJECT "redirect", "%s", text);
}

/* Programs that have been detached do not see any of these calls. */
static void call_everything(void)
{
	size_t i;
	int n;

	for (n = 0; n < SUBJECTS && loaded("fdirect_subject"); n++)
		call_subject(n);
	for (i = 0; i < RARE_SYSCALLS; i++)
		call_syscall(i, 1);
}

void restore_bpf(void)
{
	unsigned long long late = 0;
	int id, n = 0;

	for (id = 1; id < used_tracers; id++)
		drop_tracer(id);
	if (loaded("fdirect_subject"))
		CHECK(!redirect(0), "ending the redirection");
	call_everything();
	for (id = 1; id < used_tracers; id++) {
		late += hits(id) - tracers[id].last_hits;
		n += hits(id) != tracers[id].last_hits;
	}
	CHECK(late == 0, "%d detached programs have seen %llu calls more", n, late);
	used_tracers = 1;
}

bool comes(bool (*what)(int), int id)
{
	long long start = now_ms();

	while (!what(id)) {
		if (now_ms() - start > STUCK)
			return false;
		usleep(1000);
	}
	return true;
}

bool is_hit(int id)
{
	return hits(id);
}

int prog_id(int fd)
{
	return prog_info(fd).id;
}

bool is_freed(int prog)
{
	int fd = bpf_prog_get_fd_by_id(prog);

	if (fd >= 0)
		close(fd);
	return fd < 0;
}

const void *slow_memory(void)
{
	int fd = open(SUBJECT "slow", O_RDONLY | O_CLOEXEC);
	void *slow = MAP_FAILED;

	if (fd >= 0)
		slow = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	CHECK(slow != MAP_FAILED, SUBJECT "slow: %s", strerror(errno));
	close(fd);
	return slow == MAP_FAILED ? NULL : slow;
}

pid_t fork_without_tracers(void)
{
	pid_t pid = fork();
	int id;

	for (id = 1; !pid && id < used_tracers; id++)
		drop_tracer(id);
	return pid;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

void start_bpf(void)
{
	/* Each program takes a file descriptor, and another one while it is attached. */
	const struct rlimit files = { 2 * CELLS + 64, 2 * CELLS + 64 };
	int err;

	if (geteuid())
		ksft_exit_skip("needs root\n");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		ksft_exit_skip("this kernel has no type information\n");
	if (setrlimit(RLIMIT_NOFILE, &files))
		ksft_exit_fail_msg("the number of open files: %s\n", strerror(errno));
	libbpf_set_print(quiet);
	vmlinux = btf__load_vmlinux_btf();
	bpf_trace = bpf_trace_bpf__open();
	if (!vmlinux || !bpf_trace)
		ksft_exit_fail_msg("libbpf: %s\n", strerror(errno));
	err = bpf_trace_bpf__load(bpf_trace);
	if (err)
		ksft_exit_fail_msg("the BPF programs do not load: %s\n", strerror(-err));
	cells = bpf_trace->bss->cells;
	suite_restore = restore_bpf;
}
