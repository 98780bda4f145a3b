// SPDX-License-Identifier: GPL-2.0
/*
 * The target of a call site, read from its instruction, or from where that leads.
 */
#include <asm/byteorder.h>
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fdirect.h"

#if defined(CONFIG_X86_64)

static unsigned long call_target(unsigned long ip, const u8 *insn)
{
	s32 offset;

	if (insn[0] != 0xe8)			/* call rel32 */
		return 0;
	memcpy(&offset, insn + 1, sizeof(offset));
	return ip + MCOUNT_INSN_SIZE + offset;
}

#elif defined(CONFIG_ARM64)

static unsigned long call_target(unsigned long ip, const u8 *insn)
{
	__le32 raw;
	u32 word;

	memcpy(&raw, insn, sizeof(raw));
	word = le32_to_cpu(raw);
	if ((word & 0xfc000000) != 0x94000000)	/* bl imm26 */
		return 0;
	return ip + ((long)sign_extend32(word & 0x03ffffff, 25) << 2);
}

#elif defined(CONFIG_RISCV) && defined(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS)

/* A JALR to ftrace_caller: what the literal before the function points at has the target */
static unsigned long call_target(unsigned long ip, const u8 *insn)
{
	unsigned long literal = ALIGN_DOWN(ip - 12, 8), object, target;
	__le32 raw;

	memcpy(&raw, insn, sizeof(raw));
	if ((le32_to_cpu(raw) & 0xfffff) != 0x282e7 ||	/* jalr t0, imm12(t0) */
	    copy_from_kernel_nofault(&object, (void *)literal, sizeof(object)))
		return 0;
	object += offsetof(struct ftrace_ops, direct_call);
	if (copy_from_kernel_nofault(&target, (void *)object, sizeof(target)))
		return 0;
	return target;
}

#elif defined(CONFIG_RISCV)

static unsigned long call_target(unsigned long ip, const u8 *insn)
{
	__le32 raw[2];
	u32 high, low;

	memcpy(raw, insn, sizeof(raw));
	high = le32_to_cpu(raw[0]);
	low = le32_to_cpu(raw[1]);
	/* auipc t0, imm20; jalr t0, imm12(t0) */
	if ((high & 0xfff) != 0x297 || (low & 0xfffff) != 0x282e7)
		return 0;
	return ip + (long)(s32)(high & 0xfffff000) + ((s32)low >> 20);
}

#elif defined(CONFIG_S390)

/*
 * What has the target of a call site where the CPU cannot change an instruction under way:
 * struct ftrace_hotpatch_trampoline in arch/s390/kernel/ftrace.h
 */
struct hotpatch {
	u16 opcode;
	s32 offset;
	s16 padding;
	u64 function;		/* where it goes on behind the call site */
	u64 target;
} __packed;

static unsigned long call_target(unsigned long ip, const u8 *insn)
{
	struct { u16 opcode; s32 offset; } __packed call;
	struct hotpatch hotpatch;

	memcpy(&call, insn, sizeof(call));
	ip += 2 * (long)call.offset;
	if (call.opcode == 0xc005)		/* brasl %r0, target */
		return ip;
	if (call.opcode != 0xc0f4 ||		/* brcl 15, hotpatch */
	    copy_from_kernel_nofault(&hotpatch, (void *)ip, sizeof(hotpatch)) ||
	    hotpatch.opcode != 0xc015)		/* brasl %r1, ... */
		return 0;
	return hotpatch.target;
}

#endif

/**
 * fdirect_site_target - what a call site calls directly
 * @ip: the call site
 *
 * The text may be patched meanwhile, or be gone with its module: the answer holds
 * for the moment only.
 *
 * Return: the address that the instruction at @ip calls, or 0 if it is no call or
 * cannot be read
 */
unsigned long fdirect_site_target(unsigned long ip)
{
	u8 insn[MCOUNT_INSN_SIZE];

	if (copy_from_kernel_nofault(insn, (void *)ip, sizeof(insn)))
		return 0;
	return call_target(ip, insn);
}
