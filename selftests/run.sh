#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: run.sh [-l] [-t SECONDS] [NAME...]
#
# Runs the selftests installed beside this script, all of them or those named, one
# after the other, and prints one KTAP report: a test with subtests for each program,
# and the sum of all subtests at its end. -l only lists the programs; -t gives each of
# them so many seconds instead of those in the file settings.
# Exit code: 0 all that ran passed, 1 something failed, 4 nothing could run here.

dir=$(cd "$(dirname "$0")" && pwd) || exit 1
seconds=$(sed -n 's/^timeout=//p' "$dir/settings" 2>/dev/null)

if [ "$1" = -l ]; then
	cat "$dir/tests"
	exit
fi
if [ "$1" = -t ]; then
	seconds=$2
	shift 2
fi
# shellcheck disable=SC2046 # one word a line
[ $# -gt 0 ] || set -- $(cat "$dir/tests")
[ $# -gt 0 ] || { echo "Bail out! no tests beside $0"; exit 1; }

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
export KSFT_TAP_LEVEL=1

echo "KTAP version 1"
echo "1..$#"
number=0 pass=0 fail=0 skip=0 failed=0 ran=0

# count PATTERN: lines of the program's report that match
count()
{
	grep -cE "$1" "$out"
}

# indent: the report, line by line, as it comes: a guest that hangs must not keep it
indent()
{
	while IFS= read -r line || [ "$line" ]; do
		case $line in
		"# exit "*) ;;
		*) printf '  %s\n' "$line" ;;
		esac
	done
}

for name; do
	number=$((number + 1))
	echo "  KTAP version 1"
	started=$(date +%s)
	# The report goes out as it comes, and is kept to be added up.
	{
		timeout "${seconds:-300}" "$dir/$name" </dev/null 2>&1
		echo "# exit $?"
	} | tee "$out" | indent
	status=$(sed -n 's/^# exit //p' "$out" | tail -n 1)
	planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$out" | head -n 1)
	ok=$(count '^ok ')
	skipped=$(count '^ok .*# SKIP')
	not_ok=$(count '^not ok ')
	pass=$((pass + ok - skipped))
	fail=$((fail + not_ok))
	skip=$((skip + skipped))

	# A program that ended early has failed, whatever it had said before.
	why=
	case $status in
	0 | 1) ;;
	4) [ "$planned" ] || why=" (no plan)" ;;
	124 | 143) why=" (no end after ${seconds:-300} s)" ;;
	*) why=" (exit code $status)" ;;
	esac
	if [ -z "$why" ] && [ "${planned:-none}" != $((ok + not_ok)) ]; then
		why=" ($((ok + not_ok)) of ${planned:-no} planned tests have run)"
	fi
	if [ "$why" ]; then
		fail=$((fail + 1))
	fi
	took="$(($(date +%s) - started)) s"
	if [ "$why" ] || [ "$not_ok" -gt 0 ] || [ "$status" = 1 ]; then
		failed=1
		[ "$why" ] || [ "$not_ok" -gt 0 ] || { why=" (exit code 1)"; fail=$((fail + 1)); }
		echo "not ok $number selftests: $name$why, $took"
	elif [ "$status" = 4 ] && [ "$planned" = 0 ]; then
		skip=$((skip + 1))
		echo "ok $number selftests: $name # SKIP $(sed -n 's/^1\.\.0 # SKIP //p' "$out")"
	elif [ "$status" = 4 ]; then
		echo "ok $number selftests: $name # SKIP none of its tests can run here"
	else
		ran=1
		echo "ok $number selftests: $name, $took"
	fi
done

echo "# Totals: pass:$pass fail:$fail xfail:0 xpass:0 skip:$skip error:0"
[ $failed = 0 ] || exit 1
[ $ran = 1 ] || exit 4
