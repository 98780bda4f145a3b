# SPDX-License-Identifier: GPL-2.0
# hash-api is y where modules can give an ftrace_ops a target for each call site: where the
# kernel exports the calls for it, those of the series or, on Linux 7, of the same kind.
ifneq ($(CONFIG_HAVE_SINGLE_FTRACE_DIRECT_OPS),)
hash-api := $(if $(shell grep -swE 'register_ftrace_direct_hash|update_ftrace_direct_add' $(objtree)/Module.symvers),y)
endif
ccflags-$(hash-api) += -DFDIRECT_HASH_API
