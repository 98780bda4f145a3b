// SPDX-License-Identifier: GPL-2.0
/*
 * The far stubs: a copy of the stubs that no call site reaches with a BL, on arm64.
 */
#include <linux/err.h>
#include <linux/vmalloc.h>

#include "far_copy.h"
#include "fdirect.h"

/* Under fdirect_lock, or while nobody else is in this module. */
static void *far_text;

/**
 * fdirect_far_init - make the copy, unless there is one
 * @why: gets the reason of an error, in words that go into a sentence
 *
 * Return: 0 or a negative errno
 */
int fdirect_far_init(const char **why)
{
	void *text;

	if (far_text)
		return 0;
	text = far_copy(fdirect_stub_text, fdirect_stub_text_end - fdirect_stub_text,
			fdirect_symbol, why);
	if (IS_ERR(text))
		return PTR_ERR(text);
	far_text = text;
	return 0;
}

/**
 * fdirect_far_exit - free the copy
 *
 * Nothing may be attached to it, and no task may be in it.
 */
void fdirect_far_exit(void)
{
	/* The area has VM_FLUSH_RESET_PERMS: its pages become ordinary ones again. */
	vfree(far_text);
	far_text = NULL;
}

/**
 * fdirect_far_offset - how far it is from a near stub to the far one
 *
 * Return: the distance in bytes, 0 if there are no far stubs
 */
unsigned long fdirect_far_offset(void)
{
	return far_text ? (unsigned long)far_text - (unsigned long)fdirect_stub_text : 0;
}
