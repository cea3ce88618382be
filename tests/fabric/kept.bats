#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Without a plan: a failure changes as little as with one, also after a restart of OpenSM.
load lib.bash

# Blocks that the last sweep with new tables changed.
blocks() { log | sed -n 's/.* \([0-9]*\) of [0-9]* LFT blocks.*/\1/p' | tail -n 1; }

# one_cut WORDS...: blocks that one cut changes with the plan, then without it.
one_cut() {
	local with without link
	unplanned "$@"
	link=$(cables | sed -n 20p)
	change sim "Unlink $link"
	settled
	log_has 'moore: [a-z]* .*missing links: 1 ' || fail "$(log | grep moore)"
	without=$(blocks)
	sound
	change sim "ReLink $link"
	settled
	printf '%s\n' "plan $dir/plan.json" "moored $dir/moored.sock" >"$dir/moore.conf"
	change sm_hup
	settled
	change sim "Unlink $link"
	settled
	log_has 'moore: planned .*missing links: 1 ' || fail "$(log | grep moore)"
	with=$(blocks)
	echo "blocks that one cut changes: $with with the plan, $without without" >&3
	[ "$with" -gt 0 ] && [ $((2 * without)) -le $((3 * with)) ]
}

@test "one cut of q=5 changes at most 1.5 times the blocks that it changes with a plan" {
	one_cut slimfly q=5
}

@test "the same at q=7 with four LIDs for each endpoint" {
	one_cut slimfly q=7 -- lmc 2
}

@test "the same on an OFT, and with the file removed: the fabric is recognised" {
	unplanned oft k=4 -- lmc 1
	link=$(cables | sed -n 9p)
	change sim "Unlink $link"
	settled
	was=$(hash) kept=$(blocks)
	rm "$dir/cache/moore-kept.json"
	sm_stop
	since
	sm_start lmc 1
	await_up
	settled
	[ "$(hash)" = "$was" ] || fail "$was, then $(log | grep moore)"
	[ ! -e "$dir/cache/moore-kept.json" ]
	sound
}

@test "a switch goes, OpenSM is restarted: the kept fabric gives the same tables" {
	unplanned slimfly q=5 -- lmc 1
	log_has "moore: slimfly q=5 of 50 switches and 175 links is kept in $dir/cache/moore-kept.json"
	moorectl plan check "$dir/cache/moore-kept.json"
	s=$(awk -F'"' '/^Switch/ { n = $2 } END { print n }' "$dir/net")
	change sim "Unlink \"$s\""
	settled
	log_has 'if they will not return, remove' || fail "$(log | grep moore)"
	was=$(hash)
	sm_stop
	since
	sm_start lmc 1
	await_up
	settled
	log_has 'moore: kept graph of 50 switches and 175 links in '
	! log_has 'MR23' || fail "$(log | grep MR23)"
	[ "$(hash)" = "$was" ] || fail "$was, then $(log | grep moore)"
	sound
	# Without the file, the plugin says what is lost.
	sm_stop
	rm "$dir/cache/moore-kept.json"
	since
	sm_start lmc 1
	await_up
	log_has 'ERR MR23: 1 switch is missing, and no kept graph tells' || fail "$(log | grep moore)"
}

@test "a kept file that cannot be read is refused, and replaced" {
	no_plan=1 plan slimfly q=5
	echo '{ "moore_plan": 1, "switches": [ {' >"$dir/cache/moore-kept.json"
	sim_start "$dir/net"
	sm_start
	await_up
	log_has "ERR MR23: $dir/cache/moore-kept.json: it is not used: " || fail "$(log | grep moore)"
	log_has 'moore: slimfly q=5 of 50 switches and 175 links is kept in '
	moorectl plan check "$dir/cache/moore-kept.json"
	sound
}
