/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Four users of one function who come and go in whatever order: each sees every call while it
 * is there, and none before or after.
 *
 * There are 24 orders to come and 24 to go, 576 together; every_order() takes them one by one,
 * from an unused function each time. FDIRECT_ORDERS=N in the environment asks for N of them, a
 * multiple of 24: each order to come and each to go is taken equally often.
 *
 * Users also come back before all have gone. The state of a call site depends on its users
 * and on the order in which they came. There are 65 states, with 64 steps between them by
 * coming and 196 by going. every_step() takes each of these 260 at least once, in one long
 * walk.
 */
#ifndef WALK_H
#define WALK_H

#include "fdirect.h"

#define USERS	4

struct user {
	const char *name;
	int (*on)(void);	/* 0 or the errno */
	int (*off)(void);
};

struct walk {
	const char *site;	/* the function's name */
	struct user users[USERS];
	void (*call)(int times);
	void (*count)(int seen[USERS]);	/* what each has seen since the last time */
	bool (*hidden)(int user);	/* if set: those who see nothing beside the others */
};

/* Each program has its own. */
extern struct walk walk;

/* The users, in the order in which they came: "" or some of "0123". */
extern char state[USERS + 1];
extern int steps;

bool here(int user);

const char *state_name(void);

/* Calls the function: all four must have seen it right. */
bool look(const char *when, int times);

/* Lets user @user come or go, and looks. */
bool take_step(int user);

/* -------------------------------------------------------------------------- */
/* Two users that all walks have                                                */

int tracer_on(void);
int tracer_off(void);
int kprobe_on(void);
int kprobe_off(void);

/*
 * The lines of the trace buffer in @dir for the function and the fprobe "fd_f", and the hits of the
 * kprobe "fd_k", all since the last call
 */
void count_trace_in(const char *dir, int seen[USERS], int tracer);

/* @module is that of the function, with a colon, or "". */
bool start_walk_in(const char *module);

bool start_walk(void);

void stop_walk(void);

/* -------------------------------------------------------------------------- */
/* Every step of every order                                                    */

/* The step by @user from @from; a state's number is its users in base 5. */
int number_of(const char *s);

extern bool taken[625][USERS];

void every_step(void);

/* -------------------------------------------------------------------------- */
/* The 576 orders themselves                                                    */

void order(int n, int users_in_order[USERS]);

void every_order(void);

#endif /* WALK_H */
