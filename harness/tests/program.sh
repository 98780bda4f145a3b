#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The program as a user calls it: exit codes, error and hint lines, what it writes to the module's files.
# usage: program.sh PROGRAM

program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# expect CODE TEXT COMMAND...: it ends with CODE, and what it writes has TEXT in it
expect() {
    code=$1 text=$2
    shift 2
    "$@" >"$work/out" 2>&1
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -qF -e "$text" "$work/out"; then
        echo "FAILED: $*"
        echo "  expected $code and '$text', got $got and:"
        sed 's/^/  /' "$work/out"
        failed=1
    fi
}

# A kernel without anything, then one with a tracefs, then one with the module's files.
export FDIRECT_DEBUGFS="$work/debug" FDIRECT_TRACEFS="$work/tracing" FDIRECT_PROCFS="$work/proc" \
    FDIRECT_SYSFS="$work/sys" FDIRECT_BOOT="$work/boot"

expect 2 'hint: fdirect --help' "$program"
expect 2 'error: ' "$program" nonsense
expect 2 'hint: fdirect bench attach --help' "$program" bench attach --unit miles
expect 2 'error: ' "$program" bench attach --functions many
expect 2 'error: ' "$program" bench call --calls 0
expect 2 'error: ' "$program" bench scale --before some
expect 2 'error: ' "$program" bench bpf --loops 0
expect 2 'error: ' "$program" bench bpf --functions some
expect 2 'error: ' "$program" count --for never
expect 2 'error: ' "$program" count --for nan
expect 2 'error: ' "$program" count --for 1 -- true
expect 2 'error: ' "$program" bench bpf --functions 0x64
expect 2 'error: ' "$program" count --json --csv
expect 2 'error: ' "$program" count --html
expect 2 'there is no command behind --' "$program" count one --
expect 2 "'' is no pattern" "$program" count ''
expect 2 "':one' is no pattern" "$program" count --exclude :one
expect 0 'COMMAND ARGUMENT' "$program" count --help
expect 2 '--unit: ' env FDIRECT_UNIT=miles "$program" bench bpf
expect 0 'unknown' env FDIRECT_UNIT=miles "$program" info
expect 2 'error: ' "$program" report --json --csv file
expect 2 "'one' is not NAME=VALUE" "$program" report --where one file
expect 2 'nothing not in {headline' "$program" report --parts nothing file
expect 0 'Exit codes' "$program" --help
expect 0 'fdirect ' "$program" --version

expect 0 'unknown' "$program" info
expect 0 '"btf": null' "$program" info --json
expect 4 'hint: mount tracefs' "$program" list
expect 4 'hint: mount tracefs' "$program" bench bpf
# Whether the kernel lacks the link or the list of functions: nothing can be counted here.
expect 4 'hint: ' "$program" count -- touch "$work/touched"
[ ! -e "$work/touched" ] || { echo "FAILED: count ran a command without counting"; failed=1; }
expect 2 'everything not in {loops' "$program" bench bpf --parts loops,everything
expect 4 'debugfs is not mounted' "$program" status

mkdir -p "$work/debug/other" "$work/tracing"
printf 'ffffffff81000010 one\nffffffff81000020 two\nffffffffc0000010 mine [fdirect]\n' \
    >"$work/tracing/available_filter_functions_addrs"
expect 0 '0xffffffff81000010 one' "$program" list
: >"$work/tracing/enabled_functions"
expect 4 'ask for fewer with --functions' "$program" bench bpf --functions 3
expect 2 '0 functions cannot be measured' "$program" bench bpf --functions 0
expect 2 'and one run' "$program" bench bpf --functions 1 --runs 0
expect 4 'does not tell the types of its functions' "$program" bench bpf --functions 1
expect 0 '"name": "two"' "$program" list --json 't*'
expect 1 "no traceable function matches 'three'" "$program" list three
expect 2 'error: ' "$program" list ''
for command in status verify detach 'attach one' 'bench attach' 'bench call' 'bench scale'; do
    # shellcheck disable=SC2086 # the words of a command
    expect 4 'error: the module fdirect is not loaded' "$program" $command
done

