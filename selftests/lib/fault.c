// SPDX-License-Identifier: GPL-2.0
#include "fault.h"

static unsigned int fault_every;	/* 0: what each call has */
static bool fault_all;			/* all, unless there are thousands */
static unsigned int fault_first = 1;
static bool fault_verbose;
bool fault_big;
static char *fault_names[16];
static int fault_name_count;
static int fault_fd = -1;

static bool swept_something;		/* in this test */
static unsigned int total_faults, total_errors, total_fallbacks, total_calls;

static void add_text(struct text *t, const char *s, size_t len)
{
	while (t->size - t->len < len + 1) {
		t->size = 2 * t->size + 65536;
		t->s = realloc(t->s, t->size);
		if (!t->s)
			exit(KSFT_FAIL);
	}
	memcpy(t->s + t->len, s, len);
	t->len += len;
	t->s[t->len] = '\0';
}

/*
 * Addresses of what is allocated anew for each ops have no names. A trampoline that goes by the
 * name of an image of BPF may be another one. The symbol of an image includes the address behind
 * it. So an image that begins there goes by the older one's name, until that is freed. The calls
 * tell whose it is.
 */
static void strip_addresses(char *line)
{
	char *p = line, *end;

	while ((p = strstr(p, ": 0x"))) {
		p += 4;
		end = p + strspn(p, "0123456789abcdef");
		memmove(p, end, strlen(end) + 1);
	}
	p = strstr(line, "direct-->bpf_");
	if (p)
		p[strlen("direct-->bpf_")] = '\0';
}

/* @words: how many words of each line there are to keep; 0: all */
static void add_file(struct text *t, const char *path, int words)
{
	char *text = slurp(path), *line, *next = text, *p;
	int n;

	add(t, "== %s\n", path);
	while (text && (line = strsep(&next, "\n")) && (*line || next)) {
		strip_addresses(line);
		for (p = line, n = words; n && (p = strchr(p, ' ')); n--)
			p++;
		add_text(t, line, p && words ? (size_t)(p - line) : strlen(line));
		add_text(t, "\n", 1);
	}
	free(text);
}

/* The ops of fdirect_api that are registered, and for how many functions */
static void add_slots(struct text *t)
{
	char *text = slurp(API "slots"), *line, *next = text;
	int slot, on, filtered;

	add(t, "== slots\n");
	while (text && (line = strsep(&next, "\n")))
		if (sscanf(line, "%d %d %*d %*d %d", &slot, &on, &filtered) == 3)
			add(t, "%d %d %d\n", slot, on, filtered);
	free(text);
}

/* All that BPF has, by its numbers, or how many of them, if the same thing gets a new one. */
static void add_bpf(struct text *t, const char *what, int get_next, bool exact)
{
	union bpf_attr attr = { };
	int n = 0;

	add(t, "== BPF %s\n", what);
	while (!syscall(SYS_bpf, get_next, &attr, sizeof(attr))) {
		attr.start_id = attr.next_id;
		n++;
		if (exact)
			add(t, "%u\n", attr.next_id);
	}
	add(t, "%d\n", n);
}

/* A line that is not part of the state */
static void drop_line(char *text, const char *key)
{
	char *line = text ? strstr(text, key) : NULL, *end = line ? strchr(line, '\n') : NULL;

	if (end)
		memmove(line, end + 1, strlen(end));
}

/*
 * Everything that a call must leave alone when it fails. Without @exact, what is another
 * one each time is left out: where a module lies.
 */
