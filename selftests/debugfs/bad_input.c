// SPDX-License-Identifier: GPL-2.0
/*
 * Bad input to every file of fdirect.ko. It is refused with an errno that is documented,
 * last_error says why, and nothing has changed. Accepted input was right, and has been
 * carried out.
 *
 * usage: bad_input [--inputs N] [--seed N]
 *
 * A model of the module says what may be answered to each input. After each input the
 * cheap part of the state is compared, all files that tell it but the sums. The whole
 * state has every traced function of the kernel and the use counts of the modules. It
 * is compared every 100 inputs, before the state changes, and at the end.
 */
#include <getopt.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "bad_input_make.h"

#define FULL_EVERY	100
#define RENEW_EVERY	500
#define WRITERS		4

static unsigned int inputs = 5000;

/* Shared with the writers that run at once. */
static struct {
	unsigned int refused, accepted, changes, reads, odd, full;
	unsigned int by_file[FILES], by_kind[KINDS];
} *counts;

static void count(unsigned int *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static size_t page;
static char *unmapped;		/* the first byte behind a page that is there */

/* -------------------------------------------------------------------------- */
/* The state now                                                                */

static char *file_path(enum file file)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), FDIRECT "%s", file_names[file]);
	return path;
}

/* All that a file says as a string in @buf; what does not fit is left out. */
static void read_into(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		ksft_exit_fail_msg("%s: %s\n", path, strerror(errno));
	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += n;
	close(fd);
	buf[len] = '\0';
}

/* The files that say in a few lines what is selected, chosen and attached. */
static char *cheap_state(void)
{
	static const enum file files[] = { HITS, METHOD, OPS, REACH };
	static char text[65536];
	size_t i, len = 0;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		read_into(file_path(files[i]), text + len, sizeof(text) - len);
		len += strlen(text + len);
	}
	return text;
}

/* The rest: what only a refused input may not change either. */
static const char * const rest[] = {
	FDIRECT "times", FDIRECT "call", FDIRECT "kprobe", FDIRECT "available_methods",
	"/sys/module/fdirect/refcnt", "/sys/module/fdirect_peer/refcnt",
};

struct full_state {
	struct picture picture;
	char *rest[ARRAY_SIZE(rest)];
};

static void take_full(struct full_state *s)
{
	size_t i;

	s->picture = take_picture();
	for (i = 0; i < ARRAY_SIZE(rest); i++)
		s->rest[i] = must_slurp(rest[i]);
}

static void free_full(struct full_state *s)
{
	size_t i;

	free_picture(&s->picture);
	for (i = 0; i < ARRAY_SIZE(rest); i++)
		free(s->rest[i]);
}

/* Compares with what is now, and frees it. */
static bool full_as_before(struct full_state *s)
{
	bool same = as_before(&s->picture);
	char *now;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rest); i++) {
		now = must_slurp(rest[i]);
		same &= same_text(rest[i], s->rest[i], now);
		free(now);
	}
	free_full(s);
	count(&counts->full);
	return same;
}

/* Is what the module tells what the model has? */
static bool as_modelled(const struct model *m)
{
	char *method = first_line(FDIRECT "method"), *ops = first_line(FDIRECT "ops");
	char *reach = first_line(FDIRECT "reach"), name[64];
	struct hit *hits;
	size_t nr = read_hits(&hits), i;
	bool same = nr == m->nr && !strcmp(method, method_names[m->method]) &&
		    atoi(ops) == (int)m->slot && !strcmp(reach, m->far ? "far" : "near");

	for (i = 0; same && i < nr; i++) {
		snprintf(name, sizeof(name), "fdirect_peer_%03x [fdirect_peer]", m->f[i].peer);
		same = !strcmp(hits[i].name, name) &&
		       hits[i].stub == (m->f[i].method == NONE ? -1 : (long)m->f[i].stub);
	}
	free(method);
	free(ops);
	free(reach);
	free(hits);
	return same;
}

/* -------------------------------------------------------------------------- */
/* One input: how it gets there, and what may come of it                        */

/* An address that no program can have, or NULL where the kernel has an address space of its own */
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
#define KERNEL_ADDRESS	((void *)(-1UL << 40))
#else
#define KERNEL_ADDRESS	NULL
#endif

enum how { WRITE, SEEK_WRITE, PWRITE, WRITEV, FROM_KERNEL, FROM_UNMAPPED };

