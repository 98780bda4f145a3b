/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes up what is written to the files: commands that are right, and what can be made
 * of them that most often is not. Everything follows from one seed.
 */
#ifndef BAD_INPUT_MAKE_H
#define BAD_INPUT_MAKE_H

#include "bad_input_model.h"

#define MiB		(1024 * 1024)

enum kind {
	RANDOM, WORDS, TRUNCATED, MUTATED, NUMBERS, NAMES, HUGE, BINARY, NEWLINES, MANY,
	COMMAND, EMPTY, OFFSET, PIECES, POINTER,
	KINDS,
};

static const char * const kind_names[KINDS] = {
	"random bytes", "random words", "truncated", "one mutation", "numbers", "names",
	"huge", "NULs", "newlines", "many commands", "right commands", "empty", "offset",
	"in pieces", "bad pointers",
};

struct input {
	enum file file;
	enum kind kind;
	size_t len;
	char *buf;		/* MiB + two pages */
};

/* xorshift64* */
static unsigned long seed;

static unsigned int rnd(unsigned int below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return ((seed * 0x2545f4914f6cdd1dUL) >> 32) % below;
}

#define ONE_OF(list) ((list)[rnd(ARRAY_SIZE(list))])

static const char *any_number(void)
{
	static const char * const numbers[] = {
		"-1", "-0", "+1", "+", "-", "00", "007", "0x1", "0X10", "1e3", "1.0", "0b1",
		"1,000", "65535", "65536", "65537", "2147483647", "2147483648", "4294967295",
		"4294967296", "4294967297", "9223372036854775807", "9223372036854775808",
		"18446744073709551615", "18446744073709551616", "18446744073709551617",
		"99999999999999999999999999999999", "-9223372036854775808", "1001", "100000001",
		"NaN", "inf", "1u", "1L", "$1", "%d", "0000000000000000000000000000000000000001",
		"\t3", "1\t", "'1'", "1;", "1 2", "--1",
	};
	static char text[24];

	if (rnd(3))
		return ONE_OF(numbers);
	snprintf(text, sizeof(text), "%u", rnd(2) ? rnd(40) : rnd(UINT_MAX));
	return text;
}

static const char *any_name(enum file file)
{
	static const char * const values[] = {
		"attack", "attachments", "detatch", "Attach", "mod", "each,multi", "hashes",
		"HASH", "nearer", "afar", "none", "null", "0x0", "/etc/passwd", "../control",
		"%s%s%n", "all", "hash-close", "direct", "directfar", "plain-near", "true", "*",
		"?", "\"attach\"",
	};
	static const char * const functions[] = {
		"fdirect_no_such_function", "fdirect_peer_400", "fdirect_peer_fff",
		"fdirect_peer_00", "fdirect_peer_0000", "fdirect_peer_00A", "fdirect_peer:",
		":fdirect_peer_000", "fdirect_peer_000 [fdirect]", "fdirect:fdirect_peer_000",
		"fdirect_peer_*", "no_such_module:fdirect_peer_001",
		"fdirect_peer_001 [no_such_module]", "ftrace_stub", "fdirect_peer_001 []",
		"fdirect_peer_001 [fdirect_peer", "a:b:c", "0x", "0x0", "0x1",
		"0xffffffffffffffff", "0x10000000000000000", "0xfoo", "-0x1000", "0x1000 [x]",
		"fdirect_peer:fdirect_peer_001 [fdirect_peer]", "fdirect-peer:fdirect_peer_001",
		"fdirect_peer_001()", "fdirect_peer_001+0x4", "fdirect_peer_001,fdirect_peer_002",
	};

	if (file != FUNCTIONS)
		return ONE_OF(values);
	return known.ambiguous && !rnd(20) ? known.ambiguous : ONE_OF(functions);
}

static void append(struct input *in, const char *fmt, ...) __printf(2, 3);

static void append(struct input *in, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	in->len += vsnprintf(in->buf + in->len, MiB - in->len, fmt, args);
	va_end(args);
}

static void append_function(struct input *in)
{
	unsigned int peer = rnd(64);

	switch (rnd(4)) {
	case 0:
		append(in, "fdirect_peer_%03x", peer);
		break;
	case 1:
		append(in, "fdirect_peer:fdirect_peer_%03x", peer);
		break;
	case 2:
		append(in, "fdirect_peer_%03x [fdirect_peer]", peer);
		break;
	default:
		append(in, "0x%lx", known.sites[peer]);
	}
}

/* A command as it should be, though it may not fit what there is now. */
static void append_command(struct input *in, const struct model *m)
{
	static const char * const commands[] = { "attach", "detach", "modify" };
	static const char * const kinds[] = {
		"ops", "plain", "direct-near", "direct-far", "hash-near", "hash-far",
	};
	static const char * const flags[] = { "", " regs", " recursion", " rcu", " trampoline" };
	unsigned int nr = m->nr ?: 4, i, command;

	switch (in->file) {
	case CONTROL:
		command = rnd(3);
		append(in, "%s", commands[command]);
		if (command == 2 || rnd(8))
			append(in, " %u %u", rnd(nr), 1 + rnd(rnd(2) ? nr : 2));
		if (command == 2)
			append(in, " %u", rnd(STUBS));
		break;
	case FUNCTIONS:
		for (i = 1 + rnd(6); i; i--) {
			append_function(in);
			append(in, "\n");
		}
		break;
	case HITS:
		append(in, "0");
		break;
	case METHOD:
		append(in, "%s", method_names[1 + rnd(METHODS - 1)]);
		break;
	case OPS:
		append(in, "%u", rnd(SLOTS));
		break;
	case REACH:
		append(in, "%s", rnd(2) ? "near" : "far");
		break;
	case CALL:
		append(in, "%s %u %u %u%s", ONE_OF(kinds), 1 + rnd(1000), rnd(2), rnd(2),
		       ONE_OF(flags));
		break;
	default:
		append(in, "%u", rnd(nr));
	}
}

