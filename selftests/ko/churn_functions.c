// SPDX-License-Identifier: GPL-2.0
/* The functions that are called and traced, and where their call sites are. */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/static_call.h>

#include "churn.h"
#include "test_module.h"

#define FUNCTION(n) CHURN_FUNCTION(fdirect_churn_##n, 0x##n##UL, 0)
#define ENTRY(n) fdirect_churn_##n,

CHURN_EACH(FUNCTION)

const churn_function_t churn_functions[CHURN_FUNCTIONS] = { CHURN_EACH(ENTRY) };
unsigned long churn_sites[CHURN_FUNCTIONS];

DEFINE_STATIC_CALL_NULL(churn_location, ftrace_location);

int __init churn_functions_init(void)
{
	int n;

	if (!find_function(churn_location, ftrace_location))
		return -ENOENT;
	for (n = 0; n < CHURN_FUNCTIONS; n++) {
		churn_sites[n] = static_call(churn_location)((unsigned long)churn_functions[n]);
		if (!churn_sites[n])
			return -ENODEV;
	}
	return 0;
}
