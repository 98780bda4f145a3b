// SPDX-License-Identifier: GPL-2.0
// A program for many functions.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("fentry.multi")
int entered(void *context)
{
	return 0;
}
