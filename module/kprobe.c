// SPDX-License-Identifier: GPL-2.0
/*
 * The kprobe sample: what a kprobe on the entry of a function costs to come and go.
 *
 * A kprobe goes by way of ftrace where it can, and then pays for one function what
 * direct calls pay for many. One write to the file kprobe registers a kprobe on a
 * function of the selection, disables, enables and unregisters it. Each step is
 * timed. Nothing stays behind.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fdirect.h"

enum step {
	REGISTER,
	DISABLE,
	ENABLE,
	UNREGISTER,
	STEPS,
};

static const char * const step_names[STEPS] = {
	[REGISTER]	= "register",
	[DISABLE]	= "disable",
	[ENABLE]	= "enable",
	[UNREGISTER]	= "unregister",
};

/**
 * struct code - the instruction that a probe replaces
 * @target: what it calls, which may change elsewhere
 * @bytes: it, or what stands in its place
 */
struct code {
	unsigned long target;
	u8 bytes[MCOUNT_INSN_SIZE];
};

/**
 * struct measurement - a measurement that succeeded
 * @function: index of the function
 * @addr: where the probe was, 0 until there has been a measurement
 * @ftrace: it went by way of ftrace
 * @clocks: how long each step took
 */
struct measurement {
	unsigned int function;
	unsigned long addr;
	bool ftrace;
	struct fdirect_clock clocks[STEPS];
};

/* Under fdirect_lock, as the probe. */
static struct measurement last;

/* Not on the stack: until it is unregistered, the kernel has it in its lists. */
static struct kprobe probe;

static int find(struct fdirect_func **f, struct measurement *measured, const char *word)
{
	struct fdirect_selection *sel = fdirect_selection();
	int err = kstrtouint(word, 10, &measured->function);

	if (err && err != -ERANGE)
		return fdirect_fail(-EINVAL, "kprobe: it takes the number of a function");
	if (!sel)
		return fdirect_fail(-ENODATA, "kprobe: no functions have been selected");
	if (err || measured->function >= sel->nr)
		return fdirect_fail(-ERANGE, "kprobe: function %s; the selection has %u", word,
				    sel->nr);
	*f = &sel->funcs[measured->function];
	return 0;
}

static int refused(const struct fdirect_func *f, enum step step, int err)
{
	return fdirect_fail(err, "kprobe: %s: %s_kprobe(): %s (%d)", f->name, step_names[step],
			    err == -EINVAL ? "the kernel allows no probe there" : "failed",
			    err);
}

static int do_step(enum step step)
{
	switch (step) {
	case REGISTER:
		return register_kprobe(&probe);
	case DISABLE:
		return disable_kprobe(&probe);
	case ENABLE:
		return enable_kprobe(&probe);
	default:
		unregister_kprobe(&probe);
		return 0;
	}
}

static int time_step(const struct fdirect_func *f, struct measurement *measured, enum step step)
{
	int err;

	fdirect_clock_start(&measured->clocks[step]);
	err = do_step(step);
	fdirect_clock_stop(&measured->clocks[step]);
	return err ? refused(f, step, err) : 0;
}

/* Code that cannot be read looks as if it never changed. */
static void read_code(struct code *code)
{
	memset(code, 0, sizeof(*code));
	if (!copy_from_kernel_nofault(code->bytes, probe.addr, sizeof(code->bytes)))
		code->target = fdirect_site_target((unsigned long)probe.addr);
}

static bool same(const struct code *a, const struct code *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Was the probe in the code when it had to be, and only then? */
static int check_code(const struct fdirect_func *f, const struct code *codes)
{
	if (same(&codes[REGISTER], &codes[ENABLE]) && same(&codes[DISABLE], &codes[UNREGISTER]) &&
	    !same(&codes[REGISTER], &codes[DISABLE]))
		return 0;
	return fdirect_fail(-EIO,
			    "kprobe: %s: its code has not changed with the probe; kprobes or ftrace may be off, or others trace it",
			    f->name);
}

static int measure(const struct fdirect_func *f, struct measurement *measured)
{
	struct code codes[STEPS];
	int err;

	memset(&probe, 0, sizeof(probe));
	probe.addr = (kprobe_opcode_t *)(fdirect_entry(f->ip) + FDIRECT_PROBE_OFFSET);
	err = time_step(f, measured, REGISTER);
	if (err)
		return err;
	read_code(&codes[REGISTER]);
	measured->addr = (unsigned long)probe.addr;
	measured->ftrace = kprobe_ftrace(&probe);

	err = time_step(f, measured, DISABLE);
	read_code(&codes[DISABLE]);
	if (!err)
		err = time_step(f, measured, ENABLE);
	read_code(&codes[ENABLE]);
	time_step(f, measured, UNREGISTER);
	read_code(&codes[UNREGISTER]);
	return err ?: check_code(f, codes);
}

/**
 * fdirect_kprobe_store - measure
 * @value: index of the function
 *
 * Return: 0 or a negative errno
 */
int fdirect_kprobe_store(char *value)
{
	struct measurement measured = {};
	struct fdirect_func *f;
	int err;

	lockdep_assert_held(&fdirect_lock);
	err = find(&f, &measured, value);
	if (err)
		return err;
	if (fdirect_func_get(f))
		return fdirect_fail(-ENODEV, "kprobe: %s: its module has been unloaded", f->name);
	err = measure(f, &measured);
	fdirect_func_put(f);
	if (!err)
		last = measured;
	return err;
}

/**
 * fdirect_kprobe_show - the file kprobe
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_kprobe_show(struct seq_file *m)
{
	unsigned int i;

	if (!last.addr)
		return 0;
	seq_printf(m, "function %u\n", last.function);
	seq_printf(m, "address 0x%lx\n", last.addr);
	seq_printf(m, "ftrace %d\n", last.ftrace);
	for (i = 0; i < STEPS; i++) {
		seq_printf(m, "%s_elapsed_ns %llu\n", step_names[i], last.clocks[i].elapsed);
		seq_printf(m, "%s_running_ns %llu\n", step_names[i], last.clocks[i].running);
	}
	return 0;
}
