// SPDX-License-Identifier: GPL-2.0
/* Calls of the functions, each judged: by the writing task, or from an interrupt. */
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "churn.h"

struct tally {
	unsigned long verdicts[VERDICTS], in_change;
};

/* xorshift64*; nothing here may call what is traced. */
static notrace u64 next_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static int pick(u64 random)
{
	if (random >> 63)
		return CHURN_HOT((random >> 32) % CHURN_HOTS);
	return (random >> 32) % CHURN_FUNCTIONS;
}

static notrace void call_one(int n, u64 random, unsigned int lie, struct tally *tally)
{
	struct call c = { .function = n };
	unsigned long a = random, b = random >> 17;
	churn_function_t call = READ_ONCE(churn_functions[n]);

	c.before = churn_moment(n);
	c.value = call(&c.ticket, a, b);
	if (lie == CHURN_LIE_DOUBLED)
		call(&c.ticket, a, b);
	c.after = churn_moment(n);
	c.want = CHURN_VALUE((unsigned long)n, a, b) + (lie == CHURN_LIE_BODY);

	tally->verdicts[churn_judge(&c)]++;
	if (c.before.word != c.after.word || (c.before.word & 0xff00))
		tally->in_change++;
}

struct interrupt {
	struct irq_work work;
	u64 random;
	unsigned int count;
	struct tally *tally;
};

static void calls_in_interrupt(struct irq_work *work)
{
	struct interrupt *i = container_of(work, struct interrupt, work);
	u64 random;

	while (i->count--) {
		random = next_random(&i->random);
		call_one(pick(random), random, CHURN_HONEST, i->tally);
	}
}

static void interrupt_with_calls(u64 seed, unsigned int count, struct tally *tally)
{
	struct interrupt i = { .random = seed, .count = count, .tally = tally };

	i.work = IRQ_WORK_INIT_HARD(calls_in_interrupt);
	irq_work_queue(&i.work);
	irq_work_sync(&i.work);
}

/**
 * churn_call - call functions
 * @calls: which, and how often
 *
 * Return: 0 or a negative errno
 */
int churn_call(const struct churn_calls *calls)
{
	u64 state = calls->seed ?: 1, random;
	struct tally tally = { };
	unsigned int i;

	if (calls->function >= CHURN_FUNCTIONS)
		return -EBADMSG;
	for (i = 0; i < calls->count && !signal_pending(current); i++) {
		random = next_random(&state);
		call_one(calls->function < 0 ? pick(random) : calls->function, random, calls->lie,
			 &tally);
		/*
		 * Where one thread of the host emulates all CPUs, this lets another one go
		 * on. A task that waits for all of them waits for 100 ms otherwise.
		 */
		if (random % 8 == 0)
			cpu_relax();
		if (i % 64 == 63)
			cond_resched();
	}
	if (calls->irq)
		interrupt_with_calls(state, calls->irq, &tally);
	churn_count_calls(tally.verdicts, tally.in_change);
	return 0;
}
