#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# At the first start no routes are in force yet: the engine reports which line of which file
# is wrong, and OpenSM brings nothing up.
load lib.bash

refused() {	# refused MESSAGE KEY VALUE...
	local message=$1
	shift
	sim_start "$dir/net"
	sm_start "$@"
	await "moore: ERR $message.*no routes are set"
	await 'No routing engine able'
	! log_has 'SUBNET UP' || fail "it came up"
}

@test "qos FALSE" {
	plan slimfly q=4
	refused 'MR01: qos is FALSE: .*set "qos TRUE" in opensm.conf' qos FALSE
}
@test "max_op_vls 1" {
	plan slimfly q=4
	refused 'MR02: max_op_vls .*set "max_op_vls 2"' max_op_vls 1
}
@test "use_ucast_cache TRUE" {
	plan slimfly q=4
	refused 'MR03: use_ucast_cache .*set "use_ucast_cache FALSE"' use_ucast_cache TRUE
}
@test "moore.conf with an unknown key" {
	plan slimfly q=4
	printf '# ours\nplam %s\n' "$dir/plan.json" >"$dir/moore.conf"
	refused "MR04: $dir/moore.conf:2: .*plam" qos TRUE
}
@test "moore.conf that event_plugin_options names is not there" {
	plan slimfly q=4
	refused 'MR04: /nowhere/moore.conf: No such file' event_plugin_options moore_conf=/nowhere/moore.conf
}
@test "the plan is not there" {
	plan slimfly q=4
	echo "plan $dir/none.json" >"$dir/moore.conf"
	refused "MR05: $dir/none.json: No such file" qos TRUE
}
@test "the plan is not JSON" {
	plan slimfly q=4
	echo '{' >"$dir/plan.json"
	refused "MR05: $dir/plan.json" qos TRUE
}
@test "the plan is a directory" {
	plan slimfly q=4
	echo "plan $dir" >"$dir/moore.conf"
	refused "MR05: $dir: Is a directory" qos TRUE
}

# SL 15 has no lane at such a switch, so class 3 cannot use table D.
@test "sl-hint with four classes, a switch that cannot map SLs, ports with 15 VLs" {
	sm_preload=$BATS_TEST_TMPDIR/lame.so
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -fPIC -shared -o "$sm_preload" \
		"$BATS_TEST_DIRNAME/lame.c" -libumad -ldl
	plan slimfly q=5 p=2
	printf 'profile sl-hint\nclasses 0,0,0,0,1,1,1,1,2,2,2,2,3\n' >>"$dir/moore.conf"
	LAME_SWITCH=$(sed -n '/^switchguid=/ { s///p; q }' "$dir/net")
	export LAME_SWITCH
	refused 'MR[0-9]+: switch ".*" cannot map SLs .*SL 15 is VL 15 .*set max_op_vls to 4 or less' \
		max_op_vls 5 lmc 1
	sm_set max_op_vls 4 lmc 1
	change sm_hup
}

@test "no_fallback missing: said once" {
	plan slimfly q=4
	sim_start "$dir/net"
	sm_start routing_engine moore
	await_up
	change sm_hup
	[ "$(grep -c 'ERR MR12.*routing_engine moore,no_fallback' "$dir/opensm.log")" -eq 1 ]
}
