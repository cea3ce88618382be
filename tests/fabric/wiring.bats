#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Fabrics that are cabled differently from the plan, on ibsim, as the real ibnetdiscover and
# the real OpenSM report them: the verdicts of `moorectl check` and the moves of `moorectl
# repair`.
load lib.bash
bats_require_minimum_version 1.5.0

setup_plan() {
	moorectl plan new slimfly q=5 p=4 >"$dir/bare.json"
	jq '.rate = "4xSDR"' "$dir/bare.json" >"$dir/plan.json"
	moorectl plan check "$dir/plan.json" >/dev/null
}

# wired JQ: changes the plan by a jq filter, starts a fabric cabled like that, and writes
# its discovery to $dir/seen.
wired() {
	setup_plan
	jq "$1" "$dir/plan.json" >"$dir/wrong.json"
	moorectl plan export --to ibsim "$dir/wrong.json" >"$dir/net"
	sim_start "$dir/net"
	discovered
}
discovered() {
	on_fabric ibnetdiscover >"$dir/seen"
	grep -q '^Switch' "$dir/seen" || fail "ibnetdiscover: $(tail -n 5 "$dir/seen")"
}

# verdicts FABRIC STATUS LIST: checks the exit status, and how often each verdict occurs.
verdicts() {
	run --separate-stderr moorectl check "$dir/plan.json" "$1" --json
	jq -r '.deviations[].verdict' <<<"$output" | sort | uniq -c | awk '{ printf "%s %s;", $1, $2 }' >"$dir/verdicts"
	[ "$status" -eq "$2" ] || fail "check exits with $status: $output $stderr"
	[ "$(cat "$dir/verdicts")" = "$3" ] || fail "$(cat "$dir/verdicts") and not $3: $output"
	jq -e '.ok == (.deviations | length == 0)' <<<"$output" >/dev/null
}

# moves FABRIC N STATUS: repair lists N moves and reports that fewer are impossible.
moves() {
	run --separate-stderr moorectl repair "$dir/plan.json" "$1" --json
	[ "$status" -eq "$3" ] || fail "repair exits with $status: $output $stderr"
	jq -e --argjson n "$2" '.optimal and (.moves | length == $n) and .parting_steps == 0' \
		<<<"$output" >/dev/null || fail "not $2 moves: $output"
}

# Exchanges the second ends of cables I and J.
swap_ends='def swap($i; $j): .cables[$i].b as $x | .cables[$i].b = .cables[$j].b | .cables[$j].b = $x;'

@test "as planned: nothing deviates, and nothing is to move" {
	wired .
	verdicts "$dir/seen" 0 ''
	jq -e '.bound.name == 50 and .cables == 175 and .endpoints == 200' <<<"$output"
	moves "$dir/seen" 0 0
}