static char *state_text(const struct op *op, bool exact)
{
	static const char * const files[] = {
		TRACEFS "set_ftrace_filter", TRACEFS "set_ftrace_notrace",
		TRACEFS "current_tracer", TRACEFS "kprobe_events", TRACEFS "dynamic_events",
		TRACEFS "enabled_functions", "/proc/sys/kernel/tainted",
		FDIRECT "status", FDIRECT "hits", FDIRECT "method", FDIRECT "ops",
		FDIRECT "reach", FDIRECT "functions",
	};
	struct text t = { };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (!access(files[i], F_OK))
			add_file(&t, files[i],
				 /* Index, site, stub, and how often it was called */
				 op->called && !strcmp(files[i], FDIRECT "hits") ? 3 : 0);
	if (op->called)
		drop_line(t.s, "hits_total ");
	/* Name, size, references, users, state, address */
	add_file(&t, "/proc/modules", exact && !op->moves ? 0 : 5);
	add_file(&t, DEBUGFS "kprobes/list", 0);
	add_slots(&t);
	add_bpf(&t, "programs", BPF_PROG_GET_NEXT_ID, false);
	add_bpf(&t, "links", BPF_LINK_GET_NEXT_ID, false);
	add_bpf(&t, "types", BPF_BTF_GET_NEXT_ID, false);
	add_bpf(&t, "maps", BPF_MAP_GET_NEXT_ID, exact);
	return t.s;
}

/* The state when what earlier calls have closed is gone: it stays the same for a while */
static char *settled_state(const struct op *op, bool exact)
{
	char *now = state_text(op, exact), *last = NULL;
	int tries;

	for (tries = 0; tries < 20 && (!last || strcmp(last, now)); tries++) {
		free(last);
		last = now;
		usleep(600000);
		now = state_text(op, exact);
	}
	free(last);
	return now;
}

/* Memory that goes after a grace period is given the time. */
static bool state_is(const struct op *op, const char *want, bool exact)
{
	char *now;
	int tries;

	if (op->no_filter)
		op->ready();
	for (tries = 0; tries < 40; tries++) {
		now = state_text(op, exact);
		if (!strcmp(want, now)) {
			free(now);
			return true;
		}
		if (tries < 39)
			free(now);
		usleep(25000);
	}
	same_text("state", want, now);
	free(now);
	return false;
}

/* Either counts the allocations of all that the task does, or those of the interface. */
static void fail_nth(const struct op *op, unsigned int n)
{
	char text[16];
	int len = sprintf(text, "%u\n", n), err = 0;

	if (op->interface)
		err = write_file(API "fail_nth", text, len);
	else if (write(fault_fd, text, len) != len)
		err = errno;
	if (err)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(err));
}

static unsigned int still_to_fail(const struct op *op)
{
	char text[16] = "", *line;
	unsigned int n;

	if (!op->interface) {
		if (pread(fault_fd, text, sizeof(text) - 1, 0) <= 0)
			ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
		return atol(text);
	}
	line = first_line(API "fail_nth");
	n = atol(line);
	free(line);
	return n;
}

int carry_out(const struct op *op, int fd)
{
	ssize_t n;

	if (op->run)
		return op->run();
	n = write(fd, op->text, strlen(op->text));
	return n < 0 ? errno : 0;
}

/* The call with its @nth allocation failing; *@left is 0 if it did. */
static int call_with(const struct op *op, unsigned int nth, unsigned int *left)
{
	int fd = -1, err;

	if (op->ready)
		op->ready();
	if (!op->run) {
		fd = open(op->file, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			ksft_exit_fail_msg("%s: %s\n", op->file, strerror(errno));
	}
	if (nth)
		fail_nth(op, nth);
	err = carry_out(op, fd);
	if (nth) {
		*left = still_to_fail(op);
		fail_nth(op, 0);
	}
	if (fd >= 0)
		close(fd);
	return err;
}

int undo(const struct op *op)
{
	if (op->undo)
		return op->undo();
	return write_file(op->file, op->undo_text, strlen(op->undo_text));
}

static bool is_checker(const char *cache)
{
	return !strncmp(cache, "kmemleak_", 9) || !strncmp(cache, "debug_objects", 13);
}

/* Has the allocations fail of all caches but those of the checkers. */
static bool choose_caches(void)
{
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;
	char path[PATH_MAX];
	bool ok = dir;

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab", entry->d_name);
		ok &= !put(path, "%d", !is_checker(entry->d_name));
	}
	if (dir)
		closedir(dir);
	return ok;
}

