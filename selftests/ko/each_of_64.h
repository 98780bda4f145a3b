/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EACH_OF_64_H
#define EACH_OF_64_H

#define EACH_OF_64							\
	"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"			\
	"16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,"		\
	"32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,"		\
	"48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63"

/*
 * Assembles the functions @name_0 to @name_63, and @table with their addresses. @body is the
 * code of each, where \\n is its number. @before and @after stand around them all.
 */
#define ASSEMBLE_64(table, name, before, body, after)			\
asm ("	.pushsection	.text, \"ax\", @progbits\n"			\
	before								\
"	.irp		n," EACH_OF_64 "\n"				\
"	.balign		16\n"						\
"	.type		" name "_\\n, @function\n"			\
	name "_\\n:\n"							\
	body								\
"	.size		" name "_\\n, . - " name "_\\n\n"		\
"	.endr\n"							\
	after								\
"	.popsection\n"							\
"	.pushsection	.rodata, \"a\", @progbits\n"			\
"	.balign		8\n"						\
"	.globl		" table "\n"					\
	table ":\n"							\
"	.irp		n," EACH_OF_64 "\n"				\
"	.quad		" name "_\\n\n"					\
"	.endr\n"							\
"	.popsection\n")

#endif
