/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of docs/ABI/debugfs-fdirect: is a write right? If so, the functions that
 * are then attached; if not, the errnos that may refuse it. Several may, where
 * several things are wrong.
 *
 * The model knows the peers, by all their names and addresses, and that names which
 * are not in kallsyms do not exist. Of other functions it knows nothing, and says so.
 */
#ifndef BAD_INPUT_MODEL_H
#define BAD_INPUT_MODEL_H

#include <ctype.h>

#include "fdirect.h"

#define MAX_VALUE	79
#define MAX_LIST	(16U << 20)
#define MAX_NAME	512
#define MAX_MODULE_NAME	56
#define SLOTS		4

/* All errnos that are documented, but for those of a shortage or of a signal. */
static const int documented[] = {
	EINVAL, ERANGE, EBUSY, ENODEV, EEXIST, ENOENT, ENOTUNIQ, EFBIG, E2BIG, ENODATA, ENOLINK,
	EOPNOTSUPP, EACCES, EFAULT, ESPIPE,
};

/* The possible answers to a write: a set of errnos, empty if it is right. */
#define RIGHT	0UL
#define UNKNOWN	1UL

/* The set of one errno; empty if it is documented nowhere. */
static unsigned long E(int err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(documented); i++)
		if (documented[i] == err)
			return 2UL << i;
	return 0;
}

enum file {
	CONTROL, FUNCTIONS, HITS, METHOD, OPS, REACH, CALL, KPROBE,
	WRITABLE,
	AVAILABLE_METHODS = WRITABLE, LAST_ERROR, STATUS, TIMES,
	FILES,
};

static const char * const file_names[FILES] = {
	"control", "functions", "hits", "method", "ops", "reach", "call", "kprobe",
	"available_methods", "last_error", "status", "times",
};

enum method { NONE, EACH, MULTI, HASHED, METHODS };

static const char * const method_names[METHODS] = { "", "each", "multi", "hash" };

struct model_function {
	int peer;
	enum method method;
	unsigned int slot;
	unsigned int stub;
};

struct model {
	enum method method;
	unsigned int slot;
	bool far;
	unsigned int nr;
	struct model_function f[PEERS];
};

/* All there is to know of this kernel. */
static struct {
	unsigned long sites[PEERS];
	char **symbols;			/* sorted */
	size_t nr_symbols;
	char *ambiguous;		/* a name that two functions share, or NULL */
	bool hash;
} known;

static void learn_symbols(void)
{
	char *text = must_slurp("/proc/kallsyms"), *line, *next = text;
	size_t size = 1 << 16;

	known.symbols = malloc(size * sizeof(*known.symbols));
	while (known.symbols && (line = strsep(&next, "\n")) && *line) {
		char *name = line + strcspn(line, " ");

		if (strlen(name) < 4)
			continue;
		name += 3;
		name[strcspn(name, "\t")] = '\0';
		if (known.nr_symbols == size) {
			size *= 2;
			known.symbols = realloc(known.symbols, size * sizeof(*known.symbols));
			if (!known.symbols)
				break;
		}
		known.symbols[known.nr_symbols++] = name;
	}
	if (!known.symbols)
		exit(KSFT_FAIL);
	qsort(known.symbols, known.nr_symbols, sizeof(*known.symbols), by_text);
}

/* The number of a peer by its name, or -1. */
static int peer_named(const char *name)
{
	size_t prefix = strlen("fdirect_peer_");
	char again[32];
	long peer;

	if (strncmp(name, "fdirect_peer_", prefix))
		return -1;
	peer = strtol(name + prefix, NULL, 16);
	snprintf(again, sizeof(again), "fdirect_peer_%03lx", peer);
	return peer >= 0 && peer < PEERS && !strcmp(name, again) ? peer : -1;
}

static int peer_at(unsigned long addr)
{
	int i;

	for (i = 0; i < PEERS; i++)
		if (known.sites[i] == addr)
			return i;
	return -1;
}

static void learn(void)
{
	learn_symbols();
	known.hash = has_hash();
	known.ambiguous = ambiguous_name();
	peer_sites(known.sites);
}

static bool is_plain(const char *text, size_t len)
{
	for (; len; text++, len--)
		if (*text != '\t' && (*text < ' ' || *text > '~'))
			return false;
	return true;
}