struct attempt {
	struct input in;
	enum how how;
	long long offset;
	size_t piece;			/* of WRITEV */
	/* Expected: */
	unsigned long wrong;			/* or else so many bytes are taken: */
	size_t taken;
	bool silent;			/* it is refused before it gets to the module */
	struct model after;
	/* Found: */
	int err;
	ssize_t n;
};

static void choose_how(struct attempt *a)
{
	static const long long offsets[] = { 1, 2, 79, 4096, 65536, 1LL << 31, 1LL << 40 };

	a->how = WRITE;
	a->offset = 0;
	switch (a->in.kind) {
	case OFFSET:
		a->offset = ONE_OF(offsets);
		a->how = rnd(4) ? SEEK_WRITE : PWRITE;
		break;
	case PIECES:
		if (!a->in.len)
			break;
		a->how = WRITEV;
		a->piece = 1 + rnd(a->in.len);
		break;
	case POINTER:
		a->how = !KERNEL_ADDRESS || rnd(3) ? FROM_UNMAPPED : FROM_KERNEL;
		break;
	default:
		break;
	}
}

static void predict_pieces(struct attempt *a)
{
	size_t len;

	for (a->wrong = RIGHT; !a->wrong && a->taken < a->in.len; a->taken += len) {
		len = a->in.len - a->taken < a->piece ? a->in.len - a->taken : a->piece;
		a->wrong = model_write(&a->after, a->in.file, a->in.buf + a->taken, len, a->taken);
		if (a->wrong)
			break;
	}
	if (a->taken && a->wrong != UNKNOWN)
		a->wrong = RIGHT;
}

static void predict(struct attempt *a, const struct model *m)
{
	a->after = *m;
	a->taken = 0;
	a->silent = a->in.file >= WRITABLE || a->how == PWRITE || a->how == FROM_KERNEL;
	if (a->in.file >= WRITABLE) {
		a->wrong = E(EACCES);
	} else if (a->how == PWRITE) {
		a->wrong = E(ESPIPE);
	} else if (a->how == WRITEV) {
		predict_pieces(a);
	} else if (a->how == FROM_KERNEL) {
		a->wrong = E(EFAULT);
	} else if (a->how == FROM_UNMAPPED && a->in.len) {
		a->wrong = a->in.len > MAX_VALUE && a->in.file != FUNCTIONS ? E(EINVAL) : E(EFAULT);
	} else {
		a->wrong = model_write(&a->after, a->in.file, a->in.buf, a->in.len, a->offset);
		a->taken = a->in.len;
	}
}

static ssize_t write_pieces(int fd, const struct attempt *a)
{
	struct iovec iov[IOV_MAX];
	size_t at = 0;
	int n = 0;

	for (; at < a->in.len && n < IOV_MAX; at += a->piece, n++) {
		iov[n].iov_base = a->in.buf + at;
		iov[n].iov_len = a->in.len - at < a->piece ? a->in.len - at : a->piece;
	}
	return writev(fd, iov, n);
}

static ssize_t write_to(int fd, const struct attempt *a)
{
	const struct input *in = &a->in;
	size_t there;

	switch (a->how) {
	case SEEK_WRITE:
		if (lseek(fd, a->offset, SEEK_SET) != a->offset)
			return -1;
		return write(fd, in->buf, in->len);
	case PWRITE:
		return pwrite(fd, in->buf, in->len, a->offset);
	case WRITEV:
		return write_pieces(fd, a);
	case FROM_KERNEL:
		return write(fd, KERNEL_ADDRESS, in->len);
	case FROM_UNMAPPED:
		/* All of it, or only its last bytes. */
		there = in->len && in->len < page ? seed % in->len : 0;
		memcpy(unmapped - there, in->buf, there);
		return write(fd, unmapped - there, in->len);
	default:
		return write(fd, in->buf, in->len);
	}
}

static void carry_out(struct attempt *a)
{
	static const int flags[] = { 0, 0, O_TRUNC, O_APPEND, O_NONBLOCK, O_SYNC, O_CREAT };
	int fd;

	a->n = -1;
	fd = open(file_path(a->in.file), O_WRONLY | O_CLOEXEC | flags[seed % ARRAY_SIZE(flags)],
		  0600);
	if (fd >= 0)
		a->n = write_to(fd, a);
	a->err = a->n < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	count(&counts->by_file[a->in.file]);
	count(&counts->by_kind[a->in.kind]);
	if (a->n < 0)
		count(&counts->refused);
	else
		count(&counts->accepted);
}

