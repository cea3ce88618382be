#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# The tables depend only on the fabric, neither on the order in which it is discovered nor
# on its history; standby.bats tests that they do not depend on the subnet manager either.
load lib.bash

# The records of a net file in reverse order, with the same GUIDs.
shuffled() { tail -n +2 "$1" | awk -v RS= '{ r[NR] = $0 } END { for (i = NR; i; i--) print r[i] "\n" }'; }

@test "the order of discovery leaves no trace" {
	planned slimfly q=5
	tables "$dir/dump" >"$dir/before"
	was=$(hash)
	teardown
	shuffled "$dir/net" >"$dir/net2"
	rm -rf "$dir/console" "$dir/cache" "$dir/dump"
	setup
	sim_start "$dir/net2"
	sm_start
	await_up
	diff "$dir/before" <(tables "$dir/dump") | head -n 5 >"$dir/diff"
	[ ! -s "$dir/diff" ] || fail "$(cat "$dir/diff")"
	[ "$(hash)" = "$was" ]
}

@test "a restarted subnet manager computes the same bits" {
	planned mlfm h=4
	was=$(hash)
	cp "$dir/dump/opensm-lfts.dump" "$dir/before"
	sm_stop
	since
	sm_start
	await_up
	[ "$(hash)" = "$was" ]
	cmp "$dir/before" "$dir/dump/opensm-lfts.dump"
}

@test "a restart while a link is missing, too" {
	planned slimfly q=5
	change sim "Unlink $(first_link)"
	was=$(hash)
	sm_stop
	since
	sm_start
	await_up
	[ "$(hash)" = "$was" ]
}