/* Cuts @text into words, at most @max of them and one more: how many there are. */
static size_t cut(char *text, char **words, size_t max)
{
	char *word;
	size_t n = 0;

	while ((word = strsep(&text, " \t")) && n <= max)
		if (*word)
			words[n++] = word;
	return n;
}

/* A decimal number of 32 bits. */
static unsigned long number(const char *word, unsigned int *value)
{
	const char *end = word + (*word == '+'), *digits = end;
	unsigned long v = 0;

	for (; isdigit((unsigned char)*end); end++)
		v = v >> 40 ? v : 10 * v + (*end - '0');
	*value = v;
	if (end == digits)
		return E(EINVAL);
	if (*end)
		return v > UINT_MAX ? E(EINVAL) | E(ERANGE) : E(EINVAL);
	return v > UINT_MAX ? E(ERANGE) : RIGHT;
}

static bool slot_used(const struct model *m, unsigned int slot, enum method by)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		if (m->f[i].method == by && m->f[i].slot == slot)
			return true;
	return false;
}

static unsigned int attached(const struct model *m)
{
	unsigned int i, n = 0;

	for (i = 0; i < m->nr; i++)
		n += m->f[i].method != NONE;
	return n;
}

static bool is_current(const struct model *m, const struct model_function *f)
{
	return f->method == m->method && (f->method == EACH || f->slot == m->slot);
}

/* How many functions are attached as the current method and ops attach them. */
static unsigned int current_users(const struct model *m)
{
	unsigned int i, n = 0;

	for (i = 0; i < m->nr; i++)
		n += is_current(m, &m->f[i]);
	return n;
}

static void set(struct model *m, unsigned int first, unsigned int count, enum method method,
		unsigned int stub)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		m->f[first + i].method = method;
		m->f[first + i].slot = m->slot;
		m->f[first + i].stub = m->method == MULTI ? stub : (stub + i) % STUBS;
	}
}

/**
 * struct command - what is written to control
 * @attach: or modify, or detach
 * @all: without a range
 */
struct command {
	bool attach, modify, detach, all;
	unsigned int first, count, stub;
};

/* The faults of a command, whatever the state is. */
static unsigned long control_form(struct command *c, char *text)
{
	unsigned int *numbers[] = { &c->first, &c->count, &c->stub };
	unsigned long wrong = RIGHT;
	char *words[8];
	size_t n = cut(text, words, 4), i;

	memset(c, 0, sizeof(*c));
	for (i = 1; i < n && i < 4; i++)
		wrong |= number(words[i], numbers[i - 1]);
	c->attach = n && !strcmp(words[0], "attach");
	c->modify = n && !strcmp(words[0], "modify");
	c->detach = n && !strcmp(words[0], "detach");
	c->all = n == 1;
	if (n < 4)
		c->stub = c->first;
	if (!(c->attach && (n == 1 || n == 3 || n == 4)) &&
	    !(c->detach && (n == 1 || n == 3)) && !(c->modify && n == 4))
		wrong |= E(EINVAL);
	return wrong;
}

static unsigned long model_control(struct model *m, char *text)
{
	struct command c;
	unsigned long wrong = control_form(&c, text);
	unsigned int i;

	if (wrong)
		return wrong;
	if (c.detach && c.all) {
		set(m, 0, m->nr, NONE, 0);
		return RIGHT;
	}
	if (c.all)
		c.count = m->nr;
	if (!m->nr)
		return E(ENODATA) | (c.count ? 0 : E(EINVAL));
	wrong |= c.count ? 0 : E(EINVAL);
	if (c.first >= m->nr || c.count > m->nr - c.first || c.stub >= STUBS)
		wrong |= E(ERANGE);
	if (wrong)
		return wrong;
	for (i = c.first; i < c.first + c.count; i++) {
		if (c.attach && m->f[i].method != NONE)
			wrong |= E(EBUSY);
		if (!c.attach && !is_current(m, &m->f[i]))
			wrong |= E(ENOLINK);
	}
	if (c.attach && m->method != EACH && slot_used(m, m->slot, MULTI))
		wrong |= E(EBUSY);
	if (c.attach && m->method == MULTI && slot_used(m, m->slot, HASHED))
		wrong |= E(EBUSY);
	if (!c.attach && m->method == MULTI && c.count != current_users(m))
		wrong |= E(EINVAL);
	if (!wrong)
		set(m, c.first, c.count, c.detach ? NONE : m->method, c.stub);
	return wrong;
}

