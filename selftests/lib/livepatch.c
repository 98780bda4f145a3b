// SPDX-License-Identifier: GPL-2.0
#include "livepatch.h"

/*
 * All tasks have to be seen outside of the functions, which the kernel tries every second.
 * False if that takes longer than a minute.
 */
static bool transition_ended(const char *module, bool there)
{
	char path[PATH_MAX];
	int tries;

	snprintf(path, sizeof(path), LIVEPATCHES "%s/transition", module);
	for (tries = 0; tries < 1200; tries++) {
		char *text = slurp(path);
		bool ended = text ? there && *text == '0' : !there;

		free(text);
		if (ended)
			return true;
		usleep(50000);
	}
	return false;
}

int livepatch_off(const char *module)
{
	char path[PATH_MAX];
	int err;

	if (!loaded(module))
		return 0;
	snprintf(path, sizeof(path), LIVEPATCHES "%s/enabled", module);
	if (!access(path, F_OK)) {
		err = put(path, "0");
		if (err || !transition_ended(module, false))
			return err ?: ETIMEDOUT;
	}
	/* The kernel lets go of the module a moment later. */
	return unload_soon(module);
}

int livepatch_on(const char *module, const char *parameters)
{
	int err = load_with(module, parameters);

	return err || transition_ended(module, true) ? err : ETIMEDOUT;
}
