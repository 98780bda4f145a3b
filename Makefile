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

# These are for a kernel that checks all it can, and one for a small kernel.
stress faults bad-input test-debug: BASE := $(if $(filter file,$(origin BASE)),6.12-debug,$(BASE))
bisect cost-baseline: BASE := $(if $(filter file,$(origin BASE)),6.12-small,$(BASE))
MINUTES ?= 30

# A recipe that begins with this has the kernel's two names in $$1 and $$2: those of KERNEL, which
# somebody else has built, or BASE and the architecture.
take = $(scripts)/build/own-kernel $(if $(MODULES),--modules "$(MODULES)") "$(KERNEL)" $(ARCH)
names = kernel="$(if $(KERNEL),$$($(take)),$(BASE) $(arch))" && set -- $$kernel
ifeq ($(origin KERNEL),command line)
others := $(filter-out bench bench-call bench-scale bench-bpf vm help,$(MAKECMDGOALS))
$(if $(others),$(error KERNEL= is for make bench, bench-call, bench-scale, bench-bpf and vm, not for $(others)))
# No more than the kernel has
bench: N := $(if $(filter file,$(origin N)),most,$(N))
endif

.PHONY: help bench bench-call bench-scale bench-bpf test test-debug test-kcsan kernel module harness selftests \
	vm check clients mutants matrix bisect ftracetest-stock cost-baseline report bench-record clean distclean stress \
	bad-input faults fuzz stress-report deb deb-test
.DEFAULT_GOAL := help

define HELP
Try
  make bench          measure attaching N functions in a guest, print tables and ratios, and
                      write a page, build/bench/report.html; BASE=both measures the stock
                      kernel, too, instead of showing its recorded results
  make bench-call     the same for calls of traced functions
  make bench-scale    the same for k functions beside T attached ones, kprobes and memory
  make bench-bpf      the same for BPF programs
  make vm             a shell in a guest with the module loaded (Ctrl-D leaves)
  make bench KERNEL=../linux
                      the same of a kernel that you have built, of any version, with what it has;
                      bench-call, bench-scale, bench-bpf and vm likewise: docs/own-kernel.md
  make report         write that page anew, of the results that are there

Test
  make test           the suites that need no name, or SUITE; the last line counts the tests
  make check          the suite check: checkpatch on the series, linters
  make clients        libbpf 1.8 and bpftool of Linux 7.3 attach and show tracing_multi links;
                      bpftrace, perf and others are measured, on the kernel BASE and the stock one
  make test-debug     the selftests on a kernel with all checkers
  make test-kcsan     the selftests on a kernel with KCSAN (x86_64)
  make deb-test       install the packages of make deb in a minimal Debian that boots in QEMU,
                      use them there, and remove them; CONFIG as for deb
  make fuzz           the fuzzers of all that the program fdirect reads, SECONDS each
  make bad-input      INPUTS bad inputs to the files of the module, in a guest
  make faults         each allocation fails of every call that attaches, changes or detaches
  make cost-baseline  count the instructions of attaching, and keep what make test compares with
  make bench-record   count instructions with all four benches, keep the results, and write the
                      tables and pictures of README.md and docs/ from them
  make ftracetest-stock
                      run the kernel's own selftests without the patches, and keep the results

Campaigns (hours)
  make stress         churn for MINUTES, by default on a kernel with all checkers
  make matrix         the selftests on each kernel of the matrix; writes docs/matrix.md
  make mutants        build kernels and modules that are broken on purpose, and print what caught each
  make bisect         build, boot and test after every patch, FROM=0 to TO=all of them
  make stress-report  what these have shown, in Markdown

Build
  make kernel         the kernel BASE, or the one that is built
  make module         fdirect.ko for BASE, or for KDIR=kernel-headers
  make harness        the program fdirect, its man page, its completion for bash and zsh
  make selftests      the selftests and their modules for BASE
  make deb            Debian packages in build/deb: linux-image and linux-headers of BASE, with
                      CONFIG=/boot/config-... instead of the project's configuration; and fdirect,
                      with the module's source for DKMS
  make clean          remove what was built in this directory
  make distclean      remove the cache of sources, kernels and compiler output, too

ARCH=x86_64           the guest's architecture, or arm64, riscv64, s390x; without it test, test-debug,
                      matrix, mutants, bench-record and the tests of clients take the first two, all
                      others x86_64
BASE=6.12             the kernel: 6.12 with the patches, 6.12-stock without; others:
                      scripts/lib/matrix.json. stress, faults, bad-input and test-debug take
                      6.12-debug, bisect and cost-baseline 6.12-small