static unsigned long model_method(struct model *m, const char *text)
{
	enum method i;

	for (i = NONE + 1; i < METHODS; i++) {
		if (strcmp(text, method_names[i]))
			continue;
		if (i == HASHED && !known.hash)
			return E(EOPNOTSUPP);
		m->method = i;
		return RIGHT;
	}
	return E(EINVAL);
}

static unsigned long model_ops(struct model *m, const char *text)
{
	unsigned int slot;

	if (number(text, &slot) || slot >= SLOTS)
		return E(EINVAL);
	m->slot = slot;
	return RIGHT;
}

static unsigned long model_reach(struct model *m, const char *text)
{
	bool far = !strcmp(text, "far");

	if (!far && strcmp(text, "near"))
		return E(EINVAL);
	if (far && !has_far())
		return E(EOPNOTSUPP);
	m->far = far;
	return RIGHT;
}

static unsigned long model_kprobe(const struct model *m, const char *text)
{
	unsigned int index;
	unsigned long wrong = number(text, &index);

	if (!m->nr)
		return wrong | E(ENODATA);
	return wrong ?: index >= m->nr ? E(ERANGE) : RIGHT;
}

/* How much work a right one is; the caller leaves out what takes too long. */
static unsigned long call_work;

static unsigned long model_call(char *text)
{
	static const char * const kinds[] = {
		"ops", "plain", "direct-near", "direct-far", "hash-near", "hash-far",
	};
	static const char * const flags[] = { "recursion", "rcu", "regs", "trampoline" };
	char *words[MAX_VALUE];
	size_t n = cut(text, words, MAX_VALUE - 1), i, kind, flag;
	unsigned int arg[3] = { 0 };
	unsigned long wrong = n < 4 ? E(EINVAL) : RIGHT, later = RIGHT;

	for (kind = 0; n && kind < ARRAY_SIZE(kinds) && strcmp(words[0], kinds[kind]); kind++)
		;
	if (kind == ARRAY_SIZE(kinds))
		wrong |= E(EINVAL);
	for (i = 1; i < n && i < 4; i++) {
		wrong |= number(words[i], &arg[i - 1]);
		if (!arg[0] || arg[0] > 100000000 || arg[1] > 1000 || arg[2] > 1000)
			wrong |= E(ERANGE);
	}
	for (i = 4; i < n; i++) {
		for (flag = 0; flag < ARRAY_SIZE(flags) && strcmp(words[i], flags[flag]); flag++)
			;
		if (flag == ARRAY_SIZE(flags))
			wrong |= E(EINVAL);
		if ((flag == 2 && !has_regs()) || (flag == 3 && !has_trampolines()))
			later |= E(EOPNOTSUPP);
	}
	if (kind == 1 && (arg[1] || arg[2] || n > 4))
		wrong |= E(EINVAL);
	if ((kind == 3 || kind == 5) && !has_far())
		later |= E(EOPNOTSUPP);
	if ((kind == 4 || kind == 5) && !known.hash)
		later |= E(EOPNOTSUPP);
	call_work = arg[0] + 1000 * (arg[1] + arg[2]);
	return wrong | later;
}

static bool is_symbol(const char *name)
{
	return bsearch(&name, known.symbols, known.nr_symbols, sizeof(name), by_text);
}