static const char *show(const struct attempt *a)
{
	static char text[400];
	size_t i, len = 0;

	for (i = 0; i < a->in.len && len < sizeof(text) - 8; i++) {
		unsigned char c = a->in.buf[i];

		len += sprintf(text + len, c >= ' ' && c <= '~' && c != '\\' ? "%c" : "\\x%02x", c);
	}
	text[len] = '\0';
	return text;
}

#define CHECK_INPUT(cond, a, fmt, ...) \
	CHECK(cond, "%s < \"%s\" (%zu bytes, %s): " fmt, file_names[(a)->in.file], show(a), \
	      (a)->in.len, kind_names[(a)->in.kind], ##__VA_ARGS__)

/* One line of plain text that begins with the name of the file. */
static bool is_reason(const char *text, enum file file)
{
	size_t len = strlen(text), name = strlen(file_names[file]);

	return len > name + 3 && len <= 512 && text[len - 1] == '\n' && is_plain(text, len - 1) &&
	       !strncmp(text, file_names[file], name) && text[name] == ':';
}

static const char *last_error(void)
{
	static char text[2048];

	read_into(FDIRECT "last_error", text, sizeof(text));
	return text;
}

static void check_refused(const struct attempt *a, const char *before, const char *error_before)
{
	const char *error = last_error();

	CHECK_INPUT(a->n < 0 && (a->wrong & E(a->err)), a, "%s", errname(a->err));
	if (a->silent)
		CHECK_INPUT(!strcmp(error, error_before), a, "changed last_error");
	else
		CHECK_INPUT(is_reason(error, a->in.file), a, "last_error is \"%s\"", error);
	if (!CHECK_INPUT(same_text("the state", before, cheap_state()), a, "changed the state"))
		count(&counts->changes);
}

/* The test's own work takes longer than that of the module, but for these. */
static bool takes_long(const struct attempt *a, const struct model *m)
{
	if (a->wrong)
		return false;
	switch (a->in.file) {
	case CALL:
		return call_work > 3000 || rnd(8);
	case KPROBE:
		return rnd(8);
	case CONTROL:
		return rnd(m->method == EACH ? 16 : 4);
	default:
		return false;
	}
}

/* -------------------------------------------------------------------------- */
/* Many inputs, one after the other                                             */

static struct model now;
static struct attempt attempt;

/* 16 functions, seven of them attached, or none. */
static bool renew(enum method method)
{
	unsigned int i;
	int err;

	err = fdirect("control", "detach") ?: choose_peers(16) ?: fdirect("ops", "1") ?:
	      fdirect("reach", "near") ?:
	      fdirect("method", "%s", method_names[method ?: known.hash ? HASHED : MULTI]);
	if (!err && method)
		err = fdirect("control", "attach 2 7");
	if (!err)
		err = fdirect("hits", "0") ?: call_peers(0, 16, 3, 2);
	memset(&now, 0, sizeof(now));
	now.method = method ?: known.hash ? HASHED : MULTI;
	now.slot = 1;
	now.nr = 16;
	for (i = 0; i < now.nr; i++)
		now.f[i].peer = i;
	if (method)
		set(&now, 2, 7, now.method, 2);
	return CHECK(!err, "the state to begin with: %s", errname(err)) &&
	       CHECK(as_modelled(&now), "the state to begin with is another");
}

static void next_attempt(void)
{
	int tries = 0;

	do {
		attempt.in.file = rnd(12) ? rnd(WRITABLE) : rnd(FILES);
		/* The two with most to go wrong */
		if (!rnd(3))
			attempt.in.file = rnd(2) ? CONTROL : FUNCTIONS;
		attempt.in.kind = rnd(KINDS);
		make(&attempt.in, &now);
		choose_how(&attempt);
		predict(&attempt, &now);
	} while ((attempt.wrong == UNKNOWN || takes_long(&attempt, &now)) && ++tries < 1000);
}

/* The state that refused inputs must leave as it is. */
static struct full_state full;
static char *cheap;

static void take_state(void)
{
	take_full(&full);
	cheap = strdup(cheap_state());
}

static void compare_state(unsigned int since)
{
	if (!CHECK(full_as_before(&full), "the state has changed with the last %u inputs", since))
		count(&counts->changes);
	free(cheap);
}

static void run_input(void)
{
	char error_before[2048];

	snprintf(error_before, sizeof(error_before), "%s", last_error());
	carry_out(&attempt);
	if (attempt.wrong) {
		check_refused(&attempt, cheap, error_before);
		return;
	}
	CHECK_INPUT(attempt.n == (ssize_t)attempt.taken, &attempt, "%zd of %zu taken, %s",
		    attempt.n, attempt.taken, errname(attempt.err));
	CHECK_INPUT(attempt.taken < attempt.in.len || !*last_error(), &attempt,
		    "last_error after a success");
	now = attempt.after;
	CHECK_INPUT(as_modelled(&now), &attempt, "not what it should have done");
}

static void run_inputs(unsigned int nr, enum method method)
{
	unsigned int i, since = 0;

	REQUIRE(renew(method), "a state to begin with");
	take_state();
	for (i = 1; i <= nr && checks_failed < 10; i++) {
		bool renewed = !(i % RENEW_EVERY), right;

		next_attempt();
		right = !attempt.wrong;
		/* Before it changes, it must be what it was. */
		if (right || renewed || since == FULL_EVERY) {
			compare_state(since);
			since = 0;
			if (renewed) {
				REQUIRE(renew(method), "a state to begin with");
				next_attempt();
				right = !attempt.wrong;
			}
			if (!right)
				take_state();
		}
		run_input();
		if (right)
			take_state();
		else
			since++;
	}
	compare_state(since);
}

static void idle(void)
{
	learn();
	ksft_print_msg("bad input: --inputs %u --seed %lu\n", inputs, seed);
	run_inputs(inputs / 4, NONE);
}

static void attached_by_hash(void)
{
	run_inputs(inputs / 4, HASHED);
}

static void attached_by_multi(void)
{
	run_inputs(inputs / 8, MULTI);
}

static void attached_by_each(void)
{
	run_inputs(inputs / 8, EACH);
}

/* -------------------------------------------------------------------------- */
/* Reading                                                                      */

static void read_oddly(void)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 7, 64, 511, 4095, 4096, 4097, 65536 };
	static char buf[65536];
	unsigned int i;

	REQUIRE(renew(known.hash ? HASHED : MULTI), "a state to begin with");
	take_state();
	for (i = 0; i < inputs / 16 && checks_failed < 10; i++) {
		enum file file = rnd(FILES);
		char *text = slurp(file_path(file));
		size_t len = text ? strlen(text) : 0, size = ONE_OF(sizes);
		size_t offset = rnd(2) ? rnd(len + 3) : (size_t)rnd(UINT32_MAX) << rnd(31);
		size_t there = rnd(3) ? sizeof(buf) : rnd(40);
		char *to = there < sizeof(buf) ? unmapped - there : buf;
		int fd = open(file_path(file), O_RDONLY | O_CLOEXEC);
		ssize_t n;

		count(&counts->reads);
		if (!CHECK(file == CONTROL ? fd < 0 : fd >= 0, "open %s", file_names[file]))
			break;
		if (fd < 0) {
			free(text);
			continue;
		}
		if (KERNEL_ADDRESS && !rnd(10)) {
			n = read(fd, KERNEL_ADDRESS, size ?: 1);
			CHECK(n < 0 && errno == EFAULT, "%s into kernel memory: %zd",
			      file_names[file], n);
		}
		if (rnd(2)) {
			n = pread(fd, to, size, offset);
		} else {
			n = lseek(fd, offset, SEEK_SET);
			CHECK(n == (ssize_t)offset, "%s: lseek to %zu: %zd", file_names[file],
			      offset, n);
			n = read(fd, to, size);
		}
		/* All there is of it, or nothing, or nowhere to put it. */
		if (n < 0)
			CHECK(errno == EFAULT && size > there, "%s: %zu bytes at %zu: %s",
			      file_names[file], size, offset, errname(errno));
		else
			CHECK((size_t)n <= size && (n || !size || offset >= len || !there) &&
			      (!n || (offset + n <= len && !memcmp(to, text + offset, n))),
			      "%s: %zu bytes at %zu of %zu: %zd", file_names[file], size, offset,
			      len, n);
		close(fd);
		free(text);
	}
	compare_state(i);
}

