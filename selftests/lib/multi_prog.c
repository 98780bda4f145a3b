// SPDX-License-Identifier: GPL-2.0
#include <sys/mman.h>
#include <linux/bpf.h>

#include "direct_api.h"
#include "multi_prog.h"

struct seen *seen;
int seen_map;

/* The first of the arguments that programs read */
int first_arg;

int load_multi(int type, int where, int btf_fd, int btf_id, unsigned int flags)
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

int fentry_multi(int where)
{
	return load_multi(FENTRY_MULTI_TYPE, where, 0, 0, 0);
}

int fexit_multi(int where)
{
	return load_multi(FEXIT_MULTI_TYPE, where, 0, 0, 0);
}

int fmod_ret_multi(int where)
{
	return load_multi(FMOD_RET_MULTI_TYPE, where, 0, 0, 0);
}

unsigned long long seen_hits(int i)
{
	return __atomic_load_n(&seen[i].hits, __ATOMIC_RELAXED);
}

void forget_seen(void)
{
	memset(seen, 0, SEEN * sizeof(*seen));
}

/* -------------------------------------------------------------------------- */
/* Functions                                                                    */

unsigned long address_of(const char *function)
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

__u32 id_of(const char *function)
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

size_t all_functions(__u32 **ids)
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

int shared_images(void)
{
	char *text = must_slurp("/proc/kallsyms"), *next = text;
	int nr = 0;

	while ((next = strstr(next, "bpf_trampoline_")))
		nr += strtoull(next += strlen("bpf_trampoline_"), NULL, 10) >> 63;
	free(text);
	return nr;
}

const struct tested tested[TESTED] = {
	{ "bpf_fentry_test1", 1, { 1 }, 2 },
	{ "bpf_fentry_test2", 2, { 2, 3 }, 5 },
	{ "bpf_fentry_test3", 3, { 4, 5, 6 }, 15 },
	{ "bpf_fentry_test4", 4, { 7, 8, 9 }, 34 },
	{ "bpf_fentry_test5", 5, { 11, 12, 13 }, 65 },
	{ "bpf_fentry_test6", 6, { 16, 17, 18 }, 111 },
};

__u32 tested_ids[TESTED];
__u64 tested_cookies[TESTED];
unsigned long tested_addrs[TESTED];

void run_tested(int prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	CHECK(!bpf_prog_test_run_opts(prog, &opts), "the functions return what they do: %s",
	      errname(errno));
}

void check_tested(int first, unsigned int times, bool ret)
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

void cookies_from(int first)
{
	size_t i;

	for (i = 0; i < TESTED; i++)
		tested_cookies[i] = first + i;
}

void subjects(__u32 *ids, __u64 *cookies)
{
	int n;

	subject_ids(ids);
	for (n = 0; n < SUBJECTS; n++)
		cookies[n] = 1 + n;
}

/* -------------------------------------------------------------------------- */
/* Start and end                                                                */

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

void start_multi(void)
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
}
