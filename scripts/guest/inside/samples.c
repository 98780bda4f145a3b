// SPDX-License-Identifier: GPL-2.0
/*
 * The only program of a guest whose architecture has no C library in Debian. It is compiled with
 * the kernel's nolibc. The kernel's samples of direct calls are loaded, alone and while all
 * functions are traced: each writes a line to the trace for every call that reaches it.
 */
#define TRACING	"/sys/kernel/tracing/"

static int tests, failures;

static void result(bool ok, const char *what, const char *why)
{
	failures += !ok;
	printf("%sok %d - %s%s%s\n", ok ? "" : "not ", ++tests, what, *why ? ": " : "", why);
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	ssize_t written = 1;

	/* A file may take one word at a time. */
	while (*text && (written = write(fd, text, strlen(text))) > 0)
		text += written;
	close(fd);
	return written > 0;
}

/* Whether the trace has a line with this text */
static bool traced(const char *text)
{
	static char line[4096 + 1];
	int fd = open(TRACING "trace", O_RDONLY), have = 0, n;
	bool found = false;

	while (!found && (n = read(fd, line + have, sizeof(line) - 1 - have)) > 0) {
		line[have += n] = '\0';
		found = strstr(line, text);
		/* A text may begin in what was read, and end in what comes */
		n = have < 64 ? have : 64;
		memmove(line, line + have - n, n);
		have = n;
	}
	close(fd);
	return found;
}

static bool comes(const char *text)
{
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (traced(text))
			return true;
		msleep(100);
	}
	return false;
}

/* The function tracer writes this for the functions that the samples trace */
static const char by_tracer[] = "schedule <-";

static void sample(const char *name, const char *tracer, const char *first, const char *second)
{
	const bool both = !strcmp(tracer, "function");
	char path[64], what[96], module[64], *dash;
	int fd;

	snprintf(path, sizeof(path), "/samples/%s.ko", name);
	snprintf(what, sizeof(what), "%s, tracer %s", name, tracer);
	snprintf(module, sizeof(module), "%s", name);
	while ((dash = strchr(module, '-')))
		*dash = '_';
	fd = open(path, O_RDONLY);
	if (fd < 0) {
		printf("ok %d - %s # SKIP this kernel has no such sample\n", ++tests, what);
		return;
	}
	if (!put(TRACING "current_tracer", tracer) || !put(TRACING "trace", " "))
		result(false, what, "the tracer cannot be set");
	else if (syscall(__NR_finit_module, fd, "", 0))
		result(false, what, strerror(errno));
	else if (!comes(first) || (second && !comes(second)))
		result(false, what, "a call has not come to the sample");
	else if (both && !comes(by_tracer))
		result(false, what, "a call has not come to the tracer");
	else if (syscall(__NR_delete_module, module, 0))
		result(false, what, strerror(errno));
	else if (!put(TRACING "trace", " ") || (both && !comes(by_tracer)))
		result(false, what, "the tracer sees no call after the sample has gone");
	else if (msleep(200), traced(first) || (second && traced(second)))
		result(false, what, "a call has come to a sample that has gone");
	else
		result(true, what, "");
	close(fd);
}

int main(void)
{
	static const char *const tracers[] = { "nop", "function" };
	size_t i;

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	printf("KTAP version 1\n");
	result(put(TRACING "set_ftrace_filter", "schedule wake_up_process"), "functions to trace", "");
	for (i = 0; i < 2; i++) {
		sample("ftrace-direct", tracers[i], "waking up", NULL);
		sample("ftrace-direct-modify", tracers[i], "my direct func1", "my direct func2");
		sample("ftrace-direct-multi", tracers[i], ": ip ", NULL);
		sample("ftrace-direct-multi-modify", tracers[i], "my direct func1 ip", "my direct func2 ip");
	}
	printf("1..%d\n# the run has ended\n", tests);
	reboot(LINUX_REBOOT_CMD_POWER_OFF);
	return 1;
}
