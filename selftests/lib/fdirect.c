// SPDX-License-Identifier: GPL-2.0
#include <sys/utsname.h>

#include "fdirect.h"

int checks_done, checks_failed;
char skip_reason[256];

bool check(bool ok, int line, const char *what, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	checks_done++;
	if (ok)
		return true;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* A broken promise tends to break a thousand times over. */
	if (checks_failed++ < 10)
		ksft_print_msg("line %d: not %s: %s\n", line, what, text);
	return false;
}

long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

char *slurp(const char *path)
{
	size_t size = 65536, len = 0;
	char *buf = malloc(size + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || !buf) {
		free(buf);
		return NULL;
	}
	while ((n = read(fd, buf + len, size - len)) > 0) {
		len += n;
		if (len == size) {
			size *= 2;
			buf = realloc(buf, size + 1);
			if (!buf)
				exit(KSFT_FAIL);
		}
	}
	close(fd);
	if (n < 0) {
		free(buf);
		return NULL;
	}
	buf[len] = '\0';
	return buf;
}

char *must_slurp(const char *path)
{
	char *text = slurp(path);

	if (!text)
		ksft_exit_fail_msg("%s: %s\n", path, strerror(errno));
	return text;
}

int write_file(const char *path, const char *buf, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	n = write(fd, buf, len);
	if (n < 0)
		err = errno;
	else if ((size_t)n != len)
		err = EMSGSIZE;
	close(fd);
	return err;
}

int write_words(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags), err = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	for (; *text && !err; text += n) {
		n = write(fd, text, strlen(text));
		if (n < 0)
			err = errno;
	}
	close(fd);
	return err;
}

int put(const char *path, const char *fmt, ...)
{
	char *text;
	va_list args;
	int len, err;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return ENOMEM;
	err = write_file(path, text, len);
	free(text);
	return err;
}

const char *errname(int err)
{
	static char number[32];
	const char *name = err ? strerrorname_np(err) : "success";

	snprintf(number, sizeof(number), "errno %d", err);
	return name ? name : number;
}

char *first_line(const char *path)
{
	char *text = must_slurp(path);

	text[strcspn(text, "\n")] = '\0';
	return text;
}

long long value_in(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text) {
		if (!strncmp(text, key, len) && text[len] == ' ')
			return atoll(text + len + 1);
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return -1;
}

long long value_of(const char *path, const char *key)
{
	char *text = must_slurp(path);
	long long value = value_in(text, key);

	free(text);
	return value;
}

long long status(const char *key)
{
	return value_of(FDIRECT "status", key);
}

size_t read_hits(struct hit **hits)
{
	char *text = must_slurp(FDIRECT "hits"), *line, *next = text;
	size_t n = 0, size = 1024;
	struct hit *h = calloc(size, sizeof(*h));
	char stub[16];

	while ((line = strsep(&next, "\n")) && *line) {
		if (n == size) {
			size *= 2;
			h = realloc(h, size * sizeof(*h));
		}
		if (!h)
			exit(KSFT_FAIL);
		if (sscanf(line, "%u %lx %15s %lu %127[^\n]", &h[n].index, &h[n].site,
			   stub, &h[n].hits, h[n].name) != 5)
			ksft_exit_fail_msg("hits: cannot read line \"%s\"\n", line);
		h[n].stub = strcmp(stub, "-") ? atol(stub) : -1;
		n++;
	}
	free(text);
	*hits = h;
	return n;
}

char *read_trace(const char *dir)
{
	static char buf[65536];
	char path[PATH_MAX];
	size_t len = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%strace_pipe", dir);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	while (len < sizeof(buf) - 1 && (n = read(fd, buf + len, sizeof(buf) - 1 - len)) > 0)
		len += n;
	close(fd);
	buf[len] = '\0';
	return buf;
}

char *enabled_functions(void)
{
	char *text = must_slurp(TRACEFS "enabled_functions"), *from = text, *to = text, *size;

	while ((size = strstr(from, "/0x"))) {
		memmove(to, from, size - from);
		to += size - from;
		from = size + strcspn(size, "\n )");
	}
	memmove(to, from, strlen(from) + 1);
	return text;
}

static bool module_there(void)
{
	return !access(FDIRECT "status", F_OK);
}

struct picture take_picture(void)
{
	struct picture p = { .enabled = enabled_functions() };

