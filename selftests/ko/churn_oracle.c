// SPDX-License-Identifier: GPL-2.0
/*
 * The targets that were allowed, for each function at each moment.
 *
 * A change of functions is announced before the kernel's call (churn_begin()). After the
 * call, churn_end() tells whether it was made. Both are events of each function that it is
 * about, and are counted. A change that has begun and not ended is pending: a call may or may
 * not see it already. One that has ended well has been committed.
 *
 * A call takes the count of events before and after. If both are the same and nothing was
 * pending, then there was one state, and the call must have gone as it says. Otherwise it
 * may have gone to
 *
 *  - the target that was there at the beginning, or
 *  - that of a change which was committed after the beginning, and had begun before the end, or
 *  - that of a change which is pending still, and had begun before the end. The end of
 *    the change tells whether this was right. It must end well then, since nobody may
 *    have seen a refused change. If two changers ask for the same target at once, the
 *    call may have seen either, and neither is held to it.
 *
 * "No target" is a target in all of this. Commits are kept in a ring for each function. A
 * call that more of them overtook than the ring has room for is not judged.
 *
 * Several tasks may try to take a function at once. One gets it and holds it, and only that
 * one modifies or unregisters it. Its unregistering may be pending still when another, who
 * has seen it, has registered and says so first. Then both are committed in the order in
 * which they must have been made.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "churn.h"

#define COMMITS		16	/* a power of two */

struct commit {
	u64 begin, end;
	s8 target;
};

/* The last change that a changer has begun on a function. */
struct pending {
	u64 begin;
	s8 target;
	bool used;
	bool settled;	/* committed before its end, since another has seen it */
	bool seen;	/* by a call */
};

struct function {
	raw_spinlock_t lock;		/* also taken in interrupts */
	atomic64_t word;		/* events, pending, target, to be read without the lock */
	u64 events;
	u32 patch;			/* changes of the livepatch, times four, and its state */
	u32 commits;
	s8 target, holder, ops;
	u8 pendings;
	struct commit ring[COMMITS];
	struct pending pending[CHURN_CHANGERS];
};

static struct function functions[CHURN_FUNCTIONS];

static atomic_long_t verdicts[VERDICTS], calls_in_change;
static atomic_long_t made[CHURN_KINDS], refused[CHURN_KINDS], entries_made;
static atomic_long_t broken;	/* promises about what a call returns */

/* -------------------------------------------------------------------------- */
/* Wrong calls, in words                                                        */

#define WRONGS	32

static char wrongs[WRONGS][352];
static int nr_wrongs;
static DEFINE_RAW_SPINLOCK(wrongs_lock);

static __printf(1, 2) void note_wrong(const char *fmt, ...)
{
	unsigned long flags;
	va_list args;

	raw_spin_lock_irqsave(&wrongs_lock, flags);
	if (nr_wrongs < WRONGS) {
		va_start(args, fmt);
		vscnprintf(wrongs[nr_wrongs++], sizeof(wrongs[0]), fmt, args);
		va_end(args);
	}
	raw_spin_unlock_irqrestore(&wrongs_lock, flags);
}

static const char * const verdict_names[VERDICTS] = {
	[RIGHT] = "right", [NOT_JUDGED] = "not_judged", [LOST] = "lost", [STRAY] = "stray",
	[MISDIRECTED] = "misdirected", [DOUBLED] = "doubled", [REFUSED] = "refused",
	[BODY] = "body",
};

static int target_of(u64 word)
{
	return (int)(word & 0xff) - 1;
}

static void note_wrong_call(const struct call *c, enum verdict verdict)
{
	const struct function *f = &functions[c->function];
	const struct commit *last = &f->ring[(f->commits - 1) % COMMITS];
	const struct moment *from = &c->before, *to = &c->after;
	char ticket[96], state[128];

	scnprintf(ticket, sizeof(ticket), "%u hits, targets %llx, %u bodies, returned %lu not %lu",
		  c->ticket.hits, c->ticket.reached, c->ticket.bodies, c->value, c->want);
	scnprintf(state, sizeof(state), "event %llu to %llu, pending %u to %u, target %d to %d",
		  from->word >> 16, to->word >> 16, (u8)(from->word >> 8), (u8)(to->word >> 8),
		  target_of(from->word), target_of(to->word));
	note_wrong("%s: function %03x at %llu ns on CPU %d%s: %s; %s, patch %u to %u",
		   verdict_names[verdict], c->function, ktime_get_mono_fast_ns(),
		   raw_smp_processor_id(), in_hardirq() ? " in an interrupt" : "", ticket, state,
		   from->patch, to->patch);
	if (f->commits)
		note_wrong("  its last of %u commits: target %d, event %llu to %llu", f->commits,
			   last->target, last->begin, last->end);
}

