# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for those who source it
# Where the results of benchmarks are: what this machine measured, and what is kept in the tree.

measured=${FDIRECT_MEASURED:-$top/build/bench}
kept=${FDIRECT_KEPT:-$top/checks/baselines/bench}

# benchmarks: the names of those that have results
benchmarks()
{
	find "$measured" "$kept" -mindepth 2 -maxdepth 2 -name '*.json' -printf '%f\n' 2>/dev/null | sed 's/\.json$//' | sort -u
}

# record_of BASE ARCH WHAT COUNT: $record is the file of results of that kernel and benchmark that
# this machine wrote; else the one that is kept, and $recorded is then --recorded.
# Fails where there is neither.
record_of()
{
	local name=$1-$2/$3.json
	[[ $4 != insn ]] || name=$1-$2-insn/$3.json
	recorded=
	record=$measured/$name
	[[ ! -r $record ]] || return 0
	recorded=--recorded
	record=$kept/$name
	[[ -r $record ]]
}
