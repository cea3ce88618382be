#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# On the engine's tables packets under credit flow control never deadlock, for every SL, LID
# and traffic pattern, with the smallest buffers, also while tables change in steps; on
# minhop's tables they do, and while all rows of a cut are written at once.
load ../fabric/lib.bash

CYCLES=$((1500 * ${MOORE_SOAK:-1}))
SEED=${MOORE_SEED:-20261121}

# packets DIR OPTION...: simulates every traffic pattern; all packets must arrive.
packets() {
	local tables=$1 p
	shift
	for p in random perm worst; do
		creditsim "$tables" --pattern $p --cycles $CYCLES --seed "$SEED" "$@" >"$dir/sim.out" ||
			fail "$tables $p $*: $(cat "$dir/sim.out")"
		grep -q '^drained: ' "$dir/sim.out"
	done
}

creditsim() { "$MOORE_BUILD/tests/sim/creditsim" "$@"; }

# flows FAMILY KEY=VALUE... [-- FAIL...]: tables made off line, LMC 0 and 2, one SL and any.
flows() {
	local -a words=() fail=()
	local lmc
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift || true
	for f in "$@"; do
		fail+=(--fail "$f")
	done
	plan "${words[@]}"
	for lmc in 0 2; do
		moorectl route "$dir/plan.json" --lmc $lmc "${fail[@]}" -o "$dir/t$lmc" >/dev/null
		packets "$dir/t$lmc" --sl 0 --lids base
		packets "$dir/t$lmc" --sl any --lids all
	done
	packets "$dir/t2" --sl any --lids all --buffers 3
}

@test "Slim Fly q=4" { flows slimfly q=4; }
@test "Slim Fly q=5" { flows slimfly q=5 p=4; }
@test "Slim Fly q=7" { flows slimfly q=7; }
@test "OFT k=4" { flows oft k=4; }
@test "OFT k=6" { flows oft k=6; }
@test "MLFM h=4" { flows mlfm h=4; }
@test "MLFM h=6" { flows mlfm h=6; }

@test "Slim Fly q=5 without a switch and some links" {
	flows slimfly q=5 -- s0-1-1 s0-0-0:4 s0-0-0:6 s1-2-3:5 s1-4-4:7 s1-4-4:8
}
@test "OFT k=4 without a switch and some links" {
	plan oft k=4
	mapfile -t some < <(jq -r '.switches[6].name, (.cables[3, 17, 40] | "\(.a.switch):\(.a.port)")' "$dir/plan.json")
	flows oft k=4 -- "${some[@]}"
}
@test "MLFM h=4 without a switch and some links" {
	plan mlfm h=4
	mapfile -t some < <(jq -r '.switches[6].name, (.cables[3, 17, 40] | "\(.a.switch):\(.a.port)")' "$dir/plan.json")
	flows mlfm h=4 -- "${some[@]}"
}

# steps FILE DIR: options of creditsim for the steps that `moorectl route --from --json` wrote.
steps() {
	jq -r --arg dir "$2" '.steps.list | to_entries[] |
		(if .value.wait then "--wait" else "--step" end), "\($dir)/step-\(.key + 1)"' "$1"
}

