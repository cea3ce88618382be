#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# With two subnet managers on one fabric the tables are the same bits, whichever is master
# and whatever happened before.  Each has files of its own; the fabric keeps the LIDs that
# the first one assigned.
load lib.bash

first=''
teardown() {
	[ -z "$first" ] || kill -KILL "$first" 2>/dev/null || true
	fabric_stop
}

# standby [KEY VALUE]...: starts a second OpenSM as standby at the last host.  The first
# one's files are in $one.
standby() {
	local lines
	lines=$(wc -l <"$dir/opensm.log")
	one=$dir first=$sm_pid
	dir=$one/two
	mkdir -p "$dir/cache" "$dir/dump"
	cp "$one/moore.conf" "$dir/"
	cp "$one/cache/"* "$dir/cache/" 2>/dev/null || true
	: >"$dir/opensm.log"
	SIM_HOST=$(awk -F'"' '/^Hca/ { n = $2 } END { print n }' "$one/net")
	export OSM_TMP_DIR=$dir/dump OSM_CACHE_DIR=$dir/cache
	seen=0
	# On a busy machine a living master may take a while to answer.
	sm_start sminfo_polling_timeout 1000 polling_retry_number 4 "$@"
	await 'Entering STANDBY state'
	until_ok "$DEADLINE" swept "$lines" || fail "the master does not see the standby: $(tail "$one/opensm.log")"
}

# swept LINES: the master has ended a sweep that its log tells of after so many lines.
swept() { tail -n "+$(($1 + 1))" "$one/opensm.log" | grep -q 'SUBNET UP'; }

# Kills the master.  ibsim learns of it from a packet that it cannot hand over.  It has no time-outs,
# so a standby whose packet that is waits for ever; here it is one of sminfo.
master_dies() {
	kill -STOP "$sm_pid"
	kill -KILL "$first"
	until_ok "$DEADLINE" known_dead || fail "ibsim does not see that the master is dead"
	kill -CONT "$sm_pid"
}
known_dead() {
	(cd "$dir" && timeout 2 ibsim-run sminfo >/dev/null 2>&1) || true
	grep -q 'seems to be dead' "$one/ibsim.out"
}

hash_in() { sed -n 's/.*moore: .* hash \([0-9a-f]*\).*/\1/p' "$1/opensm.log" | tail -n 1; }
cut_seen() { grep -q 'moore: .*missing links: 1 ' "$one/opensm.log"; }

# whole: writes the tables of $one to a file; succeeds if all switches have equally many
# rows.  The master sweeps and writes its dumps again when the standby appears.
whole() {
	tables "$one/dump" >"$one/before"
	awk -v switches="$(grep -c '^Switch' "$one/net")" '
		{ rows[$1]++ }
		END { for (s in rows) if (rows[s] != rows[$1]) exit 1
			exit length(rows) != switches }' "$one/before"
}

# takeover: kills the master; the tables of the other must equal those of $one.
takeover() {
	dir=$one seen=0 settled
	until_ok "$DEADLINE" whole || fail "the master's dump is not whole"
	was=$(hash_in "$one")
	[ -n "$was" ] || fail "the master says no hash"
	! grep -q 'moore: .* hash' "$dir/opensm.log" || fail "a standby routes"
	since
	master_dies
	await 'Entering MASTER state'
	await_up
	settled		# another sweep would write the dumps again
	[ "$(hash_in "$dir")" = "$was" ] || fail "hash $(hash_in "$dir"), was $was"
	diff "$one/before" <(tables "$dir/dump") | head -n 5 >"$dir/diff"
	[ ! -s "$dir/diff" ] || fail "$(cat "$dir/diff")"
	sound
}

# cut: cuts a link while the first is master, and waits until it has routed around it.  ibsim
# has no time-outs: a master that asks the standby for SMInfo while the answer's way is cut
# waits for ever.  It asks when the standby appears, so the cut comes after that sweep.
cut() {
	dir=$one settled
	sim "Unlink $(dir=$one first_link)"
	until_ok "$DEADLINE" cut_seen || fail "the master missed it: $(tail "$one/opensm.log")"
}

@test "the master dies: the standby's tables are the same bits" {
	planned slimfly q=5
	standby
	takeover
}

@test "LMC 2, the same" {
	planned mlfm h=4 -- lmc 2
	standby lmc 2
	takeover
}

@test "a link is cut while the master lives; then it dies" {
	planned slimfly q=5
	standby
	cut
	takeover
}

@test "a link is cut after the standby took over: as a single manager would route it" {
	planned slimfly q=5
	standby
	takeover
	change sim "Unlink $(dir=$one first_link)"
	settled
	sound
	log_has 'missing links: 1 ' || fail "$(log | grep moore:)"
	link=$(dir=$one first_link)
	moorectl route "$one/plan.json" --fail "$(tr -d '"' <<<"$link" | sed 's/\[\(.*\)\]/:\1/')" -o "$dir/offline" >/dev/null
	diff <(tables "$dir/offline") <(tables "$dir/dump") | head -n 5 >"$dir/diff"
	[ ! -s "$dir/diff" ] || fail "$(cat "$dir/diff")"
}

first_step() { grep -qE 'moore: step 1 of [2-9]' "$one/opensm.log"; }

@test "the master dies between two steps: the standby ends the change" {
	planned slimfly q=5 -- lmc 2
	keep_whole
	standby lmc 2
	dir=$one settled
	cp -r "$one/held" "$dir/"
	echo 'motion_wait 20000' >>"$one/moore.conf"
	sim "Unlink $(dir=$one first_link)"
	until_ok "$DEADLINE" first_step || fail "no steps: $(grep moore "$one/opensm.log" | tail)"
	harmless
	since
	master_dies
	await 'Entering MASTER state'
	await_up
	settled
	log_has 'LFT blocks read from switches, 0 not answered' || fail "$(log | grep moore)"
	log_has 'missing links: 1 ' || fail "$(log | grep moore)"
	calm
	sound
	harmless
	no_credit_loop
	read_back lmc 2
}
