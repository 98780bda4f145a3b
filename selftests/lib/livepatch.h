/* SPDX-License-Identifier: GPL-2.0 */
/* A livepatch that comes and goes with its module. */
#ifndef LIVEPATCH_H
#define LIVEPATCH_H

#include "fdirect.h"

#define LIVEPATCHES	"/sys/kernel/livepatch/"

/* Both return 0 or the errno. */
int livepatch_off(const char *module);

int livepatch_on(const char *module, const char *parameters);

#endif /* LIVEPATCH_H */
