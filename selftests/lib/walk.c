// SPDX-License-Identifier: GPL-2.0
#include "walk.h"

char state[USERS + 1];
int steps;

bool here(int user)
{
	return strchr(state, '0' + user);
}

const char *state_name(void)
{
	static char text[64];
	size_t i, len;

	len = snprintf(text, sizeof(text), "%s", state[0] ? "" : "nobody");

	for (i = 0; state[i]; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i ? "+" : "",
				walk.users[state[i] - '0'].name);
	return text;
}

bool look(const char *when, int times)
{
	int seen[USERS] = { 0 }, want, i;
	bool ok = true;

	walk.count(seen);
	memset(seen, 0, sizeof(seen));
	walk.call(times);
	walk.count(seen);
	for (i = 0; i < USERS; i++) {
		want = here(i) && !(walk.hidden && walk.hidden(i)) ? times : 0;
		ok &= CHECK(seen[i] == want, "%s: now the %s saw %d of %d calls", when,
			    walk.users[i].name, seen[i], want);
	}
	return ok;
}

bool take_step(int user)
{
	bool come = !here(user);
	char when[128], *p;
	int err;

	snprintf(when, sizeof(when), "%s: %s %s", state_name(), walk.users[user].name,
		 come ? "comes" : "goes");
	err = come ? walk.users[user].on() : walk.users[user].off();
	if (!CHECK(!err, "%s: %s", when, errname(err)))
		return false;
	if (come) {
		state[strlen(state) + 1] = '\0';
		state[strlen(state)] = '0' + user;
	} else {
		p = strchr(state, '0' + user);
		memmove(p, p + 1, strlen(p));
	}
	steps++;
	return look(when, 2 + steps % 3);
}

int tracer_on(void)	{ return put(TRACEFS "current_tracer", "function"); }
int tracer_off(void)	{ return put(TRACEFS "current_tracer", "nop"); }
int kprobe_on(void)	{ return put(TRACEFS "events/kprobes/fd_k/enable", "1"); }
int kprobe_off(void)	{ return put(TRACEFS "events/kprobes/fd_k/enable", "0"); }

/* Not what it wrote to the trace: nothing, where that takes no events in a breakpoint's handler */
static int kprobe_hits(void)
{
	char *text = must_slurp(TRACEFS "kprobe_profile"), *line = strstr(text, " fd_k ");
	int hits = 0;

	if (line)
		sscanf(line, " fd_k %d", &hits);
	free(text);
	return hits;
}

static int kprobe_counted;

void count_trace_in(const char *dir, int seen[USERS], int tracer)
{
	char *line, *next = read_trace(dir), entry[64];
	int hits;

	if (!strcmp(dir, TRACEFS)) {
		hits = kprobe_hits();
		seen[1] += hits - kprobe_counted;
		kprobe_counted = hits;
	}
	snprintf(entry, sizeof(entry), "%s <-", walk.site);
	while ((line = strsep(&next, "\n"))) {
		if (strstr(line, "fd_f: "))
			seen[2]++;
		else if (strstr(line, entry))
			seen[tracer]++;
	}
}

bool start_walk_in(const char *module)
{
	steps = 0;
	state[0] = '\0';
	kprobe_counted = 0;
	return CHECK(!put(TRACEFS "set_ftrace_filter", "%s\n", walk.site), "set_ftrace_filter") &&
	       CHECK(!put(TRACEFS "kprobe_events", "p:fd_k %s%s" PROBE_OFFSET, module,
			  walk.site),
		     "kprobe_events");
}

bool start_walk(void)
{
	return start_walk_in("");
}

void stop_walk(void)
{
	int i;

	for (i = 0; i < USERS; i++)
		if (here(i))
			walk.users[i].off();
	state[0] = '\0';
	put(TRACEFS "current_tracer", "nop");
	put(TRACEFS "kprobe_events", "-:fd_k");
	close(open(TRACEFS "set_ftrace_filter", O_WRONLY | O_TRUNC));
}

int number_of(const char *s)
{
	int n = 0;

	while (*s)
		n = 5 * n + (*s++ - '0') + 1;
	return n;
}

bool taken[625][USERS];

/* The nearest step that has not been taken, as the first user of the way there. */
static int next_user(void)
{
	struct node {
		char state[USERS + 1];
		int first;
	} queue[128], *head = queue, *tail = queue, *p;
	int user;

	memcpy(tail->state, state, sizeof(state));
	tail++->first = -1;
	for (; head < tail; head++) {
		for (user = 0; user < USERS; user++) {
			struct node next = { .first = head->first < 0 ? user : head->first };
			char *at = strchr(head->state, '0' + user);

			if (!taken[number_of(head->state)][user])
				return next.first;
			memcpy(next.state, head->state, sizeof(next.state));
			if (at)
				memmove(next.state + (at - head->state),
					at + 1, strlen(at));
			else
				next.state[strlen(next.state)] = '0' + user;
			for (p = queue; p < tail; p++)
				if (!strcmp(p->state, next.state))
					break;
			if (p == tail)
				*tail++ = next;
		}
	}
	return -1;
}

void every_step(void)
{
	int user, different = 0;

	memset(taken, 0, sizeof(taken));
	while ((user = next_user()) >= 0) {
		different += !taken[number_of(state)][user];
		taken[number_of(state)][user] = true;
		if (!take_step(user))
			break;
	}
	CHECK(different == 260, "%d different steps taken, not 260", different);
	/* And back to where nobody is. */
	while (state[0] && take_step(state[0] - '0'))
		;
	CHECK(!state[0], "%s left", state_name());
}

void order(int n, int users_in_order[USERS])
{
	int left[USERS] = { 0, 1, 2, 3 }, i, k, pick;

	for (i = 0; i < USERS; i++) {
		pick = n % (USERS - i);
		n /= USERS - i;
		users_in_order[i] = left[pick];
		for (k = pick; k < USERS - 1; k++)
			left[k] = left[k + 1];
	}
}

/* How many orders to go are taken after each order to come. */
static int orders_to_go(void)
{
	int orders = asked_for("FDIRECT_ORDERS");

	return orders && orders < 576 ? (orders + 23) / 24 : 24;
}

void every_order(void)
{
	int on[USERS], off[USERS], to_go = orders_to_go(), a, d, i;

	for (a = 0; a < 24; a++) {
		order(a, on);
		for (d = a; d < a + to_go; d++) {
			order(d % 24, off);
			for (i = 0; i < USERS; i++)
				REQUIRE(take_step(on[i]), "order %d, %d", a, d % 24);
			for (i = 0; i < USERS; i++)
				REQUIRE(take_step(off[i]), "order %d, %d", a, d % 24);
		}
	}
	CHECK(steps == 24 * to_go * 2 * USERS, "%d steps", steps);
	ksft_print_msg("%d of 576 orders\n", 24 * to_go);
}
