// SPDX-License-Identifier: GPL-2.0
/*
 * usage: churn [--seed N] [--seconds N] [--only TASK,...] [--without TASK,...]
 *              [--json FILE] [--mislead KIND]
 *
 * Direct calls of 1,024 functions change all the time while all CPUs call the functions and
 * everybody else who patches code comes and goes. An oracle (ko/churn_oracle.c) judges
 * every single call: it must reach the one target that is allowed at that moment.
 *
 * The seed is printed; --seed runs the same decisions once more, see churn_task.h. --mislead
 * tells the oracle a lie (other, lost, stray, refused, doubled or body). Then the run must
 * fail. --json keeps the figures.
 */
#include <getopt.h>
#include <sys/utsname.h>

#include "churn_direct.h"
#include "churn_system.h"
#include "churn_trace.h"

static unsigned long long seed;
static int seconds = 20;
static const char *only, *without, *json;
static enum churn_lie mislead;

static const char * const lies[CHURN_LIES] = {
	"", "other", "lost", "stray", "refused", "doubled", "body",
};

/* Callers first: there is one for each CPU, and one that any CPU takes. */
#define CALLERS	3

static struct task tasks[] = {
	{ "caller", start_calls, call_some, NULL, 0, 300 },
	{ "caller", start_calls, call_some, NULL, 1, 300 },
	{ "caller", start_calls, call_some, NULL, 9999, 3000 },
	{ "changer", start_changes, change_some, end_changes, 0, 4000 },
	{ "changer", start_changes, change_some, end_changes, 1, 4000 },
	{ "changer", start_changes, change_some, end_changes, 2, 4000 },
	{ "changer", start_changes, change_some, end_changes, 3, 4000 },
	{ "changer", start_changes, change_some, end_changes, 4, 4000 },
	{ "changer", start_changes, change_one_target, end_changes, 5, 8000 },
	{ "changer", start_changes, change_some, end_changes, 6, 20000 },
	{ "meddler", NULL, meddle, NULL, 0, 4000 },
	{ "tracer", start_tracer, trace_some, end_tracer, 0, 200000 },
	{ "tracer", start_tracer, trace_some, end_tracer, 1, 500000 },
	{ "kprobe", start_probes, probe_some, end_probes, 0, 100000 },
	{ "fprobe", start_probes, probe_some, end_probes, 1, 500000 },
	{ "livepatch", start_livepatch, livepatch_some, NULL, 0, 500000 },
	{ "bpf", start_programs, trace_by_program, end_programs, 0, 50000 },
	{ "link", start_links, link_some, end_links, 0, 50000 },
	{ "module", NULL, change_modules, end_modules, 0, 300000 },
	{ "cpu", start_cpus, switch_cpu, end_cpus, 0, 3000000 },
	{ "perf", start_samples, take_samples, NULL, 0, 300000 },
	{ "mass", NULL, change_mass, end_mass, 0, 1000000 },
};

/* -------------------------------------------------------------------------- */
/* Findings of the oracle                                                       */

static const char * const wrong_verdicts[] = {
	"lost", "stray", "misdirected", "doubled", "refused", "body",
};

static long long reported(const char *key)
{
	char *text = must_slurp(CHURN "report");
	long long value = value_in(text, key);

	free(text);
	return value;
}

static long long wrong_calls(void)
{
	char *text = must_slurp(CHURN "report");
	long long sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong_verdicts); i++)
		sum += value_in(text, wrong_verdicts[i]);
	free(text);
	return sum;
}

static void print_wrongs(int most)
{
	char *text = must_slurp(CHURN "wrong"), *line, *next = text;

	while (most-- && (line = strsep(&next, "\n")) && *line)
		ksft_print_msg("%s\n", line);
	free(text);
}

static bool clear_oracle(void)
{
	int err = put(CHURN "reset", "1");

	return CHECK(!err, "clearing the oracle: %s", errname(err));
}

/* -------------------------------------------------------------------------- */
/* The oracle itself                                                            */

static void oracle_call(int function, unsigned int count, enum churn_lie lie)
{
	const struct churn_calls calls = {
		.seed = 1, .function = function, .count = count, .lie = lie,
	};
	int err = write_file(CHURN "call", (const char *)&calls, sizeof(calls));

	CHECK(!err, "calling: %s", errname(err));
}