/* -------------------------------------------------------------------------- */
/* Everything else that can be done with a file                                 */

/* A system call and the errno that it has to fail with; 0: any. */
static int odd_call(unsigned int which, const char *path, int *want)
{
	static const int flags[] = {
		O_RDONLY, O_WRONLY, O_RDWR, O_ACCMODE, O_PATH, O_WRONLY | O_TRUNC,
	};
	int fd = open(path, ONE_OF(flags) | O_CLOEXEC), err;
	static char buf[64];
	long ret = -1;

	*want = 0;
	errno = 0;
	switch (which) {
	case 0:
		ret = open(path, O_RDONLY | O_DIRECTORY);
		*want = ENOTDIR;
		break;
	case 1:
		ret = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
		*want = EEXIST;
		break;
	case 2:
		ret = mkdir(path, 0700);
		*want = EEXIST;
		break;
	case 3:
		ret = lseek(fd, -1 - (long)rnd(5000), SEEK_SET);
		break;
	case 4:
		ret = lseek(fd, rnd(100), SEEK_END);
		break;
	case 5:
		ret = lseek(fd, rnd(2) ? 1 + rnd(100000) : LLONG_MAX, SEEK_SET);
		break;
	case 6:
		ret = lseek(fd, LLONG_MAX, SEEK_CUR);
		break;
	case 7:
		ret = ioctl(fd, rnd(UINT32_MAX), buf);
		break;
	case 8:
		ret = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0;
		break;
	case 9:
		ret = fallocate(fd, 0, 0, 4096);
		break;
	case 10:
		ret = ftruncate(fd, rnd(1 << 20));
		break;
	case 11:
		ret = fsync(fd);
		break;
	case 12:
		ret = syscall(SYS_write, fd, unmapped - 8, SIZE_MAX >> rnd(34));
		break;
	case 13:
		ret = syscall(SYS_read, fd, unmapped - 8, SIZE_MAX >> rnd(64));
		break;
	case 14:
		ret = pread(fd, buf, sizeof(buf), -1);
		break;
	default:
		ret = fcntl(fd, F_SETPIPE_SZ, 4096);
	}
	err = ret < 0 ? errno : 0;
	if (which < 2 && ret >= 0)
		close(ret);
	if (fd >= 0)
		close(fd);
	return err;
}