static void remove_bytes(struct input *in, size_t from, size_t count)
{
	memmove(in->buf + from, in->buf + from + count, in->len - from - count);
	in->len -= count;
}

static void insert_byte(struct input *in, size_t at, char byte)
{
	memmove(in->buf + at + 1, in->buf + at, in->len - at);
	in->buf[at] = byte;
	in->len++;
}

static char any_byte(void)
{
	static const char bytes[] = " \t\n\r0123456789abcxyz:[]#-+_%\"\\\0\001\033\177\200\377";

	return bytes[rnd(sizeof(bytes))];
}

static void mutate(struct input *in)
{
	size_t at = rnd(in->len), word;
	char c;

	switch (rnd(7)) {
	case 0:
		in->buf[at] ^= 1 << rnd(8);
		break;
	case 1:
		remove_bytes(in, at, 1);
		break;
	case 2:
		insert_byte(in, at, in->buf[at]);
		break;
	case 3:
		insert_byte(in, rnd(in->len + 1), any_byte());
		break;
	case 4:
		in->buf[at] = any_byte();
		break;
	case 5:
		/* A neighbour in its place. */
		if (at + 1 == in->len)
			break;
		c = in->buf[at];
		in->buf[at] = in->buf[at + 1];
		in->buf[at + 1] = c;
		break;
	default:
		/* A word twice, or its end gone. */
		for (word = at; word && in->buf[word - 1] != ' '; word--)
			;
		if (rnd(2)) {
			remove_bytes(in, word, at - word + 1);
		} else {
			memmove(in->buf + at + 1, in->buf + word, in->len - word);
			in->len += at + 1 - word;
		}
	}
}

/* A word of a right command, another in its place. */
static void replace_word(struct input *in, const char *word)
{
	size_t from = rnd(in->len), to, len = strlen(word);

	while (from && !strchr("\n ", in->buf[from - 1]))
		from--;
	for (to = from; to < in->len && !strchr("\n ", in->buf[to]); to++)
		;
	memmove(in->buf + from + len, in->buf + to, in->len - to);
	memcpy(in->buf + from, word, len);
	in->len += len - (to - from);
}

static void make_huge(struct input *in, const struct model *m)
{
	static const size_t sizes[] = {
		79, 80, 81, 128, 4095, 4096, 4097, 8192, 65535, 65536, MiB,
	};
	/* The large ones are a thousandth of all, or they take all the time. */
	size_t size = sizes[rnd(rnd(8) ? 6 : rnd(20) ? 10 : 11)] - (rnd(4) ? 0 : rnd(3)), i;

	append_command(in, m);
	switch (rnd(6)) {
	case 0:
		memset(in->buf + in->len, 'A', size);
		break;
	case 1:
		memset(in->buf + in->len, '\n', size);
		break;
	case 2:
		/* Right, but for its length. */
		memset(in->buf + in->len, ' ', size);
		break;
	case 3:
		for (i = in->len; i < size; i++)
			in->buf[i] = seed >> (i % 50);
		break;
	case 4:
		memset(in->buf, '0', size);
		break;
	default:
		for (i = in->len; i < size; i++)
			in->buf[i] = in->buf[i - in->len];
	}
	in->len = size;
	if (in->file == FUNCTIONS && rnd(2))
		in->buf[size - 1] = '\n';
}

static void make(struct input *in, const struct model *m)
{
	size_t i;

	in->len = 0;
	switch (in->kind) {
	case RANDOM:
		in->len = 1 + rnd(rnd(4) ? 20 : 200);
		for (i = 0; i < in->len; i++)
			in->buf[i] = rnd(256);
		break;
	case WORDS:
		for (i = 1 + rnd(5); i; i--)
			append(in, "%s%s", rnd(2) ? any_number() : any_name(in->file),
			       rnd(8) ? " " : "\n");
		break;
	case TRUNCATED:
		append_command(in, m);
		in->len = rnd(in->len);
		break;
	case NUMBERS:
		append_command(in, m);
		replace_word(in, any_number());
		break;
	case NAMES:
		append_command(in, m);
		replace_word(in, any_name(in->file));
		break;
	case HUGE:
		make_huge(in, m);
		break;
	case BINARY:
		append_command(in, m);
		for (i = 1 + rnd(3); i; i--)
			insert_byte(in, rnd(in->len + 1), '\0');
		break;
	case NEWLINES:
		append_command(in, m);
		for (i = 1 + rnd(3); i; i--)
			insert_byte(in, rnd(in->len + 1), "\n\r\v\f"[rnd(rnd(2) ? 1 : 4)]);
		break;
	case MANY:
		for (i = 2 + rnd(4); i; i--) {
			append_command(in, m);
			append(in, "%c", "\n; \0"[rnd(4)]);
		}
		break;
	case EMPTY:
		break;
	case MUTATED:
	case OFFSET:
	case PIECES:
	case POINTER:
		append_command(in, m);
		if (in->kind == MUTATED || rnd(2))
			mutate(in);
		break;
	default:
		append_command(in, m);
		if (rnd(2) && in->file != FUNCTIONS)
			append(in, "\n");
	}
}

#endif /* BAD_INPUT_MAKE_H */