static int oracle_change(enum churn_kind kind, enum churn_lie lie)
{
	static struct churn_change c;

	c = (struct churn_change){ .kind = kind, .lie = lie, .ops = 2, .changer = 2, .count = 1 };
	c.entries[0] = (struct churn_entry){ .function = 300, .target = 5 };
	return write_change(&c);
}

/* At least so many calls of one verdict, and none of the others, but for one that may be, if any */
static void expect_verdicts(const char *want, long long least, const char *maybe)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong_verdicts); i++) {
		long long n = reported(wrong_verdicts[i]);

		if (want && !strcmp(wrong_verdicts[i], want))
			CHECK(n >= least, "%lld calls are %s, not %lld", n, want, least);
		else if (!maybe || strcmp(wrong_verdicts[i], maybe))
			CHECK(n == 0, "%lld calls are %s", n, wrong_verdicts[i]);
	}
}

static void expect_verdict(const char *want, long long least)
{
	expect_verdicts(want, least, NULL);
}

/* A change that the oracle is told a lie about, calls, and back to where it was. */
static void oracle_sees(enum churn_lie lie, const char *verdict)
{
	enum churn_lie undo = lie == CHURN_LIE_REFUSED ? CHURN_LIE_STRAY : lie;
	int err;

	REQUIRE(clear_oracle(), "the oracle");
	oracle_call(300, 10, CHURN_HONEST);
	expect_verdict(NULL, 0);
	err = oracle_change(CHURN_REGISTER, lie);
	CHECK(err == (lie == CHURN_LIE_REFUSED ? EBUSY : 0), "registering: %s", errname(err));
	if (lie != CHURN_LIE_REFUSED)
		oracle_call(300, 10, lie);
	expect_verdict(verdict, lie == CHURN_LIE_REFUSED ? 1 : 10);
	print_wrongs(1);
	err = oracle_change(CHURN_UNREGISTER, undo);
	CHECK(!err, "unregistering: %s", errname(err));
	clear_oracle();
	oracle_call(300, 10, CHURN_HONEST);
	expect_verdict(NULL, 0);
}

static void sees_other(void)	{ oracle_sees(CHURN_LIE_OTHER, "misdirected"); }
static void sees_lost(void)	{ oracle_sees(CHURN_LIE_LOST, "lost"); }
static void sees_stray(void)	{ oracle_sees(CHURN_LIE_STRAY, "stray"); }
static void sees_refused(void)	{ oracle_sees(CHURN_LIE_REFUSED, "refused"); }
static void sees_doubled(void)	{ oracle_sees(CHURN_LIE_DOUBLED, "doubled"); }
static void sees_body(void)	{ oracle_sees(CHURN_LIE_BODY, "body"); }

static void sees_promise(void)
{
	REQUIRE(clear_oracle(), "the oracle");
	CHECK(oracle_change(CHURN_UNREGISTER, CHURN_HONEST) == EINVAL, "what is not there is gone");
	CHECK(reported("broken") == 1, "%lld promises broken", reported("broken"));
	clear_oracle();
}

/* -------------------------------------------------------------------------- */
/* Runs                                                                         */

static bool wanted(const struct task *t)
{
	if (!strcmp(t->name, "caller"))
		return true;
	return (!only || named(only, t->name)) && !named(without, t->name);
}

static bool wanted_to_mislead(const struct task *t)
{
	return !strcmp(t->name, "caller") || (!strcmp(t->name, "changer") && t->number == 4);
}

static bool something_wrong(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		if (tasks[i].counts->failures)
			return true;
	return wrong_calls() || reported("broken");
}

/* Each task has done something, and so much has been called and changed: */
#define LEAST_CALLS	1000
#define LEAST_CHANGES	10

static bool all_have_done(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		if (tasks[i].pid > 0 && !tasks[i].counts->made && !tasks[i].counts->cannot[0])
			return false;
	return reported("right") >= LEAST_CALLS &&
	       (!wanted(&tasks[CALLERS]) ||
		(reported("register_made") >= LEAST_CHANGES &&
		 reported("unregister_made") >= LEAST_CHANGES &&
		 reported("modify_made") >= LEAST_CHANGES &&
		 reported("register_refused") && reported("in_change")));
}

static bool never(void)
{
	return false;
}

