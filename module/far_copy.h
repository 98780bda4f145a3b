/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FAR_COPY_H
#define FAR_COPY_H

#include <linux/types.h>

void *far_copy(const void *text, size_t size, unsigned long (*find)(const char *name),
	       const char **why);

#endif /* FAR_COPY_H */
