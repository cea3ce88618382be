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

# ibsim deals GUIDs in the order of its netlist: here leaves and middle switches come mixed.
@test "LMC 2 of an MLFM with GUIDs in any order and no plan: 2/5 of full rate in the worst case" {
	no_plan=yes plan mlfm h=6
	jq '.switches |= sort_by(.name | explode | reverse)' "$dir/plan.json" >"$dir/mixed.json"
	moorectl plan export --to ibsim "$dir/mixed.json" >"$dir/net"
	sim_start "$dir/net"
	sm_start lmc 2
	await_up
	sound
	log_has ' 4 layers, 2 VLs' || fail "$(log | grep moore)"
	moorectl quality "$dir/dump" --pattern worst --json >"$dir/worst.json"
	jq -e '.worst.throughput >= 0.4' "$dir/worst.json" >/dev/null || fail "$(jq -c .worst "$dir/worst.json")"
}