/* -------------------------------------------------------------------------- */
/* Calls                                                                        */

struct moment churn_moment(int n)
{
	struct function *f = &functions[n];
	struct moment moment;

	/* A reader that sees the end of a change sees the change, and the other way round. */
	smp_mb();
	moment.word = atomic64_read(&f->word);
	moment.patch = READ_ONCE(f->patch);
	smp_mb();	/* before the call */
#ifdef CONFIG_ARM64
	/* Another CPU's change of code is sure to be seen after this only. */
	isb();
#endif
	return moment;
}

/* The same for a call that overlapped with changes. */
static enum verdict judge_overlap(struct function *f, const struct call *c, int target)
{
	u64 begin = c->before.word >> 16, end = c->after.word >> 16;
	enum verdict verdict = target == NONE ? LOST : MISDIRECTED;
	struct pending *seen = NULL;
	unsigned long flags;
	u32 i, oldest;

	raw_spin_lock_irqsave(&f->lock, flags);
	oldest = f->commits > COMMITS ? f->commits - COMMITS : 0;
	if (oldest && f->ring[oldest % COMMITS].end > begin) {
		verdict = NOT_JUDGED;
		goto out;
	}
	if (target == target_of(c->before.word))
		verdict = RIGHT;
	for (i = oldest; i != f->commits && verdict != RIGHT; i++) {
		const struct commit *commit = &f->ring[i % COMMITS];

		if (commit->end > begin && commit->begin <= end && commit->target == target)
			verdict = RIGHT;
	}
	if (verdict == RIGHT)
		goto out;
	for (i = 0; i < CHURN_CHANGERS; i++) {
		struct pending *p = &f->pending[i];

		if (p->used && !p->settled && p->begin <= end && p->target == target) {
			seen = verdict == RIGHT ? NULL : p;
			verdict = RIGHT;
		}
	}
	if (seen)
		seen->seen = true;
out:
	raw_spin_unlock_irqrestore(&f->lock, flags);
	return verdict;
}

static enum verdict judge_target(struct function *f, const struct call *c)
{
	int target = c->ticket.hits ? __ffs64(c->ticket.reached) : NONE;
	int want = target_of(c->before.word);

	if (c->before.word != c->after.word || (c->before.word & 0xff00))
		return judge_overlap(f, c, target);
	if (target == want)
		return RIGHT;
	return target == NONE ? LOST : want == NONE ? STRAY : MISDIRECTED;
}

/* The function itself has run once, or what a livepatch has put in its place. */
static bool body_is_right(const struct call *c)
{
	bool original = c->value == c->want, patched = c->value == c->want + CHURN_LIVEPATCHED;

	if (c->ticket.bodies != 1)
		return false;
	if (c->before.patch != c->after.patch || c->before.patch % 4 == CHURN_EITHER)
		return original || patched;
	return c->before.patch % 4 == CHURN_PATCHED ? patched : original;
}

enum verdict churn_judge(const struct call *c)
{
	enum verdict verdict;

	if (c->ticket.hits > 1 || hweight64(c->ticket.reached) != c->ticket.hits)
		verdict = DOUBLED;
	else if (!body_is_right(c))
		verdict = BODY;
	else
		verdict = judge_target(&functions[c->function], c);
	if (verdict > NOT_JUDGED)
		note_wrong_call(c, verdict);
	return verdict;
}

void churn_count_calls(const unsigned long counts[VERDICTS], unsigned long in_change)
{
	int i;

	for (i = 0; i < VERDICTS; i++)
		atomic_long_add(counts[i], &verdicts[i]);
	atomic_long_add(in_change, &calls_in_change);
}

/* -------------------------------------------------------------------------- */
/* Changes                                                                      */

/* The state before a change, to tell whether its refusal has a reason. */
struct noted {
	u64 begin[CHURN_FUNCTIONS];
	u32 patch[CHURN_FUNCTIONS];
	bool busy;
};

static void event(struct function *f)
{
	f->events++;
	atomic64_set_release(&f->word, f->events << 16 | f->pendings << 8 | (u8)(f->target + 1));
}

