// SPDX-License-Identifier: GPL-2.0
/*
 * Does this machine execute code that is no longer in memory?
 *
 * One thread calls small functions of one page in a loop. Another one changes the value
 * that each returns by a store to another mapping of the page, makes every CPU of the
 * process execute a core-serializing instruction by membarrier(), and calls them itself.
 * A processor then executes the new code. An emulator that translated the page while the
 * store was under way may keep the old code. No code of the kernel is patched here.
 *
 * usage: stale-code ROUNDS. Exit code: 0 if no stale code was executed, 1 if it was.
 */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FUNCTIONS 256
#define STEP 16

typedef uint32_t (*function_t)(void);

static unsigned char *code, *alias;
static volatile int stop;

static function_t function(int i)
{
	return (function_t)(code + i * STEP + 3);
}

static void *call_all(void *unused)
{
	while (!stop)
		for (int i = 0; i < FUNCTIONS; i++)
			function(i)();
	return unused;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0, stale = 0, kept = 0;
	int fd = memfd_create("code", 0);
	pthread_t caller;

	if (!rounds || fd < 0 || ftruncate(fd, FUNCTIONS * STEP)) {
		fprintf(stderr, "usage: stale-code ROUNDS\n");
		return 2;
	}
	alias = mmap(NULL, FUNCTIONS * STEP, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = mmap(NULL, FUNCTIONS * STEP, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (alias == MAP_FAILED || code == MAP_FAILED ||
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0)) {
		perror("stale-code");
		return 2;
	}
	for (int i = 0; i < FUNCTIONS; i++) {
		alias[i * STEP + 3] = 0xb8;	/* mov $0, %eax */
		alias[i * STEP + 8] = 0xc3;	/* ret */
	}
	if (pthread_create(&caller, NULL, call_all, NULL))
		return 2;
	for (uint32_t round = 1; round <= rounds; round++) {
		for (int i = 0; i < FUNCTIONS; i++)
			__atomic_store_n((uint32_t *)(alias + i * STEP + 4), round, __ATOMIC_SEQ_CST);
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
		for (int i = 0; i < FUNCTIONS; i++) {
			uint32_t got = function(i)();

			if (got == round)
				continue;
			if (!stale++)
				printf("round %u, function %d: %u in memory, %u executed\n", round, i,
				       *(uint32_t *)(alias + i * STEP + 4), got);
			/* once more, much later: a translation that is kept is never right again */
			usleep(1000);
			kept += function(i)() != round;
		}
	}
	stop = 1;
	pthread_join(caller, NULL);
	printf("%lu of %lu calls executed code that was not in memory, %lu of them again after 1 ms\n", stale,
	       rounds * FUNCTIONS, kept);
	return stale ? 1 : 0;
}
