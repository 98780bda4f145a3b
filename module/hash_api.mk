# SPDX-License-Identifier: GPL-2.0
# hash-api is y where modules can give an ftrace_ops a target for each call site: with the
# series, and on Linux 7, which has the same calls by other names, where they are exported.
hash-api := $(CONFIG_SINGLE_FTRACE_DIRECT_OPS)
ifneq ($(CONFIG_HAVE_SINGLE_FTRACE_DIRECT_OPS),)
hash-api := $(if $(shell grep -sw update_ftrace_direct_add $(objtree)/Module.symvers),y,$(hash-api))
endif
ccflags-$(hash-api) += -DFDIRECT_HASH_API
