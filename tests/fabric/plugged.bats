#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# A switch that is not planned is plugged in cable by cable while the fabric runs, and another one hangs
# from it.  No pair is interrupted, and the rows of others stay.
load lib.bash

# The cables and hosts of two more switches: each to three switches of the plan, and to each other.
extend() {
	jq '.switches += [{name: "new0", ports: 5}, {name: "new1", ports: 5}] |
		.endpoints += [{name: "h0", switch: "new0", port: 1}, {name: "h1", switch: "new1", port: 1}] |
		.cables += [{a: {switch: "new0", port: 5}, b: {switch: "new1", port: 5}}] |
		reduce range(3) as $k (.; .switches[$k].ports += 2 | .switches[$k] as $s | .cables += [
			{a: {switch: "new0", port: ($k + 2)}, b: {switch: $s.name, port: ($s.ports - 1)}},
			{a: {switch: "new1", port: ($k + 2)}, b: {switch: $s.name, port: $s.ports}}])' \
		"$dir/plan.json" >"$dir/built.json"
	moorectl plan export --to ibsim "$dir/built.json" >"$dir/net"
}

# plug LMC: plugs the cables in.  The first one changes few of the rows that were there.
plug() {
	plan slimfly q=5
	extend
	sim_start "$dir/net"
	for n in 0 1; do
		for port in 2 3 4 5; do sim "Unlink \"new$n\"[$port]"; done
	done
	sm_start lmc "$1"
	await_up
	settled
	sound
	tables "$dir/dump" >"$dir/before"
	for cable in '"new0"[2]' '"new1"[5]' '"new1"[2]' '"new0"[3]' '"new0"[4]'; do
		change sim "ReLink $cable"
		settled
		calm
		sound
		no_credit_loop
		changed=$(comm -23 "$dir/before" <(tables "$dir/dump") | wc -l)
		echo "$cable: $changed of $(wc -l <"$dir/before") rows"
		[ "$cable" != '"new0"[2]' ] || ((changed * 20 < $(wc -l <"$dir/before")))
	done
}

@test "one LID for each endpoint" { plug 0; }
@test "four LIDs" { plug 2; }
