# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2016 # $ is jq's own
# The scripts share these: messages, exit codes, the cache, locks, the architectures.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/fdirect
export LC_ALL=C.UTF-8

# Exit codes of every script
readonly FAILED=1	# it ran and failed
readonly USAGE=2	# called in a wrong way, or bad input
readonly GUEST=3	# the guest died, hung or logged a warning
readonly CANNOT=4	# cannot run here: a tool, the network or disk space is missing

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# die CODE MESSAGE [HINT...]: one line that says what is wrong, one a hint that says what to do
die()
{
	local code=$1 hint
	say "error: $2"
	shift 2
	for hint; do
		printf '  %s\n' "$hint" >&2
	done
	exit "$code"
}

# The comment at the top of a script is its help.
help()
{
	sed -n '3,/^$/ s/^# \{0,1\}//p' "$0"
}

usage()
{
	die $USAGE "$1" "see ${0#"$top"/} --help"
}

need_command()
{
	local group=$1 command
	shift
	for command; do
		command -v "$command" >/dev/null ||
			die $CANNOT "$command is not installed" "run: scripts/fetch/deps $group"
	done
}

# need_space DIR MIB WHAT: before a big write rather than in the middle of it
need_space()
{
	local free
	mkdir -p "$1" || die $CANNOT "cannot make the directory $1" "set XDG_CACHE_HOME to a place that can be written"
	free=$(df --output=avail -BM "$1" | tail -n1 | tr -dc 0-9)
	((free >= $2)) ||
		die $CANNOT "no disk space for $3: $2 MiB needed, $free MiB free in $1" \
			"free some space, or set XDG_CACHE_HOME to a bigger disk"
}

# lock FILE: held until the script ends
lock()
{
	local fd
	mkdir -p "$(dirname "$1")"
	exec {fd}>"$1"
	flock -w 5 "$fd" && return
	say "waiting for another run that holds $1"
	flock "$fd"
}

# use_ccache: all builds share one cache. A build whose limit is lower would throw out what others need.
use_ccache()
{
	export CCACHE_DIR=$cache/ccache CCACHE_NOHASHDIR=1 CCACHE_COMPRESS=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-20G}
}

# use_ccache_by_name: the same for cmake and clang-tidy, which see a compiler's name, by Debian's links
use_ccache_by_name()
{
	use_ccache
	export PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR=$top
}

# timed WHAT COMMAND...: says what is being done and how long it took
timed()
{
	local what=$1 start=$SECONDS status
	shift
	say "$what ..."
	# Not "||", which would make a function go on after an error in its middle
	"$@"
	status=$?
	say "$what: $((SECONDS - start)) s"
	return $status
}

