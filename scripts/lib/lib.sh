# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# What the scripts share: messages, exit codes, the cache, locks, the architectures.

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
	scratch_dir=$(mktemp -d "$1/.tmp.XXXXXX")
	trap 'rm -rf "$scratch_dir"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# beside COMMAND...: runs it beside this script, in a process group of its own that does
# not outlive the script; its process id is in $beside
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

# arch_vars ARCH: the names that the kernel, gcc, Debian and QEMU have for it
arch_vars()
{
	case $1 in
	x86_64)
		srcarch=x86 cross='' debarch=amd64
		defconfig=x86_64_defconfig image=arch/x86/boot/bzImage ;;
	arm64)
		srcarch=arm64 cross=aarch64-linux-gnu- debarch=arm64
		defconfig='defconfig virt.config' image=arch/arm64/boot/Image ;;
	*)
		die $USAGE "no such architecture: $1" "known: x86_64 arm64" ;;
	esac
	[[ $(uname -m) != "${1/arm64/aarch64}" ]] || cross=''
	export srcarch cross debarch defconfig image
}

# base_vars BASE: what a kernel's name says
#
#   6.12, 6.12-stock          Debian's source with the patches and without, 40,000 functions
#   6.12-small, -debug, -kcsan  with the patches, small: plain, all checkers, data races
#   ...@N                     with no more than the first N patches
#   ...+NAME                  with checks/mutants/kernel/NAME.patch on top of all
base_vars()
{
	flavor=${1%%[@+]*} first_patches='' control=''
	case $1 in
	*@*) first_patches=${1#*@} ;;
	*+*) control=$top/checks/mutants/kernel/${1#*+}.patch ;;
	esac
	[[ $1 != *@* || $first_patches =~ ^(0|[1-9][0-9]*)$ ]] || die $USAGE "$1: how many patches is '$first_patches'?"
	[[ -z $control || -r $control ]] || die $USAGE "$1: there is no ${control#"$top"/}" "see scripts/test/controls --list"
	case $flavor in
	6.12 | 6.12-small | 6.12-debug | 6.12-kcsan) ;;
	6.12-stock) [[ $1 == "$flavor" ]] || die $USAGE "$1: the stock kernel has no patches" ;;
	*) die $USAGE "no such kernel: $1" \
		"known: 6.12 (with the patches), 6.12-stock (without), 6.12-small, 6.12-debug, 6.12-kcsan" ;;
	esac
	export flavor first_patches control
}
