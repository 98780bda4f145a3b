// SPDX-License-Identifier: GPL-2.0
/*
 * One program of each kind that a BPF trampoline calls, for any function with two arguments
 * at least. Each writes into the cell that its cookie names.
 *
 * Here they are all for bpf_fentry_test1(), those for hooks of the security modules, too.
 * bpf_trace.h takes their instructions and has them loaded again for the functions that it
 * traces.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf_cell.h"

struct cell cells[CELLS];

static __always_inline struct cell *hit(void *ctx)
{
	struct cell *cell = &cells[bpf_get_attach_cookie(ctx) & (CELLS - 1)];

	__sync_fetch_and_add(&cell->hits, 1);
	bpf_get_func_arg(ctx, 0, &cell->args[0]);
	bpf_get_func_arg(ctx, 1, &cell->args[1]);
	return cell;
}

static __always_inline void copy(struct cell *cell)
{
	if (cell->user &&
	    bpf_copy_from_user(&cell->copied, sizeof(cell->copied), (void *)cell->user))
		cell->copied = -1;
}

SEC("fentry/bpf_fentry_test1")
int fentry(void *ctx)
{
	hit(ctx);
	return 0;
}

SEC("fexit/bpf_fentry_test1")
int fexit(void *ctx)
{
	struct cell *cell = hit(ctx);

	cell->ip = bpf_get_func_ip(ctx);
	bpf_get_func_ret(ctx, &cell->ret);
	return 0;
}

SEC("fmod_ret/bpf_fentry_test1")
int fmod_ret(void *ctx)
{
	return hit(ctx)->instead;
}

SEC("fentry.s/bpf_fentry_test1")
int fentry_sleepable(void *ctx)
{
	struct cell *cell = hit(ctx);

	cell->ip = bpf_get_func_ip(ctx);
	copy(cell);
	return 0;
}

SEC("fexit.s/bpf_fentry_test1")
int fexit_sleepable(void *ctx)
{
	struct cell *cell = hit(ctx);

	bpf_get_func_ret(ctx, &cell->ret);
	copy(cell);
	return 0;
}

SEC("fmod_ret.s/bpf_fentry_test1")
int fmod_ret_sleepable(void *ctx)
{
	struct cell *cell = hit(ctx);

	copy(cell);
	return cell->instead;
}

/* A hook of the security modules may return 0 or a negative errno. */
SEC("fmod_ret/bpf_fentry_test1")
int lsm(void *ctx)
{
	return hit(ctx)->instead ? -1 : 0;
}

SEC("fmod_ret.s/bpf_fentry_test1")
int lsm_sleepable(void *ctx)
{
	struct cell *cell = hit(ctx);

	copy(cell);
	return cell->instead ? -1 : 0;
}

/*
 * Stays until it is released, or for eight million turns, and then reads from where no memory
 * is. The kernel looks up the program by the address of the instruction.
 */
struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

extern void *bpf_rdonly_cast(void *obj, __u32 btf_id) __ksym;

static long released(__u64 turn, __u64 *cell)
{
	return !!*(volatile long long *)&cells[*cell & (CELLS - 1)].instead;
}

SEC("fentry/bpf_fentry_test1")
int late(void *ctx)
{
	__u64 number = bpf_get_attach_cookie(ctx);
	struct cell *cell = &cells[number & (CELLS - 1)];
	struct task_struct *nothing;

	hit(ctx);
	bpf_loop(1 << 23, released, &number, 0);
	nothing = bpf_rdonly_cast((void *)cell->user, bpf_core_type_id_kernel(struct task_struct));
	cell->copied = nothing->pid;
	cell->ret = 1;
	return 0;
}

/* Keeps a worker of the kernel in a function for as many nanoseconds as the cell says */
static long passed(__u64 turn, __u64 *end)
{
	return bpf_ktime_get_ns() >= *end;
}

SEC("fentry/bpf_fentry_test1")
int slow(void *ctx)
{
	struct cell *cell = &cells[bpf_get_attach_cookie(ctx) & (CELLS - 1)];
	__u64 end = bpf_ktime_get_ns() + cell->user;
	char name[16] __attribute__((aligned(8)));

	if (!cell->user || bpf_get_current_comm(name, sizeof(name)) ||
	    __builtin_memcmp(name, "kworker/", 8))
		return 0;
	__sync_fetch_and_add(&cell->hits, 1);
	bpf_loop(1 << 23, passed, &end, 0);
	return 0;
}

char _license[] SEC("license") = "GPL";
