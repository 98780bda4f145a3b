/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The yardstick of the call sample: functions like fdirect_call_target(), with a
 * direct call that ftrace has patched in, and without. A direct call costs more than
 * these two differ by because of ftrace alone.
 */
#include <linux/cfi_types.h>
#include <linux/linkage.h>
#include <linux/objtool.h>

#ifdef CONFIG_X86_64

#include <asm/ibt.h>
#include <asm/nops.h>
#include <asm/nospec-branch.h>

	.text

/* SYM_FUNC_START has a landing pad on 6.12, and none on 7.3. kCFI wants a type. */
SYM_TYPED_START(fdirect_call_plain, SYM_L_GLOBAL, SYM_F_ALIGN)
	ENDBR
	call	fdirect_call_stub
	RET
SYM_FUNC_END(fdirect_call_plain)
/* Nor does ftrace set a frame up before it calls. */
STACK_FRAME_NON_STANDARD_FP fdirect_call_plain

SYM_TYPED_START(fdirect_call_plain_off, SYM_L_GLOBAL, SYM_F_ALIGN)
	ENDBR
	.byte	BYTES_NOP5
	RET
SYM_FUNC_END(fdirect_call_plain_off)

#elif defined(CONFIG_ARM64)

	.text

/* SYM_FUNC_START has a landing pad in any case, the compiler only where it is used. */
	.macro	landing_pad
#ifdef CONFIG_ARM64_BTI_KERNEL
	bti	c
#endif
	.endm

SYM_TYPED_START(fdirect_call_plain, SYM_L_GLOBAL, SYM_A_ALIGN)
	landing_pad
	mov	x9, x30
	bl	fdirect_call_stub
	ret
SYM_CODE_END(fdirect_call_plain)

SYM_TYPED_START(fdirect_call_plain_off, SYM_L_GLOBAL, SYM_A_ALIGN)
	landing_pad
	mov	x9, x30
	nop
	ret
SYM_CODE_END(fdirect_call_plain_off)

#elif defined(CONFIG_RISCV)

	.text
	.option	norvc
	.option	norelax

SYM_TYPED_START(fdirect_call_plain, SYM_L_GLOBAL, SYM_A_ALIGN)
	call	t0, fdirect_call_stub
	ret
SYM_FUNC_END(fdirect_call_plain)

SYM_TYPED_START(fdirect_call_plain_off, SYM_L_GLOBAL, SYM_A_ALIGN)
	nop
	nop
	ret
SYM_FUNC_END(fdirect_call_plain_off)

#elif defined(CONFIG_S390)

#include <asm/nospec-insn.h>

	GEN_BR_THUNK %r14

	.text

SYM_TYPED_START(fdirect_call_plain, SYM_L_GLOBAL, SYM_A_ALIGN)
	brasl	%r0, fdirect_call_stub
	BR_EX	%r14
SYM_FUNC_END(fdirect_call_plain)

SYM_TYPED_START(fdirect_call_plain_off, SYM_L_GLOBAL, SYM_A_ALIGN)
	brcl	0, 0
	BR_EX	%r14
SYM_FUNC_END(fdirect_call_plain_off)

#endif
