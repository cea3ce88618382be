#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# The changes that the plugin logs are those that OpenSM's dumps show.
load lib.bash

# How many blocks all sweeps since the last `since` changed together.
changed() { log | sed -n 's/.*moore: .*; \([0-9]*\) of [0-9]* LFT blocks change.*/\1/p' | awk '{ n += $1 } END { print n + 0 }'; }

# cut_one FAMILY KEY=VALUE...: cuts the first link and compares log and dumps.
cut_one() {
	planned "$@"
	settled
	cp -r "$dir/dump" "$dir/before"
	change sim "Unlink $(first_link)"
	settled
	moorectl change "$dir/before" "$dir/dump" --json >"$dir/change" || [ $? -eq 1 ]
	jq 'del(.order.steps)' "$dir/change"
	echo "OpenSM changed $(changed)"
	[ "$(changed)" -gt 0 ]
	jq -e ".churn.changed.blocks == $(changed)" "$dir/change"
	jq -e '.churn.changed.rows <= .churn.lost.rows and .gone == 0 and .new == 0' "$dir/change"
	jq -e '.order.kind != "unknown"' "$dir/change"
	# Only the rows that led to the lost link, at both its ends, are wrong.
	jq -e '.dead_old == .churn.forced.rows and .dead_new == 0' "$dir/change"
}

@test "q=5: one link cut, blocks sent equal blocks that differ" {
	cut_one slimfly q=5
}

@test "q=7: one link cut, blocks sent equal blocks that differ" {
	cut_one slimfly q=7
}

@test "LMC 2 too" {
	plan slimfly q=5
	sim_start "$dir/net"
	sm_start lmc 2
	await_up
	settled
	cp -r "$dir/dump" "$dir/before"
	change sim "Unlink $(first_link)"
	settled
	moorectl change "$dir/before" "$dir/dump" --json >"$dir/change" || [ $? -eq 1 ]
	jq -e ".churn.changed.blocks == $(changed) and 10 * .churn.changed.rows <= 11 * .churn.lost.rows" "$dir/change"
}
