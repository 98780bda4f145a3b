/* SPDX-License-Identifier: GPL-2.0 */
/* The others that trace the same functions: tracers, probes, samples of the code that runs. */
#ifndef CHURN_TRACE_H
#define CHURN_TRACE_H

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "churn_task.h"

/* -------------------------------------------------------------------------- */
/* The function tracer and the function graph tracer                            */

/* Two of them: the first has the files at the top, the other an instance. */
static const char *const tracer_dirs[] = { TRACEFS, TRACEFS "instances/fdirect_churn/" };

static int put_tracer(struct task *t, const char *file, int flags, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", tracer_dirs[t->number], file);
	return write_words(path, flags, text);
}

/*
 * A filter from which all is taken away is none, and then each function of the kernel is traced,
 * with little time for anything else. So there is always this one, which is not called.
 */
#define NEVER_CALLED	"kernel_halt\n"

static void start_tracer(struct task *t)
{
	if (t->number && mkdir(tracer_dirs[t->number], 0755))
		return cannot(t, false, "an instance: %s", strerror(errno));
	put_tracer(t, "buffer_size_kb", 0, "64");
	answered(t, put_tracer(t, "set_ftrace_filter", O_TRUNC, NEVER_CALLED), 0, 0,
		 "set_ftrace_filter");
}

/* Replaces what the filter has, or adds to it, or takes away from it. */
static void change_filter(struct task *t)
{
	char text[64];
	int err;

	switch (any(t, 4)) {
	case 0:
		snprintf(text, sizeof(text), "fdirect_churn_* " NEVER_CALLED);
		break;
	case 1:
		snprintf(text, sizeof(text), "fdirect_churn_%x%x? " NEVER_CALLED, any(t, 4),
			 any(t, 16));
		break;
	case 2:
		snprintf(text, sizeof(text), "fdirect_churn_%03x " NEVER_CALLED,
			 CHURN_HOT(any(t, CHURN_HOTS)));
		break;
	default:
		snprintf(text, sizeof(text), "!fdirect_churn_%x*\n", any(t, 4));
		break;
	}
	err = put_tracer(t, "set_ftrace_filter", *text != '!' && chance(t, 50) ? O_TRUNC : 0, text);
	answered(t, err, 0, 0, "set_ftrace_filter < %.*s", (int)strcspn(text, "\n"), text);
}

static void set_tracer(struct task *t, const char *tracer)
{
	answered(t, put_tracer(t, "current_tracer", 0, tracer), 0, 0, "%s", tracer);
}

/* All functions of the kernel: for a moment, since little else gets done then. */
static void trace_all(struct task *t)
{
	int err;

	set_tracer(t, "nop");
	err = put_tracer(t, "set_ftrace_filter", O_TRUNC, "");
	answered(t, err, 0, 0, "clearing the filter");
	set_tracer(t, "function");
	rest(t, 20000);
	set_tracer(t, "nop");
	err = put_tracer(t, "set_ftrace_filter", O_TRUNC, NEVER_CALLED);
	answered(t, err, 0, 0, "the filter");
}

static void trace_some(struct task *t)
{
	unsigned int what = any(t, 100);

	if (what < 50)
		change_filter(t);
	else if (what < 65)
		set_tracer(t, "function");
	else if (what < 80)
		set_tracer(t, "function_graph");
	else if (what < 98)
		set_tracer(t, "nop");
	else
		trace_all(t);
}

static void end_tracer(struct task *t)
{
	set_tracer(t, "nop");
	put_tracer(t, "set_ftrace_filter", O_TRUNC, "");
	put_tracer(t, "trace", O_TRUNC, "");
	if (t->number && rmdir(tracer_dirs[t->number]))
		fail(t, "the instance does not go: %s", strerror(errno));
}

/* -------------------------------------------------------------------------- */
/* Kprobes and fprobes                                                          */

#define PROBES	16

/* A kretprobe is at the very entry, where riscv64 takes none: there it is a kprobe, too. */
#if defined(__riscv)
#define KRETPROBE	"p"
#else
#define KRETPROBE	"r"
#endif

/* How such a probe is written: at the entry of the function, and at its return */
static const struct probe_kind {
	const char *file, *entry, *exit;
} probe_kinds[] = {
	{ TRACEFS "kprobe_events", "p:churn_k/e%d fdirect_churn:fdirect_churn_%03x" PROBE_OFFSET,
	  KRETPROBE ":churn_k/e%d fdirect_churn:fdirect_churn_%03x" PROBE_OFFSET },
	{ TRACEFS "dynamic_events", "f:churn_f/e%d fdirect_churn_%03x",
	  "f:churn_f/e%d fdirect_churn_%03x%%return" },
};

static enum { NO_PROBE, PROBE, ENABLED_PROBE } probes[PROBES];

static const char *probe_group(struct task *t)
{
	return t->number ? "churn_f" : "churn_k";
}

static int remove_probe(struct task *t, int i)
{
	return put(probe_kinds[t->number].file, "-:%s/e%d", probe_group(t), i);
}

