#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored reports on a fabric while it is cabled and while it fails, with any engine in
# OpenSM.  It reports each change in less than two seconds.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

teardown() {
	[ ! -e "$dir/moored.log" ] || tail -n 30 "$dir/moored.log"
	[ ! -e "$dir/watch" ] || tail -n 10 "$dir/watch"
	kill -KILL ${watch_pid-} 2>/dev/null || true
	moored_kill
	fabric_stop
}

m() { moorectl --socket "$dir/moored.sock" "$@"; }
watch() {
	said=0
	: >"$dir/watch"
	m watch "$@" >"$dir/watch" 2>&1 3>&- 7>&- &
	watch_pid=$!
}
said=0		# number of lines that watch had printed before
told() { tail -n +$((said + 1)) "$dir/watch" | grep -q -- "$1"; }
# in_time PATTERN COMMAND...: runs the command; `watch` reports it within two seconds.
in_time() {
	local what=$1 begin
	shift
	said=$(wc -l <"$dir/watch")
	begin=${EPOCHREALTIME/./}
	"$@"
	until_ok 10 told "$what" || fail "not told: $what"
	[ $((${EPOCHREALTIME/./} - begin)) -lt 2000000 ] || fail "told late: $what"
}
planned_cables() { jq -r '.cables[] | "\"\(.a.switch)\"[\(.a.port)] \"\(.b.switch)\"[\(.b.port)]"' "$dir/plan.json"; }
plug() { while read -r a b; do sim "Link $a $b"; done; }
# Turns "next: plug s0[3] -- s1[4]" into the names of ibsim's console.
next() {
	tail -n 1 "$dir/watch" | sed -n 's/^next: plug \(.*: \)\{0,1\}\([^ ]*\)\[\([0-9]*\)\] .*-- \([^ ]*\)\[\([0-9]*\)\].*/"\2"[\3] "\4"[\5]/p'
}

# Half of 175 cables are plugged in when OpenSM and moored start.
half_cabled() {
	plan slimfly q=5 p=4
	sim_start "$dir/net"
	planned_cables | awk '(NR - 1) * 37 % 175 < 88' >"$dir/absent"
	while read -r a b; do sim "Unlink $a"; done <"$dir/absent"
	sm_start "$@"
	moored_start
	will 20 '.deviations | length == 88' wiring.check
	watch --until-complete
	until_ok 10 told ' 87 of 175 cables as planned, 50 of 50 switches live, 0 wrong' || fail "$(cat "$dir/watch")"
}

# The crew plugs in seventy cables in any order, and the others as moored suggests.
cabled_to_the_end() {
	local n
	in_time ' 122 of 175 ' plug < <(head -n 35 "$dir/absent")
	in_time ' 157 of 175 ' plug < <(sed -n '36,70p' "$dir/absent")
	for n in $(seq 158 175); do
		next >"$dir/next"
		grep -q . "$dir/next" || fail "watch names no next cable: $(tail -n 1 "$dir/watch")"
		in_time " $n of 175 cables as planned, .* 0 wrong" plug <"$dir/next"
	done
	wait $watch_pid	# watch ends by itself, with success
	m check
}

@test "half cabled to complete: watch names the next cable, and ends with the last" {
	half_cabled
	cabled_to_the_end
	settled
	will 10 '.sound and .unreachable == 0 and .expected.routes_differ == 0' routes.verify
	moored_stop
}

@test "the same under minhop: the wiring is not the engine's affair" {
	half_cabled routing_engine minhop event_plugin_name '(null)'
	cabled_to_the_end
	will 10 '.unreachable == 0' routes.verify
	moored_stop
}

@test "a switch dies and comes back: its name, its cables and its endpoints" {
	planned slimfly q=5 p=4
	moored_start
	will 10 '.lanes_read' fabric.summary
	watch
	until_ok 10 told '175 of 175'
	in_time ' 168 of 175 cables as planned, 49 of 50 switches live' sim 'Unlink "s0-3-2"'
	run -1 --separate-stderr m check
	[[ $output == *missing-switch*s0-3-2* ]]
	run -0 --separate-stderr m repair --json	# no cable has to move
	jq -e ".moves == []" <<<"$output"
	since
	in_time ' 175 of 175 cables as planned, 50 of 50' sim 'ReLink "s0-3-2"'
	m check
	await_up
	settled
	will 10 '.sound and .unreachable == 0' routes.verify
	moored_stop
}

@test "miswired: repair's moves, one step after the other, until check is clean" {
	planned slimfly q=5 p=4
	moored_start
	will 10 '.lanes_read' fabric.summary
	# Four cables have exchanged far ends in a ring, two more have exchanged theirs, and
	# one is unplugged.
	planned_cables >"$dir/cables"
	near() { sed -n "${1}p" "$dir/cables" | cut -d' ' -f1; }
	far() { sed -n "${1}p" "$dir/cables" | cut -d' ' -f2; }
	for i in 11 41 91 131 21 61 151; do sim "Unlink $(near $i)"; done
	for i in '11 41' '41 91' '91 131' '131 11' '21 61' '61 21'; do
		read -r a b <<<"$i"
		sim "Link $(near "$a") $(far "$b")"
	done
	will 4 '.counts == {"missing": 1, "wrong-peer": 6}' wiring.check
	run -1 --separate-stderr m repair --json
	echo "$output" >"$dir/repair"
	jq -e '.optimal and .parting_steps == 0 and .steps > 1' "$dir/repair"
	for step in $(jq '.moves[].step' "$dir/repair" | uniq); do
		# Moves still to do: the later ones, and both of a new cable that has only
		# one end plugged in.
		left=$(jq --argjson s "$step" '[.moves[] | select(.step > $s) | .cable] as $later
			| [.moves[] | select(.step > $s or (.from == null and (.cable | IN($later[]))))] | length' "$dir/repair")
		m links --json >"$dir/links"
		python3 "$BATS_TEST_DIRNAME/moves.py" "$dir/links" "$dir/repair" "$step" >"$dir/lines"
		while read -r line; do sim "$line"; done <"$dir/lines"
		will 4 ".moves | length == $left" wiring.repair
		holds '.switches == 50' fabric.summary
	done
	m check
	settled
	will 10 '.sound and .expected.routes_differ == 0' routes.verify
	moored_stop
}
