/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command-line program fdirect, for tests of what it does.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "fdirect.h"

#define INTERRUPTED	130
#define NOT_FOUND	127

/* It reads nothing. Its output goes to the file @out, and nowhere without one. */
pid_t start_program(const char *out, const char *const *args);

#define START(...) start_program(NULL, (const char *const[]){ __VA_ARGS__, NULL })

/* The exit code; 1000 more than the signal if one has ended it. */
int code_of(pid_t child);

/* Whether it is installed; a test is skipped otherwise. */
bool program_there(void);

#endif /* PROGRAM_H */
