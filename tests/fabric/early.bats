#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Trees of the plan, or of the kept graph, grow while OpenSM starts; the first sweep uses them.
load lib.bash

# The milliseconds that the trees took while OpenSM started, and that routing took in the first sweep.
made() { log | sed -n "s/.*moore: the trees of the $1 were made in \([0-9]*\) ms.*/\1/p"; }
routing() { log | sed -n 's/.*moore: .*(routing \([0-9]*\)\..*/\1/p' | head -n 1; }

# used WHAT: the first sweep took at most half as long to route as the trees took.
used() {
	local made routing
	made=$(made "$1") routing=$(routing)
	echo "trees of the $1: $made ms; routing in the first sweep: $routing ms" >&3
	[ -n "$made" ] && [ $((2 * routing)) -le "$made" ] || fail "$(log | grep moore)"
}

@test "the first sweep finds the trees of the plan" {
	planned slimfly q=9 -- lmc 2
	settled
	used plan
	sound
}

@test "after a restart it finds those of the kept graph, and makes the same tables" {
	unplanned slimfly q=9 -- lmc 2
	[ -z "$(made 'kept graph')" ]
	was=$(hash)
	sm_stop
	since
	sm_start lmc 2
	await_up
	settled
	used 'kept graph'
	[ "$(hash)" = "$was" ] || fail "$was, then $(log | grep moore)"
}

@test "a link and a host that are missing from the start: they are repaired, tables as in a later sweep" {
	plan slimfly q=9
	sim_start "$dir/net"
	sim "Unlink $(first_link)"
	sim "Unlink $(awk -F'"' '/^Hca/ { host = $2 } END { print "\"" host "\"[1]" }' "$dir/net")"
	sm_start lmc 2
	await_up
	settled
	used plan
	log_has 'missing links: 1 '
	was=$(hash)
	sound
	change sm_hup
	settled
	[ "$(hash)" = "$was" ] || fail "$was, then $(log | grep moore)"
}

@test "a plan that cannot be used is reported once, by the first sweep" {
	plan slimfly q=5
	head -c 1000 "$dir/plan.json" >"$dir/cut.json"
	echo "plan $dir/cut.json" >"$dir/moore.conf"
	sim_start "$dir/net"
	sm_start
	await 'ERR MR05'
	[ "$(log | grep -c 'ERR MR05')" = 1 ] || fail "$(log | grep MR)"
	[ -z "$(made plan)" ]
}

@test "OpenSM ends while the trees grow" {
	plan slimfly q=13
	sim_start "$dir/net"
	sm_start lmc 2
	await 'moore: version'
	kill -TERM "$sm_pid"
	until_ok 60 gone || fail "OpenSM goes on"
	grep -aE 'Segmentation|Sanitizer' "$dir/opensm.out" && fail "$(cat "$dir/opensm.out")"
	sm_pid=''
}
gone() { ! kill -0 "$sm_pid" 2>/dev/null; }
