// SPDX-License-Identifier: GPL-2.0
/*
 * The trampolines. Each notes in the ticket, the first argument of the function that it
 * is called from, that it has run. It returns to the function with all that the function
 * could read as it was. Even ones do so by themselves, odd ones call C, so that there
 * are tasks with a trampoline's frame on their stack.
 *
 * On arm64 all that is between churn_targets_text and churn_targets_end works at any address,
 * see churn_far.c.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/processor.h>
#include <linux/stddef.h>
#include <linux/stringify.h>
#if defined(CONFIG_X86_64) || defined(CONFIG_S390)
#include <asm/asm-offsets.h>
#endif
#ifdef CONFIG_X86_64
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#endif

#include "churn.h"
#include "each_of_64.h"

void churn_reached(struct churn_ticket *ticket, unsigned int target);

/* Called by the trampolines, which do not trust a tracer to keep their registers. */
notrace void churn_reached(struct churn_ticket *ticket, unsigned int target)
{
	BUILD_BUG_ON(offsetof(struct churn_ticket, hits) != 0);
	BUILD_BUG_ON(offsetof(struct churn_ticket, reached) != 8);

	ticket->hits++;
	ticket->reached |= BIT_ULL(target);
	/* Where CPUs are emulated, the others go on while this one is here. */
	if (target % 4 == 1)
		cpu_relax();
}

#if defined(CONFIG_X86_64)
#define CHURN_TARGET							\
	ASM_ENDBR							\
"	.if		\\n & 1\n"					\
"	pushq		%rbp\n"						\
"	movq		%rsp, %rbp\n"					\
	CALL_DEPTH_ACCOUNT						\
"	pushq		%rdi\n"						\
"	pushq		%rsi\n"						\
"	pushq		%rdx\n"						\
"	pushq		%rcx\n"						\
"	pushq		%r8\n"						\
"	pushq		%r9\n"						\
"	pushq		%r10\n"						\
"	pushq		%rax\n"						\
"	movl		$\\n, %esi\n"					\
"	call		churn_reached\n"				\
"	popq		%rax\n"						\
"	popq		%r10\n"						\
"	popq		%r9\n"						\
"	popq		%r8\n"						\
"	popq		%rcx\n"						\
"	popq		%rdx\n"						\
"	popq		%rsi\n"						\
"	popq		%rdi\n"						\
"	leave\n"							\
"	.else\n"							\
	CALL_DEPTH_ACCOUNT						\
"	incl		(%rdi)\n"					\
"	btsq		$\\n, 8(%rdi)\n"				\
"	.endif\n"							\
	ASM_RET

#elif defined(CONFIG_ARM64)
/*
 * On entry x30 is the return into the traced function and x9 its own return address.
 * x10 to x17 hold nothing at a function's entry. The landing pad is for the BR X17
 * by which ftrace_caller goes to a target that is out of reach.
 */
#define SHARED_CODE							\
".Lchurn_reached:\n"							\
"	.quad		churn_reached\n"				\
".Lchurn_call:\n"							\
"	stp		x29, x30, [sp, #-112]!\n"			\
"	mov		x29, sp\n"					\
"	stp		x8, x9, [sp, #16]\n"				\
"	stp		x0, x1, [sp, #32]\n"				\
"	stp		x2, x3, [sp, #48]\n"				\
"	stp		x4, x5, [sp, #64]\n"				\
"	stp		x6, x7, [sp, #80]\n"				\
"	mov		w1, w10\n"					\
"	ldr		x16, .Lchurn_reached\n"				\
"	blr		x16\n"						\
"	ldp		x6, x7, [sp, #80]\n"				\
"	ldp		x4, x5, [sp, #64]\n"				\
"	ldp		x2, x3, [sp, #48]\n"				\
"	ldp		x0, x1, [sp, #32]\n"				\
"	ldp		x8, x9, [sp, #16]\n"				\
"	ldp		x29, x10, [sp], #112\n"				\
"	mov		x30, x9\n"					\
"	ret		x10\n"
#define CHURN_TARGET							\
"	hint		34\n" /* bti c */				\
"	.if		\\n & 1\n"					\
"	mov		w10, #\\n\n"					\
"	b		.Lchurn_call\n"					\
"	.else\n"							\
"	ldr		w10, [x0]\n"					\
"	add		w10, w10, #1\n"					\
"	str		w10, [x0]\n"					\
"	ldr		x10, [x0, #8]\n"				\
"	orr		x10, x10, #(1 << \\n)\n"			\
"	str		x10, [x0, #8]\n"				\
"	mov		x10, x30\n"					\
"	mov		x30, x9\n"					\
"	ret		x10\n"						\
"	.endif\n"