static unsigned long name_wrong(const char *name, const char *module, int *peer)
{
	*peer = peer_named(name);
	if (module && !strcmp(module, "fdirect"))
		return *peer < 0 && is_symbol(name) ? UNKNOWN : E(ENOENT);
	if (module && strcmp(module, "fdirect_peer"))
		return E(ENOENT);
	if (*peer >= 0)
		return RIGHT;
	if (!is_symbol(name))
		return E(ENOENT);
	if (module)
		return UNKNOWN;
	if (!strcmp(name, "ftrace_stub"))
		return E(ENODEV);
	if (known.ambiguous && !strcmp(name, known.ambiguous))
		return E(ENOTUNIQ);
	return UNKNOWN;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static unsigned long address_wrong(const char *word, int *peer)
{
	const char *end = word + 2;
	bool too_large = false;
	unsigned long v = 0;

	for (; isxdigit((unsigned char)*end); end++) {
		too_large |= v >> 60 != 0;
		v = 16 * v + hex_digit(*end);
	}
	if (*end || end == word + 2 || too_large)
		return E(EINVAL);
	*peer = peer_at(v);
	if (*peer >= 0)
		return RIGHT;
	/* Next to a peer there may be the entry of another, or of anything else. */
	return v < 0x100000 || v >= -0x100000UL ? E(ENODEV) : UNKNOWN;
}

/* One line of a list, without blanks at its start; it is cut. */
static unsigned long line_wrong(char *line, size_t len, int *peer)
{
	char *words[4], *name, *colon, *module = NULL;
	size_t n;

	if (!is_plain(line, len))
		return E(EINVAL);
	n = cut(line, words, 2);
	if (n > 2)
		return E(EINVAL);
	name = words[0];
	if (name[0] == '0' && (name[1] == 'x' || name[1] == 'X'))
		return n > 1 ? E(EINVAL) : address_wrong(name, peer);
	colon = strchr(name, ':');
	if (n == 2) {
		size_t size = strlen(words[1]);

		if (colon || size < 3 || words[1][0] != '[' || words[1][size - 1] != ']')
			return E(EINVAL);
		words[1][size - 1] = '\0';
		module = words[1] + 1;
	} else if (colon) {
		*colon = '\0';
		module = name;
		name = colon + 1;
		if (!*module || !*name || strchr(name, ':'))
			return E(EINVAL);
	}
	if (strlen(name) >= MAX_NAME || (module && strlen(module) >= MAX_MODULE_NAME))
		return E(EINVAL);
	return name_wrong(name, module, peer);
}

static unsigned long model_functions(struct model *m, const char *buf, size_t len,
				     long long offset)
{
	char *text, *line, *end;
	struct model new = *m;
	unsigned long wrong = RIGHT;
	bool there[PEERS] = { false };
	int peer = -1;

	if (len > MAX_LIST)
		return E(EFBIG);
	if (offset)
		return E(EINVAL);
	if (attached(m))
		return E(EBUSY);
	if (!len || buf[len - 1] != '\n')
		return E(EINVAL);
	text = malloc(len);
	if (!text)
		exit(KSFT_FAIL);
	memcpy(text, buf, len);
	new.nr = 0;
	for (line = text; !wrong && line < text + len; line = end + 1) {
		end = memchr(line, '\n', text + len - line);
		*end = '\0';
		while (*line == ' ' || *line == '\t')
			line++;
		if (line == end || *line == '#')
			continue;
		wrong = line_wrong(line, end - line, &peer);
		if (!wrong && there[peer])
			wrong = E(EEXIST);
		if (wrong)
			break;
		there[peer] = true;
		new.f[new.nr++] = (struct model_function){ .peer = peer };
	}
	free(text);
	if (!wrong && !new.nr)
		wrong = E(EINVAL);
	if (!wrong)
		*m = new;
	return wrong;
}

/* The one line that is written to a file, in @text, or NULL if it cannot be one. */
static char *value_in_line(char text[MAX_VALUE + 1], const char *buf, size_t len)
{
	if (len > MAX_VALUE || !is_plain(buf, len && buf[len - 1] == '\n' ? len - 1 : len))
		return NULL;
	memcpy(text, buf, len);
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	text[len] = '\0';
	return text + strspn(text, " \t");
}

/*
 * One write: what may be answered. A right one changes @m, and nothing else does.
 */
static unsigned long model_write(struct model *m, enum file which, const char *buf, size_t len,
				 long long offset)
{
	char text[MAX_VALUE + 1], *start;

	if (which == FUNCTIONS)
		return model_functions(m, buf, len, offset);
	start = value_in_line(text, buf, len);
	if (!start)
		return E(EINVAL);
	switch (which) {
	case CONTROL:
		return model_control(m, start);
	case HITS:
		return strcmp(start, "0") ? E(EINVAL) : RIGHT;
	case METHOD:
		return model_method(m, start);
	case OPS:
		return model_ops(m, start);
	case REACH:
		return model_reach(m, start);
	case CALL:
		return model_call(start);
	case KPROBE:
		return model_kprobe(m, start);
	default:
		return E(EACCES);
	}
}

#endif /* BAD_INPUT_MODEL_H */
