#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# New tables reach the switches in steps, under the real OpenSM.
load lib.bash

# cut_and_restore LMC
cut_and_restore() {
	local link
	planned slimfly q=5 -- lmc "$1"
	settled
	link=$(cables | sed -n 7p)
	change sim "Unlink $link"
	settled
	calm
	sound
	no_credit_loop
	read_back lmc "$1"
	change sim "ReLink $link"
	settled
	calm
	sound
	no_credit_loop
	read_back lmc "$1"
}

@test "a link is cut and restored, LMC 0" {
	cut_and_restore 0
}

@test "a link is cut and restored, LMC 2" {
	cut_and_restore 2
}

@test "the first tables of a new fabric take one step, and nothing is read" {
	planned slimfly q=5 -- lmc 2
	log_has 'moore: step 1 of 1: ' || fail "$(log | grep moore)"
	! log_has 'moore: step .* 0 rows to no-path'	# a count of zero has no term
	! log_has 'LFT blocks read'
}

@test "a switch leaves and returns" {
	planned slimfly q=5 -- lmc 2
	settled
	s=$(awk -F'"' '/^Switch/ { n = $2 } END { print n }' "$dir/net")
	change sim "Unlink \"$s\""
	settled
	calm
	sound
	change sim "ReLink \"$s\""
	settled
	calm
	sound
	read_back lmc 2
}

# Waits for the first step of a cut of the first link.
cut_until_first_step() {
	since
	sim "Unlink $(first_link)"
	await 'moore: step 1 of [2-9]'
}

@test "OpenSM is killed between two steps" {
	planned slimfly q=5 -- lmc 2
	settled
	echo 'motion_wait 5000' >>"$dir/moore.conf"
	cut_until_first_step
	sm_stop
	sed -i '/motion_wait/d' "$dir/moore.conf"
	since
	sm_start lmc 2
	await_up
	settled
	log_has 'LFT blocks read from switches, 0 not answered'
	calm
	sound
	no_credit_loop
	read_back lmc 2
}

@test "a switch that does not answer a step" {
	planned slimfly q=5
	settled
	echo 'motion_wait 2000' >>"$dir/moore.conf"
	far=$(first_link | cut -d'"' -f2)
	cut_until_first_step
	# Step 2 writes to the ends of the link.
	for p in $(seq 0 11); do sim "Error \"$far\"[$p] 100"; done
	await 'ERR MR21: [0-9]+ LFT blocks were not answered'
	for p in $(seq 0 11); do sim "Error \"$far\"[$p] 0"; done
	sed -i '/motion_wait/d' "$dir/moore.conf"
	change sm_hup
	settled
	sound
	no_credit_loop
	read_back
}

@test "a second link is cut between two steps" {
	planned slimfly q=5 -- lmc 2
	settled
	echo 'motion_wait 3000' >>"$dir/moore.conf"
	cut_until_first_step
	sim "Unlink $(cables | sed -n 30p)"
	await 'the steps end early, since another sweep was asked for'
	sed -i '/motion_wait/d' "$dir/moore.conf"
	await 'missing links: 2 '
	await_up
	settled
	sound
	no_credit_loop
	[ "$(log_count 'moore: step .* 0 live pairs interrupted, ')" -eq "$(steps)" ]
	read_back lmc 2
}

@test "another engine before and after" {
	plan slimfly q=5
	sim_start "$dir/net"
	sm_start lmc 2 routing_engine minhop
	await_up
	sm_stop
	since
	sm_start lmc 2
	# The first sweep counts with one lane, since minhop's SL2VL rows are in force.
	until_ok "$DEADLINE" sweep_lacks ' SL2VL rows to set'
	settled
	log_has 'LFT blocks read from switches, 0 not answered'
	log_has 'moore: step 1 of ' || fail "$(log | grep moore)"
	sound
	read_back lmc 2
	sm_stop
	since
	sm_start lmc 2 routing_engine minhop
	await_up
	! log_has 'ERR MR'
}

@test "path queries are answered during the steps" {
	planned slimfly q=5
	settled
	read -r a b < <(awk -F'"' '/^Hca/ { print $2 }' "$dir/net" | sed -n '100p;150p' | xargs)
	path_record "$a" "$b"
	echo 'motion_wait 2000' >>"$dir/moore.conf"
	cut_until_first_step
	n=0
	while ! log_has 'moore: all rows are in force'; do
		path_record "$a" "$b"
		n=$((n + 1))
	done
	echo "$n queries"
	[ "$n" -gt 3 ]
	await_up
}

@test "a link that flaps is left out until it is quiet" {
	planned slimfly q=5
	echo 'flap_seconds 8' >>"$dir/moore.conf"
	link=$(first_link)
	change sim "Unlink $link"
	change sim "ReLink $link"
	change sim "Unlink $link"
	log_has 'ERR MR22: the link from 0x.* went down or came back 3 times within 8 s' ||
		fail "$(log | grep moore)"
	change sim "ReLink $link"
	log_has 'missing links: 1 ' || fail "$(log | grep moore)"
	sound
	# A timer asks for the sweep that takes it back.
	await 'is quiet: it counts again'
	until_ok "$DEADLINE" sweep_lacks ' missing links'
	settled
	sound
}

@test "motion fast" {
	planned slimfly q=5
	echo 'motion fast' >>"$dir/moore.conf"
	settled
	change sim "Unlink $(first_link)"
	log_has 'moore: motion is fast: [0-9]+ blocks go out at once' || fail "$(log | grep moore)"
	[ "$(steps)" -eq 0 ]
	sound
}
