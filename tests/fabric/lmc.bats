#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Several LIDs for each endpoint, and for an enhanced port 0.
load lib.bash

layers() {	# layers LMC EXTRA...
	local lmc=$1
	shift
	planned slimfly q=5 -- lmc "$lmc" "$@"
	sound
	log_has " $((1 << lmc)) layers?, 2 VLs" || fail "$(log | grep moore)"
	moorectl route "$dir/plan.json" --lmc "$lmc" -o "$dir/offline" >/dev/null
	diff <(tables "$dir/offline") <(tables "$dir/dump") | head -n 5 >"$dir/diff"
	[ ! -s "$dir/diff" ] || fail "$(cat "$dir/diff")"
}

@test "LMC 1" { layers 1; }
@test "LMC 2" { layers 2; }
@test "LMC 1 with lmc_esp0: basic ports 0 keep one LID" { layers 1 lmc_esp0 TRUE; }

# The fabric has a host at a middle switch where the plan has none.
spine_host() {	# spine_host FAMILY KEY=VALUE
	plan "$@"
	jq "$host_at_middle" "$dir/plan.json" >"$dir/built.json"
	moorectl plan export --to ibsim "$dir/built.json" >"$dir/net"
	sim_start "$dir/net"
	sm_start lmc 2
	await_up
	sound
	log_has 'planned .* 4 layers, 2 VLs' || fail "$(log | grep moore)"
}

@test "LMC 2 of an OFT with a host at a middle switch" { spine_host oft k=4; }
@test "LMC 2 of an MLFM with a host at a middle switch" { spine_host mlfm h=4; }
