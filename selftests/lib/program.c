// SPDX-License-Identifier: GPL-2.0
#include "program.h"

static const char *program(void)
{
	return access("/fdirect/bin/fdirect", X_OK) ? "fdirect" : "/fdirect/bin/fdirect";
}

pid_t start_program(const char *out, const char *const *args)
{
	const char *argv[24] = { program() };
	pid_t child;
	int i, null;

	for (i = 0; args[i]; i++)
		argv[i + 1] = args[i];
	child = fork();
	if (child)
		return child;
	null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	if (out)
		null = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(null, 1);
	dup2(null, 2);
	signal(SIGINT, SIG_DFL);
	execvp(argv[0], (char **)argv);
	_exit(NOT_FOUND);
}

int code_of(pid_t child)
{
	int wstatus = 0;

	if (waitpid(child, &wstatus, 0) != child)
		return -1;
	return WIFSIGNALED(wstatus) ? 1000 + WTERMSIG(wstatus) : WEXITSTATUS(wstatus);
}

bool program_there(void)
{
	int code = code_of(START("--help"));

	if (code != NOT_FOUND)
		return CHECK(code == 0, "--help: exit code %d", code);
	snprintf(skip_reason, sizeof(skip_reason), "the program fdirect is not installed");
	return false;
}
