/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of fdirect_churn.ko. */
#ifndef CHURN_H
#define CHURN_H

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "fdirect_churn.h"

/* No target, and nobody who holds a function */
#define NONE	(-1)

typedef unsigned long (*churn_function_t)(struct churn_ticket *ticket, unsigned long a,
					  unsigned long b);

/* churn_functions.c */
extern const churn_function_t churn_functions[CHURN_FUNCTIONS];
extern unsigned long churn_sites[CHURN_FUNCTIONS];
int churn_functions_init(void);

/* churn_targets.c */
extern const char churn_targets_text[], churn_targets_end[];
extern const unsigned long churn_target_table[CHURN_TARGETS];
unsigned long churn_target(int target);

/* churn_far.c; the distance to a copy of the targets that is out of reach, or 0 */
#ifdef CONFIG_ARM64
int churn_far_init(void);
void churn_far_exit(void);
long churn_far_distance(void);
#else
static inline int churn_far_init(void)		{ return 0; }
static inline void churn_far_exit(void)		{ }
static inline long churn_far_distance(void)	{ return 0; }
#endif

/* churn_oracle.c */
enum verdict { RIGHT, NOT_JUDGED, LOST, STRAY, MISDIRECTED, DOUBLED, REFUSED, BODY, VERDICTS };

/* The state of a function as one word, so that one load reads all of it. */
struct moment {
	u64 word;
	u32 patch;
};

struct call {
	int function;
	struct moment before, after;
	struct churn_ticket ticket;
	unsigned long value, want;	/* what the function returned, and by itself should have */
};

struct moment churn_moment(int function);
enum verdict churn_judge(const struct call *call);
void churn_count_calls(const unsigned long counts[VERDICTS], unsigned long in_change);

struct noted;
struct noted *churn_begin(const struct churn_change *change);
void churn_end(struct noted *noted, const struct churn_change *change, int err);
void churn_promise_broken(const struct churn_change *change, int err, const char *how);
void churn_trespassed(enum churn_kind kind, int err);
void churn_patched(const struct churn_patch *patch);
int churn_held_by_ops(unsigned int ops, struct churn_change *change);
void churn_oracle_init(void);
void churn_oracle_clear(void);
int churn_report_show(struct seq_file *m, void *unused);
int churn_wrong_show(struct seq_file *m, void *unused);

/* churn_calls.c */
int churn_call(const struct churn_calls *calls);

/* churn_change.c */
int churn_change(struct churn_change *change);
int churn_reset(void);
void churn_change_init(void);

#endif /* CHURN_H */
