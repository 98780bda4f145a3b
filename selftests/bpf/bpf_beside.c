// SPDX-License-Identifier: GPL-2.0
/*
 * One function under a BPF program, the function tracer, a kprobe and an ftrace_ops that
 * replaces it, as a livepatch does. They come and go in every order. Each sees every call
 * while it is there and none before or after.
 */
#include "bpf_trace.h"
#include "walk.h"

#define NUMBER	1

/* -------------------------------------------------------------------------- */
/* The users                                                                    */

static int program[2];
static unsigned long long counted[2];
static int replaced;

static int replace_on(void)	{ return redirect(1 << NUMBER); }
static int replace_off(void)	{ return redirect(0); }
static int program_on(void)	{ return attach_tracer(program[0]); }
static int program_off(void)	{ detach_tracer(program[0]); return 0; }
static int second_on(void)	{ return attach_tracer(program[1]); }
static int second_off(void)	{ detach_tracer(program[1]); return 0; }

static void call(int times)
{
	while (times--) {
		int more = call_subject(NUMBER);

		CHECK(more == 0 || more == SUBJECT_REDIRECTED, "%s: %d more", state_name(), more);
		replaced += more == SUBJECT_REDIRECTED;
	}
}

static int new_hits(int i)
{
	unsigned long long before = counted[i];

	if (!program[i])
		return 0;
	counted[i] = hits(program[i]);
	return counted[i] - before;
}

static const struct user replacement = { "replacement", replace_on, replace_off };

static void count(int seen[USERS])
{
	count_trace_in(TRACEFS, seen, 0);
	seen[walk.users[1].on == replace_on ? 1 : 2] = replaced;
	replaced = 0;
	if (program[1])
		seen[2] = new_hits(1);
	seen[3] = new_hits(0);
}

struct walk walk = {
	.site = "fdirect_subject_1",
	.users = {
		[0] = { "tracer", tracer_on, tracer_off },
		[3] = { "program", program_on, program_off },
	},
	.call = call,
	.count = count,
};

static bool load_at(int i, enum kind kind)
{
	program[i] = load_tracer(kind, subject(NUMBER));
	counted[i] = 0;
	return CHECK(program[i] > 0, "loading %s: %s", kinds[kind].name, errname(-program[i]));
}

/* Behind the call site, a kprobe is in the code that is replaced. */
static bool is_replaced(int user)
{
	return PROBE_OFFSET[0] && user == 1 && here(2);
}

static void beside_kprobe(enum kind kind)
{
	walk.hidden = is_replaced;
	walk.users[1] = (struct user){ "kprobe", kprobe_on, kprobe_off };
	walk.users[2] = replacement;
	REQUIRE(load_at(0, kind), "the program");
	REQUIRE(start_walk_in("fdirect_subject:"), "prepare");
	every_step();
}

/* Of these walks, a kernel that takes long for each step gets one. */
static void beside_kprobe_too(enum kind kind)
{
	if (!has_hash())
		SKIP("Linux 6.12 takes too long for each step, so it takes those of fexit only");
	beside_kprobe(kind);
}

static void fexit_steps(void)		{ beside_kprobe(FEXIT); }
static void fentry_steps(void)		{ beside_kprobe_too(FENTRY); }
static void fmod_ret_steps(void)	{ beside_kprobe_too(FMOD_RET); }

/* Two programs have one trampoline: it is another one when either of them comes or goes. */
static void beside_program(enum kind first, enum kind second)
{
	walk.hidden = NULL;
	walk.users[1] = replacement;
	walk.users[2] = (struct user){ "second program", second_on, second_off };
	REQUIRE(load_at(0, first) && load_at(1, second), "the programs");
	REQUIRE(start_walk_in("fdirect_subject:"), "prepare");
	every_step();
}

static void update_steps(void)
{
	beside_program(FENTRY, FEXIT);
}

static void link_steps(void)
{
	NEED_MULTI();
	beside_kprobe(FEXIT_MULTI);
}

static void two_links_steps(void)
{
	NEED_MULTI();
	beside_program(FENTRY_MULTI, FEXIT_MULTI);
}

static void link_and_program_steps(void)
{
	NEED_MULTI();
	beside_program(FEXIT_MULTI, FENTRY);
}

static void modifying_link_steps(void)
{
	NEED_FMOD_RET_MULTI();
	beside_kprobe(FMOD_RET_MULTI);
}

static void modifying_link_and_program_steps(void)
{
	NEED_FMOD_RET_MULTI();
	beside_program(FMOD_RET_MULTI, FEXIT);
}

/* A kprobe ends calls of a function with a result of its own, as error injection does. */
/* The second one is like fail_function's: ftrace asks the owner of the direct call before. */
static const char * const overrides[] = { "0", "0 post" };

