#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# On the engine's tables packets under credit flow control never deadlock, for every SL, LID
# and traffic pattern, with the smallest buffers; on minhop's tables they do.
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
	for words in "" "x --sl 16" "x --pattern none" "x --cycles 0" "x --bogus 1" "x --seed"; do
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
