// SPDX-License-Identifier: GPL-2.0
/*
 * The target of a call site, read from its instruction.
 */
#include <asm/byteorder.h>
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
