// SPDX-License-Identifier: GPL-2.0
/*
 *	insmod fdirect_churn_livepatch.ko functions=0,3,5
 *
 * replaces CHURN_HOT(0), CHURN_HOT(3) and CHURN_HOT(5) by functions that return more.
 */
#include "fdirect_churn.h"

#define OBJECT "fdirect_churn"
#define EACH CHURN_EACH_HOT
#define REPLACEMENT(n) CHURN_FUNCTION(livepatched_##n, 0x##n##UL, CHURN_LIVEPATCHED)

#include "fdirect_livepatch.h"
