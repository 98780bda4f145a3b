/* SPDX-License-Identifier: GPL-2.0 */
/* The calls that a BPF program has seen: it writes, a test reads. */
#ifndef BPF_CELL_H
#define BPF_CELL_H

/* A power of two. An attached program has one of its own, whose number is its cookie. */
#define CELLS	4096

struct cell {
	unsigned long long hits;
	unsigned long long ip;		/* the function, as the program is told */
	unsigned long long args[2];	/* the first two */
	unsigned long long ret;
	long long instead;		/* what fmod_ret returns; 0: the function runs */
	unsigned long long user;	/* where sleepable programs read, unless 0 */
	unsigned long long copied;	/* and what they have read there */
};

#endif /* BPF_CELL_H */