	if (module_there()) {
		p.functions = must_slurp(FDIRECT "functions");
		p.hits = must_slurp(FDIRECT "hits");
		p.status = must_slurp(FDIRECT "status");
		p.method = must_slurp(FDIRECT "method");
		p.ops = must_slurp(FDIRECT "ops");
		p.reach = must_slurp(FDIRECT "reach");
	}
	return p;
}

void free_picture(struct picture *p)
{
	free(p->enabled);
	free(p->functions);
	free(p->hits);
	free(p->status);
	free(p->method);
	free(p->ops);
	free(p->reach);
	memset(p, 0, sizeof(*p));
}

bool same_text(const char *what, const char *before, const char *after)
{
	size_t i, start = 0;

	if (!before || !after)
		return before == after;
	for (i = 0; before[i] && before[i] == after[i]; i++)
		if (before[i] == '\n')
			start = i + 1;
	if (before[i] == after[i])
		return true;
	ksft_print_msg("%s was \"%.*s\"\n", what, (int)strcspn(before + start, "\n"),
		       before + start);
	ksft_print_msg("%s is  \"%.*s\"\n", what, (int)strcspn(after + start, "\n"),
		       after + start);
	return false;
}

bool as_before(struct picture *before)
{
	struct picture now = take_picture();
	bool same = true;

	same &= same_text("enabled_functions", before->enabled, now.enabled);
	same &= same_text("functions", before->functions, now.functions);
	same &= same_text("hits", before->hits, now.hits);
	same &= same_text("status", before->status, now.status);
	same &= same_text("method", before->method, now.method);
	same &= same_text("ops", before->ops, now.ops);
	same &= same_text("reach", before->reach, now.reach);
	free_picture(&now);
	free_picture(before);
	return same;
}

bool last_error_is_empty(void)
{
	char *text = must_slurp(FDIRECT "last_error");
	bool empty = !text[strspn(text, "\n")];

	free(text);
	return empty;
}

bool last_error_has(const char *part)
{
	char *text = must_slurp(FDIRECT "last_error");
	bool has = strstr(text, part);

	if (!has)
		ksft_print_msg("last_error is \"%.*s\"\n", (int)strcspn(text, "\n"), text);
	free(text);
	return has;
}

void refused_at(int line, const char *file, const char *text, size_t len, int want)
{
	struct picture before = take_picture();
	char path[PATH_MAX];
	int show = len < 60 ? len : 60, err;

	snprintf(path, sizeof(path), FDIRECT "%s", file);
	err = write_file(path, text, len);
	check(err == want, line, "refused as promised", "%s < \"%.*s\" (%zu bytes): %s, not %s",
	      file, show, text, len, errname(err), errname(want));
	check(as_before(&before), line, "as before", "%s < \"%.*s\" changed something",
	      file, show, text);
	check(!last_error_is_empty(), line, "told why", "%s < \"%.*s\" left last_error empty",
	      file, show, text);
}

const struct rare_syscall rare_syscalls[RARE_SYSCALLS] = {
	{ "getpgid", SYS_getpgid, { 0 } },
	{ "getsid", SYS_getsid, { 0 } },
	{ "getpriority", SYS_getpriority, { PRIO_PROCESS, 0 } },
	{ "sched_get_priority_max", SYS_sched_get_priority_max, { 1 } },
	{ "sched_get_priority_min", SYS_sched_get_priority_min, { 1 } },
	{ "sched_getscheduler", SYS_sched_getscheduler, { 0 } },
	{ "sched_getparam", SYS_sched_getparam, { -1 } },
	{ "sched_rr_get_interval", SYS_sched_rr_get_interval, { -1 } },
	{ "sysinfo", SYS_sysinfo, { 0 } },
	{ "getitimer", SYS_getitimer, { -1 } },
	{ "times", SYS_times, { 0 } },
	{ SYS_NAME_PERSONALITY, SYS_personality, { 0xffffffff } },
	{ "ioprio_get", SYS_ioprio_get, { 1, 0 } },
	{ "timer_getoverrun", SYS_timer_getoverrun, { -1 } },
	{ "mincore", SYS_mincore, { 1 } },
	{ "capget", SYS_capget, { 0 } },
	{ "get_robust_list", SYS_get_robust_list, { -1 } },
	{ "getgroups", SYS_getgroups, { -1 } },
	{ "readahead", SYS_readahead, { -1 } },
	{ "flock", SYS_flock, { -1, 8 } },
	{ "syncfs", SYS_syncfs, { -1 } },
	{ "tee", SYS_tee, { -1, -1, 0, 1 } },
	{ "getpeername", SYS_getpeername, { -1 } },
	{ "listen", SYS_listen, { -1 } },
};

