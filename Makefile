# SPDX-License-Identifier: GPL-2.0
# fdirect: the commands for people. "make help" lists them.

BASE ?= 6.12
N ?= 40000
INPUTS ?= 100000
SECONDS ?= 60
# Every allocation, and samples of those of calls with thousands of functions
FAULTS ?= -a -b

# The kernel and the guest are for one architecture; the tests are for all of them.
arch := $(or $(ARCH),x86_64)
scripts := $(CURDIR)/scripts
ifneq ($(ARCH),)
export ARCH
endif

# The scripts call make themselves, for kernels and modules, with settings of their own.
unexport MAKEFLAGS MAKELEVEL

# These are for a kernel that checks all it can.
stress soak faults bad-input: BASE := $(if $(filter file,$(origin BASE)),6.12-debug,$(BASE))
MINUTES ?= 30

.PHONY: help bench bench-call bench-scale bench-bpf test test-debug test-kcsan kernel module harness selftests \
	vm check controls bisect ftracetest-stock cost-baseline report plot clean distclean stress soak \
	bad-input faults fuzz stress-report
.DEFAULT_GOAL := help

help:
	@echo 'make bench      measure attaching N functions in a guest, and print a table'
	@echo 'make bench-call measure what calls of traced functions cost, likewise'
	@echo 'make bench-scale'
	@echo '                measure how attaching, kprobes and memory scale with what is attached'
	@echo 'make bench-bpf  measure loading, attaching, detaching and calling BPF programs, likewise'
	@echo 'make test       run all tests; the last line counts them'
	@echo 'make test-debug run the selftests on a kernel with all checkers'
	@echo 'make test-kcsan run the selftests on a kernel with KCSAN (x86_64)'
	@echo 'make stress     MINUTES=30 of churn, by default on a kernel with all checkers'
	@echo 'make soak       churn on both architectures in turn, until it is stopped or fails'
	@echo 'make vm         a shell in a guest with the module loaded (Ctrl-D leaves)'
	@echo 'make check      checkpatch on the series, linters'
	@echo 'make faults     let each allocation fail of every call that attaches, changes or detaches'
	@echo 'make stress-report'
	@echo '                what test-debug, test-kcsan, stress, faults, bad-input, fuzz, controls and bisect'
	@echo '                have shown, in Markdown'
	@echo 'make bad-input  write INPUTS bad inputs to the files of the module, in a guest'
	@echo 'make fuzz       run the fuzzers of all that the program fdirect reads, SECONDS each'
	@echo 'make kernel     build the kernel BASE, or find the one that is built'
	@echo 'make module     build fdirect.ko for BASE, or for KDIR=kernel-headers'
	@echo 'make harness    build the program fdirect'
	@echo 'make report     the results of make bench COUNT=insn side by side, in Markdown'
	@echo 'make plot       draw the results of make bench and bench-scale COUNT=insn into'
	@echo '                docs/attach.svg and docs/scale.svg'
	@echo 'make controls   build kernels that are broken on purpose, and print what caught each;'
	@echo '                for both architectures without ARCH'
	@echo 'make bisect     build, boot and test after every patch, FROM=0 to TO=all of them (hours)'
	@echo 'make clean      remove what was built in this directory'
	@echo 'make distclean  remove the cache of sources, kernels and compiler output, too'
	@echo 'make ftracetest-stock'
	@echo '                run the kernel'"'"'s ftrace selftests on the unpatched kernel and'
	@echo '                keep the results that make test compares with'
	@echo 'make cost-baseline'
	@echo '                count the instructions of attaching and keep the figures that make'
	@echo '                test compares with'
	@echo
	@echo 'ARCH=x86_64           the guest'"'"'s architecture, or arm64; make test and test-debug take both without it'
	@echo 'TESTS="parts unload"  the selftests that make test-debug, test-kcsan and faults run; all without it'
	@echo 'BASE=6.12             the kernel: 6.12 with the patches, 6.12-stock without'
	@echo 'N=40000               functions to attach'
	@echo 'INPUTS=100000 SEED=1  for make bad-input'
	@echo 'SECONDS=60            for make fuzz'
	@echo 'COUNT=insn            count instructions instead of nanoseconds'
	@echo 'MINUTES=30 SEED=number'
	@echo '                      how long make stress takes, and which run it repeats'
	@echo 'KERNEL_SOURCE=path    a directory or tarball of Linux 6.12.y instead of Debian'"'"'s'
	@echo 'XDG_CACHE_HOME=dir    where sources and kernels are kept (default ~/.cache)'

bench:
	@$(scripts)/bench/bench "$(BASE)" "$(arch)" "$(N)" "$(COUNT)"

