// SPDX-License-Identifier: GPL-2.0
/*
 * The call sample: what it costs to call a function that is traced.
 *
 * A trivial function is called many times, first with ftrace_ops or a direct call
 * attached to it, then as it is. Others may be attached to a function that nobody
 * calls. The difference is the cost of tracing. One write to the file call does all
 * of it, and leaves nothing attached.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "call.h"

static const struct fdirect_call_spec kinds[] = {
	{ "ops",	 FDIRECT_CALL_OPS },
	{ "plain",	 FDIRECT_CALL_PLAIN },
	{ "direct-near", FDIRECT_CALL_DIRECT, FDIRECT_NEAR },
	{ "direct-far",	 FDIRECT_CALL_DIRECT, FDIRECT_FAR },
	{ "hash-near",	 FDIRECT_CALL_HASH,   FDIRECT_NEAR },
	{ "hash-far",	 FDIRECT_CALL_HASH,   FDIRECT_FAR },
};

/**
 * struct measurement - a measurement that succeeded
 * @spec: what was measured
 * @chunk: calls in a chunk
 * @traced: how long the calls took
 * @baseline: how long they took when nothing was attached any more
 * @hits: how often the callbacks and the stub ran
 */
struct measurement {
	struct fdirect_call_spec spec;
	unsigned int chunk;
	struct fdirect_call_times traced;
	struct fdirect_call_times baseline;
	u64 hits;
};

/* Under fdirect_lock. There is no kind until there has been a measurement. */
static struct measurement last;

static int bad_syntax(void)
{
	return fdirect_fail(-EINVAL,
			    "call: it takes KIND CALLS RELEVANT IRRELEVANT [regs] [recursion] [rcu] [trampoline]");
}

static int parse_kind(struct fdirect_call_spec *spec, const char *word)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(word, kinds[i].kind))
			continue;
		*spec = kinds[i];
		return 0;
	}
	return fdirect_fail(-EINVAL, "call: no kind is named \"%s\"", word);
}

static int parse_number(unsigned int *number, const char *word, unsigned int from,
			unsigned int to)
{
	int err = kstrtouint(word, 10, number);

	if (err && err != -ERANGE)
		return bad_syntax();
	if (err || *number < from || *number > to)
		return fdirect_fail(-ERANGE, "call: %s is not from %u to %u", word, from, to);
	return 0;
}

static int parse_flag(struct fdirect_call_spec *spec, const char *word)
{
	if (!strcmp(word, "recursion")) {
		spec->flags |= FTRACE_OPS_FL_RECURSION;
	} else if (!strcmp(word, "rcu")) {
		spec->flags |= FTRACE_OPS_FL_RCU;
	} else if (!strcmp(word, "regs")) {
		if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS))
			return fdirect_fail(-EOPNOTSUPP,
					    "call: ftrace saves no registers on this architecture");
		spec->flags |= FTRACE_OPS_FL_SAVE_REGS;
	} else if (!strcmp(word, "trampoline")) {
		if (!IS_ENABLED(CONFIG_X86_64))
			return fdirect_fail(-EOPNOTSUPP,
					    "call: ftrace makes no trampolines on this architecture");
		spec->trampoline = true;
	} else {
		return bad_syntax();
	}
	return 0;
}

static int parse(struct fdirect_call_spec *spec, char *text)
{
	unsigned int words = 0;
	char *word;
	int err;

	while ((word = strsep(&text, " \t"))) {
		if (!*word)
			continue;
		switch (words++) {
		case 0:
			err = parse_kind(spec, word);
			break;
		case 1:
			err = parse_number(&spec->calls, word, 1, FDIRECT_CALL_MAX_CALLS);
			break;
		case 2:
			err = parse_number(&spec->relevant, word, 0, FDIRECT_CALL_MAX_OPS);
			break;
		case 3:
			err = parse_number(&spec->irrelevant, word, 0, FDIRECT_CALL_MAX_OPS);
			break;
		default:
			err = parse_flag(spec, word);
		}
		if (err)
			return err;
	}
	if (words < 4)
		return bad_syntax();
	if (spec->interface == FDIRECT_CALL_PLAIN &&
	    (spec->relevant || spec->irrelevant || spec->flags || spec->trampoline))
		return fdirect_fail(-EINVAL,
				    "call: plain is without ftrace, so it takes 0 0 and no flags");
	return 0;
}

/**
 * struct counts - how often everything ran that can be attached
 * @stub: the stub
 * @relevant: the callbacks of the function that is called
 * @irrelevant: those of the other
 */