mkdir "$work/debug/fdirect"
cd "$work/debug/fdirect" || exit 1
echo 'each multi' >available_methods
echo 'each' >method
echo '0' >ops
: >./functions; : >./reach; : >./control; : >./times; : >./last_error
ln -s /dev/null hits
printf 'functions 2\nattached 0\nmethod each\nops 0\nstubs 65536\nhits_total 0\n%s\n' \
    'stray_hits 0
patched 0
misdirected 0
reach near' >status
expect 0 'functions selected:   2' "$program" status
expect 0 'reach:                near' "$program" status
expect 0 '"reach": "near"' "$program" status --json
expect 0 'nothing is attached' "$program" detach
expect 0 'ok       functions attached: 0' "$program" verify
expect 0 'attached' "$program" attach --method multi --reach far --ops 2 't*' one
[ "$(cat functions control method reach ops)" = "0xffffffff81000010
0xffffffff81000020
attach
multi
far
2" ] || { echo "FAILED: what attach wrote:"; cat functions control method reach ops; failed=1; }
: >control
expect 0 'attached' "$program" attach --from /dev/null --count 2
[ "$(cat control)" = 'attach 0 2' ] || { echo "FAILED: attach --count"; failed=1; }
expect 1 'cannot open /nonexistent' "$program" attach --from /nonexistent
expect 2 '--first requires --count' "$program" attach --first 1
expect 2 '--stub requires --count' "$program" attach --stub 1
expect 1 "no traceable function matches 'three'" "$program" attach --method each three
[ "$(cat method)" = multi ] || { echo "FAILED: attach changed the method for nothing"; failed=1; }
: >functions
expect 0 'attached' "$program" attach --exclude 't*'
[ "$(cat functions)" = 0xffffffff81000010 ] || { echo "FAILED: attach --exclude"; failed=1; }
expect 1 '--exclude takes all of them' "$program" attach 't*' --exclude two
expect 2 '--from excludes --exclude' "$program" attach --from /dev/null --exclude one
: >control; : >functions
expect 0 'would attach 2 functions with multi' "$program" attach --dry-run 't*' one
expect 0 'would attach 1 function with multi' "$program" attach --dry-run --exclude one
expect 0 'two' "$program" attach --dry-run --verbose 't*'
echo 'two (1)    D  ' >"$work/tracing/enabled_functions"
expect 1 'refused: two: it has a direct call already' "$program" attach --dry-run 't*' one
expect 1 'there is nothing to attach' "$program" attach --dry-run
expect 2 '--verbose requires --dry-run' "$program" attach --verbose one
expect 2 'runs no command' "$program" attach --dry-run one -- true
: >"$work/tracing/enabled_functions"
[ -z "$(cat control functions)" ] || { echo "FAILED: attach --dry-run changed something"; failed=1; }
expect 2 'there is no command behind --' "$program" attach one --
expect 7 'attached 0 functions' "$program" attach one -- sh -c 'exit 7'
expect 127 'cannot run /nonexistent' "$program" attach one -- /nonexistent
expect 1 "no traceable function matches 'three'" "$program" attach three -- touch "$work/touched"
[ ! -e "$work/touched" ] || { echo "FAILED: attach ran a command without attaching"; failed=1; }
# A caller that does not want to know of child processes
expect 0 'attached' timeout 60 env --ignore-signal=CHLD "$program" attach 't*'
: >functions
expect 2 "no method 'quick'" "$program" attach --method quick
expect 2 'error: ' "$program" attach --reach out
expect 2 "no method 'hash-out'" "$program" bench attach --methods hash-out
expect 4 "no method 'hash'" "$program" bench attach --functions 1 --methods hash
expect 4 'only 2 functions that can be attached' "$program" bench attach --functions 1,40000
expect 2 'more than the module has stubs for' "$program" bench attach --functions 70000
expect 1 'cannot make the directory of' "$program" bench attach --functions 1 \
    --output "$work/debug/fdirect/ops/attach.json"
expect 2 "no method 'hash-out'" "$program" bench scale --methods hash-out
expect 2 'not for many functions at once' "$program" bench scale --methods each,multi
expect 4 "no method 'hash'" "$program" bench scale --sizes 1 --methods hash
expect 4 'ask for fewer with --sizes' "$program" bench scale --sizes 3,40000
expect 2 '0 functions cannot be measured' "$program" bench scale --sizes 1,0
sed -i 's/^attached 0/attached 2/' status
expect 1 '2 functions are attached' "$program" bench attach --functions 1
expect 1 '2 functions are attached' "$program" bench call
expect 1 '2 functions are attached' "$program" bench scale --sizes 1
sed -i 's/^attached 2/attached 0/' status
# The command goes over the first line, as long as that is, and what follows is the answer.
printf '%s\n' 'plain 100000 0 0' 'kind plain' 'calls 100000' 'relevant 0' 'irrelevant 0' 'regs 0' \
    'recursion 0' 'rcu 0' 'trampoline 0' 'total_ns 900000' 'baseline_ns 400000' \
    'chunk_calls 10000' 'best_ns 85000' 'baseline_best_ns 35000' 'hits 100000' >call
expect 0 'plain  call     5.00  yes' \
    "$program" bench call --kinds plain --runs 2 --base 6.12 --output "$work/call.json"
[ "$(head -n1 call)" = 'plain 100000 0 0' ] || { echo "FAILED: what bench call wrote:"; cat call; failed=1; }
expect 0 '"schema": 2' "$program" report --json "$work/call.json"
expect 0 '"benchmark": "call"' "$program" report --json "$work/call.json"
expect 0 'call,6.12,' "$program" report --csv "$work/call.json"
expect 0 'plain,0,0,false,false,false,false,call,10000,true,ns,2,85000,85000,85000,0.000,5.0000' \
    "$program" report --csv "$work/call.json"
expect 0 '| plain | call | 5.00 | yes |' "$program" report --markdown "$work/call.json"
expect 0 '<td>plain</td><td>call</td><td class="number">5.00</td>' "$program" report --html "$work/call.json"
expect 0 '| plain | call | 5.00 | yes |' "$program" bench call --kinds plain --runs 1 --markdown
expect 0 '"untraced": [' "$program" bench call --kinds plain --runs 1 --json
expect 0 'bench call, ' "$program" report --where kind=slow --where kind=plain "$work/call.json"
sed 's/"6.12"/"6.12-stock"/; s/"patched": true/"patched": false/' "$work/call.json" >"$work/stock.json"
expect 0 '| plain | call | 5.00 | 5.00 | 0.00 | yes |' \
    "$program" report --markdown "$work/call.json" --recorded "$work/stock.json"
expect 0 'stock (recorded)' "$program" report "$work/call.json" --recorded "$work/stock.json"
printf '<svg id="here"></svg>' >"$work/a=b.svg"
expect 0 '<svg id="here">' "$program" report --html --figure "over k=$work/a=b.svg" "$work/call.json"
expect 1 'No such file' "$program" report --html --figure "k=$work/none.svg" "$work/call.json"
# Files of schema 1
printf '{"schema": 1, "base": "6.12", "kernel": "", "arch": "", "accel": "", "unit": "ns", %s}\n' \
    '"vcpus": 1, "functions_available": 1, "runs": []' >"$work/attach.json"
expect 0 '1 function available' "$program" report "$work/attach.json"
expect 0 'bench attach' "$program" report "$work/attach.json" "$work/call.json"
sed 's/"runs"/"kprobe": [], "runs"/' "$work/attach.json" >"$work/scale.json"
expect 0 'bench scale' "$program" report "$work/scale.json"
sed 's/"runs"/"refused": [5], "unsupported": [], "loops": [], "calls": [], "runs"/' \
    "$work/attach.json" >"$work/bpf.json"
expect 0 'functions refused, others taken for them: 1' "$program" report "$work/bpf.json"
expect 1 'has no figures of plain' "$program" bench call --kinds plain --calls 200000
expect 2 'slow' "$program" bench call --kinds plain,slow

echo '{' >"$work/bad.json"
expect 1 'is no record: it is no JSON object' "$program" report "$work/bad.json"
expect 1 'No such file' "$program" report "$work/none.json"
expect 2 'nothing to show' "$program" report
if [ -w /dev/full ]; then
    expect 1 'cannot write to stdout' sh -c "'$program' info >/dev/full"
fi

exit "$failed"
