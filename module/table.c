// SPDX-License-Identifier: GPL-2.0
/*
 * The files with a line for each function: functions and hits.
 *
 * A file of 40,000 lines takes many reads, and fdirect_lock is not held from one to
 * the next. If the selection is replaced in between, the reader gets -ESTALE rather
 * than a mixture of two lists.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fdirect.h"

/* The selection that an open file has begun to read. */
struct reader {
	u64 generation;
};

/* Takes fdirect_lock, unless it returns an error. */
static void *table_start(struct seq_file *m, loff_t *pos)
{
	struct reader *reader = m->private;
	struct fdirect_selection *sel;

	if (mutex_lock_interruptible(&fdirect_lock))
		return ERR_PTR(-EINTR);
	sel = fdirect_selection();
	if (!*pos)
		reader->generation = sel ? sel->generation : 0;
	if (reader->generation != (sel ? sel->generation : 0)) {
		mutex_unlock(&fdirect_lock);
		return ERR_PTR(-ESTALE);
	}
	return sel && *pos < sel->nr ? &sel->funcs[*pos] : NULL;
}

static void *table_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct fdirect_selection *sel = fdirect_selection();

	++*pos;
	return *pos < sel->nr ? &sel->funcs[*pos] : NULL;
}

static void table_stop(struct seq_file *m, void *v)
{
	if (!IS_ERR(v))
		mutex_unlock(&fdirect_lock);
}

static unsigned int index_of(const struct fdirect_func *f)
{
	return f - fdirect_selection()->funcs;
}

static int functions_show(struct seq_file *m, void *v)
{
	const struct fdirect_func *f = v;

	seq_printf(m, "%u 0x%lx %s\n", index_of(f), f->ip, f->name);
	return 0;
}

static int hits_show(struct seq_file *m, void *v)
{
	const struct fdirect_func *f = v;

	if (f->method == FDIRECT_NONE)
		seq_printf(m, "%u 0x%lx - 0 %s\n", index_of(f), f->ip, f->name);
	else
		seq_printf(m, "%u 0x%lx %u %llu %s\n", index_of(f), f->ip, f->target.stub,
			   fdirect_stub_hits(f->target.stub), f->name);
	return 0;
}

static const struct seq_operations functions_seq_ops = {
	.start	= table_start,
	.next	= table_next,
	.stop	= table_stop,
	.show	= functions_show,
};

static const struct seq_operations hits_seq_ops = {
	.start	= table_start,
	.next	= table_next,
	.stop	= table_stop,
	.show	= hits_show,
};

static int functions_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &functions_seq_ops, sizeof(struct reader));
}

static int hits_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &hits_seq_ops, sizeof(struct reader));
}

static ssize_t functions_write(struct file *file, const char __user *from, size_t count,
			       loff_t *ppos)
{
	bool readable = true;
	char *text = NULL;
	int err = 0;

	/* Copied before the lock is taken: the pages of the writer may take their time. */
	if (!*ppos && count <= FDIRECT_MAX_LIST) {
		text = kvmalloc(count, GFP_KERNEL);
		readable = !text || !copy_from_user(text, from, count);
	}

	if (mutex_lock_interruptible(&fdirect_lock)) {
		kvfree(text);
		return -EINTR;
	}
	if (count > FDIRECT_MAX_LIST)
		err = fdirect_fail(-EFBIG, "functions: %zu bytes; a list has at most %u", count,
				   FDIRECT_MAX_LIST);
	else if (*ppos)
		err = fdirect_fail(-EINVAL,
				   "functions: a write at offset %lld; the whole list goes into one write at offset 0",
				   *ppos);
	else if (!text)
		err = fdirect_fail(-ENOMEM, "functions: out of memory");
	else if (!readable)
		err = fdirect_unreadable("functions");
	else
		err = fdirect_selection_write(text, count);
	if (!err)
		fdirect_fail_clear();
	mutex_unlock(&fdirect_lock);
	kvfree(text);
	if (err)
		return err;
	*ppos += count;
	return count;
}

static int hits_store(char *value)
{
	if (strcmp(value, "0"))
		return fdirect_fail(-EINVAL, "hits: only 0 can be written, to count from there");
	fdirect_hits_reset();
	return 0;
}

static ssize_t hits_write(struct file *file, const char __user *from, size_t count,
			  loff_t *ppos)
{
	return fdirect_write_value("hits", hits_store, from, count);
}

const struct file_operations fdirect_functions_fops = {
	.owner		= THIS_MODULE,
	.open		= functions_open,
	.read		= seq_read,
	.write		= functions_write,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

const struct file_operations fdirect_hits_fops = {
	.owner		= THIS_MODULE,
	.open		= hits_open,
	.read		= seq_read,
	.write		= hits_write,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};