static bool spare(unsigned long start, unsigned long end)
{
	return !put(DEBUGFS "failslab/reject-start", "0x%lx", start) &&
	       !put(DEBUGFS "failslab/reject-end", "0x%lx", end) &&
	       !put(DEBUGFS "fail_page_alloc/reject-start", "0x%lx", start) &&
	       !put(DEBUGFS "fail_page_alloc/reject-end", "0x%lx", end);
}

static bool spare_function(const char *name)
{
	char *text = must_slurp("/proc/kallsyms"), *line = text, *symbol;
	unsigned long start = 0, end = 0, at;

	/* An address, " T ", and the symbol. sscanf() would read all that follows. */
	for (; line && !start; line = strchr(line, '\n'), line += !!line) {
		at = strtoul(line, &symbol, 16);
		if (*symbol == ' ' && strcspn(symbol + 3, "\t\n") == strlen(name) &&
		    !strncmp(symbol + 3, name, strlen(name)))
			start = at;
	}
	for (line = text; line; line = strchr(line, '\n'), line += !!line) {
		at = strtoul(line, NULL, 16);
		if (at > start && (!end || at < end))
			end = at;
	}
	free(text);
	return start && end && spare(start, end);
}

/* A kernel without the function that a call asks for has nothing to spare there. */
static void spare_for(const struct op *op)
{
	static const char *spared = SPARED;
	const char *name = op->spared ?: SPARED;

	if (strcmp(name, spared))
		spare_function(name);
	spared = name;
}

static void stop_faults(void)
{
	put(RARE_EVENT, "0");
	spare(0, 0);
	put(DEBUGFS "failslab/cache-filter", "N");
	put(DEBUGFS "failslab/ignore-gfp-wait", "Y");
	put(DEBUGFS "fail_page_alloc/ignore-gfp-wait", "Y");
	put(DEBUGFS "fail_page_alloc/ignore-gfp-highmem", "Y");
}

static void fault_option(int argc, char **argv)
{
	int c;

	optind = 1;
	while ((c = getopt(argc, argv, "abe:f:v")) != -1) {
		if (c == 'e' && atoi(optarg) > 0) {
			fault_every = atoi(optarg);
		} else if (c == 'f' && atoi(optarg) > 0) {
			fault_first = atoi(optarg);
		} else if (c == 'a') {
			fault_all = true;
		} else if (c == 'b') {
			fault_big = true;
		} else if (c == 'v') {
			fault_verbose = true;
		} else {
			fprintf(stderr,
				"usage: %s [-a | -e EVERY] [-b] [-f FIRST] [-v] [NAME...]\n",
				argv[0]);
			exit(2);
		}
	}
	while (optind < argc && fault_name_count < (int)ARRAY_SIZE(fault_names))
		fault_names[fault_name_count++] = argv[optind++];
}

static void fault_options(int argc, char **argv)
{
	char *words[16] = { argv[0] }, *text = getenv("FDIRECT_FAULTS"), *word;
	int n = 1;

	text = text ? strdup(text) : NULL;
	while (text && (word = strsep(&text, " ")))
		if (*word && n < (int)ARRAY_SIZE(words) - 1)
			words[n++] = word;
	fault_option(n, words);
	fault_option(argc, argv);
}