# change OLD NEW FILE: packets flow while the tables change in steps, and none circulates.
change() {
	local -a steps
	local p
	mapfile -t steps < <(steps "$3" "$2")
	jq -e '.steps.ok and .steps.start_safe' "$3" >/dev/null || fail "$2: $(jq -c .steps "$3")"
	[ ${#steps[@]} -ge 2 ]
	for p in random perm worst; do
		creditsim "$1" "${steps[@]}" --pattern $p --sl any --lids all --cycles 600 \
			--seed "$SEED" >"$dir/sim.out" ||
			fail "$2 $p: ${steps[*]}: $(cat "$dir/sim.out")"
		grep -q ' 0 ran in circles$' "$dir/sim.out"
	done
}

# in_steps LMC CUTS FAMILY KEY=VALUE...: cuts links, one after the other, and restores each.
in_steps() {
	local lmc=$1 cuts=$(($2 * ${MOORE_SOAK:-1})) n k link
	shift 2
	plan "$@"
	n=$(jq '.cables | length' "$dir/plan.json")
	moorectl route "$dir/plan.json" --lmc $lmc -o "$dir/whole" >/dev/null
	for ((k = 0; k < cuts; k++)); do
		link=$(jq -r --argjson i $(((SEED + 37 * k) % n)) '.cables[$i].a | "\(.switch):\(.port)"' "$dir/plan.json")
		rm -rf "$dir/less" "$dir/back"
		moorectl route "$dir/plan.json" --lmc $lmc --fail "$link" --from "$dir/whole" -o "$dir/less" \
			--json >"$dir/cut"
		moorectl route "$dir/plan.json" --lmc $lmc --from "$dir/less" -o "$dir/back" --json >"$dir/repair"
		change "$dir/whole" "$dir/less" "$dir/cut"
		change "$dir/less" "$dir/back" "$dir/repair"
	done
}

@test "Slim Fly q=5: a cut and its repair in steps" {
	in_steps 0 2 slimfly q=5 p=4
	in_steps 2 1 slimfly q=5 p=4
}
@test "OFT k=4: a cut and its repair in steps" { in_steps 2 1 oft k=4; }
@test "MLFM h=4: a cut and its repair in steps" { in_steps 1 1 mlfm h=4; }

@test "rows that are all written at once let packets wait in a circle" {
	plan slimfly q=5 p=4
	moorectl route "$dir/plan.json" -o "$dir/whole" >/dev/null
	moorectl route "$dir/plan.json" --fail s0-0-0:5 -o "$dir/less" >/dev/null
	creditsim "$dir/whole" --step "$dir/less" --sl any --seed 1 >"$dir/out" && fail "$(cat "$dir/out")"
	grep -q '^STALL' "$dir/out"
	[ "$(grep -c 'waits for port' "$dir/out")" -ge 2 ]
	# the rows of either table alone do not
	packets "$dir/whole" --sl any
	packets "$dir/less" --sl any
}

@test "the simulator is awake: minhop's Slim Fly stands still, and a seed repeats it" {
	planned slimfly q=5 -- routing_engine minhop
	sm_stop
	creditsim "$dir/dump" --sl 0 >"$dir/one" && fail "minhop flows: $(cat "$dir/one")"
	grep -q '^STALL' "$dir/one"
	[ "$(grep -c 'waits for port' "$dir/one")" -ge 3 ]
	creditsim "$dir/dump" --sl 0 >"$dir/two" || true
	cmp "$dir/one" "$dir/two"
}

@test "on one link every cycle carries a packet, and all are counted" {
	# Two endpoints share one link, and each sends to the other one packet per cycle.
	cat >"$dir/plan.json" <<-'END'
		{ "moore_plan": 1,
		  "switches": [ { "name": "A", "ports": 2 }, { "name": "B", "ports": 2 } ],
		  "endpoints": [ { "name": "a", "switch": "A", "port": 1 }, { "name": "b", "switch": "B", "port": 1 } ],
		  "cables": [ { "a": { "switch": "A", "port": 2 }, "b": { "switch": "B", "port": 2 } } ] }
	END
	moorectl route "$dir/plan.json" -o "$dir/t" >/dev/null
	creditsim "$dir/t" --buffers 2 --cycles 1000 >"$dir/out"
	grep -q '^delivered 0.99[0-9]* for each endpoint and cycle; dropped 0$' "$dir/out" || fail "$(cat "$dir/out")"
	grep -q '^link use: greatest 1.000, mean 1.000$' "$dir/out" || fail "$(cat "$dir/out")"
}

@test "misuse is refused, what cannot be read named" {
	for words in "" "x --sl 16" "x --pattern none" "x --cycles 0" "x --bogus 1" "x --seed" "x --step"; do
		rc=0
		out=$(creditsim $words) || rc=$?
		[ "$rc" -eq 2 ] || fail "'$words': $rc"
		grep -q '^usage' <<<"$out"
	done
	rc=0
	out=$(creditsim "$dir/nowhere") || rc=$?
	[ "$rc" -eq 2 ]
	grep -q 'opensm-subnet.lst: cannot be read' <<<"$out"
}
