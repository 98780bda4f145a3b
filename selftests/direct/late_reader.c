// SPDX-License-Identifier: GPL-2.0
/*
 * A registration that fails has shown its targets to nobody, so their owner may free them at
 * once. fdirect_late.ko is the reader: it saw an earlier direct call of the same function,
 * and was held up until then.
 */
#include "fdirect.h"

#define LATE	DEBUGFS "fdirect_late/"

static void refused(const char *command)
{
	char *text;
	int err;

	err = put(LATE "run", command);
	REQUIRE(!err, "%s: %s", command, errname(err));
	text = must_slurp(LATE "result");
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

static const struct test tests[] = {
	{ "the first registration of an ops that is refused shows nothing", refused_first, HASH },
	{ "a registration that is refused shows a late reader no target", refused_more, HASH },
};

int main(void)
{
	SUITE(tests, "fdirect_peer", "fdirect_api", "fdirect_late");
}