static void start_probes(struct task *t)
{
	const struct probe_kind *k = &probe_kinds[t->number];
	int err;

	if (access(k->file, F_OK) || (t->number && !has_fprobes()))
		return cannot(t, true, "this kernel has no such probes");
	err = put(k->file, k->entry, 0, 1);
	if (err)
		return cannot(t, false, "a probe: %s", errname(err));
	remove_probe(t, 0);
}

static int enable_probe(struct task *t, int i, bool on)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), TRACEFS "events/%s/e%d/enable", probe_group(t), i);
	return put(path, "%d", on);
}

static void probe_some(struct task *t)
{
	const struct probe_kind *k = &probe_kinds[t->number];
	int i = any(t, PROBES), n = any(t, 2) ? (int)CHURN_HOT(any(t, CHURN_HOTS)) :
						(int)any(t, CHURN_FUNCTIONS);
	bool entry = any(t, 3), remove = any(t, 2);
	int err;

	if (probes[i] == NO_PROBE) {
		err = put(k->file, entry ? k->entry : k->exit, i, n);
		answered(t, err, 0, 0, "a probe at %03x", n);
		probes[i] = err ? NO_PROBE : PROBE;
	} else if (probes[i] == PROBE && remove) {
		answered(t, remove_probe(t, i), 0, 0, "removing a probe");
		probes[i] = NO_PROBE;
	} else {
		err = enable_probe(t, i, probes[i] == PROBE);
		answered(t, err, 0, 0, "a probe %s", probes[i] == PROBE ? "on" : "off");
		probes[i] = probes[i] == PROBE ? ENABLED_PROBE : PROBE;
	}
}

static void end_probes(struct task *t)
{
	int i;

	for (i = 0; i < PROBES; i++) {
		if (probes[i] == ENABLED_PROBE)
			answered(t, enable_probe(t, i, false), 0, 0, "a probe off");
		if (probes[i] != NO_PROBE)
			answered(t, remove_probe(t, i), 0, 0, "removing a probe");
		probes[i] = NO_PROBE;
	}
}

/* -------------------------------------------------------------------------- */
/* Samples                                                                      */

#define RING_PAGES	8

/*
 * Nanoseconds of cpu-clock; cycles take about as long, or less. A frequency would begin with a
 * sample each cycle, and emulated CPUs get to nothing else then.
 */
#define SAMPLE_PERIOD	20000000

/* A counter interrupts the CPUs by NMI, where the machine has one, else a timer. */
static const char *sample_source = "";

static int open_samples(struct task *t, int cpu, unsigned int type)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = type,
		.config = type == PERF_TYPE_HARDWARE ? PERF_COUNT_HW_CPU_CYCLES :
						       PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.sample_period = SAMPLE_PERIOD,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void start_samples(struct task *t)
{
	int fd;

	if (access("/proc/sys/kernel/perf_event_paranoid", F_OK))
		return cannot(t, true, "this kernel has no perf events");
	fd = open_samples(t, 0, PERF_TYPE_HARDWARE);
	sample_source = "cpu-cycles";
	if (fd < 0) {
		fd = open_samples(t, 0, PERF_TYPE_SOFTWARE);
		sample_source = "cpu-clock";
	}
	if (fd < 0)
		return cannot(t, false, "perf_event_open: %s", strerror(errno));
	close(fd);
	ksft_print_msg("samples are those of %s\n", sample_source);
}

static unsigned long count_samples(const struct perf_event_mmap_page *page, size_t page_size)
{
	const char *data = (const char *)page + page_size;
	size_t size = RING_PAGES * page_size;
	unsigned long samples = 0, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at;

	for (at = 0; at < head && at < size;) {
		const struct perf_event_header *h = (const void *)(data + at);

		samples += h->type == PERF_RECORD_SAMPLE;
		at += h->size ?: size;
	}
	return samples;
}

/* All CPUs that are there, for a while. A ring that is full takes no more. */
static void take_samples(struct task *t)
{
	int cpus = sysconf(_SC_NPROCESSORS_CONF), cpu, fds[64], us = 50000 + any(t, 200000);
	size_t page_size = getpagesize(), len = (RING_PAGES + 1) * page_size;
	unsigned int type = strcmp(sample_source, "cpu-clock") ? PERF_TYPE_HARDWARE :
								 PERF_TYPE_SOFTWARE;
	void *pages[64];

	for (cpu = 0; cpu < cpus && cpu < 64; cpu++) {
		pages[cpu] = MAP_FAILED;
		fds[cpu] = open_samples(t, cpu, type);
		if (fds[cpu] >= 0)
			pages[cpu] = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fds[cpu],
					  0);
		else if (errno != ENODEV)	/* a CPU that is offline */
			fail(t, "CPU %d: %s", cpu, strerror(errno));
	}
	usleep(us);
	for (cpu = 0; cpu < cpus && cpu < 64; cpu++) {
		if (pages[cpu] != MAP_FAILED) {
			t->counts->made += count_samples(pages[cpu], page_size);
			munmap(pages[cpu], len);
		}
		close(fds[cpu]);
	}
}

#endif /* CHURN_TRACE_H */
