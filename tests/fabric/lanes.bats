#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Routes rely only on lanes that ports really have, and every verdict counts these.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

teardown() {
	moored_kill
	fabric_stop
}

last_switch() { awk -F'"' '/^Switch/ { n = $2 } END { print n }' "$dir/net"; }

@test "qos off, then a switch leaves and returns: no routes over lanes that it has not" {
	planned slimfly q=5 -- lmc 2
	s=$(last_switch)
	sm_set qos FALSE
	change sm_hup
	change sim "Unlink \"$s\""
	settled
	log_has 'ERR MR01: .*routes are restricted to what is safe on the lanes' ||
		fail "$(grep moore: "$dir/opensm.log")"
	sound
	change sim "ReLink \"$s\""
	settled
	sound
	! log_has 'ERR MR18'
	# The switches themselves agree, whatever OpenSM believes of their lanes.
	moored_start
	will 20 '.sound' routes.verify
	moored_stop
	# It stays so, and ends when OpenSM may set lanes again.
	change sm_hup
	sound
	sm_set qos TRUE
	change sm_hup
	settled
	sound
	verify | jq -e '.vls == [0, 1]'
}

@test "qos off and one lane at once: routes for one lane" {
	planned slimfly q=5
	sm_set qos FALSE max_op_vls 1
	change sm_hup
	settled
	log_has 'ERR MR01: .*routes are restricted to what is safe on the lanes' ||
		fail "$(grep moore: "$dir/opensm.log")"
	log_has 'ERR MR02'
	sound
	verify | jq -e '.op_vls == {"from": "file", "least": 1, "greatest": 1} and .vls == [0]'
	change sm_hup
	sound
	sm_set
	change sm_hup
	settled
	sound
	verify | jq -e '.vls == [0, 1]'
}

@test "after another engine: one lane until its lanes are replaced" {
	plan slimfly q=5
	sim_start "$dir/net"
	sm_start routing_engine minhop qos FALSE lmc 2
	await_up
	sm_stop
	since
	sm_start lmc 2
	await_up
	log_has 'moore: read [0-9]+ SL2VL rows of active ports'
	log_has 'moore: .*, 1 VL;'
	log_has 'count with fewer lanes than they run: .* yet$'
	settled
	log | grep 'moore: .*, 2 VLs; total ' | grep -qv ' one-lane links'
	sound
	verify | jq -e '.vls == [0, 1]'
	! log_has 'ERR MR18'
}

@test "a restarted OpenSM reads the lanes, and keeps the routes" {
	planned slimfly q=5 -- lmc 2
	was=$(hash)
	tables "$dir/dump" >"$dir/before"
	sm_stop
	since
	sm_start lmc 2
	await_up
	settled
	log_has 'moore: read [0-9]+ SL2VL rows of active ports'
	[ "$(log_count 'moore: .* VLs?; ')" -eq 1 ]
	[ "$(hash)" = "$was" ]
	diff "$dir/before" <(tables "$dir/dump")
}

@test "a switch that refuses SL2VL tables: said, and routed with one lane" {
	sm_preload=$BATS_TEST_TMPDIR/lame.so
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -fPIC -shared -o "$sm_preload" \
		"$BATS_TEST_DIRNAME/lame.c" -libumad -ldl
	plan slimfly q=5
	sim_start "$dir/net"
	LAME_SWITCH=$(sed -n '/^switchguid=/ s///p' "$dir/net" | sed -n 9p)
	LAME_REFUSES=$dir/refuses
	export LAME_SWITCH LAME_REFUSES
	touch "$LAME_REFUSES"
	sm_start lmc 2
	await_up
	log_has 'ERR MR18: SL2VL rows of 7 ports were not acknowledged'
	settled
	sound
	[ "$(log_count 'moore: .* VLs?; ')" -le 5 ]
	log_has 'moore: .* one-lane links in use: [1-9]'
	rm "$LAME_REFUSES"
	change sm_hup
	settled
	sound
	sweep_lacks ' one-lane links'
}

# Every table and every lane stays as engine moore has left it, but ports run one VL.
@test "verify, live and on dumps: two lanes in the tables, one in the ports" {
	planned slimfly q=5
	sound
	moored_start
	will 10 '.sound and .op_vls == {"from": "portinfo", "least": 2, "greatest": 2}' routes.verify
	sm_stop
	cp -r "$dir/dump" "$dir/tables"
	since
	sm_start routing_engine file lfts_file "$dir/tables/opensm-lfts.dump" qos FALSE max_op_vls 1
	await_up
	will 20 '(.sound | not) and (.acyclic | not) and .vls == [0] and .op_vls.greatest == 1' routes.verify
	run -1 moorectl --socket "$dir/moored.sock" verify
	[[ $output == *"1 VL on links between switches (PortInfo)"*"NOT sound"* ]]
	# The dumps have both lanes.
	run -0 moorectl verify "$dir/tables" --op-vls 2
	run -1 moorectl verify "$dir/tables" --op-vls 1
	moored_stop
}
