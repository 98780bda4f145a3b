// SPDX-License-Identifier: GPL-2.0
/*
 * What libbpf and libelf of Debian 13 need that a static program has not from elsewhere: names
 * of the C library since 2.38, for older ones, and a part of elfutils that libelf.a lacks.
 */
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

long __isoc23_strtol(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base);
int __isoc23_sscanf(const char *text, const char *format, ...);
int __isoc23_fscanf(FILE *file, const char *format, ...);

long __isoc23_strtol(const char *text, char **end, int base)
{
	return strtol(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
	return strtoull(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsscanf(text, format, arguments);
	va_end(arguments);
	return n;
}

int __isoc23_fscanf(FILE *file, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vfscanf(file, format, arguments);
	va_end(arguments);
	return n;
}

/* elfutils' lib/eu-search.h; a lock may follow, which one thread does not need */
struct search_tree {
	void *root;
};

typedef int (*compare_t)(const void *a, const void *b);

void eu_search_tree_init(struct search_tree *tree);
void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *node));
void *eu_tsearch(const void *key, struct search_tree *tree, compare_t compare);
void *eu_tdelete(const void *key, struct search_tree *tree, compare_t compare);

void eu_search_tree_init(struct search_tree *tree)
{
	tree->root = NULL;
}

void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *node))
{
	tdestroy(tree->root, free_node);
}

void *eu_tsearch(const void *key, struct search_tree *tree, compare_t compare)
{
	return tsearch(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct search_tree *tree, compare_t compare)
{
	return tdelete(key, &tree->root, compare);
}