#define ODD_CALLS 16

static void odd_calls(void)
{
	unsigned int i, which;
	int err, want;

	REQUIRE(renew(known.hash ? HASHED : MULTI), "a state to begin with");
	take_state();
	for (i = 0; i < inputs / 16 && checks_failed < 10; i++) {
		enum file file = rnd(FILES);

		which = i % ODD_CALLS;
		err = odd_call(which, file_path(file), &want);
		CHECK(!want || err == want, "%s: odd call %u: %s", file_names[file], which,
		      errname(err));
		count(&counts->odd);
	}
	compare_state(i);
}

/* -------------------------------------------------------------------------- */
/* Several writers                                                              */

/* Input that is refused whatever the others have just done. */
static unsigned long wrong_in_form(const struct attempt *a)
{
	char text[MAX_VALUE + 1], *value;
	struct command c;

	if (a->in.file != CONTROL || a->how > SEEK_WRITE || !a->wrong)
		return a->in.file == KPROBE && a->wrong == E(ERANGE) ? RIGHT : a->wrong;
	value = value_in_line(text, a->in.buf, a->in.len);
	return value ? control_form(&c, value) : a->wrong;
}

static void write_beside(unsigned long my_seed, unsigned int nr)
{
	/* The errnos of what is right in form and does not fit what there is. */
	const unsigned long state = E(EBUSY) | E(ENOLINK) | E(ERANGE) | E(EINVAL) | E(ENODATA) |
			     E(ENOENT) | E(EOPNOTSUPP);
	unsigned int i;

	seed = my_seed;
	for (i = 0; i < nr && checks_failed < 10; i++) {
		const char *error;
		unsigned long wrong;

		do {
			/* As if nothing was attached, which lets most through. */
			next_attempt();
			wrong = wrong_in_form(&attempt);
		} while (attempt.how == WRITEV || (attempt.in.file == CALL && !wrong));
		carry_out(&attempt);
		if (attempt.n < 0)
			CHECK_INPUT((wrong | state) & E(attempt.err), &attempt, "%s",
				    errname(attempt.err));
		else
			CHECK_INPUT(!wrong, &attempt, "was accepted");
		error = last_error();
		CHECK_INPUT(!*error || (error[strlen(error) - 1] == '\n' &&
					is_plain(error, strlen(error) - 1)),
			    &attempt, "last_error is \"%s\"", error);
	}
	exit(checks_failed ? KSFT_FAIL : KSFT_PASS);
}

