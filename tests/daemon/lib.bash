# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# lib.bash - runs moored on a fabric that does not change (moored-still), for .bats files.
#
#   conf [KEY VALUE]...    write moored.conf: no state, no metrics, and these pairs
#   start [OPTION]...      start moored in the background and wait until it answers
#   stop                   end it with SIGTERM; $status is its exit code
#   ask METHOD [PARAMS]    run `moorectl call` on its socket
#   peer WORD [ARG]...     run tests/daemon/peers.py, which does what moorectl does not
#
# MOORE_BUILD names the build to test; with build-san a leak causes a wrong exit code.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${MOORE_BUILD:-$ROOT/build}
M=$BUILD/moorectl
D=$BUILD/moored-still
# A sentence that a test looks for stands in one line.
export COLUMNS=10000
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=1:allocator_may_return_null=1}:quarantine_size_mb=1

setup() {
	T=$(mktemp -d)		# a short path, since a socket's has at most 107 bytes
	chmod 755 "$T"		# other users connect, too
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

# q5: the fabric is a Slim Fly of 50 switches and 200 endpoints.
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
# holds JQ METHOD [PARAMS]: the answer satisfies a jq condition.  jq -e would not do, since
# it also succeeds when there is no answer.
holds() {
	local c=$1
	shift
	[ "$(ask "$@" | jq "$c")" = true ] || { echo "not ($c): $*"; ask "$@"; return 1; }
}
# will: holds, within 20 s; a reload takes a moment, for example.
will() { until_ok holds "$@" >/dev/null || holds "$@"; }
