#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Multicast: a tree connects all members of each group, and the turns of all trees together
# with unicast stay acyclic.
load lib.bash

setup_file() {
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -o "$BATS_FILE_TMPDIR/mcjoin" \
		"$BATS_TEST_DIRNAME/mcjoin.c" -libumad
}

# join GROUP FROM STEP: joins the ports of every STEP-th endpoint of the dump.
guids() { grep -o 'CA[^{]*PortGUID:[0-9a-f]*' "$dir/dump/opensm-subnet.lst" | sed 's/.*PortGUID:/0x/' | sort -u; }
join() {
	local group=$1 from=$2 step=$3
	guids | awk -v f="$from" -v s="$step" 'NR % s == f' >"$dir/members.$group"
	since
	on_fabric "$BATS_FILE_TMPDIR/mcjoin" "$group" $(cat "$dir/members.$group") >"$dir/joined.$group" ||
		fail "$(cat "$dir/joined.$group"; log | grep ERR | head -n 3)"
	mlid=$(awk 'NR == 1 { print toupper(substr($2, 3)) }' "$dir/joined.$group")
}

# True if the group in the dump covers all its members; the dump is written some time after
# a join.
covers() {
	python3 "$BATS_TEST_DIRNAME/mctree.py" "$dir/dump" "$1" "$dir/members.$2" >"$dir/mctree.out" 2>&1
}
covered() { until_ok "$DEADLINE" covers "$@" || fail "$(cat "$dir/mctree.out")"; }

@test "groups of different sizes: joined, trees, sound" {
	planned slimfly q=5
	for g in "1 1 97" "2 0 10" "3 1 3" "4 0 1"; do
		join $g
		covered "$mlid" "${g%% *}"
	done
	sound
	! log_has 'ERR' || fail "$(log | grep ERR)"
}

@test "groups of the same members use different trees" {
	planned mlfm h=4
	for g in 1 2 3 4; do
		join $g 0 10
		covered "$mlid" $g
	done
	n=$(awk '/^Switch/ { s = $2 } /^0xC/ { m = $1; $1 = ""; t[m] = t[m] s $0 ";" }
		END { for (m in t) u[t[m]]; for (x in u) n++; print n }' "$dir/dump/opensm.mcfdbs")
	[ "$n" -ge 2 ]
}

@test "a link of the tree goes: the tree grows around it" {
	planned slimfly q=5
	join 1 0 4
	covered "$mlid" 1
	change sim "Unlink $(first_link)"
	covered "$mlid" 1
	sound
}

@test "members join one after the other, and a link goes meanwhile" {
	planned slimfly q=5 -- lmc 2
	settled
	link=$(cables | sed -n 7p)
	: >"$dir/members.1"
	for step in 40 30 20 10 5; do
		before=$(cat "$dir/members.1")
		join 1 1 $step
		sort -u - "$dir/members.1" <<<"$before" | grep . >"$dir/m" && mv "$dir/m" "$dir/members.1"
		covered "$mlid" 1
	done
	change sim "Unlink $link"
	settled
	covered "$mlid" 1
	sound
	change sim "ReLink $link"
	settled
	covered "$mlid" 1
	sound
	! grep 'ERR MR' "$dir/opensm.log"
}

# The seconds of the day at which the first line that matches was logged.
logged_at() { log | grep -m 1 -- "$1" | awk '{ split($3, t, ":"); printf "%.6f\n", t[1] * 3600 + t[2] * 60 + t[3] + $4 / 1e6 }'; }

@test "trees shrink where no safe steps leave them alone, and packets leave before the steps" {
	planned torus a=4 b=4 c=3 p=1
	for g in 1 2 3 4; do
		join $g $g 5
		mlids[g]=$mlid
	done
	link=$(cables | sed -n 5p)
	change sim "Unlink $link"
	settled
	echo 'motion_wait 900' >>"$dir/moore.conf"
	change sim "ReLink $link"
	log_has 'moore: trees of multicast groups shrink first' || fail "$(log | grep moore)"
	awk -v a="$(logged_at 'shrink first')" -v b="$(logged_at 'step 1 of')" 'BEGIN { exit !(b - a >= 0.9) }' ||
		fail "$(log | grep moore)"
	log_has 'moore: step 1 of .* 0 live pairs interrupted'
	settled
	for g in 1 2 3 4; do
		covered "${mlids[g]}" $g
	done
	sound
	! log_has 'ERR MR'
}

@test "a join while the last good routes are in force" {
	planned slimfly q=5
	sm_set qos FALSE
	change sm_hup
	join 1 0 7
	covered "$mlid" 1
	sound
}

@test "sl-hint: groups on the SLs that are safe for them, no tree on others" {
	plan slimfly q=5
	printf 'profile sl-hint\nclasses 0,0,0,0,1\n' >>"$dir/moore.conf"
	sim_start "$dir/net"
	sm_start max_op_vls 3
	await_up
	for g in 1@0 2@4; do
		join $g 0 10
		covered "$mlid" $g
	done
	! log_has 'MR16' || fail "$(log | grep MR16)"
	join 3@1 0 10
	await 'ERR MR16: multicast group 0xc.* is on SL 1'
	settled
	! grep -q "^0x$mlid" "$dir/dump/opensm.mcfdbs" || fail "it has a tree"
	moorectl verify --sl hint --json "$dir/dump" | jq -e .sound
}