void call_syscall(size_t i, unsigned int times)
{
	const struct rare_syscall *s = &rare_syscalls[i];

	while (times--)
		syscall(s->number, s->arg[0], s->arg[1], s->arg[2], s->arg[3]);
}

int call_peers(int first, int count, int base, int step)
{
	return put(PEER "call", "%d %d %d %d", first, count, base, step);
}

const char *peer_name(int peer)
{
	static char text[16][40];
	static int next;
	char *t = text[next++ % 16];

	snprintf(t, sizeof(text[0]), "fdirect_peer:fdirect_peer_%03x", peer);
	return t;
}

size_t peer_sites(unsigned long sites[PEERS])
{
	char *text = must_slurp(TRACEFS "available_filter_functions_addrs");
	char *line, *next = text;
	unsigned long ip;
	unsigned int peer;
	size_t n = 0;

	while ((line = strsep(&next, "\n"))) {
		if (sscanf(line, "%lx fdirect_peer_%3x", &ip, &peer) != 2 || peer >= PEERS)
			continue;
		sites[peer] = ip;
		n++;
	}
	free(text);
	return n;
}

int by_text(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

/* Whether two symbols have this name, and not one that an unnamed function lies behind */
static bool has_two_symbols(const char *symbols, const char *name)
{
	char line[256];
	const char *first;

	snprintf(line, sizeof(line), " %s\n", name);
	first = strstr(symbols, line);
	return first && strstr(first + 1, line);
}

char *ambiguous_name(void)
{
	char *symbols = must_slurp("/proc/kallsyms");
	char *text = must_slurp(TRACEFS "available_filter_functions"), *line, *next = text;
	char **names = calloc(200000, sizeof(*names)), *found = NULL;
	size_t n = 0, i;

	while (n < 200000 && (line = strsep(&next, "\n")) && *line)
		if (!strchr(line, ' '))
			names[n++] = line;
	qsort(names, n, sizeof(*names), by_text);
	for (i = 1; i < n && !found; i++)
		if (!strcmp(names[i], names[i - 1]) && has_two_symbols(symbols, names[i]))
			found = strdup(names[i]);
	free(names);
	free(symbols);
	free(text);
	return found;
}

void add(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	if (t->size - t->len < 256) {
		t->size = 2 * t->size + 4096;
		t->s = realloc(t->s, t->size);
		if (!t->s)
			exit(KSFT_FAIL);
	}
	va_start(args, fmt);
	n = vsnprintf(t->s + t->len, t->size - t->len, fmt, args);
	va_end(args);
	t->len += n;
}

void add_peers(struct text *t, int first, int count)
{
	int i;

	for (i = first; i < first + count; i++)
		add(t, "%s\n", peer_name(i));
}

void add_syscalls(struct text *t, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		add(t, SYSCALL_PREFIX "%s\n", rare_syscalls[i].name);
}

int choose(struct text *t)
{
	int err = write_file(FDIRECT "functions", t->s, t->len);

	free(t->s);
	memset(t, 0, sizeof(*t));
	return err;
}

int choose_peers(int count)
{
	struct text t = { };

	add_peers(&t, 0, count);
	return choose(&t);
}

struct text selection(void)
{
	char *text = must_slurp(FDIRECT "functions"), *line, *next = text;
	struct text t = { };
	char site[32];

	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%*u %31s", site) == 1)
			add(&t, "%s\n", site);
	free(text);
	return t;
}

size_t add_each_kernel_function(struct text *t, size_t count, size_t step)
{
	char *text = must_slurp(TRACEFS "available_filter_functions_addrs");
	char *line, *next = text, *name;
	size_t i, n = 0, seen = 0;

	while (n < count && (line = strsep(&next, "\n")) && *line) {
		name = strchr(line, ' ');
		if (!name || strchr(name, '[') || strstr(name, "__ftrace_invalid_address"))
			continue;
		*name++ = '\0';
		if (!strncmp(name, SYSCALL_PREFIX, strlen(SYSCALL_PREFIX))) {
			for (i = 0; i < RARE_SYSCALLS; i++)
				if (!strcmp(name + strlen(SYSCALL_PREFIX), rare_syscalls[i].name))
					break;
			if (i < RARE_SYSCALLS)
				continue;
		}
		if (seen++ % step)
			continue;
		add(t, "%s%s\n", strncmp(line, "0x", 2) ? "0x" : "", line);
		n++;
	}
	free(text);
	return n;
}

size_t add_kernel_functions(struct text *t, size_t count)
{
	return add_each_kernel_function(t, count, 1);
}

int lines_of(const char *text)
{
	int lines = 0;

	while ((text = strchr(text, '\n'))) {
		lines++;
		text++;
	}
	return lines;
}

int sites_enabled(void)
{
	char *text = enabled_functions();
	int lines = lines_of(text);

	free(text);
	return lines;
}

int count_enabled(const char *text)
{
	int n = 0;

	for (; *text; text = strchr(text, '\n') + 1)
		n += *text != '\t';
	return n;
}

int functions_enabled(void)
{
	char *text = enabled_functions();
	int n = count_enabled(text);

	free(text);
	return n;
}

bool wait_for_change(int from, int change)
{
	int tries, now;

	for (tries = 0; tries < 6000; tries++) {
		now = sites_enabled();
		if (change > 0 ? now >= from + change : now <= from + change)
			return true;
		usleep(5000);
	}
	return false;
}

int signal_of(pid_t child)
{
	int wstatus = 0;

	if (waitpid(child, &wstatus, 0) != child)
		return -1;
	return WIFSIGNALED(wstatus) ? WTERMSIG(wstatus) : 0;
}

int asked_for(const char *variable)
{
	const char *text = getenv(variable);
	int number = text ? atoi(text) : 0;

	return number > 0 ? number : 0;
}

static char *expedited;
static pid_t expediter;

static void be_patient(void)
{
	/* The program's children come here, too. */
	if (getpid() != expediter)
		return;
	put(EXPEDITED, "%s", expedited ?: "0");
	free(expedited);
}

void expedite(void)
{
	expediter = getpid();
	expedited = slurp(EXPEDITED);
	put(EXPEDITED, "1");
	atexit(be_patient);
}

bool loaded(const char *module)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

int open_module(const char *module)
{
	char self[PATH_MAX / 2] = "", path[PATH_MAX];
	const char * const dirs[] = { getenv("FDIRECT_MODULES"), self, "/fdirect/modules" };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 16);
	size_t i;
	int fd;

	if (n > 0) {
		self[n] = '\0';
		*strrchr(self, '/') = '\0';
		strcat(self, "/ko");
	}
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (!dirs[i])
			continue;
		snprintf(path, sizeof(path), "%s/%s.ko", dirs[i], module);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

bool module_file_there(const char *module)
{
	int fd = open_module(module);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int load_with(const char *module, const char *parameters)
{
	int fd = open_module(module), err;

	if (fd < 0)
		return errno;
	err = syscall(SYS_finit_module, fd, parameters, 0) ? errno : 0;
	close(fd);
	return err;
}

int load(const char *module)
{
	return load_with(module, "");
}

int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? errno : 0;
}

int unload_soon(const char *module)
{
	long long start = now_ms();
	int err;

	while ((err = unload(module)) == IN_USE && now_ms() - start < STUCK)
		usleep(10000);
	return err;
}

bool reloaded(void)
{
	return CHECK(!unload("fdirect") && !load("fdirect"), "reloading fdirect.ko");
}

bool stay_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return !sched_setaffinity(0, sizeof(cpus), &cpus);
}