static void commit(struct function *f, u64 begin, int target)
{
	f->ring[f->commits % COMMITS] = (struct commit){
		.begin = begin, .end = f->events + 1, .target = target,
	};
	f->commits++;
	f->target = target;
}

static int target_after(const struct churn_change *change, int i)
{
	if (change->kind == CHURN_UNREGISTER)
		return NONE;
	return change->lie == CHURN_LIE_OTHER ? change->entries[i].target ^ 2 :
						change->entries[i].target;
}

/**
 * churn_begin - note that a change is about to be made
 * @change: what the kernel will be asked
 *
 * Return: something for churn_end(), or NULL without memory
 */
struct noted *churn_begin(const struct churn_change *change)
{
	struct noted *noted = kvzalloc(sizeof(*noted), GFP_KERNEL);
	unsigned long flags;
	u32 i;

	for (i = 0; noted && i < change->count; i++) {
		struct function *f = &functions[change->entries[i].function];

		raw_spin_lock_irqsave(&f->lock, flags);
		if (f->holder != NONE || f->pendings)
			noted->busy = true;
		f->pendings++;
		event(f);
		f->pending[change->changer] = (struct pending){
			.used = true,
			.begin = f->events,
			.target = target_after(change, i),
		};
		noted->begin[i] = f->events;
		noted->patch[i] = READ_ONCE(f->patch);
		raw_spin_unlock_irqrestore(&f->lock, flags);
	}
	smp_mb();	/* before the first byte of code is written */
	return noted;
}

static void promise_broken(const char *what, int n, const struct churn_change *change)
{
	atomic_long_inc(&broken);
	note_wrong("broken: function %03x: changer %u, kind %u: %s", n, change->changer,
		   change->kind, what);
}

/* Nobody else holds it, or who does has let it go and will say so presently. */
static void commit_register(struct function *f, int n, const struct churn_change *change)
{
	struct pending *p = &f->pending[change->changer];

	if (f->holder != NONE) {
		struct pending *leaving = &f->pending[f->holder];

		if (leaving != p && leaving->used && !leaving->settled &&
		    leaving->target == NONE) {
			commit(f, leaving->begin, NONE);
			leaving->settled = true;
		} else {
			promise_broken("registered though it has a target", n, change);
		}
	}
	commit(f, p->begin, p->target);
	f->holder = change->changer;
	f->ops = change->ops;
}

static void end_one(struct function *f, int n, const struct churn_change *change, int err)
{
	struct pending *p = &f->pending[change->changer];

	if (!err && change->kind == CHURN_REGISTER) {
		commit_register(f, n, change);
	} else if (!err && !p->settled) {
		if (f->holder != change->changer)
			promise_broken("changed though another holds it", n, change);
		commit(f, p->begin, p->target);
		if (change->kind == CHURN_UNREGISTER)
			f->holder = NONE;
	} else if (err && p->settled) {
		promise_broken("another has registered it, but unregistering failed", n, change);
	} else if (err && p->seen) {
		atomic_long_inc(&verdicts[REFUSED]);
		note_wrong("refused: function %03x at %llu ns: a call saw %d, event %llu to %llu",
			   n, ktime_get_mono_fast_ns(), p->target, p->begin, f->events + 1);
		note_wrong("  which failed with %d: changer %u, kind %u, %u functions", err,
			   change->changer, change->kind, change->count);
	}
	p->used = false;
	f->pendings--;
	event(f);
}

/**
 * churn_end - note how a change has ended
 * @noted: from churn_begin(), is freed
 * @change: what the kernel was asked
 * @err: what it returned
 */
void churn_end(struct noted *noted, const struct churn_change *change, int err)
{
	unsigned long flags;
	u32 i;

	smp_mb();	/* after the last byte of code has been written */
	for (i = 0; i < change->count; i++) {
		struct function *f = &functions[change->entries[i].function];

		raw_spin_lock_irqsave(&f->lock, flags);
		if (err && (noted->begin[i] != f->events || noted->patch[i] != f->patch ||
			    f->patch % 4 != CHURN_ORIGINAL))
			noted->busy = true;
		if (change->entries[i].function < CHURN_FOREIGN)
			noted->busy = true;
		end_one(f, change->entries[i].function, change, err);
		raw_spin_unlock_irqrestore(&f->lock, flags);
	}
	if (!err)
		atomic_long_add(change->count, &entries_made);
	atomic_long_inc(err ? &refused[change->kind] : &made[change->kind]);

	if (err == -EBUSY && change->kind == CHURN_REGISTER) {
		if (!noted->busy)
			churn_promise_broken(change, err, "nobody has any of them");
	} else if (err) {
		churn_promise_broken(change, err, "there is no reason");
	}
	kvfree(noted);
}

