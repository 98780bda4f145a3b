/* SPDX-License-Identifier: GPL-2.0 */
/* The interface of fdirect_churn.ko, its livepatch and the program churn. */
#ifndef FDIRECT_CHURN_H
#define FDIRECT_CHURN_H

#define CHURN_FUNCTIONS		1024
#define CHURN_TARGETS		64
#define CHURN_OPS		8	/* the last is for register_ftrace_direct() */
#define CHURN_ONE_TARGET	(CHURN_OPS - 1)
#define CHURN_CHANGERS		8

/* Functions below this one may have a BPF program, and are then busy for others. */
#define CHURN_FOREIGN		64

/* Every so many functions one that is hot: called and changed more often, livepatched. */
#define CHURN_HOT_STEP		32
#define CHURN_HOTS		(CHURN_FUNCTIONS / CHURN_HOT_STEP)
#define CHURN_HOT(i)		((i) * CHURN_HOT_STEP + CHURN_HOT_STEP - 1)

/* How much more than a function itself its livepatch returns */
#define CHURN_LIVEPATCHED	1000000000UL

#define CHURN_VALUE(n, a, b)	(3 * (n) + (a) + 5 * (b))

/* How a call has gone, on the stack of the caller. Targets in assembly know the offsets. */
struct churn_ticket {
	unsigned int hits;		/* targets that have run, 0 */
	unsigned int bodies;		/* functions that have run */
	unsigned long long reached;	/* a bit for each target, 8 */
};

#define CHURN_FUNCTION(name, n, more)						\
static noinline __noclone unsigned long						\
name(struct churn_ticket *ticket, unsigned long a, unsigned long b)		\
{										\
	ticket->bodies++;							\
	barrier();								\
	return (more) + CHURN_VALUE(n, a, b);					\
}

#define CHURN_EACH16(M, p)							\
	M(p##0) M(p##1) M(p##2) M(p##3) M(p##4) M(p##5) M(p##6) M(p##7)		\
	M(p##8) M(p##9) M(p##a) M(p##b) M(p##c) M(p##d) M(p##e) M(p##f)

#define CHURN_EACH256(M, p)							\
	CHURN_EACH16(M, p##0) CHURN_EACH16(M, p##1) CHURN_EACH16(M, p##2)	\
	CHURN_EACH16(M, p##3) CHURN_EACH16(M, p##4) CHURN_EACH16(M, p##5)	\
	CHURN_EACH16(M, p##6) CHURN_EACH16(M, p##7) CHURN_EACH16(M, p##8)	\
	CHURN_EACH16(M, p##9) CHURN_EACH16(M, p##a) CHURN_EACH16(M, p##b)	\
	CHURN_EACH16(M, p##c) CHURN_EACH16(M, p##d) CHURN_EACH16(M, p##e)	\
	CHURN_EACH16(M, p##f)

#define CHURN_EACH(M)								\
	CHURN_EACH256(M, 0) CHURN_EACH256(M, 1) CHURN_EACH256(M, 2) CHURN_EACH256(M, 3)

/* CHURN_HOT(0), CHURN_HOT(1) ... */
#define CHURN_HOT8(M, p)							\
	M(p##1f) M(p##3f) M(p##5f) M(p##7f) M(p##9f) M(p##bf) M(p##df) M(p##ff)

#define CHURN_EACH_HOT(M)							\
	CHURN_HOT8(M, 0) CHURN_HOT8(M, 1) CHURN_HOT8(M, 2) CHURN_HOT8(M, 3)

/* -------------------------------------------------------------------------- */
/* Input of the files in /sys/kernel/debug/fdirect_churn                        */

enum churn_kind {
	CHURN_REGISTER,
	CHURN_UNREGISTER,
	CHURN_MODIFY,
	CHURN_TRESPASS,		/* a modify that must be refused: not all is the ops' own */
	CHURN_MEDDLE,		/* sets the filter of a registered ops: must be refused */
	CHURN_KINDS
};

/* Lies that the oracle is told, for a test of the oracle. */
enum churn_lie {
	CHURN_HONEST,
	CHURN_LIE_OTHER,	/* another target than the one that is attached */
	CHURN_LIE_LOST,		/* a change that is not made */
	CHURN_LIE_STRAY,	/* nothing, of a change that is made */
	CHURN_LIE_REFUSED,	/* that a change was refused, and calls happened meanwhile */
	CHURN_LIE_DOUBLED,	/* one call, of two */
	CHURN_LIE_BODY,		/* another value than the function returns */
	CHURN_LIES
};

struct churn_entry {
	unsigned short function, target;
};

/* To "change"; the write fails with the error of the kernel's call. */
struct churn_change {
	unsigned int kind, ops, changer, lie, count;
	struct churn_entry entries[CHURN_FUNCTIONS];
};

/* To "call": so many calls of random functions, or of one. */
struct churn_calls {
	unsigned long long seed;
	int function;		/* -1: random ones */
	unsigned int count, irq, lie;
};

/* To "patched": functions whose livepatch comes or goes, has come, is gone. */
enum churn_patched { CHURN_ORIGINAL, CHURN_EITHER, CHURN_PATCHED };

struct churn_patch {
	unsigned int state, count;
	unsigned short functions[CHURN_HOTS];
};

#endif /* FDIRECT_CHURN_H */