struct counts {
	u64 stub;
	u64 relevant;
	u64 irrelevant;
};

static void read_counts(struct counts *counts, const struct fdirect_call_spec *spec,
			const struct fdirect_call_attached *attached)
{
	counts->stub = fdirect_call_stub_hits();
	counts->relevant = fdirect_call_ops_hits(attached, 0, spec->relevant);
	counts->irrelevant = fdirect_call_ops_hits(attached, spec->relevant, spec->irrelevant);
}

/* Did everything run as often as it should have? */
static int check_counts(struct measurement *measured, const struct counts *before,
			const struct counts *after)
{
	const struct fdirect_call_spec *spec = &measured->spec;
	u64 irrelevant = after->irrelevant - before->irrelevant;
	u64 relevant = after->relevant - before->relevant;
	u64 stub = after->stub - before->stub;
	u64 calls = spec->calls;

	if (stub != (spec->interface == FDIRECT_CALL_OPS ? 0 : calls) ||
	    relevant != calls * spec->relevant || irrelevant)
		return fdirect_fail(-EIO,
				    "call: in %llu calls the stub ran %llu times, %u relevant callbacks %llu times and %u irrelevant ones %llu times",
				    calls, stub, spec->relevant, relevant, spec->irrelevant,
				    irrelevant);
	measured->hits = stub + relevant;
	return 0;
}

static int run(struct measurement *measured, void (*fn)(void), struct fdirect_call_times *times)
{
	int err = fdirect_call_time(fn, measured->spec.calls, measured->chunk, times);

	return err ? fdirect_fail(err, "call: interrupted") : 0;
}

/* Call the function while it is traced. */
static int run_traced(struct measurement *measured, const struct fdirect_call_attached *attached)
{
	bool plain = measured->spec.interface == FDIRECT_CALL_PLAIN;
	void (*fn)(void) = plain ? fdirect_call_plain : fdirect_call_target;
	struct counts before, after;
	int err;

	measured->chunk = fdirect_call_chunk(fn, measured->spec.calls);
	read_counts(&before, &measured->spec, attached);
	err = run(measured, fn, &measured->traced);
	read_counts(&after, &measured->spec, attached);
	return err ?: check_counts(measured, &before, &after);
}

static int measure(struct measurement *measured)
{
	bool plain = measured->spec.interface == FDIRECT_CALL_PLAIN;
	void (*fn)(void) = plain ? fdirect_call_plain_off : fdirect_call_target;
	struct fdirect_call_attached attached;
	int err, detach_err;

	err = fdirect_call_attach(&measured->spec, &attached) ?: run_traced(measured, &attached);
	detach_err = fdirect_call_detach(&measured->spec, &attached);
	return err ?: detach_err ?: run(measured, fn, &measured->baseline);
}

/**
 * fdirect_call_store - measure
 * @text: what to measure; it is changed
 *
 * Return: 0 or a negative errno
 */
int fdirect_call_store(char *text)
{
	struct measurement measured = {};
	int err;

	lockdep_assert_held(&fdirect_lock);
	err = parse(&measured.spec, text) ?: measure(&measured);
	if (!err)
		last = measured;
	return err;
}

/**
 * fdirect_call_show - the file call
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_call_show(struct seq_file *m)
{
	const struct fdirect_call_spec *spec = &last.spec;

	if (!spec->kind)
		return 0;
	seq_printf(m, "kind %s\n", spec->kind);
	seq_printf(m, "calls %u\n", spec->calls);
	seq_printf(m, "relevant %u\n", spec->relevant);
	seq_printf(m, "irrelevant %u\n", spec->irrelevant);
	seq_printf(m, "regs %d\n", !!(spec->flags & FTRACE_OPS_FL_SAVE_REGS));
	seq_printf(m, "recursion %d\n", !!(spec->flags & FTRACE_OPS_FL_RECURSION));
	seq_printf(m, "rcu %d\n", !!(spec->flags & FTRACE_OPS_FL_RCU));
	seq_printf(m, "trampoline %d\n", spec->trampoline);
	seq_printf(m, "total_ns %llu\n", last.traced.total);
	seq_printf(m, "baseline_ns %llu\n", last.baseline.total);
	seq_printf(m, "chunk_calls %u\n", last.chunk);
	seq_printf(m, "best_ns %llu\n", last.traced.best);
	seq_printf(m, "baseline_best_ns %llu\n", last.baseline.best);
	seq_printf(m, "hits %llu\n", last.hits);
	return 0;
}
