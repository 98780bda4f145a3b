// SPDX-License-Identifier: GPL-2.0
/*
 * A program is detached from a call site that ftrace cannot patch. The call site calls the
 * image for good. So the image and the program stay, however often the function is called.
 *
 * Ftrace is off after that, with a warning in the log, and fdirect_subject.ko stays loaded. So
 * run.sh runs it only by its name: it needs a guest of its own, as a mutant has.
 */
#include "bpf_trace.h"

#define CALLS	100
#define LONG	3	/* seconds, in which an image is freed that can be freed */

int main(void)
{
	struct bpf_prog_info info = { };
	__u32 len = sizeof(info);
	int id, fd, i, err;

	ksft_print_header();
	start_bpf();
	mount_at("debugfs", "/sys/kernel/debug", "/sys/kernel/debug/tracing");
	err = load("fdirect_subject");
	if (err)
		ksft_exit_fail_msg("fdirect_subject.ko: %s\n", strerror(err));
	ksft_set_plan(1);

	id = trace(FENTRY, subject(0));
	if (id < 0 || bpf_obj_get_info_by_fd(tracers[id].prog, &info, &len))
		ksft_exit_fail_msg("attaching: %s\n", strerror(errno));
	err = put(SUBJECT "spoil", "0");
	if (err == EOPNOTSUPP)
		ksft_exit_skip("the call site of this architecture cannot be spoiled\n");
	check(!err, __LINE__, "spoil", "%s", errname(err));
	check(call_subject(0) == 0 && hits(id) == 1, __LINE__, "one call", "%llu hits", hits(id));

	drop_tracer(id);
	sleep(LONG);
	for (i = 0; i < CALLS; i++)
		if (call_subject(0))
			break;
	check(i == CALLS && hits(id) == 1 + CALLS, __LINE__, "calls", "%d calls, %llu hits", i,
	      hits(id) - 1);
	fd = bpf_prog_get_fd_by_id(info.id);
	check(fd >= 0, __LINE__, "the program", "it is gone");
	ksft_test_result(!checks_failed, "a call site that cannot be patched keeps its program\n");
	ksft_finished();
}
