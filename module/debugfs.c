// SPDX-License-Identifier: GPL-2.0
/*
 * The directory in debugfs, and its small files: one value or one command each.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

#include "fdirect.h"

/**
 * struct small_file - a file that is one page at most
 * @name: its name
 * @mode: its permissions
 * @show: prints it, or NULL if it cannot be read
 * @store: takes what has been written, without blanks around it; may change the text
 */
struct small_file {
	const char *name;
	umode_t mode;
	int (*show)(struct seq_file *m);
	int (*store)(char *value);
};

static const struct small_file small_files[] = {
	{ "available_methods",	0400, fdirect_available_show,	NULL },
	{ "call",		0600, fdirect_call_show,	fdirect_call_store },
	{ "control",		0200, NULL,			fdirect_control_store },
	{ "kprobe",		0600, fdirect_kprobe_show,	fdirect_kprobe_store },
	{ "last_error",		0400, fdirect_last_error_show,	NULL },
	{ "method",		0600, fdirect_method_show,	fdirect_method_store },
	{ "ops",		0600, fdirect_slot_show,	fdirect_slot_store },
	{ "reach",		0600, fdirect_reach_show,	fdirect_reach_store },
	{ "status",		0400, fdirect_status_show,	NULL },
	{ "times",		0400, fdirect_times_show,	NULL },
};

static struct dentry *dir;

static int small_show(struct seq_file *m, void *v)
{
	const struct small_file *small = m->private;
	int err;

	/* To seek is to read: lseek(2) comes here for files that are only written, too. */
	if (!small->show)
		return 0;
	if (mutex_lock_interruptible(&fdirect_lock))
		return -EINTR;
	err = small->show(m);
	mutex_unlock(&fdirect_lock);
	return err;
}

static int small_open(struct inode *inode, struct file *file)
{
	const struct small_file *small = inode->i_private;

	/* The modes do not stop root. */
	if (((file->f_mode & FMODE_READ) && !small->show) ||
	    ((file->f_mode & FMODE_WRITE) && !small->store))
		return -EACCES;
	return single_open(file, small_show, inode->i_private);
}

static ssize_t small_write(struct file *file, const char __user *from, size_t count,
			   loff_t *ppos)
{
	const struct small_file *small = file_inode(file)->i_private;

	return fdirect_write_value(small->name, small->store, from, count);
}

static const struct file_operations small_fops = {
	.owner		= THIS_MODULE,
	.open		= small_open,
	.read		= seq_read,
	.write		= small_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* Whether @file is there: a module without one of its files is of no use. */
static int __init made(const char *name, struct dentry *file)
{
	if (!IS_ERR(file))
		return 0;
	pr_err("no file %s in debugfs (%ld)\n", name, PTR_ERR(file));
	return PTR_ERR(file);
}

static int __init make_files(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(small_files); i++)
		err = made(small_files[i].name,
			   debugfs_create_file(small_files[i].name, small_files[i].mode, dir,
					       (void *)&small_files[i], &small_fops));
	if (!err)
		err = made("functions", debugfs_create_file("functions", 0600, dir, NULL,
							    &fdirect_functions_fops));
	if (!err)
		err = made("hits", debugfs_create_file("hits", 0600, dir, NULL,
						       &fdirect_hits_fops));
	return err;
}

/**
 * fdirect_debugfs_init - make the directory and its files
 *
 * The last step of loading: from here on commands can come in.
 *
 * Return: 0 or a negative errno
 */
int __init fdirect_debugfs_init(void)
{
	int err;

	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	if (IS_ERR(dir)) {
		pr_err("no directory %s in debugfs (%ld)\n", KBUILD_MODNAME, PTR_ERR(dir));
		return PTR_ERR(dir);
	}
	/* debugfs makes every directory readable for all. */
	inode_lock(d_inode(dir));
	d_inode(dir)->i_mode = S_IFDIR | 0700;
	inode_unlock(d_inode(dir));

	err = make_files();
	if (err)
		debugfs_remove(dir);
	return err;
}

/**
 * fdirect_debugfs_exit - remove the directory
 *
 * Waits for handlers that are still running. They take fdirect_lock, so the caller
 * must not hold it.
 */
void fdirect_debugfs_exit(void)
{
	debugfs_remove(dir);
}
