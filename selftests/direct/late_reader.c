// SPDX-License-Identifier: GPL-2.0
/*
 * A registration that fails has shown its targets to nobody, so their owner may free them at
 * once. fdirect_late.ko is the reader: it saw an earlier direct call of the same function,
 * and was held up until then. It is also a reader that loads what a call site points at twice.
 */
#include "fdirect.h"

#define LATE	DEBUGFS "fdirect_late/"

/* The result of @command, which the caller frees, or NULL */
static char *run(const char *command)
{
	int err = put(LATE "run", command);

	return CHECK(!err, "%s: %s", command, errname(err)) ? must_slurp(LATE "result") : NULL;
}

static void refused(const char *command)
{
	char *text = run(command);

	if (!text)
		return;
#define VALUE(key)	value_in(text, key)
	CHECK(VALUE("error") == EAGAIN, "register: %lld", VALUE("error"));
	CHECK(VALUE("asked") == 1, "asked %lld times", VALUE("asked"));
	CHECK(!VALUE("list"), "the callback found a target that was refused");
	CHECK(!VALUE("object"), "the object of the call site had a target that was refused");
	CHECK(!VALUE("listed"), "an ops that was refused was on the list");
	CHECK(!VALUE("later"), "a target that was refused stayed");
	CHECK(!VALUE("again"), "register without the other ops: %lld", VALUE("again"));
#undef VALUE
	free(text);
}

static void refused_first(void)
{
	refused("first fdirect_peer_001");
}

static void refused_more(void)
{
	refused("more fdirect_peer_001 fdirect_peer_002");
}

static void loaded_again(void)
{
	char *text = run("again fdirect_peer_001");
	long long objects, found;

	if (!text)
		return;
	objects = value_in(text, "objects");
	found = value_in(text, "object");
	free(text);
	if (!objects)
		SKIP("no call loads what its call site points at a second time here");
	CHECK(found, "the object of the call site led to no target");
}

static const struct test tests[] = {
	{ "the first registration of an ops that is refused shows nothing", refused_first, HASH },
	{ "a registration that is refused shows a late reader no target", refused_more, HASH },
	{ "a call that loads the object of its call site again is not lost", loaded_again, HASH },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect_late");
}