SUITE="check vm"      for make test: these suites (scripts/test/test --help)
TESTS="parts unload"  these selftests, for make test, test-debug, test-kcsan and faults
NAME="one two"        these kernels for make matrix, these mutants for make mutants
FAULTS="-a -b"        every allocation, of all calls, for make faults
KERNEL=path           a kernel of your own: its build directory, or a bzImage or Image;
                      MODULES=dir where lib/modules of an image is
N=40000               functions to attach
COUNT=insn            count instructions, COUNT=ns measure time; by default time with KVM only
INPUTS=100000 SEED=1  for make bad-input
SECONDS=60            for make fuzz
MINUTES=30 SEED=number CPUS=1
                      for make stress: how long, which run it repeats, and the guest's CPUs
KERNEL_SOURCE=path    a directory or tarball of Linux 6.12.y instead of Debian's
XDG_CACHE_HOME=dir    where sources and kernels are kept (default ~/.cache)
endef
export HELP

help:
	@printf '%s\n' "$$HELP"

bench:
	@$(names) && $(scripts)/bench/bench "$$1" "$$2" "$(N)" "$(COUNT)"

bench-call bench-scale bench-bpf: bench-%:
	@$(names) && $(scripts)/bench/bench "$$1" "$$2" "$*" "$(COUNT)"

test:
	@$(scripts)/test/test $(SUITE)

test-debug:
	@BASE=$(BASE) $(scripts)/test/test debug

test-kcsan:
	@BASE=6.12-kcsan ARCH=x86_64 $(scripts)/test/test debug

stress:
	@$(scripts)/campaign/stress "$(BASE)" "$(arch)" "$(MINUTES)" "$(SEED)" "$(CPUS)"

vm:
	@$(names) && $(scripts)/build/build "$$1" "$$2" && $(scripts)/guest/vm --base "$$1" --arch "$$2" --shell

check:
	@$(scripts)/test/test $@

clients:
	@$(scripts)/bench/clients $(BASE) $(arch)
	@$(scripts)/test/test $@

# A long run in a guest, which leaves its report in build/, named after the target
ready = $(scripts)/build/build $(BASE) $(arch) && $(scripts)/build/selftests $(BASE) $(arch)
in_guest = $(scripts)/guest/vm --base $(BASE) --arch $(arch) --timeout 36000 --out build/$@/$(BASE)-$(arch)

bad-input:
	@$(ready) && $(in_guest) -- /fdirect/selftests/bad_input --inputs "$(INPUTS)" --seed "$(or $(SEED),1)"

# Each in a guest of its own, so that two of these may share the work by TESTS
faults:
	@$(ready) && for test in $(or $(TESTS),$(basename $(notdir $(wildcard selftests/faults/fault_*.c)))); do \
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

selftests:
	@$(ready)
	@echo build/selftests/$(BASE)-$(arch)/install

deb:
	@$(scripts)/fetch/deps kernel harness bpf deb $(arch)
	@$(scripts)/build/deb $(arch)
	@$(scripts)/build/kernel $(BASE) $(arch) --packages build/deb $(if $(CONFIG),"$(CONFIG)")

deb-test:
	@ARCH=$(arch) CONFIG=$(if $(CONFIG),"$(abspath $(CONFIG))") $(scripts)/test/test deb

matrix:
	@$(scripts)/fetch/deps kernel guest harness bpf clang $(or $(ARCH),x86_64 arm64)
	@$(scripts)/campaign/matrix $(if $(ARCH),--arch $(ARCH)) $(NAME)

report:
	@$(scripts)/fetch/deps matrix plot harness bpf
	@$(scripts)/bench/page "$(patsubst both,6.12,$(BASE))" "$(COUNT)"

bench-record:
	@for arch in $(or $(ARCH),x86_64 arm64); do for what in 40000 call scale bpf; do \
		$(scripts)/bench/bench "$(BASE)" $$arch $$what insn || exit; done; done
	@$(scripts)/bench/record

ftracetest-stock:
	@$(scripts)/test/ftracetest-stock $(BASE) $(arch)

cost-baseline:
	@$(scripts)/bench/cost-baseline $(BASE) $(arch)

mutants:
	@$(scripts)/fetch/deps kernel guest harness bpf $(or $(ARCH),x86_64 arm64)
	@$(scripts)/test/mutants --version $(firstword $(subst -, ,$(BASE))) $(if $(ARCH),--arch $(ARCH)) $(NAME)

bisect:
	@$(scripts)/fetch/deps kernel guest harness bpf $(arch)
	@$(scripts)/campaign/bisect --base $(BASE) --arch $(arch) $(if $(FROM),--from $(FROM)) $(if $(TO),--to $(TO))

clean:
	rm -rf build

distclean: clean
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/fdirect"