bench-call:
	@$(scripts)/bench/bench "$(BASE)" "$(arch)" call "$(COUNT)"

bench-scale:
	@$(scripts)/bench/bench "$(BASE)" "$(arch)" scale "$(COUNT)"

bench-bpf:
	@$(scripts)/bench/bench "$(BASE)" "$(arch)" bpf "$(COUNT)"

test:
	@$(scripts)/test/test

test-debug:
	@BASE=6.12-debug $(scripts)/test/test debug

test-kcsan:
	@BASE=6.12-kcsan ARCH=x86_64 $(scripts)/test/test debug

stress:
	@$(scripts)/campaign/stress "$(BASE)" "$(arch)" "$(MINUTES)" $(if $(SEED),"$(SEED)")

soak:
	@$(scripts)/campaign/stress soak "$(BASE)" "$(MINUTES)"

vm:
	@$(scripts)/build/build $(BASE) $(arch)
	@$(scripts)/guest/vm --base $(BASE) --arch $(arch) --shell

check:
	@$(scripts)/test/test check

# A long run in a guest, which leaves its report in build/, named after the target
ready = $(scripts)/build/build $(BASE) $(arch) && $(scripts)/build/selftests $(BASE) $(arch)
in_guest = $(scripts)/guest/vm --base $(BASE) --arch $(arch) --timeout 36000 --out build/$@/$(BASE)-$(arch)

bad-input:
	@$(ready) && $(in_guest) -- /fdirect/selftests/bad_input --inputs "$(INPUTS)" --seed "$(or $(SEED),1)"

# Each in a guest of its own, so that two of these may share the work by TESTS
faults:
	@$(ready) && for test in $(or $(TESTS),fault_hash fault_filter fault_module fault_load fault_bpf); do \
		$(in_guest)/$$test -- env FDIRECT_FAULTS="$(FAULTS)" /fdirect/selftests/run.sh -t 36000 $$test || exit; \
	done

stress-report:
	@$(scripts)/campaign/stress-report

fuzz:
	@$(scripts)/fetch/deps harness bpf fuzz
	@$(scripts)/test/fuzz "$(SECONDS)"

kernel:
	@$(scripts)/fetch/deps kernel $(arch)
	@$(scripts)/build/kernel $(BASE) $(arch)

ifneq ($(KDIR),)
module:
	@$(scripts)/fetch/deps kernel $(arch)
	@$(scripts)/build/module "$(KDIR)" build/module/kdir
	@echo build/module/kdir/install/fdirect.ko
else
module:
	@$(scripts)/fetch/deps kernel $(arch)
	@kernel=$$($(scripts)/build/kernel $(BASE) $(arch)) && \
		$(scripts)/build/module --arch $(arch) "$$kernel/build" build/module/$(BASE)-$(arch)
	@echo build/module/$(BASE)-$(arch)/install/fdirect.ko
endif

harness:
	@$(scripts)/fetch/deps harness bpf $(arch)
	@$(scripts)/build/harness $(arch)

# What make bench, bench-call, bench-scale and bench-bpf wrote with COUNT=insn, the patched kernels first
results = $(foreach base,6.12-[!s] 6.12-stock-,$(wildcard build/bench/$(base)*-insn/$(1).json))

report:
	@$(scripts)/build/harness x86_64 >/dev/null
	@build/harness/x86_64/install/bin/fdirect report --markdown $(call results,attach)
	@$(if $(call results,call),echo && build/harness/x86_64/install/bin/fdirect report --markdown $(call results,call))
	@$(if $(call results,scale),echo && build/harness/x86_64/install/bin/fdirect report --markdown $(call results,scale))
	@$(if $(call results,bpf),echo && build/harness/x86_64/install/bin/fdirect report --markdown $(call results,bpf))

plot:
	@$(scripts)/fetch/deps plot
	@$(scripts)/bench/plot docs/attach.svg $(call results,attach)
	@$(if $(call results,scale),$(scripts)/bench/plot-scale docs/scale.svg $(call results,scale))

ftracetest-stock:
	@$(scripts)/test/ftracetest-stock $(arch)

cost-baseline:
	@$(scripts)/bench/cost-baseline $(BASE) $(arch)

controls:
	@$(scripts)/fetch/deps kernel guest harness bpf $(or $(ARCH),x86_64 arm64)
	@$(scripts)/test/controls $(if $(ARCH),--arch $(ARCH)) $(NAME)

bisect:
	@$(scripts)/fetch/deps kernel guest harness bpf $(arch)
	@$(scripts)/campaign/bisect --arch $(arch) $(if $(FROM),--from $(FROM)) $(if $(TO),--to $(TO))

clean:
	rm -rf build

distclean: clean
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/fdirect"
