/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks that change what functions there are, what they do, and where they run. */
#ifndef CHURN_SYSTEM_H
#define CHURN_SYSTEM_H

#include "bpf_trace.h"
#include "churn_direct.h"
#include "livepatch.h"

/* -------------------------------------------------------------------------- */
/* A livepatch                                                                  */

#define CHURN_LIVEPATCH	"fdirect_churn_livepatch"

static void start_livepatch(struct task *t)
{
	if (!module_file_there(CHURN_LIVEPATCH))
		cannot(t, true, "this kernel has no livepatch");
}

static void tell_patched(struct task *t, struct churn_patch *p, enum churn_patched state)
{
	int err;

	p->state = state;
	err = write_file(CHURN "patched", (const char *)p, sizeof(*p));
	if (err)
		fail(t, "telling of a livepatch: %s", errname(err));
}

/* Between those that are told, a call may find any of the two. */
static void livepatch_some(struct task *t)
{
	struct churn_patch p = { .count = 1 + any(t, 6) };
	unsigned int first = any(t, CHURN_HOTS), i;
	char parameters[64] = "functions=";
	int err, len = strlen(parameters);

	for (i = 0; i < p.count; i++) {
		unsigned int hot = (first + i) % CHURN_HOTS;

		p.functions[i] = CHURN_HOT(hot);
		len += sprintf(parameters + len, "%s%u", i ? "," : "", hot);
	}
	tell_patched(t, &p, CHURN_EITHER);
	err = livepatch_on(CHURN_LIVEPATCH, parameters);
	/* The owner of a function does not share it, or is just coming to it. */
	answered(t, err, EBUSY, EAGAIN, "%s", parameters);
	if (err) {
		tell_patched(t, &p, CHURN_ORIGINAL);
		return;
	}
	tell_patched(t, &p, CHURN_PATCHED);
	rest(t, 500000);
	tell_patched(t, &p, CHURN_EITHER);
	answered(t, livepatch_off(CHURN_LIVEPATCH), 0, 0, "ending the livepatch");
	tell_patched(t, &p, CHURN_ORIGINAL);
}

/* -------------------------------------------------------------------------- */
/* BPF programs                                                                 */

/*
 * Each function that may have one has an fentry and an fexit program. Functions that nobody
 * else attaches must have room for both, and let the programs see their calls.
 */
#define TRACED	8

static struct traced {
	int function, programs[2];
	bool attached[2];
} traced[TRACED];

static void start_programs(struct task *t)
{
	/* Half of them the task's own; two are hot. */
	static const int numbers[TRACED] = { 7, 8, 30, CHURN_HOT(0), 32, 40, 62, CHURN_HOT(1) };
	static const enum kind each[2] = { FENTRY, FEXIT };
	char name[64];
	int i, k, id;

	if (access("/sys/kernel/btf/fdirect_churn", R_OK))
		return cannot(t, true, "the module has no type information");
	for (i = 0; i < TRACED; i++) {
		traced[i].function = numbers[i];
		snprintf(name, sizeof(name), "fdirect_churn:fdirect_churn_%03x", numbers[i]);
		for (k = 0; k < 2; k++) {
			id = load_tracer(each[k], name);
			if (id < 0)
				return cannot(t, false, "%s: %s", name, errname(-id));
			traced[i].programs[k] = id;
		}
	}
}

struct call_order {
	struct task *task;
	struct churn_calls calls;
};

static void call_ordered(void *data)
{
	struct call_order *order = data;

	write_calls(order->task, &order->calls);
}

static void call_traced(struct task *t, int function, int id)
{
	struct call_order order = {
		.task = t,
		.calls = { .seed = next_random(&t->random), .function = function, .count = 5 },
	};
	const char *unseen = unseen_calls(id, order.calls.count, call_ordered, &order);

	if (unseen)
		fail(t, "a program on %03x: %s", function, unseen);
}