/* One changer tells another target than the one it attaches, now and then. */
static void misled_run(void)
{
	REQUIRE(clear_oracle(), "the oracle");
	run_tasks(tasks, ARRAY_SIZE(tasks), seed, 1, CHURN_LIE_OTHER, wanted_to_mislead, never,
		  something_wrong);
	/* A change that is refused may have had the target that the oracle was not told of. */
	expect_verdicts("misdirected", 1, "refused");
	clear_oracle();
}

static struct {
	bool ran;
	int seconds, failures;
	char *report;
	char *refcount;
} result;

static long long found(const char *key)
{
	return value_in(result.report, key);
}

static void print_tasks(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		const struct task_counts *c = &shared->counts[i];

		if (tasks[i].pid < 0)
			ksft_print_msg("%s %u: left out\n", tasks[i].name, tasks[i].number);
		else if (c->cannot[0])
			ksft_print_msg("%s %u: not here: %s\n", tasks[i].name, tasks[i].number,
				       c->cannot);
		else
			ksft_print_msg("%s %u: %lu, and %lu refused\n", tasks[i].name,
				       tasks[i].number, c->made, c->refused);
	}
}

static const char *arch_name(void)
{
	static struct utsname name;

	uname(&name);
	return strcmp(name.machine, "aarch64") ? name.machine : "arm64";
}

static void write_json(void)
{
	const char *base = getenv("FDIRECT_BASE"), *arch = getenv("FDIRECT_ARCH");
	char *line, *next = strdup(result.report);
	FILE *f = json ? fopen(json, "w") : NULL;
	const char *comma = "";
	char key[64];
	long value;
	size_t i;

	if (!f)
		return;
	fprintf(f, "{ \"schema\": 1, \"base\": \"%s\", \"arch\": \"%s\", \"seed\": %llu,\n",
		base ?: "", arch ?: arch_name(), seed);
	fprintf(f, "  \"seconds\": %d, \"wrong\": %lld, \"failures\": %d,\n", result.seconds,
		wrong_calls(), result.failures);
	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%63s %ld", key, &value) == 2)
			fprintf(f, "  \"%s\": %ld,\n", key, value);
	fprintf(f, "  \"tasks\": [");
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		const struct task_counts *c = &shared->counts[i];

		if (tasks[i].pid < 0 || c->cannot[0])
			continue;
		fprintf(f, "%s\n    { \"name\": \"%s\", \"number\": %u, ", comma, tasks[i].name,
			tasks[i].number);
		fprintf(f, "\"made\": %lu, \"refused\": %lu }", c->made, c->refused);
		comma = ",";
	}
	fprintf(f, " ] }\n");
	fclose(f);
}

static void print_sum(void)
{
	ksft_print_msg("changes: %lld register, %lld modify, %lld unregister, %lld functions, ",
		       found("register_made"), found("modify_made"), found("unregister_made"),
		       found("entries"));
	printf("%lld refused\n", found("register_refused") + found("trespass_refused"));
	ksft_print_msg("calls: %lld judged, %lld beside a change, %lld not judged, ",
		       found("right") + wrong_calls(), found("in_change"), found("not_judged"));
	printf("%lld wrong\n", wrong_calls());
}

static void every_call(void)
{
	long long start;
	size_t i;
	int err;

	REQUIRE(clear_oracle(), "the oracle");
	err = select_mass();
	REQUIRE(!err, "selecting functions of the kernel: %s", errname(err));
	ksft_print_msg("seed %llu, %d s\n", seed, seconds);
	result.seconds = run_tasks(tasks, ARRAY_SIZE(tasks), seed, seconds, mislead, wanted,
				   all_have_done, something_wrong);
	result.ran = true;
	result.report = must_slurp(CHURN "report");
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		result.failures += shared->counts[i].failures;
	/* A BPF program that was closed has its module until a grace period is over */
	start = now_ms();
	do {
		usleep(10000);
		result.refcount = first_line("/sys/module/fdirect_churn/refcnt");
	} while (strcmp(result.refcount, "0") && now_ms() - start < STUCK);
	print_wrongs(20);
	print_tasks();
	write_json();
	print_sum();

	expect_verdict(NULL, 0);
	CHECK(found("right") >= LEAST_CALLS, "%lld calls have been judged", found("right"));
	CHECK(found("not_judged") * 1000 <= found("right"), "%lld of %lld calls not judged",
	      found("not_judged"), found("right"));
	CHECK(result.seconds >= seconds, "the run ended after %d s", result.seconds);
}

