# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# lib.bash - moored on a fabric that stands still (moored-still), for bats files.
#
#   conf [KEY VALUE]...    write moored.conf: nothing kept, no metrics, and these
#   start [OPTION]...      run it in the background until it serves
#   stop                   SIGTERM; $status is its exit code
#   ask METHOD [PARAMS]    `moorectl call` on its socket
#   peer WORD [ARG]...     tests/daemon/peers.py: what moorectl does not do
#
# MOORE_BUILD names the build to test (build-san: then a leak is a wrong exit code).
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${MOORE_BUILD:-$ROOT/build}
M=$BUILD/moorectl
D=$BUILD/moored-still
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=1:allocator_may_return_null=1}:quarantine_size_mb=1

setup() {
	T=$(mktemp -d)		# short: a socket's path has 107 bytes; open: others connect
	chmod 755 "$T"
	SOCK=$T/s/moored.sock PID=''
	unset MOORED_STILL NOTIFY_SOCKET
	conf
}

teardown() {
	[ -z "$PID" ] || kill -KILL "$PID" 2>/dev/null || true
	[ ! -e "$T/log" ] || cat "$T/log"
	rm -rf "$T"
}

conf() {
	printf '%s %s\n' socket "$SOCK" state_dir '(null)' metrics '(null)' "$@" >"$T/moored.conf"
}

# q5: a Slim Fly of 50 switches and 200 endpoints stands still.
q5() {
	$M plan new slimfly q=5 p=4 -o "$T/plan.json" >/dev/null
	export MOORED_STILL=$T/plan.json
}

until_ok() {
	local end=$((SECONDS + 20))
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "not in 20 s: $*"; return 1; }
		sleep 0.02
	done
}

start() {
	$D --config "$T/moored.conf" --foreground "$@" 2>>"$T/log" 3>&- &
	PID=$!
	until_ok serves
}
serves() { kill -0 "$PID" 2>/dev/null || return 1; $M --socket "$SOCK" call system.ping >/dev/null 2>&1; }

stop() {
	kill -TERM "$PID"
	status=0
	wait "$PID" || status=$?
	PID=''
}

ask() { $M --socket "$SOCK" call "$@"; }
peer() { python3 "$BATS_TEST_DIRNAME/peers.py" "$SOCK" "$@"; }
logged() { grep -q -- "$1" "$T/log"; }
# A jq condition on an answer.  Not jq -e: no answer at all would do for that.
holds() {
	local c=$1
	shift
	[ "$(ask "$@" | jq "$c")" = true ] || { echo "not ($c): $*"; ask "$@"; return 1; }
}
# holds, soon: what a reload does takes a moment.
will() { until_ok holds "$@" >/dev/null || holds "$@"; }
