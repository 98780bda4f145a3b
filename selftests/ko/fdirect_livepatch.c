// SPDX-License-Identifier: GPL-2.0
/*
 *	insmod fdirect_livepatch.ko functions=0,3,5
 *
 * replaces fdirect_subject_0, _3 and _5 by functions that return more.
 */
#include "fdirect_subject.h"

#define OBJECT "fdirect_subject"
#define EACH EACH_SUBJECT
#define REPLACEMENT(n) SUBJECT_FUNCTION(livepatched_##n, n, SUBJECT_LIVEPATCHED)

#include "fdirect_livepatch.h"
