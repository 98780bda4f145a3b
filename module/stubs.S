/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The direct call targets: FDIRECT_STUBS stubs of FDIRECT_STUB_SIZE bytes each.
 * Stub i adds one to fdirect_hits[i] and returns to the traced function.
 *
 * A stub runs before the first instruction of the function it stands for, in the
 * context of that function. It must leave alone everything the function could
 * read: argument registers, the registers of the static chain and of the number
 * of vector arguments, the stack.
 *
 * All stubs end in one piece of common code. The kernel then patches the return
 * (return thunk, call depth, LSE or not) once when it loads the module, and not
 * 65,536 times.
 *
 * There is one symbol for the whole block. A symbol for each stub would make
 * every lookup of an address in this module walk 65,536 of them. The stub of the
 * call sample, the last, has its own.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>

#include "stub_layout.h"

#ifdef CONFIG_X86_64

#include <asm/asm-offsets.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

	.text

/*
 * The call from ftrace is not one that call depth tracking has counted, so count
 * it here, before the return takes it off again.
 */
SYM_FUNC_START_LOCAL(fdirect_stub_return)
	CALL_DEPTH_ACCOUNT
	RET
SYM_FUNC_END(fdirect_stub_return)

/*
 * No ENDBR: a stub is reached by a direct call or, through ftrace_regs_caller, by
 * a return, never by an indirect branch.
 *
 * Only the first stub has a symbol, so objtool would take the others for dead
 * code. The hint tells it, and through it the unwinder, how the stack looks there.
 * The hints are not part of the linked module.
 *
 * The bytes left over go into the jump, as three prefixes without effect. Padding
 * after it would be code without stack state and would cost two unwinder entries
 * for every stub.
 */
	.macro	stub number
	UNWIND_HINT_FUNC
	lock incq	fdirect_hits + 8 * \number(%rip)
	.byte	0x2e, 0x2e, 0x2e, 0xe9		/* jmp rel32 */
	.long	fdirect_stub_return - (. + 4)
	.endm

#define STUB_SYMBOL	ANNOTATE_NOENDBR

#elif defined(CONFIG_ARM64)

#include <asm/alternative-macros.h>
#include <asm/assembler.h>

	.text

/*
 * All that is between here and fdirect_stub_text_end can be copied to any address
 * and works there. The branches stay within, and the one address outside, that of
 * the counters, is a literal. far.c makes such a copy.
 *
 * x10 holds the number of the stub. The traced function has put the address it
 * returns to into x9 and has come here with BL. So it goes on at x30. x0 to x8,
 * x18 and x19 to x29 are live, x10 to x17 are free.
 */
SYM_START(fdirect_stub_text, SYM_L_GLOBAL, .balign FDIRECT_STUB_SIZE)
.Lhits:
	.quad	fdirect_hits
.Lstub_return:
	ldr	x11, .Lhits
	add	x11, x11, x10, lsl #3
#ifdef CONFIG_ARM64_LSE_ATOMICS
	.arch_extension lse
alternative_if_not ARM64_HAS_LSE_ATOMICS
1:	ldxr	x12, [x11]
	add	x12, x12, #1
	stxr	w13, x12, [x11]
	cbnz	w13, 1b
alternative_else
	mov	x12, #1
	stadd	x12, [x11]
	nop
	nop
alternative_endif
#else
1:	ldxr	x12, [x11]
	add	x12, x12, #1
	stxr	w13, x12, [x11]
	cbnz	w13, 1b
#endif
	mov	x10, x30
	mov	x30, x9
	ret	x10
SYM_END(fdirect_stub_text, SYM_T_NONE)

/*
 * The landing pad is for the BR X17 by which ftrace_caller goes to a stub that is
 * out of reach of a BL. It is a NOP where the CPU or the kernel has no BTI.
 */
	.macro	stub number
	bti	c
	mov	w10, #\number
	b	.Lstub_return
	nop
	.endm