void start_faults(int argc, char **argv)
{
	static const char * const settings[] = {
		DEBUGFS "failslab/ignore-gfp-wait", DEBUGFS "fail_page_alloc/ignore-gfp-wait",
		DEBUGFS "fail_page_alloc/ignore-gfp-highmem",
	};
	size_t i;

	fault_options(argc, argv);
	mount_at("debugfs", "/sys/kernel/debug", "/sys/kernel/debug/tracing");
	fault_fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (fault_fd < 0)
		ksft_exit_skip("this kernel has no fault injection (no %s)\n", FAIL_NTH);
	atexit(stop_faults);
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (put(settings[i], "N"))
			ksft_exit_skip("this kernel cannot let allocations fail (no %s)\n",
				       settings[i]);
	if (put(DEBUGFS "fail_page_alloc/min-order", "0"))
		ksft_exit_fail_msg("fail_page_alloc/min-order\n");
	/* A report of each fault would hide those of the kernel's checkers. */
	if (put(DEBUGFS "failslab/verbose", fault_verbose ? "2" : "0") ||
	    put(DEBUGFS "fail_page_alloc/verbose", fault_verbose ? "2" : "0"))
		ksft_exit_fail_msg("verbose\n");
	if (!choose_caches() || put(DEBUGFS "failslab/cache-filter", "Y"))
		ksft_print_msg("allocations of the kernel's checkers are counted, too\n");
	if (!spare_function(SPARED))
		ksft_exit_fail_msg("allocations under %s cannot be spared\n", SPARED);
	/* No page of this program comes in while allocations are counted. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		ksft_exit_fail_msg("mlockall: %s\n", strerror(errno));
	expedite();
	mount_at("tracefs", "/sys/kernel/tracing", TRACEFS "enabled_functions");
	if (put(RARE_EVENT, "1"))
		ksft_exit_fail_msg("%s\n", RARE_EVENT);
	put(KMEMLEAK, "scan=off");
	put(KMEMLEAK, "clear");
	if (fault_every > 1 || fault_first > 1 || fault_name_count)
		ksft_print_msg("short form:%s%s\n",
			       fault_every > 1 || fault_first > 1 ? " not all allocations" : "",
			       fault_name_count ? " not all calls" : "");
}

bool wanted(const char *name)
{
	int i;

	for (i = 0; i < fault_name_count; i++)
		if (strstr(name, fault_names[i]))
			return true;
	return !fault_name_count;
}

/* The allocation to fail after the @n-th of @total. */
static unsigned int next_fault(unsigned int n, unsigned int total, unsigned int every)
{
	if (every < 2 || n < EDGE || n + EDGE >= total)
		return n + 1;
	return n + every < total - EDGE ? n + every : total - EDGE;
}

void look(const struct op *op, bool done)
{
	if (op->look)
		op->look(done);
}

void sweeps_end(void)
{
	swept_something = false;
}

/* Succeeds without faults, and is undone. */
static bool redo(struct sweep *s, unsigned int n)
{
	unsigned int left;
	int err = call_with(s->op, 0, &left);

	return CHECK(!err, "%s: after allocation %u had failed, once more: %s", s->op->name, n,
		     errname(err));
}

static bool result_is_right(struct sweep *s, unsigned int n)
{
	int failed = checks_failed;
	int err;

	if (!s->op->loose)
		CHECK(state_is(s->op, s->after, false), "%s: allocation %u: another result",
		      s->op->name, n);
	look(s->op, true);
	err = undo(s->op);
	CHECK(!err, "%s: allocation %u: undoing: %s", s->op->name, n, errname(err));
	CHECK(state_is(s->op, s->before, true), "%s: allocation %u: not undone", s->op->name, n);
	if (checks_failed > failed)
		ksft_print_msg("in %s, allocation %u, which did not make it fail\n", s->op->name,
			       n);
	return checks_failed == failed;
}

static bool error_is_known(const struct op *op, int err)
{
	bool known = err == ENOMEM || op->any_error;
	size_t i;

	if (!err)
		return op->silent;
	for (i = 0; i < ARRAY_SIZE(op->also); i++)
		known |= err == op->also[i];
	return known;
}

static bool nothing_has_changed(struct sweep *s, unsigned int n, int err)
{
	int failed = checks_failed;

	CHECK(!s->op->sure, "%s: allocation %u: it failed with %s", s->op->name, n, errname(err));
	CHECK(error_is_known(s->op, err), "%s: allocation %u: %s", s->op->name, n, errname(err));
	CHECK(state_is(s->op, s->before, true),
	      "%s: allocation %u: a failed call changed something", s->op->name, n);
	look(s->op, false);
	if (checks_failed > failed)
		ksft_print_msg("in %s, allocation %u, which made it fail with %s\n", s->op->name,
			       n, errname(err));
	return checks_failed == failed;
}

/* It has not said so, but it has done nothing. */
static bool silently_failed(const struct sweep *s)
{
	char *now;
	bool same;

	if (!s->op->silent)
		return false;
	now = state_text(s->op, true);
	same = !strcmp(now, s->before);
	free(now);
	return same;
}

/* One run with its @n-th allocation failing: whether to go on. */
static bool one_fault(struct sweep *s, unsigned int n)
{
	unsigned int left;
	int err = call_with(s->op, n, &left);

	if (left) {
		CHECK(!err, "%s: untouched: %s", s->op->name, errname(err));
		s->ok = !err && result_is_right(s, n);
		return false;
	}
	s->faults++;
	if (err || silently_failed(s)) {
		s->errors++;
		if (!nothing_has_changed(s, n, err) || !redo(s, n))
			return false;
	} else {
		s->fallbacks++;
	}
	return result_is_right(s, n);
}

void sweep(const struct op *op)
{
	unsigned int every = fault_every ?: fault_all && !op->thousands ? 1 : op->every;
	unsigned int left, total, n = fault_first;
	struct sweep s = { .op = op };
	char *same;
	int err;

	if (!wanted(op->name)) {
		if (!swept_something)
			SKIP("not asked for");
		return;
	}
	swept_something = true;
	skip_reason[0] = '\0';
	put("/dev/kmsg", "fdirect: sweeps over %s\n", op->name);
	spare_for(op);
	/* Some marks on functions stay, such as that they have been replaced. */
	err = call_with(op, 0, &left);
	if (!CHECK(!err, "%s: at first: %s", op->name, errname(err)))
		return;
	err = undo(op);
	CHECK(!err, "%s: undoing: %s", op->name, errname(err));
	if (op->ready)
		op->ready();
	look(op, false);
	s.before = settled_state(op, true);
	same = state_text(op, false);
	err = call_with(op, NEVER, &left);
	total = NEVER - left;
	s.after = settled_state(op, false);
	if (CHECK(!err, "%s: without faults: %s", op->name, errname(err)) &&
	    CHECK(strcmp(same, s.after), "%s: it changes nothing", op->name) &&
	    result_is_right(&s, 0)) {
		while (one_fault(&s, n))
			n = next_fault(n, total, every);
	}
	CHECK(s.ok, "%s: stopped at allocation %u", op->name, n);
	CHECK(total || op->sure, "%s: no allocation was counted", op->name);
	CHECK(s.faults || !total, "%s: of %u allocations none has failed", op->name, total);
	ksft_print_msg("swept: %s: %u allocations, %u faults, %u errors, %u without effect%s\n",
		       op->name, total, s.faults, s.errors, s.fallbacks,
		       every > 1 && total > 2 * EDGE ? ", not all of them" : "");
	total_faults += s.faults;
	total_errors += s.errors;
	total_fallbacks += s.fallbacks;
	total_calls++;
	free(same);
	free(s.before);
	free(s.after);
}

void no_leaks(void)
{
	char *text;
	int err, i;

	ksft_print_msg("swept in all: %u calls, %u faults, %u errors, %u without effect\n",
		       total_calls, total_faults, total_errors, total_fallbacks);
	CHECK(total_faults || !total_calls || fault_name_count, "no allocation has failed");
	if (access(KMEMLEAK, F_OK))
		SKIP("this kernel has no kmemleak");
	/* Objects are suspected when they are five seconds old. */
	for (i = 0; i < 2; i++) {
		sleep(6);
		err = put(KMEMLEAK, "scan");
		REQUIRE(!err, "scanning: %s", errname(err));
	}
	text = must_slurp(KMEMLEAK);
	CHECK(!*text, "objects that nobody knows");
	if (*text)
		ksft_print_msg("%.6000s\n", text);
	free(text);
}
