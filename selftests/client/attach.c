// SPDX-License-Identifier: GPL-2.0
/*
 * A tracer by libbpf 1.8, unmodified: it attaches all programs of an object, says so, and
 * detaches them when a signal ends it.
 *
 * usage: attach OBJECT [FUNCTION...]
 *
 * A program whose section names no function is attached to all FUNCTIONs by one link.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKS	64

/* Arguments that a program can have: on arm64 all of them are in registers. */
#ifdef __aarch64__
#define ARGUMENTS	8
#else
#define ARGUMENTS	12
#endif

static void quit(const char *what)
{
	fprintf(stderr, "attach: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The kernel refuses too many or variable arguments, and structures for arguments or result. */
static bool can_be_traced(const struct btf *btf, int id)
{
	const struct btf_type *proto = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
	unsigned int i;
	int type = btf__resolve_type(btf, proto->type);

	if (type > 0 && btf_is_composite(btf__type_by_id(btf, type)))
		return false;
	if (btf_vlen(proto) > ARGUMENTS)
		return false;
	for (i = 0; i < btf_vlen(proto); i++) {
		type = btf__resolve_type(btf, btf_params(proto)[i].type);
		if (type <= 0 || btf_is_composite(btf__type_by_id(btf, type)))
			return false;
	}
	return true;
}

/* The link on the functions of these names. BTF does not have all of them. */
static struct bpf_link *attach_to(struct bpf_program *program, char **names, int count)
{
	LIBBPF_OPTS(bpf_tracing_multi_opts, opts);
	__u32 *ids = calloc(count, sizeof(*ids));
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_link *link;
	int i, id;

	if (!ids || !btf)
		quit("the kernel's BTF");
	for (i = 0; i < count; i++) {
		id = btf__find_by_name_kind(btf, names[i], BTF_KIND_FUNC);
		if (id > 0 && can_be_traced(btf, id))
			ids[opts.cnt++] = id;
	}
	btf__free(btf);
	opts.ids = ids;
	link = bpf_program__attach_tracing_multi(program, NULL, &opts);
	free(ids);
	return link;
}

int main(int argc, char **argv)
{
	struct bpf_link *links[LINKS];
	struct bpf_program *program;
	struct bpf_object *object;
	const char *section;
	int got, count = 0;
	sigset_t signals;

	if (argc < 2) {
		fprintf(stderr, "usage: attach OBJECT [FUNCTION...]\n");
		return 2;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object))
		quit(argv[1]);
	bpf_object__for_each_program(program, object) {
		if (count == LINKS) {
			errno = E2BIG;
			quit(argv[1]);
		}
		section = bpf_program__section_name(program);
		if (strchr(section, '/'))
			links[count] = bpf_program__attach(program);
		else
			links[count] = attach_to(program, argv + 2, argc - 2);
		if (!links[count])
			quit(bpf_program__name(program));
		count++;
	}
	printf("attached\n");
	fflush(stdout);
	sigwait(&signals, &got);
	while (count--)
		bpf_link__destroy(links[count]);
	bpf_object__close(object);
	return 0;
}
