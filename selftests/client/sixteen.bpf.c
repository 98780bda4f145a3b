// SPDX-License-Identifier: GPL-2.0
// The probes of a small tracer of files and memory: eight on entries, eight on returns.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#define PROBES(function)		\
	SEC("fentry/" #function)	\
	int enter_##function(void *ctx)	\
	{				\
		return 0;		\
	}				\
	SEC("fexit/" #function)		\
	int leave_##function(void *ctx)	\
	{				\
		return 0;		\
	}

PROBES(vfs_read)
PROBES(vfs_write)
PROBES(vfs_statx)
PROBES(vfs_unlink)
PROBES(vfs_rename)
PROBES(ksys_mmap_pgoff)
PROBES(begin_new_exec)
PROBES(wake_up_new_task)
