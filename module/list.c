// SPDX-License-Identifier: GPL-2.0
/*
 * A list of functions, as it is written to debugfs, taken apart into lines.
 *
 * Only the form is judged here. resolve.c finds what the names mean.
 */
#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fdirect.h"

/* The most of a bad line that goes into the reason. */
#define SHOWN	64

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Cut the next word off: its start, or NULL at the end of the line. */
static char *next_word(char **rest, size_t *len)
{
	char *p = *rest;
	char *word;

	while (is_blank(*p))
		p++;
	if (!*p)
		return NULL;
	word = p;
	while (*p && !is_blank(*p))
		p++;
	*len = p - word;
	*rest = p;
	return word;
}

static int bad_line(unsigned int number, const char *text, size_t len, const char *why)
{
	char shown[4 * SHOWN + 1];

	fdirect_quote(shown, sizeof(shown), text, min_t(size_t, len, SHOWN));
	return fdirect_fail(-EINVAL, "functions:%u: \"%s\"%s %s", number, shown,
			    len > SHOWN ? "..." : "", why);
}

/*
 * Take one line apart; @text ends in a NUL, at @len. Nothing is cut before all of
 * it is known to be good, so that the reason can show the line as it was.
 */
static int parse_line(struct fdirect_line *line, char *text, size_t len)
{
	size_t name_len, module_len = 0, extra_len, i;
	char *name, *module, *colon;
	char *rest = text;

	for (i = 0; i < len; i++) {
		if (!isascii(text[i]) || (!isprint(text[i]) && text[i] != '\t'))
			return bad_line(line->number, text, len, "is not plain text");
	}

	name = next_word(&rest, &name_len);
	module = next_word(&rest, &module_len);
	if (next_word(&rest, &extra_len))
		return bad_line(line->number, text, len, "has more than a function and a [module]");

	if (name[0] == '0' && (name[1] == 'x' || name[1] == 'X')) {
		if (module)
			return bad_line(line->number, text, len, "has more than an address");
		name[name_len] = '\0';
		if (kstrtoul(name, 16, &line->addr))
			return bad_line(line->number, name, name_len, "is no address");
		return 0;
	}

	colon = memchr(name, ':', name_len);
	if (module) {
		if (colon || module_len < 3 || module[0] != '[' || module[module_len - 1] != ']')
			return bad_line(line->number, text, len,
					"is neither NAME, MODULE:NAME, NAME [MODULE] nor 0xADDRESS");
		module++;
		module_len -= 2;
	} else if (colon) {
		module = name;
		module_len = colon - name;
		name_len -= module_len + 1;
		name = colon + 1;
		if (!module_len || !name_len || memchr(name, ':', name_len))
			return bad_line(line->number, text, len,
					"is neither NAME, MODULE:NAME, NAME [MODULE] nor 0xADDRESS");
	}
	if (name_len >= KSYM_NAME_LEN || module_len >= MODULE_NAME_LEN)
		return bad_line(line->number, text, len, "is longer than any name");

	name[name_len] = '\0';
	line->name = name;
	if (module) {
		module[module_len] = '\0';
		line->module = module;
	}
	return 0;
}

/* Go through the lines up to the first that is bad. */
static int parse_lines(struct fdirect_list *list, size_t len)
{
	char *end = list->text + len;
	char *text, *newline;
	u32 number = 0;
	int err;

	for (text = list->text; text < end; text = newline + 1) {
		struct fdirect_line *line = &list->lines[list->nr];
		char *p = text;

		newline = memchr(text, '\n', end - text);
		*newline = '\0';
		number++;
		if (!(number % 1024))
			cond_resched();

		while (is_blank(*p))
			p++;
		if (p == newline || *p == '#')
			continue;
		if (list->nr == FDIRECT_MAX_FUNCTIONS)
			return fdirect_fail(-E2BIG, "functions:%u: more than %u functions",
					    number, FDIRECT_MAX_FUNCTIONS);
		memset(line, 0, sizeof(*line));
		line->number = number;
		err = parse_line(line, p, newline - p);
		if (err)
			return err;
		list->nr++;
		if (line->name)
			list->names++;
	}
	return 0;
}

/**
 * fdirect_list_parse - take a list of functions apart
 * @list: gets what is found
 * @text: the text; it is changed, and must outlive @list
 * @len: its length
 *
 * A line that is bad ends the list and is noted in it. So a mistake in a line
 * before it, found later, can still be the one that is reported.
 *
 * Return: 0 if @list has been filled and needs fdirect_list_free(), otherwise a
 * negative errno
 */
int fdirect_list_parse(struct fdirect_list *list, char *text, size_t len)
{
	unsigned int lines = 0;
	const char *p = text;

	memset(list, 0, sizeof(*list));
	if (!len)
		return fdirect_fail(-EINVAL, "functions: the list is empty");
	if (text[len - 1] != '\n')
		return fdirect_fail(-EINVAL,
				    "functions: the last line does not end in a newline; the whole list goes into one write");

	/* Room for the lines that may name a function, and for the one too many. */
	while (lines <= FDIRECT_MAX_FUNCTIONS && p < text + len) {
		p = (const char *)memchr(p, '\n', text + len - p) + 1;
		lines++;
	}
	list->lines = kvmalloc_array(lines, sizeof(*list->lines), GFP_KERNEL);
	if (!list->lines)
		return fdirect_fail(-ENOMEM, "functions: out of memory");
	list->text = text;
	list->err = parse_lines(list, len);
	if (!list->nr && !list->err)
		list->err = fdirect_fail(-EINVAL, "functions: the list names no function");
	return 0;
}

/**
 * fdirect_list_free - free what fdirect_list_parse() has allocated
 * @list: the list
 */
void fdirect_list_free(struct fdirect_list *list)
{
	kvfree(list->lines);
	list->lines = NULL;
}