#define AFTER_STUBS	SYM_ENTRY(fdirect_stub_text_end, SYM_L_GLOBAL, SYM_A_NONE)

#elif defined(CONFIG_RISCV)

#include <asm/asm.h>

	.text

/* Neither the assembler nor the linker makes an instruction shorter. */
	.option	norvc
	.option	norelax

/*
 * t1 holds the place of the counter in fdirect_hits. The traced function has come here with
 * its caller in ra, and it goes on at t0. It has not yet touched t3 to t6. t2 may be the
 * static chain.
 */
	.macro	stub_return
	lla	t3, fdirect_hits
	add	t1, t1, t3
	li	t3, 1
	amoadd.d zero, t3, (t1)
	jr	t0
	.endm

/*
 * A jump reaches 1 MiB, as far as all stubs go. So the common code is there twice, and the
 * upper half of the stubs jumps to what stands behind the last.
 */
	.balign	FDIRECT_STUB_SIZE
.Lstub_return:
	stub_return
	nop
	nop
	.set	.Lreturn_size, 32
	.if	(. - .Lstub_return) != .Lreturn_size
	.error	"the common code of the stubs has another size"
	.endif

/*
 * A J by the bits of its distance, where a U-type instruction has an immediate. The assembler
 * would leave a relocation for each stub, or with .word two symbols.
 */
	.macro	jump distance
	.insn	u 0x6f, x0, ((\distance >> 20 & 1) << 19) | ((\distance >> 1 & 0x3ff) << 9) | \
		((\distance >> 11 & 1) << 8) | (\distance >> 12 & 0xff)
	.endm

	.macro	stub number
	lui	t1, (8 * \number + 0x800) >> 12
	addi	t1, t1, 8 * \number - ((8 * \number + 0x800) & ~0xfff)
	.if	\number < FDIRECT_STUBS / 2
	jump	(-(\number * FDIRECT_STUB_SIZE + 8 + .Lreturn_size))
	.else
	jump	((FDIRECT_CALL_STUB + 1 - \number) * FDIRECT_STUB_SIZE - 8)
	.endif
	nop
	.endm

#define AFTER_STUBS	stub_return

#elif defined(CONFIG_S390)

#include <asm/nospec-insn.h>

	GEN_BR_THUNK %r1

	.text

/*
 * The traced function goes on at r0. Only r1 is free: it points at what stands in the stub
 * behind its BRASL. AGSI changes an aligned counter in one step since z196.
 */
SYM_CODE_START_LOCAL(fdirect_stub_return)
	lg	%r1, 2(%r1)
	agsi	0(%r1), 1
	lgr	%r1, %r0
	BR_EX	%r1
SYM_CODE_END(fdirect_stub_return)

	.macro	stub number
	brasl	%r1, fdirect_stub_return
	.word	0
	.quad	fdirect_hits + 8 * \number
	.endm

#else
#error "fdirect has stubs for x86_64, arm64, riscv64 and s390x only"
#endif

#ifndef STUB_SYMBOL
#define STUB_SYMBOL
#endif
#ifndef AFTER_STUBS
#define AFTER_STUBS
#endif

SYM_START(fdirect_stubs, SYM_L_GLOBAL, .balign FDIRECT_STUB_SIZE)
	STUB_SYMBOL
	.set	.Lstub, 0
	.rept	FDIRECT_STUBS
	stub	.Lstub
	.set	.Lstub, .Lstub + 1
	.endr
SYM_END(fdirect_stubs, SYM_T_FUNC)
SYM_START(fdirect_call_stub, SYM_L_GLOBAL, SYM_A_NONE)
	STUB_SYMBOL
	stub	FDIRECT_CALL_STUB
SYM_END(fdirect_call_stub, SYM_T_FUNC)
	AFTER_STUBS

	.if	(fdirect_call_stub - fdirect_stubs) != FDIRECT_CALL_STUB * FDIRECT_STUB_SIZE
	.error	"a stub is not FDIRECT_STUB_SIZE bytes long"
	.endif