@test "ends exchanged, a cable missing, one too many, an endpoint elsewhere" {
	wired "$swap_ends swap(0; 100) | del(.cables[60])
		| .switches |= map(.ports += 1)
		| .cables += [{a: {switch: \"s0-0-0\", port: 12}, b: {switch: \"s1-4-4\", port: 12}}]
		| .endpoints[7] |= (.switch = \"s1-0-0\" | .port = 12)"
	verdicts "$dir/seen" 1 '1 endpoint-moved;1 extra;1 missing;2 wrong-peer;'
	jq -e '.deviations[] | select(.verdict == "missing")
		| .a == {switch: "s0-2-0", port: 5} and .b == {switch: "s0-2-1", port: 5}
		and .observed == null' <<<"$output"
}

@test "what OpenSM dumped says the same as ibnetdiscover" {
	wired "$swap_ends swap(0; 100) | swap(3; 160) | .endpoints[0].port = 2 | .endpoints[1].port = 1"
	verdicts "$dir/seen" 1 '4 wrong-peer;2 wrong-port;'
	jq -S .deviations <<<"$output" >"$dir/one"
	moves "$dir/seen" 6 1
	sm_start
	await_up
	verdicts "$dir/dump/opensm-subnet.lst" 1 '4 wrong-peer;2 wrong-port;'
	jq -S .deviations <<<"$output" >"$dir/two"
	diff "$dir/one" "$dir/two"
	moves "$dir/dump" 6 1
}

@test "two switches in each other's place are one cause" {
	wired '(.switches[3].name, .switches[40].name) |= (if . == "s0-0-3" then "s1-3-0" else "s0-0-3" end)
		| def r: if . == "s0-0-3" then "s1-3-0" elif . == "s1-3-0" then "s0-0-3" else . end;
		.endpoints[].switch |= r | .cables[].a.switch |= r | .cables[].b.switch |= r'
	verdicts "$dir/seen" 1 '1 switch-swapped;'
	jq -e '[.deviations[0].a.switch, .deviations[0].b.switch] | sort == ["s0-0-3", "s1-3-0"]' <<<"$output"
	moves "$dir/seen" 0 1
	jq -e '.exchanges | length == 1' <<<"$output"
	# exchange the names in the plan, or the switches on the floor: then nothing
	# deviates
	run moorectl repair "$dir/plan.json" "$dir/seen"
	[[ $output == *"exchange "*s0-0-3*s1-3-0* ]]
}

@test "a mirror image: relabel, do not recable" {
	wired '(.switches | map(.name)) as $n | ($n | length) as $k
		| ([range($k) | {key: $n[.], value: $n[$k - 1 - .]}] | from_entries) as $to
		| .switches |= map(.name = $to[.name]) | .endpoints[].switch |= $to[.]
		| .cables[].a.switch |= $to[.] | .cables[].b.switch |= $to[.]'
	verdicts "$dir/seen" 1 '1 mirrored;'
	jq -e .image <<<"$output"
	moorectl repair "$dir/plan.json" "$dir/seen" --accept "$dir/now.json"
	moorectl plan check "$dir/now.json"
	moorectl check "$dir/now.json" "$dir/seen"
	# the accepted plan differs from the first one
	run moorectl check "$dir/plan.json" "$dir/now.json"
	[ "$status" -eq 1 ]
}

@test "a wrong fabric is no image: --accept refuses, and writes nothing" {
	wired "$swap_ends swap(0; 100)"
	run --separate-stderr moorectl repair "$dir/plan.json" "$dir/seen" --accept "$dir/now.json"
	[ "$status" -eq 2 ]
	[[ $stderr == *"no image"* ]]
	[ ! -e "$dir/now.json" ]
}

@test "slower and narrower than planned" {
	setup_plan
	moorectl plan export --to ibsim "$dir/plan.json" >"$dir/net"
	# narrow one cable at both ends, and the cable of one endpoint
	awk '/^Switch|^Hca/ { split($0, q, "\""); at = q[2] }
		/^\[/ { split($0, q, "\""); link = at " " q[2]
			if (link == "s0-0-0 s0-0-1" || link == "s0-0-1 s0-0-0" ||
			    link == "s0-0-0 s0-0-0-h1" || link == "s0-0-0-h1 s0-0-0") sub(/4xSDR/, "1xSDR") } 1' \
		"$dir/net" >"$dir/slow"
	sim_start "$dir/slow"
	discovered
	verdicts "$dir/seen" 1 '2 narrow;'
	jq -e '[.deviations[] | [.planned, .observed]] | unique == [["4xSDR", "1xSDR"]]' <<<"$output"
	moves "$dir/seen" 0 0
	jq '.rate = "4xDDR"' "$dir/plan.json" >"$dir/fast.json"
	run moorectl check "$dir/fast.json" "$dir/seen" --json
	[ "$(jq '[.deviations[].verdict] | map(select(. == "slow")) | length' <<<"$output")" -eq 373 ]
}

@test "a cable pulled, a switch dead, then plugged in again" {
	wired .
	sim 'Unlink "s0-0-0"[5]'
	discovered
	verdicts "$dir/seen" 1 '1 missing;'
	moves "$dir/seen" 2 1
	sim 'Link "s0-0-0"[5] "s0-0-1"[5]'
	discovered
	verdicts "$dir/seen" 0 ''
	sim 'Unlink "s1-4-4"'
	discovered
	verdicts "$dir/seen" 1 '1 missing-switch;'
	jq -e '.deviations[0].a.switch == "s1-4-4" and .deviations[0].cables == 11' <<<"$output"
}
