# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# For suites written in bash: a test is a command, its report is KTAP.

tap_number=0
tap_failed=0

tap_begin()
{
	echo 'KTAP version 1'
}

tap_end()
{
	echo "1..$tap_number"
	exit $tap_failed
}

# tap_result STATUS NAME: 0 is a pass, 4 a skip; what stands in $tap_output explains it
tap_result()
{
	tap_number=$((tap_number + 1))
	case $1 in
	0)
		echo "ok $tap_number - $2"
		return ;;
	4)
		echo "ok $tap_number - $2 # SKIP ${tap_output##*$'\n'}" ;;
	*)
		echo "not ok $tap_number - $2"
		tap_failed=1 ;;
	esac
	[[ -z ${tap_output-} ]] || echo "# ${tap_output//$'\n'/$'\n'# }"
}

# tap_test NAME COMMAND...: passes if the command does. One that cannot run has failed.
tap_test()
{
	local name=$1 status=0
	shift
	tap_output=$("$@" 2>&1) || status=1
	tap_result $status "$name"
}

# tap_refused CODE PATTERN NAME COMMAND...: passes if the command is refused with this
# exit code and a message that matches
tap_refused()
{
	local code=$1 pattern=$2 name=$3 status=0
	shift 3
	tap_output=$("$@" 2>&1) || status=$?
	if [[ $status != "$code" ]]; then
		tap_output+=$'\n'"exit code $status, not $code"
		tap_result 1 "$name"
	elif ! grep -qE -- "$pattern" <<<"$tap_output"; then
		tap_output+=$'\n'"no message that matches: $pattern"
		tap_result 1 "$name"
	else
		tap_result 0 "$name"
	fi
}

# tap_skip NAME REASON
tap_skip()
{
	tap_output=$2
	tap_result 4 "$1"
}

# tap_results: a test for each line "STATUS NAME" of the input, where NAME may end in # SKIP REASON
tap_results()
{
	local status name
	while read -r status name; do
		if [[ $name == *' # SKIP '* ]]; then
			tap_skip "${name% # SKIP *}" "${name#* # SKIP }"
		elif [[ $status ]]; then
			tap_output=
			tap_result "$status" "$name"
		fi
	done
}

# tap_nested NAME COMMAND...: the command prints a report of its own
tap_nested()
{
	local name=$1 status=0
	shift
	"$@" 2>&1 | sed 's/^/  /' || status=$?
	tap_output=
	tap_result $status "$name"
}
