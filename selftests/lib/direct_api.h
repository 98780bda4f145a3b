/* SPDX-License-Identifier: GPL-2.0 */
/* fdirect_api.ko and what it says, for the tests of the kernel interface. */
#ifndef DIRECT_API_H
#define DIRECT_API_H

#include "fdirect.h"

#define NONE	-1

/* "FUNC=STUB" for peer @peer. A few live at a time. */
const char *entry(int peer, int stub);

#define E(peer, stub)	entry(peer, stub)
#define F(peer)		peer_name(peer)

#define call(...)	put(API "call", __VA_ARGS__)

__printf(3, 4) void call_at(int line, int want, const char *fmt, ...);

/* One call of the interface, and the error it must return. */
#define CALL(want, ...)	call_at(__LINE__, want, __VA_ARGS__)

/* The same, and everything that user space can see is as before. */
#define CALL_REFUSED(want, ...)						\
	do {								\
		struct picture __before = take_picture();		\
									\
		call_at(__LINE__, want, __VA_ARGS__);			\
		check(as_before(&__before), __LINE__, "as before",	\
		      "a refused call changed something");		\
	} while (0)

/* Hits of a stub; -1: of the IPMODIFY ops. */
long api_hits(int stub);

long api_hits_total(void);

long ipmodify_hits(void);

/* Calls peer @peer: all its hits are on @stub, or nowhere for NONE. */
void expect_stub_at(int line, int peer, int stub);

#define EXPECT_STUB(peer, stub)	expect_stub_at(__LINE__, peer, stub)

bool enabled(int slot);
int share_calls(int slot);
int share_result(int slot);
int unshare_calls(int slot);

/* A slot that is still registered refuses, and the next comparison fails. */
void restore_api(void);

#endif /* DIRECT_API_H */
