/* SPDX-License-Identifier: GPL-2.0 */
/* Where the programs of multi_link.bpf.c count */
#ifndef MULTI_LINK_H
#define MULTI_LINK_H

enum {
	CLIENT_ENTERED,
	CLIENT_RETURNED,
	CLIENT_FIRST_COOKIE,	/* and one more for each function */
	CLIENT_COUNTS = 64
};

#endif
