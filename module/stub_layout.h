/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of the block of stubs. Assembly and C both read it, so it holds
 * numbers only.
 */
#ifndef FDIRECT_STUB_LAYOUT_H
#define FDIRECT_STUB_LAYOUT_H

/* How many stubs there are. arm64 puts the index into one 16-bit immediate. */
#define FDIRECT_STUBS		65536

/* Bytes from one stub to the next, the same on every architecture. */
#define FDIRECT_STUB_SIZE	16

#endif /* FDIRECT_STUB_LAYOUT_H */
