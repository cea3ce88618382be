#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Errors that occur once routes are in force must not remove these routes.
load lib.bash

two_hosts() { awk -F'"' '/^Hca/ { print $2 }' "$dir/net" | sed -n '1p;$p'; }

@test "qos turned off: paths still answer, one error, and back" {
	planned slimfly q=5
	tables "$dir/dump" >"$dir/before"
	read -r a b < <(two_hosts | xargs)
	path_record "$a" "$b"
	sm_set qos FALSE
	change sm_hup
	log_has 'ERR MR01: .*the last good routes stay in force'
	path_record "$a" "$b"
	diff "$dir/before" <(tables "$dir/dump")
	change sm_hup
	change sm_hup
	path_record "$a" "$b"
	[ "$(grep -c 'ERR MR01:' "$dir/opensm.log")" -eq 1 ]
	sm_set qos TRUE
	change sm_hup
	log_has 'hash [0-9a-f]{16}$'
	sound
}

@test "a host that appears meanwhile is reached and becomes active" {
	plan slimfly q=5 p=4
	sim_start "$dir/net"
	host=$(two_hosts | tail -n 1)
	sim "Unlink \"$host\"[1]"
	sm_start
	await_up
	log_has ', 199 endpoints,' || fail "$(log | grep moore)"
	sm_set qos FALSE
	change sm_hup
	change sim "ReLink \"$host\"[1]"
	! log_has 'hash' || fail "it was routed anew"
	grep -q "{$host} .*LOG=ACT" "$dir/dump/opensm-subnet.lst"
	sound
	path_record "$(two_hosts | head -n 1)" "$host"
}

@test "a link that goes meanwhile: new routes on the lanes that links have" {
	planned slimfly q=5
	sm_set qos FALSE
	change sm_hup
	change sim "Unlink $(first_link)"
	settled
	sound
	log_has 'ERR MR01: .*routes are restricted to what is safe on the lanes'
	sm_set qos TRUE
	change sm_hup
	sound
}

on_lane_0() { verify | jq -e '.vls == [0]'; } >/dev/null

@test "lanes lost while running: routes for one lane, then for two again" {
	planned slimfly q=5
	tables "$dir/dump" >"$dir/before"
	# The ports' lanes change at the end of one sweep and SL2VL in the next, so the
	# engine asks for another sweep.
	since
	sm_set max_op_vls 1
	sm_hup
	await ', 1 VL; .* LFT blocks change; one-lane links in use: 175;'
	await ', 1 VL; .* SL2VL rows to set: [1-9][0-9]*; one-lane links in use: 175;'
	settled
	log_has 'ERR MR02: .*safe on one lane'
	sound
	until_ok "$DEADLINE" on_lane_0
	since
	sm_set max_op_vls 2
	sm_hup
	await ', 2 VLs; total .* LFT blocks change(; SL2VL [^;]*)?; hash'
	settled
	sound
	diff "$dir/before" <(tables "$dir/dump")
	[ "$(grep -c 'ERR MR02:' "$dir/opensm.log")" -eq 1 ]
}

@test "a plan that breaks: the last good one stays" {
	planned slimfly q=5
	was=$(hash)
	cp "$dir/plan.json" "$dir/good.json"
	echo '{' >"$dir/plan.json"
	change sm_hup
	log_has "ERR MR05: $dir/plan.json.*the last good settings stay in force"
	[ "$(hash)" = "$was" ]
	change sm_hup
	[ "$(grep -c 'ERR MR05:' "$dir/opensm.log")" -eq 1 ]
	cp "$dir/good.json" "$dir/plan.json"
	change sm_hup
	! log_has ERR
	[ "$(hash)" = "$was" ]
}

@test "the plan of another fabric: one error, and the routes are safe" {
	planned slimfly q=5
	cp "$dir/plan.json" "$dir/good.json"
	was=$(hash)
	moorectl plan new mlfm h=4 >"$dir/plan.json"	# without any name of this fabric
	change sm_hup
	change sm_hup
	[ "$(log_count 'hash')" -eq 1 ]
	[ "$(grep -c "ERR MR05: $dir/plan.json: it is not used" "$dir/opensm.log")" -eq 1 ]
	sound
	moorectl plan new slimfly q=7 >"$dir/plan.json"	# with the same names
	change sm_hup
	log_has "ERR MR05: $dir/plan.json: more than one link of the fabric in 8 is not in the plan"
	sound
	cp "$dir/good.json" "$dir/plan.json"
	change sm_hup
	! log_has ERR
	[ "$(hash)" = "$was" ]
}