bool is_checked(void)
{
	return !access("/proc/lockdep_stats", F_OK);
}

bool has_far(void)
{
#if defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

bool has_regs(void)
{
#if defined(__aarch64__) || defined(__riscv)
	return false;
#else
	return true;
#endif
}

bool has_trampolines(void)
{
#if defined(__x86_64__)
	return true;
#else
	return false;
#endif
}

bool has_fprobes(void)
{
	char *text = must_slurp(TRACEFS "README");
	bool has = strstr(text, "<func-name>[%return]");

	free(text);
	return has;
}

bool has_hash(void)
{
	char *methods = must_slurp(FDIRECT "available_methods");
	bool has = strstr(methods, "hash");

	free(methods);
	return has;
}

bool is_linux_7(void)
{
	struct utsname name;

	uname(&name);
	return atoi(name.release) >= 7;
}

int most_programs(void)
{
#if defined(__x86_64__)
	return is_linux_7() ? 36 : MOST_PROGRAMS;
#elif defined(__s390x__)
	return 27;
#elif defined(__aarch64__)
	return is_linux_7() ? 37 : MOST_PROGRAMS;
#else
	return MOST_PROGRAMS;
#endif
}

int programs_that_fit(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return most_programs();
#else
	return most_programs() - 2;
#endif
}

void (*suite_restore)(void);

static void restore_fdirect(void)
{
	int err;

	if (!module_there())
		return;
	if (status("attached")) {
		err = fdirect("control", "detach");
		CHECK(!err, "detaching what the test left attached: %s", errname(err));
	}
	fdirect("method", has_hash() ? "hash" : "multi");
	fdirect("ops", "0");
	fdirect("reach", "near");
	fdirect("hits", "0");
}

const char *lacks(enum needs needs, bool hash)
{
	if ((needs == HASH || needs == HASH_FAR || needs == REGISTER_HASH ||
	     needs == UPDATE_DIRECT) && !hash)
		return "this kernel has no direct hash interface";
	if (needs == REGISTER_HASH && is_linux_7())
		return "the direct hash interface of Linux 7 is another one";
	if (needs == UPDATE_DIRECT && !is_linux_7())
		return "the direct hash interface is not that of Linux 7";
	if (needs == NO_HASH && hash)
		return "this kernel has the direct hash interface";
	if ((needs == FAR || needs == HASH_FAR) && !has_far())
		return "a call reaches every target on this architecture";
	if (needs == NO_FAR && has_far())
		return "a call does not reach every target on this architecture";
	return NULL;
}

static void run_test(const struct test *t, bool hash)
{
	const char *lack = lacks(t->needs, hash);
	struct picture before;
	long long start;
	char *now;

	if (lack) {
		ksft_test_result_skip("%s: %s\n", t->promise, lack);
		return;
	}

	checks_done = 0;
	checks_failed = 0;
	skip_reason[0] = '\0';
	before = (struct picture){ .enabled = enabled_functions() };
	start = now_ms();

	t->run();

	if (!checks_done && !skip_reason[0])
		CHECK(false, "the test checked nothing");
	restore_fdirect();
	if (suite_restore)
		suite_restore();
	now = enabled_functions();
	CHECK(same_text("enabled_functions", before.enabled, now), "the test left sites patched");
	free(now);
	free_picture(&before);
	ksft_print_msg("%lld ms, %d checks\n", now_ms() - start, checks_done);

	if (checks_failed)
		ksft_test_result_fail("%s\n", t->promise);
	else if (skip_reason[0])
		ksft_test_result_skip("%s: %s\n", t->promise, skip_reason);
	else
		ksft_test_result_pass("%s\n", t->promise);
}

void mount_at(const char *type, const char *dir, const char *probe)
{
	if (access(probe, F_OK) && mount(type, dir, type, 0, NULL) && errno != EBUSY)
		ksft_exit_skip("no %s at %s\n", type, dir);
}

void suite(const struct test *tests, size_t count, const char *const *modules)
{
	bool ours[8] = { false }, hash;
	struct text chosen;
	int err, n;
	size_t i;

	ksft_print_header();
	if (geteuid())
		ksft_exit_skip("needs root\n");
	mount_at("debugfs", "/sys/kernel/debug", "/sys/kernel/debug/tracing");
	mount_at("tracefs", "/sys/kernel/tracing", TRACEFS "enabled_functions");

	for (n = 0; modules[n]; n++) {
		if (loaded(modules[n]))
			continue;
		/* Without any modules there is nothing to test, without some it is broken. */
		if (!module_file_there(modules[n]) && !module_file_there("fdirect_peer"))
			ksft_exit_skip("no test modules for this kernel\n");
		err = load(modules[n]);
		if (err)
			ksft_exit_fail_msg("%s.ko does not load: %s\n", modules[n], strerror(err));
		ours[n] = true;
	}
	if (module_there() && status("attached"))
		ksft_exit_fail_msg("functions are attached already\n");
	hash = module_there() ? has_hash() : put(API "call", "helpers") != ENOTTY;
	chosen = module_there() ? selection() : (struct text){ };

	ksft_set_plan(count);
	for (i = 0; i < count; i++)
		run_test(&tests[i], hash);

	if (chosen.len)
		choose(&chosen);
	while (n--) {
		/* A BPF program that was closed has its module until a grace period is over */
		err = ours[n] && loaded(modules[n]) ? unload_soon(modules[n]) : 0;
		if (err)
			ksft_exit_fail_msg("%s.ko does not unload: %s\n", modules[n],
					   strerror(err));
	}
	ksft_print_cnts();
	if (ksft_get_fail_cnt())
		exit(KSFT_FAIL);
	exit(ksft_get_pass_cnt() ? KSFT_PASS : KSFT_SKIP);
}
