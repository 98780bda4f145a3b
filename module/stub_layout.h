/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of the block of stubs. Assembly and C both read it, so it holds
 * numbers only.
 */
#ifndef FDIRECT_STUB_LAYOUT_H
#define FDIRECT_STUB_LAYOUT_H

/* How many stubs there are for functions. arm64 puts the number into one instruction. */
#define FDIRECT_STUBS		65536

/* Bytes from one stub to the next, the same on every architecture. */
#define FDIRECT_STUB_SIZE	16

/* The number of the one stub after them, which is for the call sample. */
#define FDIRECT_CALL_STUB	FDIRECT_STUBS

#endif /* FDIRECT_STUB_LAYOUT_H */
