#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Classes of service: the class of each SL has a pair of lanes of its own on every port with
# enough lanes, and the tables stay sound for any SL on any LID.
load lib.bash

with_classes() {	# CLASSES MAX_OP_VLS
	plan slimfly q=5
	echo "classes $1" >>"$dir/moore.conf"
	sim_start "$dir/net"
	sm_start max_op_vls "$2"
	await_up
	settled
}
vls() { verify | jq -c .vls; }
a_switch() { sed -n 's/^Unicast.*switch Lid \([0-9]*\) .*/\1/p' "$dir/dump/opensm-lfts.dump" | head -n 1; }

@test "two classes: four lanes, sound, in SL2VL and arbitration of the ports" {
	with_classes 0,0,1,0 3
	! log_has ERR || fail "$(log | grep ERR)"
	log_has ', 4 VLs;'
	sound
	no_credit_loop
	[ "$(vls)" = '[0,1,2,3]' ]
	lid=$(a_switch)
	# Port 6 leads to a switch; packets come from another switch (port 7) and from a
	# host (port 1).
	run on_fabric smpquery sl2vl "$lid" 6
	[ "$status" -eq 0 ]
	# The output has lines such as "ports: in  7, out  6: | 1| 1| 3| 1| ...".
	grep -qE 'in +7, out +6: *\| 1\| 1\| 3\| 1\| 1\|' <<<"$output" || fail "$output"
	grep -qE 'in +1, out +6: *\| 0\| 0\| 2\| 0\| 0\|' <<<"$output" || fail "$output"
	run on_fabric smpquery vlarb "$lid" 6
	[ "$status" -eq 0 ]
	grep -A 2 'Low priority' <<<"$output" | grep -q '^VL    : |0x0 |0x1 |0x2 |0x3 |' || fail "$output"
	grep -A 2 'Low priority' <<<"$output" | grep -q '^WEIGHT: |0x40|0x40|0x40|0x40|0x0 |' || fail "$output"
	grep -A 2 'High priority' <<<"$output" | grep -qE '^WEIGHT: \|(0x0 \|)+$'
	moorectl route "$dir/plan.json" --conf "$dir/moore.conf" -o "$dir/offline" >/dev/null
	diff <(tables "$dir/offline") <(tables "$dir/dump")
	[ "$(verify "$dir/offline" | jq -c .vls)" = '[0,1,2,3]' ]
}

@test "lanes for one class only: two classes share them, a warning, sound" {
	with_classes 0,1 2
	[ "$(log_count 'ERR MR13: max_op_vls gives 2 lanes .* need 4.*"max_op_vls 3"')" -eq 1 ]
	sound
	[ "$(vls)" = '[0,1]' ]
	lid=$(a_switch)
	on_fabric smpquery vlarb "$lid" 6 | grep -A 2 'Low priority' | grep -q '^WEIGHT: |0x40|0x40|0x0 |'
}

@test "classes change on SIGHUP: routes stay, lanes follow, one sweep more when lanes come" {
	with_classes 0 2
	tables "$dir/dump" >"$dir/before"
	echo "plan $dir/plan.json" >"$dir/moore.conf"
	echo "classes 0,1,2,3" >>"$dir/moore.conf"
	sm_set max_op_vls 4
	change sm_hup
	settled
	! log_has ERR || fail "$(log | grep ERR)"
	sound
	[ "$(vls)" = '[0,1,2,3,4,5,6,7]' ]
	diff "$dir/before" <(tables "$dir/dump")
	echo "plan $dir/plan.json" >"$dir/moore.conf"
	sm_set max_op_vls 2
	change sm_hup
	settled
	sound
	[ "$(vls)" = '[0,1]' ]
	diff "$dir/before" <(tables "$dir/dump")
}
