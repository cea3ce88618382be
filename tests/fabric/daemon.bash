# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# daemon.bash - moored on the simulated fabric, for bats files that load lib.bash too.
#
#   moored_start [KEY VALUE]...   until it serves; pairs override its file
#   moored_stop                   SIGTERM; fails when it does not end well
#   moored_kill                   SIGKILL
#   ask METHOD [PARAMS]           one answer
#   holds JQ METHOD [PARAMS]      does the answer say so?
#   will SECONDS JQ METHOD [PARAMS]   it does, in time
#   until_us SECONDS COMMAND...   until_ok, to the millisecond
# MOORED names another build's program.
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
	# Not jq -e: no answer at all would do for that.
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
