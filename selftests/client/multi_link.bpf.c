// SPDX-License-Identifier: GPL-2.0
// The programs of multi_link, in sections that libbpf 1.8 knows.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "multi_link.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CLIENT_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline int count(__u32 place)
{
	__u64 *calls = bpf_map_lookup_elem(&counts, &place);

	if (calls)
		__sync_fetch_and_add(calls, 1);
	return 0;
}

SEC("fentry.multi/bpf_fentry_test?")
int entered(void *context)
{
	return count(CLIENT_ENTERED);
}

SEC("fexit.multi/bpf_fentry_test?")
int returned(void *context)
{
	return count(CLIENT_RETURNED);
}

/* Attached by ids, with cookies */
SEC("fentry.multi")
int told_apart(void *context)
{
	return count(bpf_get_attach_cookie(context));
}
