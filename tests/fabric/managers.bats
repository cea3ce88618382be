#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored follows every subnet manager of the fabric: another master, a standby that is lost,
# two masters, and tables that are not the plugin's.  Each is reported within 30 s by
# `moorectl status`, by an event, in the log and in the metrics.
# Other tests run beside this file, which mostly waits.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

teardown() {
	dir=${one:-$dir}
	[ ! -e "$dir/moored.log" ] || tail -n 30 "$dir/moored.log"
	[ -z "${events_pid:-}" ] || kill "$events_pid" 2>/dev/null || true
	moored_kill
	for pid in ${first:-} ${second:-}; do kill -KILL "$pid" 2>/dev/null || true; done
	fabric_stop
}

P='.planes[0]'
status() { moorectl --socket "$one/moored.sock" status; }
metric() { curl -s "http://127.0.0.1:$port/metrics" | grep -qxF "$1"; }
raised() { jq -se "any(.method == \"event.problem\" and .params.what == \"$1\" and .params.raised == $2)" "$one/events" >/dev/null; }

# Starts OpenSM with the plugin, and moored with metrics and a listener to all its events.
watched() {
	one=$dir
	planned slimfly q=5 p=1 -- lmc 2
	first=$sm_pid
	port=$((20000 + RANDOM % 20000))
	moored_start metrics 127.0.0.1:$port sweep_s 2
	will 20 "$P.sm_answers and $P.tables_by == \"unknown\"" system.status
	change sm_hup
	will 20 "$P.tables_by == \"plugin\" and $P.tables_sound and .ok" system.status
	metric 'moore_tables_by{plane="",by="plugin"} 1'
	metric 'moore_tables_sound{plane=""} 1'
	metric 'moore_last_sweep_ok{plane=""} 1'
	metric 'moore_sm_managers{plane="",state="master"} 1'
	moorectl --socket "$dir/moored.sock" events manager problem --json >"$dir/events" 2>&1 3>&- 7>&- &
	events_pid=$!
}

# Starts a second OpenSM at the last host, or at $SECOND_AT; its files are in $one/two, its process
# is $second.
second_start() {
	dir=$one/two
	mkdir -p "$dir/cache" "$dir/dump"
	cp "$one/moore.conf" "$dir/"
	: >"$dir/opensm.log"
	SIM_HOST=${SECOND_AT:-$(awk -F'"' '/^Hca/ { n = $2 } END { print n }' "$one/net")} \
		OSM_TMP_DIR=$dir/dump OSM_CACHE_DIR=$dir/cache seen=0 \
		sm_start sminfo_polling_timeout 1000 polling_retry_number 2 "$@"
	second=$sm_pid
	dir=$one sm_pid=''
}

standby() {
	second_start lmc 2
	will 20 "[$P.managers[] | select(.state == \"standby\" and (.lost | not))] | length == 1" system.status
}

@test "the master dies and a standby takes over: another master, and one that is lost" {
	watched
	was=$(ask system.status | jq -r "$P.sm[:18]")
	standby
	metric 'moore_sm_managers{plane="",state="standby"} 1'
	run -0 status
	kill -KILL "$first"
	will 30 "$P.sm_answers and $P.sm[:18] != \"$was\" and $P.sm_was == \"$was\" and $P.sm_changed_ms > 0" system.status
	will 30 "[$P.problems[].what] == [\"manager-lost\"] and (.ok | not)" system.status
	run -1 status
	[[ $output == *"before, it was $was"* ]]
	[[ $output == *"manager-lost"*"no answer any more from the subnet manager $was (s0-0-0-h0) at LID 4, master until then; 0 standby are left"* ]] ||
		fail "$output"
	grep -q "another subnet manager is master.*before, it was $was" "$one/moored.log"
	grep -q "manager-lost: no answer any more from the subnet manager $was" "$one/moored.log"
	jq -se "[.[] | select(.method == \"event.manager\") | .params] | length == 1 and (.[0] | .what == \"another\" and .was == \"$was\")" "$one/events"
	until_ok 2 raised manager-lost true
	metric 'moore_sm_changes_total{plane=""} 1'
	metric 'moore_sm_managers{plane="",state="lost"} 1'
	# It was taken out of service: a reload forgets it.
	ask system.reload >/dev/null
	will 5 ".ok and ($P.managers | length) == 1" system.status
	run -0 status
	until_ok 2 raised manager-lost false
}