/**
 * churn_promise_broken - note that a call returned what it must not
 * @change: what the kernel was asked
 * @err: what it returned
 * @how: what is wrong with that
 */
void churn_promise_broken(const struct churn_change *change, int err, const char *how)
{
	atomic_long_inc(&broken);
	note_wrong("broken: changer %u, ops %u, kind %u, %u functions from %03x on: %d, but %s",
		   change->changer, change->ops, change->kind, change->count,
		   change->entries[0].function, err, how);
}

/* A change that must be refused is none, but counts. */
void churn_trespassed(enum churn_kind kind, int err)
{
	atomic_long_inc(err ? &refused[kind] : &made[kind]);
}

/**
 * churn_patched - note what a livepatch does
 * @patch: functions, and whether it comes or goes, has come, is gone
 */
void churn_patched(const struct churn_patch *patch)
{
	unsigned long flags;
	u32 i;

	for (i = 0; i < patch->count; i++) {
		struct function *f = &functions[patch->functions[i]];

		raw_spin_lock_irqsave(&f->lock, flags);
		WRITE_ONCE(f->patch, (f->patch / 4 + 1) * 4 + patch->state);
		raw_spin_unlock_irqrestore(&f->lock, flags);
	}
	smp_mb();	/* before the livepatch comes or goes */
}

/**
 * churn_held_by_ops - what an ops holds
 * @ops: its number
 * @change: gets the functions
 *
 * Return: the number of functions
 */
int churn_held_by_ops(unsigned int ops, struct churn_change *change)
{
	int n, count = 0;

	for (n = 0; n < CHURN_FUNCTIONS; n++) {
		if (functions[n].holder == NONE || functions[n].ops != ops)
			continue;
		change->entries[count++] = (struct churn_entry){ n, functions[n].target };
	}
	change->count = count;
	return count;
}

/* While nobody calls or changes anything. */
void churn_oracle_clear(void)
{
	int n;

	for (n = 0; n < CHURN_FUNCTIONS; n++) {
		struct function *f = &functions[n];

		f->target = NONE;
		f->holder = NONE;
		f->pendings = 0;
		f->commits = 0;
		f->patch = 0;
		memset(f->pending, 0, sizeof(f->pending));
		event(f);
	}
	memset(verdicts, 0, sizeof(verdicts));
	memset(made, 0, sizeof(made));
	memset(refused, 0, sizeof(refused));
	atomic_long_set(&calls_in_change, 0);
	atomic_long_set(&entries_made, 0);
	atomic_long_set(&broken, 0);
	nr_wrongs = 0;
}

void churn_oracle_init(void)
{
	int n;

	for (n = 0; n < CHURN_FUNCTIONS; n++)
		raw_spin_lock_init(&functions[n].lock);
	churn_oracle_clear();
}

/* -------------------------------------------------------------------------- */
/* The report                                                                   */

int churn_report_show(struct seq_file *m, void *unused)
{
	static const char * const kinds[CHURN_KINDS] = {
		[CHURN_REGISTER] = "register", [CHURN_UNREGISTER] = "unregister",
		[CHURN_MODIFY] = "modify", [CHURN_TRESPASS] = "trespass",
		[CHURN_MEDDLE] = "meddle",
	};
	int i, n, held = 0;

	for (i = 0; i < VERDICTS; i++)
		seq_printf(m, "%s %ld\n", verdict_names[i], atomic_long_read(&verdicts[i]));
	for (i = 0; i < CHURN_KINDS; i++)
		seq_printf(m, "%s_made %ld\n%s_refused %ld\n", kinds[i],
			   atomic_long_read(&made[i]), kinds[i], atomic_long_read(&refused[i]));
	for (n = 0; n < CHURN_FUNCTIONS; n++)
		held += functions[n].holder != NONE;
	seq_printf(m, "in_change %ld\nentries %ld\nbroken %ld\nheld %d\nfar %d\n",
		   atomic_long_read(&calls_in_change), atomic_long_read(&entries_made),
		   atomic_long_read(&broken), held, churn_far_distance() != 0);
	return 0;
}

int churn_wrong_show(struct seq_file *m, void *unused)
{
	int i;

	for (i = 0; i < READ_ONCE(nr_wrongs); i++)
		seq_printf(m, "%s\n", wrongs[i]);
	return 0;
}