static void trace_by_program(struct task *t)
{
	struct traced *p = &traced[any(t, TRACED)];
	int k = any(t, 2), err;

	if (p->attached[k]) {
		call_traced(t, p->function, p->programs[k]);
		detach_tracer(p->programs[k]);
		p->attached[k] = false;
		return;
	}
	err = attach_tracer(p->programs[k]);
	answered(t, err, p->function < UNTOUCHED ? 0 : EBUSY,
		 p->function % CHURN_HOT_STEP == CHURN_HOT_STEP - 1 ? EAGAIN : 0,
		 "a program on %03x", p->function);
	p->attached[k] = !err;
}

static void end_programs(struct task *t)
{
	int id;

	for (id = 1; id < used_tracers; id++)
		drop_tracer(id);
}

/* -------------------------------------------------------------------------- */
/* Links of one program to many functions                                       */

/* Functions of the programs above are among them, and two that are hot. */
#define LINKED	8

static const int linked[LINKED] = { 7, 8, 9, 10, 30, CHURN_HOT(0), 40, CHURN_HOT(1) };
static __u32 linked_ids[LINKED];

static struct {
	int program, link;
	unsigned int functions;
} links[2];

static void start_links(struct task *t)
{
	static const enum kind each[2] = { FENTRY_MULTI, FEXIT_MULTI };
	char name[32];
	int i;

	if (access("/sys/kernel/btf/fdirect_churn", R_OK) || !has_multi())
		return cannot(t, true, "this kernel has no links of one program to many functions");
	for (i = 0; i < LINKED; i++) {
		snprintf(name, sizeof(name), "fdirect_churn_%03x", linked[i]);
		linked_ids[i] = find_type(types_of("fdirect_churn"), name, BTF_KIND_FUNC);
	}
	/* The programs above count in the first cells */
	used_tracers = CELLS / 2;
	for (i = 0; i < 2; i++) {
		links[i].link = -1;
		links[i].program = load_tracer(each[i], "fdirect_churn:fdirect_churn_007");
		if (links[i].program < 0)
			return cannot(t, false, "a program: %s", errname(-links[i].program));
	}
}

/* A link to some of the functions, or to none if one of them is refused */
static void attach_link(struct task *t, int k)
{
	const struct tracer *tracer = &tracers[links[k].program];
	unsigned int functions = 1 + any(t, (1 << LINKED) - 1);
	bool touched = false, hot = false;
	__u64 cookies[LINKED];
	__u32 ids[LINKED];
	int i, n = 0;

	for (i = 0; i < LINKED; i++) {
		if (!(functions & 1 << i))
			continue;
		touched |= linked[i] >= UNTOUCHED;
		hot |= linked[i] % CHURN_HOT_STEP == CHURN_HOT_STEP - 1;
		cookies[n] = links[k].program;
		ids[n++] = linked_ids[i];
	}
	links[k].link = attach_multi(tracer->prog, kinds[tracer->kind].type, ids, cookies, n);
	links[k].functions = functions;
	answered(t, links[k].link < 0 ? -links[k].link : 0, touched ? EBUSY : 0, hot ? EAGAIN : 0,
		 "a link to functions %x", functions);
}

static void link_some(struct task *t)
{
	int k = any(t, 2), i;

	if (links[k].link < 0)
		return attach_link(t, k);
	for (i = any(t, LINKED); !(links[k].functions & 1 << i); i = (i + 1) % LINKED)
		;
	call_traced(t, linked[i], links[k].program);
	close(links[k].link);
	links[k].link = -1;
}

static void end_links(struct task *t)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (links[i].program <= 0)
			continue;
		if (links[i].link >= 0)
			close(links[i].link);
		drop_tracer(links[i].program);
	}
}

/* -------------------------------------------------------------------------- */
/* Modules                                                                      */

static void change_modules(struct task *t)
{
	static const char *const modules[] = { "fdirect_bulk_0", "fdirect_bulk_1",
					       "fdirect_subject" };
	const char *module = modules[any(t, ARRAY_SIZE(modules))];

	if (loaded(module))
		answered(t, unload(module), EWOULDBLOCK, 0, "unloading %s", module);
	else
		answered(t, load(module), 0, 0, "loading %s", module);
}

