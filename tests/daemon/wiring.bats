# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# wiring.bats - moored's wiring.* methods give the answers of moorectl check and repair off
# line.
load lib

# Exchanges the ends of two pairs of cables, and removes one cable.
miswire() {
	jq '.cables[0].b as $a | .cables[60].b as $b | .cables[0].b = $b | .cables[60].b = $a |
		.cables[10].b as $a | .cables[90].b as $b | .cables[10].b = $b | .cables[90].b = $a |
		del(.cables[100])' "$1"
}

same() {	# same OFFLINE METHOD: the answers are equal, except for sweep, plane and times
	ask "$2" | jq -S 'del(.sweep, .plane, .at_ms, .deviations[]?.since)' >"$T/on"
	jq -S . "$1" | diff - "$T/on"
}

@test "check and repair are those of the command line" {
	$M plan new slimfly q=5 p=4 -o "$T/plan.json" >/dev/null
	miswire "$T/plan.json" >"$T/found.json"
	MOORED_STILL=$T/found.json start --plan "$T/plan.json"
	will '.ok == false and (.deviations | length) == 5' wiring.check
	run -1 --separate-stderr $M check "$T/plan.json" "$T/found.json" --json
	echo "$output" >"$T/off"
	same "$T/off" wiring.check
	run -1 --separate-stderr $M repair "$T/plan.json" "$T/found.json" --json
	echo "$output" >"$T/off"
	same "$T/off" wiring.repair
	holds '(.moves | length) > 0 and .optimal' wiring.repair
}

@test "whoever watches is told what came and what went" {
	$M plan new slimfly q=5 p=4 -o "$T/right.json" >/dev/null
	miswire "$T/right.json" >"$T/found.json"
	cp "$T/found.json" "$T/plan.json"
	MOORED_STILL=$T/found.json start --plan "$T/plan.json"
	will '.last.deviations == []' wiring.watch
	peer watch "$T/right.json" "$T/plan.json" "$T/found.json"
	logged 'wiring of plane 0: 5 deviations (5 new, 0 gone)'
	logged 'wiring of plane 0: 0 deviations (0 new, 5 gone)'
}

@test "338 switches: no queue of long questions keeps the verdict waiting" {
	$M plan new slimfly q=13 p=9 -o "$T/right.json" >/dev/null
	miswire "$T/right.json" >"$T/wrong.json"
	cp "$T/right.json" "$T/plan.json"
	MOORED_STILL=$T/right.json start --plan "$T/plan.json"
	will '.last.deviations == []' wiring.watch
	peer verdict_first "$T/wrong.json" "$T/plan.json"
}

@test "without a plan it says so" {
	q5
	start
	will '.planes[0].switches == 50' system.status
	holds '.last == null' wiring.watch
	run -2 --separate-stderr ask wiring.check
	[[ $stderr == *"there is no plan"* ]]
}
