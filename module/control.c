// SPDX-License-Identifier: GPL-2.0
/*
 * The commands: attach, detach, modify.
 *
 * All checks are here, for all methods alike, before anything changes; the
 * methods then do the work.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "fdirect.h"

/**
 * struct command - a command and its numbers
 * @name: what to do
 * @args: how many numbers were given
 * @first: index of the first function
 * @count: how many functions
 * @stub: stub of the first
 */
struct command {
	const char *name;
	unsigned int args;
	unsigned int first;
	unsigned int count;
	unsigned int stub;
};

static int bad_syntax(void)
{
	return fdirect_fail(-EINVAL,
			    "control: the commands are attach [FIRST COUNT [STUB]], detach [FIRST COUNT] and modify FIRST COUNT STUB");
}

static int parse(struct command *cmd, char *text)
{
	unsigned int *numbers[] = { &cmd->first, &cmd->count, &cmd->stub };
	char *word;
	int err;

	memset(cmd, 0, sizeof(*cmd));
	while ((word = strsep(&text, " \t"))) {
		if (!*word)
			continue;
		if (!cmd->name) {
			cmd->name = word;
			continue;
		}
		if (cmd->args == ARRAY_SIZE(numbers))
			return bad_syntax();
		err = kstrtouint(word, 10, numbers[cmd->args++]);
		if (err == -ERANGE)
			return fdirect_fail(-ERANGE, "control: %s is out of range", word);
		if (err)
			return bad_syntax();
	}
	return cmd->name ? 0 : bad_syntax();
}

/* Fill in what was left out, and check the range. */
static int check_range(struct command *cmd, const struct fdirect_selection *sel)
{
	if (!sel)
		return fdirect_fail(-ENODATA, "control: no functions have been selected");
	if (!cmd->args)
		cmd->count = sel->nr;
	if (!cmd->count)
		return fdirect_fail(-EINVAL, "control: COUNT is 0");
	if (cmd->first >= sel->nr || cmd->count > sel->nr - cmd->first)
		return fdirect_fail(-ERANGE,
				    "control: %u functions from %u on; the selection has %u",
				    cmd->count, cmd->first, sel->nr);
	if (cmd->args < 3)
		cmd->stub = cmd->first;
	if (cmd->stub >= FDIRECT_STUBS)
		return fdirect_fail(-ERANGE, "control: stub %u; there are %u", cmd->stub,
				    FDIRECT_STUBS);
	return 0;
}

static void job_init(struct fdirect_job *job, struct fdirect_selection *sel,
		     const struct command *cmd)
{
	memset(job, 0, sizeof(*job));
	job->sel = sel;
	job->first = cmd->first;
	job->count = cmd->count;
	job->nr = cmd->count;
	job->slot = fdirect_slot_now();
}

static void record(enum fdirect_kind kind, const char *method, unsigned int functions,
		   const struct fdirect_clock *prepare, const struct fdirect_clock *call)
{
	if (prepare->elapsed)
		fdirect_times_record(FDIRECT_PREPARE, method, functions, prepare);
	fdirect_times_record(kind, method, functions, call);
}

static int attach(struct command *cmd)
{
	const struct fdirect_method *method = fdirect_method_now();
	struct fdirect_selection *sel = fdirect_selection();
	struct fdirect_job job;
	unsigned int i;
	int err;

	err = check_range(cmd, sel);
	if (err)
		return err;
	for (i = cmd->first; i < cmd->first + cmd->count; i++) {
		if (sel->funcs[i].method != FDIRECT_NONE)
			return fdirect_fail(-EBUSY,
					    "control: function %u, %s, is attached already", i,
					    sel->funcs[i].name);
	}
	err = fdirect_selection_hold(sel, cmd->first, cmd->count, cmd->stub, method->one_stub);
	if (err)
		return err;
	job_init(&job, sel, cmd);
	err = method->attach(&job);
	fdirect_selection_settle(sel, cmd->first, cmd->count);
	if (!err)
		record(FDIRECT_ATTACH, method->name, job.nr, &job.prepare, &job.call);
	return err;
}

/* Check that the whole range is attached by the current method and slot. */
static int check_attached(struct fdirect_job *job, const struct fdirect_method *method)
{
	unsigned int i;

	job->from = method->id;
	for (i = job->first; i < job->first + job->count; i++) {
		const struct fdirect_func *f = &job->sel->funcs[i];

		if (fdirect_job_has(job, f))
			continue;
		if (fdirect_uses_slot(method->id))
			return fdirect_fail(-ENOLINK,
					    "control: function %u, %s, is not attached by method %s and ops %u",
					    i, f->name, method->name, job->slot);
		return fdirect_fail(-ENOLINK,
				    "control: function %u, %s, is not attached by method %s", i,
				    f->name, method->name);
	}
	return 0;
}

