/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs on many functions (BPF_LINK_TYPE_TRACING_MULTI), for the tests of their links. Each
 * writes down what it sees of a call.
 */
#ifndef MULTI_PROG_H
#define MULTI_PROG_H

#include "bpf_trace.h"

#define MULTI_LINK		15

/* Of Linux 7: programs that are called when a function is entered, and when it returns */
#define FSESSION_TYPE		58
#define FSESSION_MULTI_TYPE	((enum bpf_attach_type)61)

/* As in the headers of a kernel that has these links */
struct multi_info {
	__u32 type, id, prog_id, pad;
	__u32 attach_type, count, btf_obj_id, pad2;
	__u64 ids, addrs, cookies;
	__u64 rest[4];
};

/* -------------------------------------------------------------------------- */
/* Programs                                                                     */

/* The calls that a program has seen of the functions with one cookie */
struct seen {
	unsigned long long hits, ip, count, args[3], ret;
	unsigned long long user, copied;	/* it reads what is at @user, if that is not 0 */
	/* what it returns in 32 bits, as clang does, if it modifies the return value */
	int instead;
};

#define SEEN	1024

extern struct seen *seen;
extern int seen_map;

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOVI(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADDI(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define ANDI(d, i)	INSN(BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, i)
#define HELPER(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT()		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define LDX(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define LDXW(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_W, d, s, o, 0)
#define STX(d, s, o)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STXW(d, s, o)	INSN(BPF_STX | BPF_MEM | BPF_W, d, s, o, 0)
#define STW(d, o, i)	INSN(BPF_ST | BPF_MEM | BPF_W, d, 0, o, i)
#define ADD(d, s, o)	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define IFNE0(d, o)	INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, 0)

enum { BY_COOKIE = -1, COUNT_ONLY = -2 };

/* Programs return this in the place of functions that return something else */
#define MODIFIED	4711

/* The first of the arguments that programs read */
extern int first_arg;

/*
 * A program that writes into the seen[] with the number @where, or with the cookie for
 * BY_COOKIE. COUNT_ONLY counts in seen[0] and asks for nothing.
 */
int load_multi(int type, int where, int btf_fd, int btf_id, unsigned int flags);

/* Programs that need no more than a type */
int fentry_multi(int where);
int fexit_multi(int where);
int fmod_ret_multi(int where);

unsigned long long seen_hits(int i);
void forget_seen(void);

/* -------------------------------------------------------------------------- */
/* Functions                                                                    */

unsigned long address_of(const char *function);

/* Its id in the kernel's BTF, or 0 */
__u32 id_of(const char *function);

/* All functions of the kernel that a link takes: those that are the only one of a name */
size_t all_functions(__u32 **ids);

/* Images for many functions: they have numbers that no trampoline of one function has. */
int shared_images(void);

/* Ids of the functions of fdirect_subject.ko, and a cookie for each */
void subjects(__u32 *ids, __u64 *cookies);

/* The functions that BPF_PROG_TEST_RUN calls once each, with arguments and results */
struct tested {
	const char *name;
	unsigned int count;
	unsigned long long args[3], ret;
};

#define TESTED	6

extern const struct tested tested[TESTED];
extern __u32 tested_ids[TESTED];
extern __u64 tested_cookies[TESTED];
extern unsigned long tested_addrs[TESTED];

void run_tested(int prog);

/* Were all of them seen @times, with all there is to see? */
void check_tested(int first, unsigned int times, bool ret);

/* Gives them the cookies @first, @first + 1, ... */
void cookies_from(int first);

/* -------------------------------------------------------------------------- */

/* First in main(): skips all tests on a kernel that has no such links. */
void start_multi(void);

#endif /* MULTI_PROG_H */
