// SPDX-License-Identifier: GPL-2.0
/*
 * Writes to the files that take one value or one command.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fdirect.h"

/* Longer than any command, with its newline and the NUL. */
#define MAX_VALUE	80

/* One line of plain text, or the reason why not. */
static int check_value(const char *file, const char *text, size_t count)
{
	char shown[4 * MAX_VALUE];
	size_t i;

	for (i = 0; i < count; i++) {
		if (isascii(text[i]) && (isprint(text[i]) || text[i] == '\t'))
			continue;
		if (text[i] == '\n' && i == count - 1)
			continue;
		return fdirect_fail(-EINVAL, "%s: \"%s\" is not one line of plain text", file,
				    fdirect_quote(shown, sizeof(shown), text, count));
	}
	return 0;
}

/**
 * fdirect_write_value - a write to a file that takes one value or one command
 * @file: name of the file
 * @store: takes what has been written, without blanks around it; may change the text
 * @from: the text
 * @count: its length
 *
 * Return: @count, or a negative errno with the reason in last_error
 */
ssize_t fdirect_write_value(const char *file, int (*store)(char *value),
			    const char __user *from, size_t count)
{
	bool readable = true;
	char text[MAX_VALUE];
	int err;

	/* Copied before the lock is taken: the pages of the writer may take their time. */
	if (count < sizeof(text)) {
		readable = !copy_from_user(text, from, count);
		text[count] = '\0';
	}
	if (mutex_lock_interruptible(&fdirect_lock))
		return -EINTR;
	if (!readable)
		err = fdirect_unreadable(file);
	else if (count < sizeof(text))
		err = check_value(file, text, count) ?: store(strim(text));
	else
		err = fdirect_fail(-EINVAL, "%s: %zu bytes, longer than anything it takes", file,
				   count);
	if (!err)
		fdirect_fail_clear();
	mutex_unlock(&fdirect_lock);
	return err ?: count;
}