# A directory that vanishes with the script, beside where its content will go
scratch()
{
	mkdir -p "$1"
	# Directories of scripts that were killed
	find "$1" -maxdepth 1 -name '.tmp.*' -mtime +1 -exec rm -rf {} +
	scratch_dir=$(mktemp -d "$1/.tmp.XXXXXX")
	trap 'rm -rf "$scratch_dir"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# beside COMMAND...: runs it beside this script. Its process group does not outlive the
# script; its process id is in $beside
beside()
{
	set -m
	"$@" &
	beside=$!
	set +m
	trap 'kill -- "-$beside" 2>/dev/null || true' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# from_matrix FILTER [OPTION...]: what jq prints of the versions, flavours and architectures
from_matrix()
{
	need_command matrix jq
	jq -r "${@:2}" "$1" "$top/scripts/lib/matrix.json"
}

arches()
{
	from_matrix '.architectures | keys_unsorted | join(" ")'
}

# tested_arches: those that tests and campaigns take if none is named
tested_arches()
{
	from_matrix '[.architectures | to_entries[] | select(.value.tested) | .key] | join(" ")'
}

# Set by arch_vars, base_vars and toolchain_of
machine='' endian='' kernel_arch='' srcarch='' debarch='' debian_since='' cross='' compilers='' defconfig='' image='' qemu_packages='' qemu_newer='' qemu_machine=''
qemu_cpu='' qemu_ports='' guest_cpus='' insn_cpus='' bench_size='' slow='' parameters='' test_base='' far='' serial='' bus='' tested=''
flavor='' version='' variant='' first_patches='' mutant='' package='' suite='' patched='' patches='' use='' clang='' size=''
patched_base='' stock_base='' other_base='' own='' label=''
size_defconfig='' most_functions='' fragments=() extra_patches=() toolchain=()

# arch_vars ARCH: the names that the kernel, gcc, Debian and QEMU have for it. $kernel_arch is what
# its Makefile takes as ARCH. $debian_since is the version and name of the first Debian that has the
# architecture, if bookworm has not; $qemu_newer has the packages of QEMU since Debian 13. A guest
# has $guest_cpus CPUs, and $insn_cpus if it counts instructions. They are 1 where the kernel waits
# for another CPU without a hint to QEMU: it then spins until its turn ends, and that counts.
# $bench_size is the size of the kernels whose figures are kept in the tree. Tests may take $slow
# times longer than on x86_64.
arch_vars()
{
	local text
	text=$(from_matrix '.architectures[$arch] // empty |
		{tested: false, endian: "little", debian_since: "", qemu_newer: .qemu_packages, qemu_ports: "virtio-serial-pci", bus: "VIRTIO_PCI", guest_cpus: 2, insn_cpus: 2, bench_size: "full", slow: 1} + . |
		to_entries[] | "\(.key)=\(.value | @sh)"' --arg arch "$1") || exit
	[[ $text ]] || die $USAGE "no such architecture: $1" "known: $(arches)"
	eval "$text"
	[[ $(uname -m) != "$machine" ]] || cross=''
}

# config_arch FILE: the architecture that a kernel's configuration is for; nothing for other ones
config_arch()
{
	local arch symbol
	while read -r arch symbol; do
		! grep -q "^CONFIG_$symbol=y" "$1" || echo "$arch"
	done < <(from_matrix '.architectures | to_entries[] | "\(.key) \(.value.kernel_arch | ascii_upcase)"')
}

# base_vars BASE: what a kernel's name says: a version and a flavour of matrix.json, the
# flavour left out for "full", and what is put in or left out:
#
#   6.12, 6.12-stock, 6.12-small  the version's source with the patches, without, a small kernel
#   ...@N                         with no more than the first N patches
#   ...+NAME                      with checks/mutants/kernel/NAME.patch or checks/probes/NAME.patch on top of all
#   own-...                       a kernel that scripts/build/own-kernel has taken
#
# $flavor is the name without @ and +, $use what the kernel is for. $extra_patches come on top of
# the series; a stock kernel has only these, which change nothing but what a module may call.
# $patched_base and $stock_base are the kernels of this size with the series and without. $other_base
# is the stock kernel of the version that this one is compared with, or empty.
# $label names the kernel in results. Of one that scripts/build/own-kernel has taken it is the path,
# and $own the directory that holds it; $own is empty for the project's kernels.
base_vars()
{
	local text
	own='' label=$1
	if [[ $1 == own-* ]]; then
		own_vars "$1"
		return
	fi
	flavor=${1%%[@+]*} first_patches='' mutant=''
	case $1 in
	*@*) first_patches=${1#*@} ;;
	*+*)
		mutant=$top/checks/mutants/kernel/${1#*+}.patch
		[[ ! -r $top/checks/probes/${1#*+}.patch ]] || mutant=$top/checks/probes/${1#*+}.patch ;;
	esac
	[[ $1 != *@* || $first_patches =~ ^(0|[1-9][0-9]*)$ ]] || die $USAGE "$1: how many patches is '$first_patches'?"
	[[ -z $mutant || -r $mutant ]] || die $USAGE "$1: there is no ${mutant#"$top"/}" "make mutants lists them"
	version=${flavor%%-*}
	variant=${flavor#"$version"}
	variant=${variant#-}
	text=$(from_matrix '. as $all | (if $variant == "" then "full" else $variant end) as $name |
		.versions[$version] // empty | select(.flavours | index($name)) |
		. + {patched: true, use: [], fragments: [], patches: [], clang: ""} + $all.flavours[$name] |
		if .patched then . else .patches += (.stock_patches // []) end |
		.size_defconfig = ($all.sizes[.size].defconfig // "") |
		.fragments = $all.sizes[.size].fragments + .fragments +
			(if .patched then .series_fragments // [] else [] end) + (.last_fragments // []) |
		"package=\(.package | @sh) suite=\(.suite | @sh) compared_with=\(.compared_with // "" | @sh) patched=\(.patched) use=\(.use | join(" ") | @sh) clang=\(.clang) " +
		"size=\(.size) size_defconfig=\(.size_defconfig) most_functions=\($all.sizes[.size].functions) " +
		"fragments=(\(.fragments | @sh)) extra_patches=(\(.patches | @sh))"' \
		--arg version "$version" --arg variant "$variant") || exit
	[[ $text && $variant != full ]] || die $USAGE "no such kernel: $1" "known: $(kernels '')"
	eval "$text"
	[[ $patched == true || $1 == "$flavor" ]] || die $USAGE "$1: the stock kernel has no patches"
	patches=$top/patches/$version
	patched_base=$version stock_base=$version-stock other_base=${compared_with:+$compared_with-stock}
	[[ $size == full ]] || patched_base+=-$size stock_base=$version-$size-stock other_base=${compared_with:+$compared_with-$size-stock}
}

# own_vars BASE: the same of a kernel that somebody else has built. Its source is not known, so
# that it has no version, and nobody knows if the patches are in it.
own_vars()
{
	own=$top/build/own/$1
	[[ -r $own/inputs ]] || die $USAGE "no such kernel: $1" "run: scripts/build/own-kernel KERNEL"
	label=$(<"$own/path")
	flavor=$1 version=own variant='' first_patches='' mutant='' package='' suite='' patched=false patches='' use=bench clang=''
	size=full size_defconfig='' most_functions='' fragments=() extra_patches=()
	patched_base=$1 stock_base=$1 other_base=''
}

# version_vars VERSION: $package and $suite have its source, $patches its series
version_vars()
{
	local text
	text=$(from_matrix '.versions[$version] // empty | "package=\(.package | @sh) suite=\(.suite | @sh)"' \
		--arg version "$1") || exit
	[[ $text ]] || die $USAGE "no such version: $1" "known: $(from_matrix '.versions | keys_unsorted | join(" ")')"
	eval "$text"
	patches=$top/patches/$1
}

# has_kvm: whether the guest of the architecture that arch_vars was called for can use KVM. The
# CPU has to say so: a /dev/kvm that opens on a CPU without vmx or svm is slower than none.
has_kvm()
{
	[[ $machine == "$(uname -m)" ]] && grep -qwE 'vmx|svm' /proc/cpuinfo && : 2>/dev/null >/dev/kvm
}

# source_is_here VERSION: whether the source of another version than 6.12, of which KERNEL_SOURCE is
# one, is in the cache. No test fetches it.
source_is_here()
{
	[[ -d $cache/source/$1 && -z ${KERNEL_SOURCE-} ]]
}

# toolchain_of KDIR: $toolchain has what make needs to know to build modules for this kernel: its
# version of clang, or clang without a version where that is not here
toolchain_of()
{
	local version
	toolchain=()
	if grep -q '^CONFIG_CC_IS_CLANG=y' "$1/include/config/auto.conf"; then
		version=$(sed -nE 's/^CONFIG_CLANG_VERSION=([0-9]+)[0-9]{4}$/\1/p' "$1/include/config/auto.conf")
		toolchain=(LLVM="-$version")
		command -v "clang-$version" >/dev/null || ! command -v clang >/dev/null || toolchain=(LLVM=1)
	fi
}

# kernels USE [ARCH]: the names of the kernels that are for this use, or of all
kernels()
{
	from_matrix '. as $all | [.versions | to_entries[] | .key as $version | .value.flavours[] |
		$all.flavours[.] as $flavour | select($use == "" or ($flavour.use // [] | index($use))) |
		select($arch == "" or ($flavour.architectures // [$arch] | index($arch))) |
		if . == "full" then $version else "\($version)-\(.)" end] | join(" ")' --arg use "$1" --arg arch "${2-}"
}
