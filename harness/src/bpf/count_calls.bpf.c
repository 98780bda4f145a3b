// SPDX-License-Identifier: GPL-2.0
// The BPF program of fdirect count. The kernel takes it for any function, before it or at its return;
// libbpf is told that it is a kprobe, since it does not know these kinds before 1.8.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

/* How many there are, and so how many counts each CPU has. */
const volatile __u32 functions;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} calls SEC(".maps");

/*
 * The cookie is the number of the function. The kernel does not enter a program that runs on a
 * CPU already, so nobody else writes this CPU's counts meanwhile.
 */
SEC("kprobe")
int count_call(void *context)
{
	__u32 place = bpf_get_smp_processor_id() * functions + bpf_get_attach_cookie(context);
	__u64 *count = bpf_map_lookup_elem(&calls, &place);

	if (count)
		++*count;
	return 0;
}
