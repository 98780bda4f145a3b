/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FDIRECT_API_H
#define FDIRECT_API_H

#define STUBS	64

/* Counted in by the stubs; the stubs' addresses. Both are shared with assembly. */
extern unsigned long fdirect_api_hits[STUBS];
extern const unsigned long fdirect_api_stubs[STUBS];

#endif /* FDIRECT_API_H */
