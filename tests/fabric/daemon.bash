# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# daemon.bash - runs moored on the simulated fabric, for .bats files that also load
# lib.bash.
#
#   moored_start [KEY VALUE]...   start moored and wait until it answers; the pairs
#                                 override its file
#   moored_stop                   end it with SIGTERM; fails if its exit code is not 0
#   moored_kill                   kill it
#   ask METHOD [PARAMS]           print one answer
#   holds JQ METHOD [PARAMS]      succeed if the answer satisfies the condition
#   will SECONDS JQ METHOD [PARAMS]   the same, at the latest after so many seconds
#   until_us SECONDS COMMAND...   until_ok, with a finer clock
# MOORED names the program of another build.
daemon_pid=''

moored_start() {
	local -A opt=([socket]=$dir/moored.sock [state_dir]=$dir/state [metrics]='(null)')
	[ ! -e "$dir/plan.json" ] || opt[plan]=$dir/plan.json
	local k
	while [ $# -gt 0 ]; do
		opt[$1]=$2
		shift 2
	done
	for k in "${!opt[@]}"; do
		echo "$k ${opt[$k]}"
	done >"$dir/moored.conf"
	(cd "$dir" && exec ${MOORED_RUN-ibsim-run} "${MOORED:-moored}" --config "$dir/moored.conf" --foreground \
		>>"$dir/moored.log" 2>&1 3>&- 7>&-) &
	daemon_pid=$!
	until_ok "$DEADLINE" answers system.ping || fail "moored does not serve: $(tail "$dir/moored.log")"
}

moored_stop() {
	local rc=0
	kill -TERM "$daemon_pid"
	wait "$daemon_pid" || rc=$?
	daemon_pid=''
	[ "$rc" -eq 0 ] || fail "moored ends with $rc: $(tail "$dir/moored.log")"
}

moored_kill() {
	[ -n "$daemon_pid" ] || return 0
	kill -KILL "$daemon_pid" 2>/dev/null || true
	wait "$daemon_pid" 2>/dev/null || true
	daemon_pid=''
}

ask() { timeout 10 moorectl --socket "$dir/moored.sock" call "$@"; }
answers() { ask "$@" >/dev/null 2>&1; }
holds() {
	local c=$1
	shift
	# jq -e would not do, since it also succeeds when there is no answer.
	[ "$(ask "$@" 2>/dev/null | jq "$c" 2>/dev/null)" = true ]
}
until_us() {
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000))
	shift
	until "$@"; do
		[ "${EPOCHREALTIME/./}" -lt $end ] || return 1
		sleep 0.05
	done
}
will() {
	until_us "$1" holds "${@:2}" ||
		fail "not ($2): $(ask "${@:3}" | head -c 2000; tail -n 5 "$dir/moored.log")"
}
