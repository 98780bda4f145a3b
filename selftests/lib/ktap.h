/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the kernel tree's kselftest.h that these programs use. Inside a
 * kernel tree that header itself is taken, so both print the same KTAP.
 */
#ifndef KTAP_H
#define KTAP_H

#if __has_include("../../kselftest.h")
#include "../../kselftest.h"
#else

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KSFT_PASS 0
#define KSFT_FAIL 1
#define KSFT_SKIP 4

#define ARRAY_SIZE(arr) (sizeof(arr) / sizeof((arr)[0]))
#ifndef __noreturn
#define __noreturn __attribute__((__noreturn__))
#endif
#define __printf(a, b) __attribute__((format(printf, a, b)))

static struct {
	unsigned int pass, fail, skip;
} ksft_cnt;
static unsigned int ksft_plan;

static inline int ksft_get_pass_cnt(void) { return ksft_cnt.pass; }
static inline int ksft_get_fail_cnt(void) { return ksft_cnt.fail; }
static inline int ksft_get_xskip_cnt(void) { return ksft_cnt.skip; }

static inline void ksft_print_header(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!getenv("KSFT_TAP_LEVEL"))
		printf("TAP version 13\n");
}

static inline void ksft_set_plan(unsigned int plan)
{
	ksft_plan = plan;
	printf("1..%u\n", plan);
}

static inline __printf(1, 2) void ksft_print_msg(const char *msg, ...)
{
	va_list args;

	va_start(args, msg);
	printf("# ");
	vprintf(msg, args);
	va_end(args);
}

static inline unsigned int ksft_test_num(void)
{
	return ksft_cnt.pass + ksft_cnt.fail + ksft_cnt.skip;
}

static inline __printf(1, 2) void ksft_test_result_pass(const char *msg, ...)
{
	va_list args;

	ksft_cnt.pass++;
	va_start(args, msg);
	printf("ok %u ", ksft_test_num());
	vprintf(msg, args);
	va_end(args);
}

static inline __printf(1, 2) void ksft_test_result_fail(const char *msg, ...)
{
	va_list args;

	ksft_cnt.fail++;
	va_start(args, msg);
	printf("not ok %u ", ksft_test_num());
	vprintf(msg, args);
	va_end(args);
}

static inline __printf(1, 2) void ksft_test_result_skip(const char *msg, ...)
{
	va_list args;

	ksft_cnt.skip++;
	va_start(args, msg);
	printf("ok %u # SKIP ", ksft_test_num());
	vprintf(msg, args);
	va_end(args);
}

static inline void ksft_print_cnts(void)
{
	if (ksft_plan != ksft_test_num())
		printf("# Planned tests != run tests (%u != %u)\n",
		       ksft_plan, ksft_test_num());
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:%u error:0\n",
	       ksft_cnt.pass, ksft_cnt.fail, ksft_cnt.skip);
}

static inline __noreturn __printf(1, 2) void ksft_exit_fail_msg(const char *msg, ...)
{
	va_list args;

	va_start(args, msg);
	printf("Bail out! ");
	vprintf(msg, args);
	va_end(args);
	ksft_print_cnts();
	exit(KSFT_FAIL);
}

static inline __noreturn __printf(1, 2) void ksft_exit_skip(const char *msg, ...)
{
	va_list args;

	va_start(args, msg);
	if (ksft_plan) {
		printf("ok %u # SKIP ", 1 + ksft_test_num());
		ksft_cnt.skip++;
	} else {
		printf("1..0 # SKIP ");
	}
	vprintf(msg, args);
	va_end(args);
	if (ksft_plan)
		ksft_print_cnts();
	exit(KSFT_SKIP);
}

#endif /* not in a kernel tree */
#endif /* KTAP_H */
