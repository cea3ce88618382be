#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored asks the master subnet manager regularly whether it lives.  The first test takes
# about 30 s, the time after which a dead master is reported, the second 15 s.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

teardown() {
	[ ! -e "$dir/moored.log" ] || tail -n 30 "$dir/moored.log"
	[ -z "${events_pid:-}" ] || kill "$events_pid" 2>/dev/null || true
	moored_kill
	[ -z "${first:-}" ] || kill -KILL "$first" 2>/dev/null || true
	fabric_stop
}

status() { moorectl --socket "$dir/moored.sock" status; }
listen() {
	moorectl --socket "$dir/moored.sock" events manager --json >"$dir/events" 2>&1 3>&- 7>&- &
	events_pid=$!
}
metric() { curl -s "http://127.0.0.1:$port/metrics" | grep -q "^moore_sm_up{plane=\"\"} $1$"; }

@test "the only OpenSM dies: status, event, journal and metric report it within 30 s, and its return" {
	planned slimfly q=5 p=1
	port=$((20000 + RANDOM % 20000))
	moored_start metrics 127.0.0.1:$port sweep_s 2
	will 20 '.planes[0].sm_answers and (.planes[0].sm | test("master"))' system.status
	will 10 '.sa.heard_ms > 0' routes.verify
	metric 1
	run -0 status
	listen
	sleep 1
	sm_stop
	will 30 '.planes[0].sm_answers == false' system.status
	holds '.planes[0] | .state == "up" and (.sm | test("does not answer")) and .sm_heard_ms > 0' system.status
	run -1 status
	[[ $output =~ SM\ 0x[0-9a-f]{16}\ prio\ [0-9]+\ does\ not\ answer:\ no\ master\ since\ [0-9-]{10}\ [0-9:]{8} ]]
	grep -Eq 'no master subnet manager has answered at LID [0-9]+ for [0-9]+ s' "$dir/moored.log"
	until_ok 2 metric 0
	jq -se 'length == 1 and (.[0] | .method == "event.manager" and .params.answers == false)' "$dir/events"
	# The SA was last heard earlier than this; answers say how long ago.
	age=$(($(date +%s%3N) - $(ask routes.verify | jq .sa.heard_ms)))
	[ $age -gt 5000 ] && [ $age -lt 60000 ]
	sm_start
	will 15 '.planes[0].sm_answers and (.planes[0].sm | test("master"))' system.status
	run -0 status
	until_ok 2 metric 1
	grep -q 'subnet manager at LID [0-9]* answers again' "$dir/moored.log"
	jq -se 'length == 2 and .[1].params.answers' "$dir/events"
}

@test "a standby takes over: another manager, and no alarm" {
	planned slimfly q=5 p=1
	moored_start
	will 20 '.planes[0].sm_answers' system.status
	one=$dir first=$sm_pid
	listen
	guid=$(ask system.status | jq -r '.planes[0].sm[:18]')
	dir=$one/two
	mkdir -p "$dir/cache" "$dir/dump"
	cp "$one/moore.conf" "$dir/"
	: >"$dir/opensm.log"
	SIM_HOST=$(awk -F'"' '/^Hca/ { n = $2 } END { print n }' "$one/net")
	export OSM_TMP_DIR=$dir/dump OSM_CACHE_DIR=$dir/cache
	sm_start sminfo_polling_timeout 1000 polling_retry_number 2
	await 'Entering STANDBY state'
	kill -KILL "$first"
	await 'Entering MASTER state'
	await_up
	dir=$one
	will 10 ".planes[0].sm_answers and .planes[0].sm[:18] != \"$guid\"" system.status
	sleep 6	# long enough for another question to the manager
	jq -se 'length == 1 and all(.params.answers)' "$dir/events"
	! grep -q 'no master subnet manager' "$dir/moored.log"
}
