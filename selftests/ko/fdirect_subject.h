/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of fdirect_subject.ko, and those of others that stand in for them. */
#ifndef FDIRECT_SUBJECT_H
#define FDIRECT_SUBJECT_H

#define SUBJECTS		8

/* How much more than a function itself those return that stand in for it */
#define SUBJECT_REDIRECTED	10000
#define SUBJECT_LIVEPATCHED	20000

/* The result of a call that a kprobe ends */
#define SUBJECT_OVERRIDDEN	4242

#define SUBJECT_VALUE(n, a, b)	(100 * (n) + (a) + 2 * (b))

#define SUBJECT_FUNCTION(name, n, more)					\
static noinline __noclone int name(int a, int b)			\
{									\
	barrier();							\
	return (more) + SUBJECT_VALUE(n, a, b);				\
}

#define EACH_SUBJECT(M)	M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)

#endif /* FDIRECT_SUBJECT_H */