static void several_writers(void)
{
	unsigned int nr = inputs / 4 / WRITERS, i;
	char *text, *before = enabled_functions();
	pid_t writers[WRITERS];
	int wstatus;

	REQUIRE(renew(NONE), "a state to begin with");
	fflush(stdout);
	for (i = 0; i < WRITERS; i++) {
		writers[i] = fork();
		if (!writers[i])
			write_beside(seed ^ (0x9e3779b97f4a7c15ULL * (i + 1)), nr);
		CHECK(writers[i] > 0, "fork");
	}
	for (i = 0; i < WRITERS; i++) {
		wstatus = -1;
		CHECK(waitpid(writers[i], &wstatus, 0) == writers[i] && !wstatus,
		      "writer %u ended with %#x", i, wstatus);
	}
	CHECK(!status("misdirected"), "%lld functions are misdirected", status("misdirected"));
	CHECK(status("patched") <= status("attached"), "more is patched than attached");

	/* A good command succeeds, whatever they have left. */
	for (i = EACH; i < METHODS; i++) {
		if (i == HASHED && !known.hash)
			continue;
		REQUIRE(renew(i), "a state by %s", method_names[i]);
		CHECK(status("attached") == 7 && status("patched") == 7, "not 7 are attached");
	}
	CHECK(!fdirect("control", "detach"), "detach");
	text = enabled_functions();
	CHECK(same_text("enabled_functions", before, text), "call sites are left");
	free(text);
	free(before);
}

/* -------------------------------------------------------------------------- */
/* Afterwards                                                                   */

static void report(void)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		ksft_print_msg("by kind: %s %u\n", kind_names[i], counts->by_kind[i]);
	for (i = 0; i < FILES; i++)
		ksft_print_msg("by file: %s %u\n", file_names[i], counts->by_file[i]);
	ksft_print_msg("reads at odd places: %u, odd calls: %u, full comparisons: %u\n",
		       counts->reads, counts->odd, counts->full);
	ksft_print_msg("bad input: %u inputs, %u refused, %u accepted, %u changes of state\n",
		       counts->refused + counts->accepted, counts->refused, counts->accepted,
		       counts->changes);
}

static void afterwards(void)
{
	unsigned int i;
	struct hit *hits;
	char *used;

	report();
	REQUIRE(renew(known.hash ? HASHED : MULTI), "a state to begin with");
	CHECK(!fdirect("hits", "0") && !call_peers(0, 16, 5, 3), "calling");
	REQUIRE(read_hits(&hits) == 16, "16 functions");
	for (i = 2; known.hash && i < 9; i++)
		CHECK(hits[i].hits == 5 + i % 3, "%lu hits of function %u", hits[i].hits, i);
	free(hits);
	CHECK(!fdirect("control", "detach"), "detach");
	for (i = 4; i < 6; i++) {
		used = first_line(rest[i]);
		CHECK(!strcmp(used, "0"), "%s is %s", rest[i], used);
		free(used);
	}
	CHECK(!unload("fdirect") && !load("fdirect"), "unload and load");
}

static const struct test tests[] = {
	{ "bad input while nothing is attached is refused and changes nothing", idle },
	{ "bad input while functions are attached by hash changes nothing", attached_by_hash,
	  HASH },
	{ "bad input while functions are attached by multi changes nothing", attached_by_multi },
	{ "bad input while functions are attached by each changes nothing", attached_by_each },
	{ "what is read does not depend on where and how much is read at a time", read_oddly },
	{ "other system calls on the files change nothing", odd_calls },
	{ "several writers at once, and a good command has its way afterwards", several_writers },
	{ "after all of it functions are attached and the module is unloaded", afterwards },
};

static void prepare(void)
{
	page = sysconf(_SC_PAGESIZE);
	unmapped = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	attempt.in.buf = malloc(MiB + 2 * page);
	if (unmapped == MAP_FAILED || counts == MAP_FAILED || !attempt.in.buf)
		ksft_exit_fail_msg("out of memory\n");
	unmapped += page;
	munmap(unmapped, page);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "inputs", required_argument, NULL, 'i' },
		{ "seed", required_argument, NULL, 's' },
		{ },
	};
	int option;

	seed = 1;
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'i')
			inputs = strtoul(optarg, NULL, 0);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0) ?: 1;
		else
			return 2;
	}
	prepare();
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect");
}
