// SPDX-License-Identifier: GPL-2.0
#include "direct_api.h"

const char *entry(int peer, int stub)
{
	static char text[16][64];
	static int next;
	char *t = text[next++ % 16];

	snprintf(t, sizeof(text[0]), "%s=%d", peer_name(peer), stub);
	return t;
}

void call_at(int line, int want, const char *fmt, ...)
{
	char *text;
	va_list args;
	int err;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		exit(KSFT_FAIL);
	va_end(args);
	err = write_file(API "call", text, strlen(text));
	check(err == want, line, "as promised", "%.120s: %s, not %s", text, errname(err),
	      errname(want));
	free(text);
}

long api_hits(int stub)
{
	char *text = must_slurp(API "hits"), *line, *next = text;
	long hits = 0, n;
	char name[16], want[16];

	snprintf(want, sizeof(want), stub < 0 ? "ipmodify" : "%d", stub);
	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%15s %ld", name, &n) == 2 && !strcmp(name, want))
			hits = n;
	free(text);
	return hits;
}

long api_hits_total(void)
{
	char *text = must_slurp(API "hits"), *line, *next = text;
	long hits = 0, n;

	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%*d %ld", &n) == 1)
			hits += n;
	free(text);
	return hits;
}

long ipmodify_hits(void)
{
	return api_hits(-1);
}

void expect_stub_at(int line, int peer, int stub)
{
	const int times = 7;
	long want = stub == NONE ? 0 : times;
	int err;

	put(API "hits", "0");
	err = call_peers(peer, 1, times, 1);
	check(!err, line, "called", "peer %d: %s", peer, errname(err));
	if (stub != NONE)
		check(api_hits(stub) == want, line, "on its stub",
		      "peer %d: %ld hits on stub %d, not %ld", peer, api_hits(stub), stub, want);
	check(api_hits_total() == want, line, "nowhere else", "peer %d: %ld hits in all, not %ld",
	      peer, api_hits_total(), want);
}

static int slot_number(int slot, int column)
{
	char *text = must_slurp(API "slots"), *line, *next = text;
	int n[6] = { 0 }, value = 0;

	while ((line = strsep(&next, "\n")))
		if (sscanf(line, "%d %d %d %d %d %d", &n[0], &n[1], &n[2], &n[3], &n[4],
			   &n[5]) == 6 && n[0] == slot)
			value = n[column];
	free(text);
	return value;
}

bool enabled(int slot)		{ return slot_number(slot, 1); }
int share_calls(int slot)	{ return slot_number(slot, 2); }
int share_result(int slot)	{ return slot_number(slot, 3); }
int unshare_calls(int slot)	{ return slot_number(slot, 5); }

void restore_api(void)
{
	int i;

	call("ipmodify off");
	for (i = 0; i < 4; i++)
		call("zero %d", i);
	put(API "hits", "0");
}
