#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored beside the real OpenSM: its verdict on the tables that the switches hold.
load lib.bash

eval "fabric_$(declare -f teardown)"
teardown() {
	if [ -n "$moored_pid" ]; then
		kill -KILL "$moored_pid" 2>/dev/null || true
		wait "$moored_pid" 2>/dev/null || true
		cat "$dir/moored.log"
		rm -rf "$run"
	fi
	fabric_teardown
}

# moored_start [PLAN]: without PLAN (null), with the plan of the fabric.
moored_start() {
	run=$(mktemp -d)	# a short path, since a socket's has at most 107 bytes
	printf '%s\n' "socket $run/s" 'state_dir (null)' 'metrics (null)' 'sweep_s 1' \
		"plan ${1-$dir/plan.json}" "moore_conf $dir/moore.conf" >"$dir/moored.conf"
	(cd "$dir" && exec ibsim-run moored --config "$dir/moored.conf" --foreground \
		2>>"$dir/moored.log" >&2 3>&- 7>&-) &
	moored_pid=$!
}
asked() { moorectl --socket "$run/s" call "$1" 2>/dev/null | jq -e "$2" >/dev/null; }
will() { until_ok 20 asked "$@" || { moorectl --socket "$run/s" call "$1"; fail "not: $*"; }; }

@test "verify knows the engine's tables from another's" {
	planned slimfly q=5 p=4 -- lmc 1
	moored_start
	will routes.verify '.sound and .expected.routes == 50 * 450'
	will routes.verify '.expected.routes_differ == 0 and .expected.lanes_differ == 0'
	will wiring.check '.ok'
	will routes.verify '.adaptive_routing == null'
	sm_stop
	since
	sm_start routing_engine minhop lmc 1
	await_up
	will routes.verify '.expected.routes_differ > 1000 and .expected.lanes_differ > 1000 and
		(.expected.example | .port != .expected)'
}

@test "without a plan, verify computes for the graph that the plugin keeps" {
	unplanned slimfly q=5
	gone=$(awk -F'"' '/^Switch/ && ++n == 20 { print $2 }' "$dir/net")
	change sim "Unlink \"$gone\""
	settled
	moored_start '(null)'
	will routes.verify '.sound and .expected.routes_differ == 0 and .expected.lanes_differ == 0'
	# The fabric is part of this graph as well: it lacks three cables of the switch that is gone.
	jq --arg gone "$gone" '[.cables[] | select(.a.switch == $gone or .b.switch == $gone)][:3] as $c | .cables -= $c' \
		"$dir/cache/moore-kept.json" >"$dir/other"
	mv "$dir/other" "$dir/cache/moore-kept.json"
	will routes.verify '.sound and .expected.routes_differ > 100'
}
