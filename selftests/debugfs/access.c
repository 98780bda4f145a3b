// SPDX-License-Identifier: GPL-2.0
/*
 * Everything in debugfs is root's alone: the modes, and a task without any right
 * that tries each file.
 */
#include <dirent.h>
#include <grp.h>

#include "fdirect.h"

#define NOBODY	65534

static const struct {
	const char *name;
	mode_t mode;
} files[] = {
	{ "functions", 0600 }, { "method", 0600 }, { "available_methods", 0400 },
	{ "ops", 0600 }, { "reach", 0600 }, { "control", 0200 }, { "status", 0400 },
	{ "hits", 0600 }, { "times", 0400 }, { "call", 0600 }, { "kprobe", 0600 },
	{ "last_error", 0400 },
};

static void modes(void)
{
	char path[PATH_MAX];
	struct dirent *d;
	struct stat st = { 0 };
	DIR *dir;
	size_t i;

	CHECK(!stat(FDIRECT, &st) && (st.st_mode & 07777) == 0700 && !st.st_uid && !st.st_gid,
	      "the directory has mode %o", st.st_mode & 07777);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), FDIRECT "%s", files[i].name);
		if (!CHECK(!stat(path, &st), "%s: %s", files[i].name, strerror(errno)))
			continue;
		CHECK((st.st_mode & 07777) == files[i].mode, "%s has mode %o, not %o",
		      files[i].name, st.st_mode & 07777, files[i].mode);
		CHECK(!st.st_uid && !st.st_gid, "%s is not root's", files[i].name);
	}
	/* Files that this list does not know are no more open than the others. */
	dir = opendir(FDIRECT);
	REQUIRE(dir, "the directory");
	while ((d = readdir(dir))) {
		snprintf(path, sizeof(path), FDIRECT "%s", d->d_name);
		if (d->d_name[0] != '.')
			CHECK(!stat(path, &st) && !(st.st_mode & 077), "%s has mode %o", d->d_name,
			      st.st_mode & 07777);
	}
	closedir(dir);
}

static const int ways[] = { O_RDONLY, O_WRONLY, O_RDWR };

/*
 * The ways that files could be opened, or were not refused with EACCES; 100: still
 * root. The task is in the directory before it loses its rights, so it is neither
 * debugfs's nor any other directory above that keeps it out.
 */
static int try_files(void)
{
	int open_files = 0, fd;
	size_t i, j;

	if (chdir(FDIRECT) || setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || !setuid(0))
		return 100;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		for (j = 0; j < ARRAY_SIZE(ways); j++) {
			fd = open(files[i].name, ways[j]);
			if (fd >= 0 || errno != EACCES)
				open_files++;
			if (fd >= 0 && ways[j] != O_RDONLY && write(fd, "detach", 6) < 0)
				continue;
		}
	}
	return open_files;
}

static int try_as_nobody(void)
{
	pid_t child = fork();
	int wstatus;

	if (!child)
		_exit(try_files());
	if (waitpid(child, &wstatus, 0) != child || !WIFEXITED(wstatus))
		return -1;
	return WEXITSTATUS(wstatus);
}

static void nobody(void)
{
	struct picture before;
	int n;

	REQUIRE(!choose_peers(8), "choosing functions");
	REQUIRE(!fdirect("control", "attach 2 4"), "attach");
	CHECK(!call_peers(0, 8, 4, 3), "calling");
	before = take_picture();
	n = try_as_nobody();
	CHECK(n == 0, "%d of %zu ways to open a file are everybody's", n,
	      ARRAY_SIZE(files) * ARRAY_SIZE(ways));
	CHECK(as_before(&before), "somebody without any right changed something");
}

/* The modes of the files hold by themselves, with the directory open to all. */
static void nobody_in_open_directory(void)
{
	struct picture before;
	int n;

	REQUIRE(!choose_peers(8) && !fdirect("control", "attach 2 4"), "attach");
	before = take_picture();
	REQUIRE(!chmod(FDIRECT, 0755), "chmod");
	n = try_as_nobody();
	CHECK(!chmod(FDIRECT, 0700), "chmod back");
	CHECK(n == 0, "%d of %zu ways to open a file are everybody's", n,
	      ARRAY_SIZE(files) * ARRAY_SIZE(ways));
	CHECK(as_before(&before), "somebody without any right changed something");
}

/* So the tests above can fail: what is open is found open. */
static void nobody_with_open_file(void)
{
	int n;

	REQUIRE(!chmod(FDIRECT, 0755) && !chmod(FDIRECT "status", 0444), "chmod");
	n = try_as_nobody();
	CHECK(!chmod(FDIRECT "status", 0400) && !chmod(FDIRECT, 0700), "chmod back");
	CHECK(n == 1, "%d ways to open a file, not just the one that was opened", n);
}

static const struct test tests[] = {
	{ "the directory and each file are root's, with the modes promised", modes },
	{ "a task without rights opens no file and changes nothing", nobody },
	{ "the files' own modes keep it out, too", nobody_in_open_directory },
	{ "a file made readable to all is noticed", nobody_with_open_file },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect");
}
