// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU's TCG that counts the guest's instructions by the blocks that
 * they are in, from the last time that one address is executed until another one is.
 * scripts/bench/profile builds it and sums the blocks up by function.
 *
 * arguments: from=HEX,to=HEX,out=FILE; FILE gets a line "ADDRESS INSTRUCTIONS" for
 * each block, when QEMU ends.
 *
 * Debian has no package with the header of the interface, which is part of QEMU; what
 * is used of its version 1 is declared here. One vCPU runs at a time with -icount,
 * so nothing is locked.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
	void (*call)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
	void (*call)(unsigned int vcpu, void *data), int flags, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
	void (*call)(qemu_plugin_id_t id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

EXPORT int qemu_plugin_version = 1;

struct block {
	struct block *next;
	uint64_t address;
	uint64_t length;
	uint64_t count;		/* of executions while counting */
	uint64_t result;	/* the count when counting ended */
};

static struct block *blocks[1 << 16];
static uint64_t from, to;
static const char *out;
static bool counting;

static struct block *find(uint64_t address, uint64_t length)
{
	struct block **chain = &blocks[(address >> 2) % (sizeof(blocks) / sizeof(blocks[0]))];
	struct block *block;

	for (block = *chain; block; block = block->next) {
		if (block->address == address && block->length == length)
			return block;
	}
	block = calloc(1, sizeof(*block));
	if (!block)
		abort();
	block->address = address;
	block->length = length;
	block->next = *chain;
	*chain = block;
	return block;
}

/* Of several calls, the last one that came to its end is what is measured. */
static void begin(void)
{
	struct block *block;
	size_t i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		for (block = blocks[i]; block; block = block->next)
			block->count = 0;
	}
	counting = true;
}

static void end(void)
{
	struct block *block;
	size_t i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		for (block = blocks[i]; block; block = block->next)
			block->result = block->count;
	}
	counting = false;
}

static void executed(unsigned int vcpu, void *data)
{
	struct block *block = data;

	(void)vcpu;
	if (block->address == from)
		begin();
	if (block->address == to && counting)
		end();
	block->count += counting;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(
		tb, executed, 0, find(qemu_plugin_tb_vaddr(tb), qemu_plugin_tb_n_insns(tb)));
}

static void ended(qemu_plugin_id_t id, void *data)
{
	FILE *file = fopen(out, "w");
	struct block *block;
	size_t i;

	(void)id;
	(void)data;
	if (!file) {
		perror(out);
		return;
	}
	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		for (block = blocks[i]; block; block = block->next) {
			if (block->result)
				fprintf(file, "%" PRIx64 " %" PRIu64 "\n", block->address,
					block->length * block->result);
		}
	}
	if (fclose(file))
		perror(out);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "from=", 5))
			from = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "to=", 3))
			to = strtoull(argv[i] + 3, NULL, 16);
		else if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	}
	if (!from || !to || !out) {
		fprintf(stderr, "profile: from=, to= and out= are needed\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