@test "the standby dies and comes back: it is named, and no longer" {
	watched
	standby
	kill -KILL "$second"
	will 30 "[$P.problems[].what] == [\"manager-lost\"]" system.status
	run -1 status
	[[ $output == *", standby until then; 0 standby are left"* ]]
	holds "$P.sm_answers and $P.sm_was == null" system.status
	standby
	will 10 '.ok' system.status
	grep -q 'manager-lost is over: ' "$one/moored.log"
	until_ok 2 raised manager-lost false
}

@test "the standby runs on a switch and dies: the switch is named" {
	watched
	SECOND_AT=s1-4-4 standby
	kill -KILL "$second"
	will 30 "[$P.problems[].what] == [\"manager-lost\"]" system.status
	run -1 status
	[[ $output == *"no answer any more from the subnet manager 0x"*" (s1-4-4) at LID "*", standby until then"* ]] ||
		fail "$output"
}

@test "a second OpenSM that ignores the first: two masters" {
	watched
	second_start lmc 2 ignore_other_sm TRUE
	will 30 "any($P.problems[]; .what == \"two-masters\") and (.ok | not)" system.status
	run -1 status
	[[ $output == *"two-masters"*"several subnet managers are master, and each overwrites the other's tables: 0x"*", 0x"* ]]
	metric 'moore_sm_managers{plane="",state="master"} 2'
	until_ok 2 raised two-masters true
	kill -KILL "$first"
	will 30 "all($P.problems[]; .what != \"two-masters\")" system.status
}

@test "another routing engine: the tables are not the plugin's, and a refused sweep" {
	watched
	sm_set lmc 2 qos FALSE
	since
	sm_hup
	await 'ERR MR01'
	# The first answer that has the refusal has the problem, too.
	refused() { ask system.status >"$dir/first"; jq -e "$P.told.state == \"kept\"" "$dir/first" >/dev/null; }
	until_ok 30 refused
	jq -e "[$P.problems[].what] == [\"sweep-refused\"]" "$dir/first" || fail "$(cat "$dir/first")"
	will 30 "[$P.problems[].what] == [\"sweep-refused\"] and $P.tables_by == \"plugin\"" system.status
	run -1 status
	[[ $output == *"refused, it keeps the last good routes: the switches hold its routes"* ]] || fail "$output"
	[[ $output == *"sweep-refused"*"qos is FALSE"*"the last good routes stay"* ]]
	metric 'moore_last_sweep_ok{plane=""} 0'
	sm_stop
	since
	sm_start lmc 2 routing_engine minhop event_plugin_name '(null)'
	await_up
	began=$SECONDS
	will 30 "any($P.problems[]; .what == \"tables-other\") and $P.tables_by == \"other\"" system.status
	echo "reported after $((SECONDS - began)) s"
	metric 'moore_tables_by{plane="",by="other"} 1'
	run -1 status
	[[ $output == *"the switches hold tables that OpenSM's plugin did not compute"* ]]
	# minhop may give a few of them the plugin's routes by chance.
	[[ $output =~ ([0-9]+)" of 50 switches hold other routes" ]] || fail "$output"
	[ "${BASH_REMATCH[1]}" -gt 25 ]
	until_ok 2 raised tables-other true
}

@test "new tables go out in steps: each is reported, and no problem is raised" {
	watched
	echo 'motion_wait 4000' >>"$dir/moore.conf"
	since
	sim "Unlink $(first_link)"
	will 30 "$P.told | .steps > 1 and .step < .steps and (.up | not)" system.status
	holds "$P.tables_by == \"changing\" and .ok" system.status
	run -0 status
	[[ $output =~ step\ [0-9]+\ of\ [0-9]+\ is\ in\ force ]] || fail "$output"
	metric 'moore_tables_by{plane="",by="changing"} 1'
	await_up
	will 20 "$P.told.up and $P.tables_by == \"plugin\" and .ok" system.status
	! grep -q 'plane 0: tables-' "$one/moored.log"
	grep -q 'all switches hold step 1 of' "$one/moored.log"
}