static void overridden(void)
{
	static const enum kind all[] = { FENTRY, FEXIT, FMOD_RET };
	int id, value, want, post;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all) * ARRAY_SIZE(overrides); i++) {
		enum kind kind = all[i / ARRAY_SIZE(overrides)];

		post = i % ARRAY_SIZE(overrides);
		want = SUBJECT_OVERRIDDEN;
#if defined(__x86_64__)
		/*
		 * Ftrace calls the kprobe first. The image then calls the function's body. One
		 * that does not call it loses the result, which is in a register that it uses.
		 */
		if (kind == FENTRY)
			continue;
		if (!post)
			want = SUBJECT_VALUE(0, 1, 2);
#endif
		id = trace(kind, subject(0));
		REQUIRE(id > 0, "%s: %s", kinds[kind].name, errname(-id));
		REQUIRE(!put(SUBJECT "override", "%s", overrides[post]), "the kprobe");
		value = call_function("0", 1, 2);
		CHECK(value == want, "%s: a call that ends in a kprobe%s returns %d, not %d",
		      kinds[kind].name, post ? " with a post_handler" : "", value, want);
		CHECK(!put(SUBJECT "override", "-1"), "without the kprobe");
		CHECK(call_subject(0) == 0, "%s: a call without the kprobe", kinds[kind].name);
		drop_tracer(id);
	}
}

static void restore(void)
{
	stop_walk();
	restore_bpf();
	memset(program, 0, sizeof(program));
}

/* -------------------------------------------------------------------------- */
/* The code of an image                                                         */

#if defined(__x86_64__)
static ssize_t code_at(const char *address, unsigned char *code, size_t size)
{
	int fd = open(SUBJECT "text", O_RDWR | O_CLOEXEC);
	ssize_t n = -1;

	if (write(fd, address, strlen(address)) > 0)
		n = read(fd, code, size);
	close(fd);
	return n;
}

/*
 * The image of a replaced function calls the return address on its stack, which is in the
 * middle of a function. An indirect call there needs an ENDBR that is not there, and speculates.
 */
static void no_indirect_call(void)
{
	static const unsigned char load[] = { 0x48, 0x8b, 0x5d, 0x08 };	/* mov rbx, [rbp + 8] */
	static const unsigned char call_rbx[] = { 0xff, 0xd3 };
	char *text, *next, *line, address[32], name[64];
	unsigned char code[512], *at;
	int id, seen = 0;
	ssize_t n;

	REQUIRE(!replace_on(), "the replacement");
	id = trace(FEXIT, subject(NUMBER));
	ATTACHED(id);
	text = must_slurp("/proc/kallsyms");
	next = text;
	while ((line = strsep(&next, "\n"))) {
		if (sscanf(line, "%31s %*c bpf_trampoline_%63s", address, name) != 2)
			continue;
		n = code_at(address, code, sizeof(code));
		at = n > 0 ? memmem(code, n, load, sizeof(load)) : NULL;
		if (!at || at + sizeof(load) + sizeof(call_rbx) > code + n)
			continue;
		seen++;
		CHECK(memcmp(at + sizeof(load), call_rbx, sizeof(call_rbx)),
		      "bpf_trampoline_%s: an indirect call", name);
	}
	CHECK(seen, "no image calls the address on its stack");
	free(text);
	drop_tracer(id);
	CHECK(!replace_off(), "the replacement");
}
#else
static void no_indirect_call(void)
{
	SKIP("only x86_64 calls the function through the stack this way");
}
#endif

static const struct test tests[] = {
	{ "fentry beside a tracer, a kprobe and a replacement, whoever comes or goes next",
	  fentry_steps },
	{ "fexit beside a tracer, a kprobe and a replacement, whoever comes or goes next",
	  fexit_steps },
	{ "fmod_ret beside a tracer, a kprobe and a replacement, whoever comes or goes next",
	  fmod_ret_steps },
	{ "fentry and fexit beside a tracer and a replacement, whoever comes or goes next",
	  update_steps },
	{ "an image calls a replaced function without an indirect call", no_indirect_call },
	{ "a kprobe ends a call with a result, whatever programs the function has", overridden },
	{ "fexit.multi beside a tracer, a kprobe and a replacement, whoever comes or goes next",
	  link_steps },
	{ "fentry.multi, fexit.multi, a tracer and a replacement, whoever comes or goes next",
	  two_links_steps },
	{ "fexit.multi and fentry beside a tracer and a replacement, whoever comes or goes next",
	  link_and_program_steps },
	{ "fmod_ret.multi beside a tracer, a kprobe and a replacement, whoever comes or goes next",
	  modifying_link_steps },
	{ "fmod_ret.multi and fexit beside a tracer and a replacement, whoever comes or goes next",
	  modifying_link_and_program_steps },
};

int main(void)
{
	start_bpf();
	suite_restore = restore;
	expedite();
	SUITE(tests, "fdirect_peer", "fdirect_subject", "fdirect");
}
