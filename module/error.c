// SPDX-License-Identifier: GPL-2.0
/*
 * The reason of the last refusal, in a sentence.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/seq_file.h>
#include <linux/stdarg.h>
#include <linux/string_helpers.h>

#include "fdirect.h"

/* Under fdirect_lock. Empty if the last command succeeded. */
static char last_error[512];

/**
 * fdirect_fail - refuse something and keep the reason
 * @err: what the writer gets, a negative errno
 * @fmt: the reason, without a newline; names of files come first
 *
 * Return: @err
 */
int fdirect_fail(int err, const char *fmt, ...)
{
	va_list args;

	lockdep_assert_held(&fdirect_lock);
	va_start(args, fmt);
	vscnprintf(last_error, sizeof(last_error), fmt, args);
	va_end(args);
	return err;
}

/**
 * fdirect_unreadable - refuse what cannot be copied from the writer
 * @file: name of the file
 *
 * Return: -EFAULT
 */
int fdirect_unreadable(const char *file)
{
	return fdirect_fail(-EFAULT, "%s: the text cannot be read from the memory of the writer",
			    file);
}

/**
 * fdirect_fail_clear - note a success
 */
void fdirect_fail_clear(void)
{
	lockdep_assert_held(&fdirect_lock);
	last_error[0] = '\0';
}

/**
 * fdirect_quote - make what somebody has written fit to be shown
 * @buf: where to put it
 * @size: room there; what does not fit is cut off
 * @text: what was written, any bytes
 * @len: how many
 *
 * Return: @buf, which holds one line of plain ASCII
 */
const char *fdirect_quote(char *buf, size_t size, const char *text, size_t len)
{
	int used = string_escape_mem(text, len, buf, size, ESCAPE_ANY | ESCAPE_NAP, NULL);

	buf[min_t(size_t, used, size - 1)] = '\0';
	return buf;
}

/**
 * fdirect_last_error_show - the file last_error
 * @m: where to print
 *
 * Return: 0
 */
int fdirect_last_error_show(struct seq_file *m)
{
	if (last_error[0])
		seq_printf(m, "%s\n", last_error);
	return 0;
}

/**
 * fdirect_ftrace_reason - what an error of ftrace's direct calls means
 * @err: the negative errno
 *
 * Return: words that go into a sentence
 */
const char *fdirect_ftrace_reason(int err)
{
	switch (err) {
	case -EBUSY:
		return "one of them has a direct call already, or is live-patched";
	case -ENODEV:
		return "one of them is no function that ftrace can patch, or ftrace is shut down";
	case -ENOMEM:
		return "out of memory";
	case -EINVAL:
		return "invalid for this ftrace_ops";
	case -EIO:
		return "a call site cannot be patched, ftrace is off, and the module stays loaded";
	case -EINTR:
		return "interrupted";
	default:
		return "failed";
	}
}