static void every_change(void)
{
	REQUIRE(result.ran, "the run");
	CHECK(found("broken") == 0, "%lld promises broken", found("broken"));
	CHECK(found("trespass_made") == 0, "%lld trespassers", found("trespass_made"));
	CHECK(found("meddle_made") == 0, "%lld filters changed", found("meddle_made"));
	if (!wanted(&tasks[CALLERS]))
		return;
	CHECK(found("in_change") > 0, "no call met a change");
	CHECK(found("register_refused") > 0, "nobody was refused");
	CHECK(found("register_made") >= LEAST_CHANGES, "%lld times registered",
	      found("register_made"));
	CHECK(found("modify_made") >= LEAST_CHANGES, "%lld times modified", found("modify_made"));
	CHECK(found("unregister_made") >= LEAST_CHANGES, "%lld times unregistered",
	      found("unregister_made"));
}

static void everybody_else(void)
{
	size_t i;

	REQUIRE(result.ran, "the run");
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		if (tasks[i].pid < 0)
			continue;
		CHECK(!shared->counts[i].failures, "%s %u has failed %d times: %s", tasks[i].name,
		      tasks[i].number, shared->counts[i].failures, shared->counts[i].failure);
		CHECK(shared->counts[i].cannot[0] || shared->counts[i].made, "%s %u did nothing",
		      tasks[i].name, tasks[i].number);
	}
}

static void like_the_beginning(void)
{
	int n;

	REQUIRE(result.ran, "the run");
	CHECK(reported("held") == 0, "%lld functions are attached", reported("held"));
	CHECK(!strcmp(result.refcount, "0"), "%s references to fdirect_churn.ko", result.refcount);
	REQUIRE(clear_oracle(), "the oracle");
	for (n = 0; n < CHURN_FUNCTIONS; n++)
		oracle_call(n, 2, CHURN_HONEST);
	expect_verdict(NULL, 0);
}

static void restore(void)
{
	forget_types("fdirect_churn");
}

static const struct test tests[] = {
	{ "the oracle tells another target than the one that is allowed", sees_other, HASH },
	{ "the oracle tells a call that is lost", sees_lost, HASH },
	{ "the oracle tells a call that reaches a target when none is allowed", sees_stray, HASH },
	{ "the oracle tells a call that has seen a change that was refused", sees_refused, HASH },
	{ "the oracle tells a call that is doubled", sees_doubled, HASH },
	{ "the oracle tells a function that returns something else", sees_body, HASH },
	{ "the oracle tells a refusal without a reason", sees_promise, HASH },
	{ "a run fails when the oracle is told another target now and then", misled_run, HASH },
	{ "every call reaches the target that is allowed, while everything changes", every_call,
	  HASH },
	{ "all changes are made, or refused for a reason", every_change, HASH },
	{ "everybody else is served", everybody_else, HASH },
	{ "the end is like the beginning", like_the_beginning, HASH },
};

static enum churn_lie lie_named(const char *name)
{
	int i;

	for (i = 1; i < CHURN_LIES; i++)
		if (!strcmp(name, lies[i]))
			return i;
	fprintf(stderr, "churn: no such lie: %s\n", name);
	exit(2);
}

static unsigned long long parse_number(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 0);

	if (!*text || *end) {
		fprintf(stderr, "churn: not a number: %s\n", text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "only", required_argument, NULL, 'o' },
		{ "without", required_argument, NULL, 'w' },
		{ "json", required_argument, NULL, 'j' },
		{ "mislead", required_argument, NULL, 'm' },
		{ }
	};
	struct timespec now;
	int option;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = now.tv_sec ^ (unsigned long long)now.tv_nsec << 20;
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 's':
			seed = parse_number(optarg);
			break;
		case 't':
			seconds = parse_number(optarg);
			break;
		case 'o':
			only = optarg;
			break;
		case 'w':
			without = optarg;
			break;
		case 'j':
			json = optarg;
			break;
		case 'm':
			mislead = lie_named(optarg);
			break;
		default:
			return 2;
		}
	}

	start_bpf();
	suite_restore = restore;
	expedite();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		ksft_exit_fail_msg("shared memory: %s\n", strerror(errno));
	SUITE(tests, "fdirect", "fdirect_churn");
}