#elif defined(CONFIG_RISCV)
/*
 * On entry t0 is the return into the traced function and ra its own return address. t1 and t3
 * hold nothing at a function's entry.
 */
#define CHURN_TARGET							\
"	.if		\\n & 1\n"					\
"	addi		sp, sp, -80\n"					\
"	sd		a0, 0(sp)\n"					\
"	sd		a1, 8(sp)\n"					\
"	sd		a2, 16(sp)\n"					\
"	sd		a3, 24(sp)\n"					\
"	sd		a4, 32(sp)\n"					\
"	sd		a5, 40(sp)\n"					\
"	sd		a6, 48(sp)\n"					\
"	sd		a7, 56(sp)\n"					\
"	sd		t0, 64(sp)\n"					\
"	sd		ra, 72(sp)\n"					\
"	li		a1, \\n\n"					\
"	call		churn_reached\n"				\
"	ld		a0, 0(sp)\n"					\
"	ld		a1, 8(sp)\n"					\
"	ld		a2, 16(sp)\n"					\
"	ld		a3, 24(sp)\n"					\
"	ld		a4, 32(sp)\n"					\
"	ld		a5, 40(sp)\n"					\
"	ld		a6, 48(sp)\n"					\
"	ld		a7, 56(sp)\n"					\
"	ld		t0, 64(sp)\n"					\
"	ld		ra, 72(sp)\n"					\
"	addi		sp, sp, 80\n"					\
"	.else\n"							\
"	lw		t1, 0(a0)\n"					\
"	addiw		t1, t1, 1\n"					\
"	sw		t1, 0(a0)\n"					\
"	ld		t1, 8(a0)\n"					\
"	li		t3, 1\n"					\
"	slli		t3, t3, \\n\n"					\
"	or		t1, t1, t3\n"					\
"	sd		t1, 8(a0)\n"					\
"	.endif\n"							\
"	jr		t0\n"

#elif defined(CONFIG_S390)
/*
 * On entry r0 is the return into the traced function and r14 its own return address. Only r1 is
 * free. A callee saves in its caller's frame, and keeps r6 and above itself.
 */
#define CHURN_TARGET							\
"	.if		\\n & 1\n"					\
"	lgr		%r1, %r15\n"					\
"	stmg		%r0, %r5, " __stringify(__SF_GPRS) "(%r15)\n"	\
"	stg		%r14, " __stringify(__SF_GPRS + 8 * 8) "(%r15)\n"	\
"	aghi		%r15, " __stringify(-STACK_FRAME_OVERHEAD) "\n"	\
"	stg		%r1, " __stringify(__SF_BACKCHAIN) "(%r15)\n"	\
"	lghi		%r3, \\n\n"					\
"	brasl		%r14, churn_reached\n"				\
"	aghi		%r15, " __stringify(STACK_FRAME_OVERHEAD) "\n"	\
"	lmg		%r0, %r5, " __stringify(__SF_GPRS) "(%r15)\n"	\
"	lg		%r14, " __stringify(__SF_GPRS + 8 * 8) "(%r15)\n"	\
"	.else\n"							\
"	asi		0(%r2), 1\n"					\
"	oi		15 - \\n / 8(%r2), 1 << (\\n % 8)\n" /* a bit of 8 bytes, big-endian */	\
"	.endif\n"							\
"	lgr		%r1, %r0\n"					\
"	br		%r1\n"

#else
#error "no trampolines for this architecture"
#endif

#ifndef SHARED_CODE
#define SHARED_CODE
#endif

#define BEFORE_TARGETS							\
"	.globl		churn_targets_text, churn_targets_end\n"	\
"	.balign		16\n"						\
"churn_targets_text:\n"							\
	SHARED_CODE

ASSEMBLE_64("churn_target_table", "churn_target", BEFORE_TARGETS, CHURN_TARGET,
	    "churn_targets_end:\n");

/* The upper half of them is out of reach of a BL, where there is such a thing. */
unsigned long churn_target(int target)
{
	unsigned long addr = churn_target_table[target];

	return target < CHURN_TARGETS / 2 ? addr : addr + churn_far_distance();
}
