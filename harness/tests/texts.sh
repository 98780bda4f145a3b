#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The man page and the completion say what --help says, and groff, bash and zsh take them.
# usage: texts.sh PROGRAM

set -u
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

wrong()
{
	echo "FAILED: $*"
	failed=1
}

# below COMMAND...: its commands, as --help lists them; options COMMAND...: its long options
below()
{
	"$program" "$@" --help | sed -n '/^Subcommands:/,$ s/^  \([a-z]\+\) .*/\1/p'
}

options()
{
	"$program" "$@" --help | grep -oE '^ +(-h,)?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

# complete_words WORD...: what bash offers for the last one
complete_words()
{
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_fdirect
	printf '%s\n' "${COMPREPLY[@]}"
}

offered()
{
	local want=$1
	shift
	complete_words fdirect "$@" | grep -qxF -e "$want" || wrong "'$want' is not offered after: fdirect $*"
}

# zsh_offered WANT WORD...: the same by zsh, which is asked at the end
zsh_offered()
{
	printf '%q ' "$1" fdirect "${@:2}" >>"$work/zsh.wanted"
	echo >>"$work/zsh.wanted"
}

"$program" generate man --output "$work/fdirect.8" || wrong "no man page"
"$program" generate bash >"$work/fdirect.bash" || wrong "no completion"
"$program" generate zsh --output "$work/_fdirect" || wrong "no completion for zsh"
zsh -n "$work/_fdirect" || wrong "zsh does not take the completion"
complaints=$(groff -ww -man -Tutf8 -z "$work/fdirect.8" 2>&1) || wrong "groff failed"
[[ ! $complaints ]] || wrong "groff: $complaints"
GROFF_NO_SGR=1 groff -man -Tascii -P-cbou -rLL=200n "$work/fdirect.8" >"$work/page"
# shellcheck disable=SC1091 # it was just made
. "$work/fdirect.bash" || wrong "bash does not take the completion"
bash -n "$work/fdirect.bash" || wrong "bash does not take the completion"

mapfile -t paths < <(below | while read -r one; do
	echo "$one"
	below "$one" | sed "s/^/$one /"
done)
((${#paths[@]} >= 13)) || wrong "--help has only ${#paths[@]} commands"
for path in '' "${paths[@]}"; do
	read -ra words <<<"$path"
	[[ ! $path ]] || grep -qE "^ +fdirect $path( |\$)" "$work/page" || wrong "not in the man page: fdirect $path"
	[[ ! $path ]] || offered "${words[@]: -1}" "${words[@]}"
	[[ ! $path ]] || zsh_offered "${words[@]: -1}" "${words[@]}"
	# The section of this command in the page
	awk -v path="fdirect${path:+ $path}" '/^[A-Z]/ { in_it = path == "fdirect" && $0 == "OPTIONS" }
		/^   fdirect / { in_it = index($0 " ", "   " path " ") == 1 } in_it' "$work/page" >"$work/section"
	while read -r option; do
		grep -qE -e "(^|[ ,])$option( |,|\$)" "$work/section" || wrong "not in the man page of '$path': $option"
		offered "$option" "${words[@]}" "${option%?}"
		zsh_offered "$option" "${words[@]}" "${option%?}"
	done < <(options "${words[@]}")
	[[ $(options "${words[@]}") == *--help* ]] || wrong "no options in --help of '$path'"
done
while read -r code; do
	awk '/^EXIT STATUS/ { on = 1 } on' "$work/page" | grep -qE "^ +$code " || wrong "not in the man page: exit code $code"
done < <("$program" --help | sed -n 's/^Exit codes: //p' | grep -oE '[0-9]+')
! grep -q generate <(complete_words fdirect '') || wrong "a hidden command is offered"

[[ $(complete_words fdirect attach --reach '') == $'near\nfar' ]] || [[ $(complete_words fdirect attach --reach '') == $'far\nnear' ]] ||
	wrong "the values of --reach are $(complete_words fdirect attach --reach '')"
offered near attach --reach = n
offered near attach --reach =
offered loops,calls bench bpf --parts loops,ca
offered direct-far bench call --kinds direct-f
[[ ! $(complete_words fdirect attach --from '') ]] || wrong "a file is not left to bash"
offered true count -- tru
[[ ! $(complete_words fdirect count -- true --js) ]] || wrong "an option is offered to the command behind --"

zsh_offered near attach --reach n
zsh_offered near attach --reach=n
zsh_offered calls bench bpf --parts loops,ca
zsh_offered direct-far bench call --kinds=direct-f
zsh_offered FILES attach --from ''
zsh_offered 'COMMAND 2 true --js' count -- true --js
# The function asks zsh by these names for what stands on the line, and tells it what to offer.
cat >"$work/driver.zsh" <<'END'
fpath=($1)
autoload -U _fdirect
_files() { print -r -- FILES }
_normal() { print -r -- COMMAND $CURRENT $words }
compadd() { print -rl -- ${(P)2} }
_describe() { print -rl -- ${${(P)2}%%:*} }
compset() { if [[ $2 == 1 ]]; then PREFIX=${PREFIX#${~3}}; else PREFIX=${PREFIX##${~2}}; fi }
while read -r line; do
	words=("${(@Q)${(z)line}}")
	want=$words[1]
	shift words
	CURRENT=$#words PREFIX=$words[-1]
	offer=("${(@f)$(_fdirect)}")
	((${offer[(Ie)$want]})) || print -r -- "'$want' is not offered after: $words"
done
END
while read -r line; do
	wrong "zsh: $line"
done < <(zsh -f "$work/driver.zsh" "$work" <"$work/zsh.wanted" 2>&1)

# As a user has it, in a shell with a terminal's line editing
PATH=$work:$PATH
ln -s "$program" "$work/fdirect"
typed=$(printf '. %q\nfdirect ben\tatt\t--warm\t0 --he\t\nexit\n' "$work/fdirect.bash" |
	TERM=dumb PS1='' timeout 20 bash --norc --noprofile -i 2>&1)
grep -q 'Usage: fdirect bench attach' <<<"$typed" || wrong "tab does not complete: $typed"
# Its line editing takes a terminal, and each key its time.
cat >"$work/terminal.zsh" <<'END'
zmodload zsh/zpty
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell "fpath=($1 \$fpath) PATH=$1:\$PATH PS1=; autoload -U compinit; compinit -u -D; print -r read''y"
zpty -r -m shell seen '*ready*' || exit
zpty -n -w shell $'fdirect ben\tatt\t--warm\t0 --he\t\n'
zpty -r -m shell seen '*Usage:*attach*'
print -r -- $seen
END
typed=$(timeout 60 zsh -f "$work/terminal.zsh" "$work" 2>&1)
grep -q 'Usage: fdirect bench attach' <<<"$typed" || wrong "tab does not complete in zsh: $typed"
exit "$failed"