static int modify(struct command *cmd)
{
	const struct fdirect_method *method = fdirect_method_now();
	struct fdirect_selection *sel = fdirect_selection();
	struct fdirect_job job;
	unsigned int i;
	int err;

	if (cmd->args != 3)
		return bad_syntax();
	err = check_range(cmd, sel);
	if (err)
		return err;
	job_init(&job, sel, cmd);
	err = check_attached(&job, method);
	if (err)
		return err;

	for (i = 0; i < cmd->count; i++) {
		struct fdirect_func *f = &sel->funcs[cmd->first + i];

		f->other.stub = method->one_stub ? cmd->stub : (cmd->stub + i) % FDIRECT_STUBS;
		f->other.reach = fdirect_reach_now();
		fdirect_stub_get(f->other.stub);
	}
	err = method->modify(&job);
	/* The stubs that they have left, or that they have not got to. */
	for (i = cmd->first; i < cmd->first + cmd->count; i++)
		fdirect_stub_put(sel->funcs[i].other.stub);
	if (!err)
		record(FDIRECT_MODIFY, method->name, job.nr, &job.prepare, &job.call);
	return err;
}

/* Detach what @job is about. ftrace gives -ENODEV for that only once it has shut itself down. */
static int detach_job(const struct fdirect_method *method, struct fdirect_job *job)
{
	int err = method->detach(job);

	if (err == -ENODEV)
		fdirect_stay(err);
	fdirect_selection_settle(job->sel, job->first, job->count);
	return err;
}

/**
 * fdirect_detach_all - detach what is attached, by whatever method and slot
 *
 * If one group of functions cannot be detached, the others still are.
 *
 * Return: 0 or the first error
 */
int fdirect_detach_all(void)
{
	struct fdirect_selection *sel = fdirect_selection();
	const struct fdirect_method *last = NULL;
	struct fdirect_clock prepare = {}, call = {};
	unsigned int id, slot, i, groups = 0, nr = 0;
	int err, first_err = 0;

	lockdep_assert_held(&fdirect_lock);
	for (id = FDIRECT_NONE + 1; sel && id < FDIRECT_METHODS; id++) {
		const struct fdirect_method *method = fdirect_method(id);
		unsigned int slots = fdirect_uses_slot(id) ? FDIRECT_SLOTS : 1;

		for (slot = 0; method && slot < slots; slot++) {
			struct fdirect_job job = {
				.sel	= sel,
				.count	= sel->nr,
				.from	= id,
				.slot	= slot,
			};

			for (i = 0; i < sel->nr; i++)
				job.nr += fdirect_job_has(&job, &sel->funcs[i]);
			if (!job.nr)
				continue;
			err = detach_job(method, &job);
			if (err) {
				first_err = first_err ?: err;
				continue;
			}
			fdirect_clock_add(&prepare, &job.prepare);
			fdirect_clock_add(&call, &job.call);
			nr += job.nr;
			groups += last != method;
			last = method;
		}
	}
	if (nr && !first_err)
		record(FDIRECT_DETACH, groups > 1 ? "mixed" : last->name, nr, &prepare, &call);
	return first_err;
}

static int detach(struct command *cmd)
{
	const struct fdirect_method *method = fdirect_method_now();
	struct fdirect_selection *sel = fdirect_selection();
	struct fdirect_job job;
	int err;

	if (!cmd->args)
		return fdirect_detach_all();
	err = check_range(cmd, sel);
	if (err)
		return err;
	job_init(&job, sel, cmd);
	err = check_attached(&job, method);
	if (err)
		return err;
	err = detach_job(method, &job);
	if (!err)
		record(FDIRECT_DETACH, method->name, job.nr, &job.prepare, &job.call);
	return err;
}

/**
 * fdirect_control_store - carry out a command
 * @text: the command; it is changed
 *
 * Return: 0 or a negative errno
 */
int fdirect_control_store(char *text)
{
	struct command cmd;
	int err;

	err = parse(&cmd, text);
	if (err)
		return err;
	/* One number alone is never a range. */
	if (cmd.args == 1)
		return bad_syntax();
	if (!strcmp(cmd.name, "attach"))
		return attach(&cmd);
	if (!strcmp(cmd.name, "detach") && cmd.args < 3)
		return detach(&cmd);
	if (!strcmp(cmd.name, "modify"))
		return modify(&cmd);
	return bad_syntax();
}
