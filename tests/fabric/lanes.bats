#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Routes rely only on lanes that ports really have, and every verdict counts these.
load lib.bash

last_switch() { awk -F'"' '/^Switch/ { n = $2 } END { print n }' "$dir/net"; }

@test "qos off, then a switch leaves and returns: no routes over lanes that it has not" {
	planned slimfly q=5 -- lmc 2
	s=$(last_switch)
	sm_set qos FALSE
	change sm_hup
	change sim "Unlink \"$s\""
	change sim "ReLink \"$s\""
	settled
	log_has 'ERR MR01: .*routes are restricted to what is safe on the lanes' ||
		fail "$(grep moore: "$dir/opensm.log")"
	settled
	sound
	! log_has 'ERR MR18'
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
