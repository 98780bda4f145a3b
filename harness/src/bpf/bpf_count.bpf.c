// SPDX-License-Identifier: GPL-2.0
// The BPF programs of bench bpf: each counts how often it ran, and does nothing else.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define SLOTS 65536

char LICENSE[] SEC("license") = "GPL";

__u64 hits[SLOTS];

/* In the slot that the link has for a cookie, so that many links are told apart. */
static __always_inline int count_in_slot(void *context)
{
	__u64 slot = bpf_get_attach_cookie(context);

	if (slot < SLOTS)
		__sync_fetch_and_add(&hits[slot], 1);
	return 0;
}

/* In the first slot: a body without a call, so that what is measured is the way to it. */
static __always_inline int count(void)
{
	__sync_fetch_and_add(&hits[0], 1);
	return 0;
}

/* Prepared for a function; the kernel loads the same for any other kind. */
SEC("fentry")
int slot(void *context)
{
	return count_in_slot(context);
}

SEC("fentry")
int plain(void *context)
{
	return count();
}