static void end_modules(struct task *t)
{
	static const char *const modules[] = { "fdirect_bulk_0", "fdirect_bulk_1",
					       "fdirect_subject" };
	int err = 0, tries;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modules); i++) {
		/* Until those who end at the same time have let go of it */
		for (tries = 0; tries < 600 && loaded(modules[i]); tries++) {
			err = unload(modules[i]);
			if (err)
				usleep(100000);
		}
		if (loaded(modules[i]))
			fail(t, "unloading %s: %s", modules[i], errname(err));
	}
}

/* -------------------------------------------------------------------------- */
/* CPUs                                                                         */

static int set_cpu(unsigned int cpu, bool on)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return put(path, "%d", on);
}

static void start_cpus(struct task *t)
{
	int cpus = sysconf(_SC_NPROCESSORS_CONF), err = cpus > 1 ? set_cpu(cpus - 1, true) : ENOENT;

	if (err)
		cannot(t, err == ENOENT, "no CPU can be switched: %s", errname(err));
}

/* All but the first one. */
static void switch_cpu(struct task *t)
{
	unsigned int cpu = 1 + any(t, sysconf(_SC_NPROCESSORS_CONF) - 1);
	bool on = any(t, 2);

	answered(t, set_cpu(cpu, on), EBUSY, 0, "CPU %u %s", cpu, on ? "on" : "off");
}

static void end_cpus(struct task *t)
{
	int cpu;

	for (cpu = 1; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		answered(t, set_cpu(cpu, true), 0, 0, "CPU %d on", cpu);
}

/* -------------------------------------------------------------------------- */
/* Thousands of functions of the kernel                                         */

static int selected;

/*
 * Before the tasks run: reading the list of functions, page by page, takes a lock of ftrace
 * hundreds of times. Beside the tasks that takes minutes.
 */
static int select_mass(void)
{
	struct text list = { };
	int err;

	add_each_kernel_function(&list, 4000, 2);
	err = choose(&list);
	selected = status("functions");
	return err;
}

static void control(struct task *t, const char *verb, int first, int count, int stub)
{
	char command[64];

	if (stub < 0)
		snprintf(command, sizeof(command), "%s %d %d", verb, first, count);
	else
		snprintf(command, sizeof(command), "%s %d %d %d", verb, first, count, stub);
	answered(t, fdirect("control", "%s", command), 0, 0, "%s", command);
}

/* One round, from nothing to nothing. */
static void change_mass(struct task *t)
{
	int first = any(t, selected), count = 1 + any(t, selected - first);

	if (!has_hash())
		return cannot(t, true, "this kernel has no direct hash interface");
	if (has_far())
		fdirect("reach", "%s", any(t, 2) ? "far" : "near");
	control(t, "attach", first, count, -1);
	rest(t, 50000);
	control(t, "modify", first, count, any(t, STUBS - CHURN_FUNCTIONS));
	rest(t, 50000);
	control(t, "detach", first, count / 2 + 1, -1);
	rest(t, 50000);
	if (count - count / 2 - 1 > 0)
		control(t, "detach", first + count / 2 + 1, count - count / 2 - 1, -1);
}

/*
 * A call that is interrupted on its way to a stub is a stray hit if its function is detached then
 * (module/hits.c), so each change may have one. A call site that still calls its stub has more,
 * and goes on.
 */
static void end_mass(struct task *t)
{
	long long stray = status("stray_hits");

	if (status("misdirected"))
		fail(t, "%lld sites misdirected", status("misdirected"));
	if (stray > (long long)t->counts->made)
		fail(t, "%lld stray hits in %lu changes", stray, t->counts->made);
	usleep(500000);
	if (status("stray_hits") != stray)
		fail(t, "%lld stray hits with nothing attached", status("stray_hits") - stray);
}

#endif /* CHURN_SYSTEM_H */
