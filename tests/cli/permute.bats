# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# permute.bats - moorectl plan permute and plan steps.
load lib

setup() { $M plan new hypercube n=5 p=1 -o "$T/old.json" >/dev/null; }
permute() { $M plan permute "$T/old.json" --cabinet-size 8 -o "$T/new.json" "$@"; }

# cables FILE: each cable as two switch:port, one per line, in the order of the file.
cables() { jq -r '.cables[] | "\(.a.switch):\(.a.port) \(.b.switch):\(.b.port)"' "$1"; }

# runs FILE: the number of cables for each pair of cabinets and length.
runs() {
	jq -c '(.switches | map({(.name): .cabinet}) | add) as $c | [.cables[] |
		[([$c[.a.switch], $c[.b.switch]] | sort), .length]] | sort' "$1"
}

# make_moves FILE FROM TO OUT: makes the moves of steps FROM to TO-1 of a JSON answer on a
# plan.
make_moves() {
	jq --slurpfile s "$1" --argjson from "$2" --argjson to "$3" '
		reduce $s[0].steps[$from:$to][].moves[] as $m (.;
			.cables[$m.cable][$m.end] = {switch: $m.to.switch, port: $m.to.port})' \
		"$4" >"$5"
}

@test "permute writes a plan of shorter distances and the same cables" {
	run -0 permute --json
	holds '.method == "two-cab" and .trials == 20 and .seed == 1 and .same_lengths'
	holds '.after.mean_distance < .before.mean_distance and .after.diameter < .before.diameter'
	holds '.before.diameter == 5 and (.moves | length) > 0'
	holds 'all(.moves[]; .from.cabinet == .to.cabinet and (.end == "a" or .end == "b"))'
	run -0 $M plan check "$T/new.json"
	run -0 $M plan show "$T/new.json" --json
	holds '.permutation_seed == 1 and .family == "hypercube" and .switches_placed == 32'
	$M plan permute "$T/new.json" --fraction 0 -o "$T/none.json"
	[ "$(runs "$T/none.json")" = "$(runs "$T/new.json")" ]
	$M plan permute "$T/old.json" --cabinet-size 8 --fraction 0 -o "$T/zero.json"
	[ "$(cables "$T/zero.json")" = "$(cables "$T/old.json")" ]
	[ "$(runs "$T/zero.json")" = "$(runs "$T/new.json")" ]
}

@test "the moves, made on the old plan, give the new one; endpoints stay" {
	permute --method one-step --json >"$T/moves"
	jq '{steps: [{moves}]}' "$T/moves" >"$T/as-steps"
	make_moves "$T/as-steps" 0 1 "$T/old.json" "$T/made.json"
	[ "$(cables "$T/made.json")" = "$(cables "$T/new.json")" ]
	[ "$(jq -c .endpoints "$T/old.json")" = "$(jq -c .endpoints "$T/new.json")" ]
}

@test "lengths and labels stay with the cables" {
	jq '.cables |= [to_entries[] | .value + {label: "C\(.key)", length: (.key % 7 + 1)}]' "$T/old.json" >"$T/l"
	mv "$T/l" "$T/old.json"
	permute --method three-cab >/dev/null
	[ "$(jq -c '[.cables[] | [.label, .length]]' "$T/old.json")" = \
		"$(jq -c '[.cables[] | [.label, .length]]' "$T/new.json")" ]
	run -0 permute --json
	holds 'all(.moves[]; .label == "C\(.cable)")'
}

@test "one seed, one plan; another seed, another" {
	permute >/dev/null; mv "$T/new.json" "$T/one"
	permute >/dev/null; cmp "$T/one" "$T/new.json"
	permute --seed 2 >/dev/null; run -1 cmp -s "$T/one" "$T/new.json"
}

@test "permute: misuse, and plans without cabinets" {
	run --separate-stderr -2 $M plan permute "$T/old.json" -o "$T/x"
	says "place the plan first"
	says "--cabinet-size 16"
	permute >/dev/null
	run --separate-stderr -2 $M plan permute "$T/new.json" --cabinet-size 8 -o "$T/x"
	says "drop --cabinet-size"
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M plan permute "$T/new.json" $args
		says "$part"
	done <<-ROWS
	|-o FILE is missing
	-o $T/x --method two|it is two-cab, three-cab or one-step
	-o $T/x --fraction 1.1|not a number from 0 to 1
	-o $T/x --fraction nan|not a number from 0 to 1
	-o $T/x --fraction|--fraction needs a value
	-o $T/x --trials 0|not a number from 1
	-o - --json|not both
	ROWS
	[ ! -e "$T/x" ]
	run -0 $M plan permute "$T/new.json" -o -
	holds '.permutation_seed == 1'
}

@test "20 trials of a Slim Fly of 338 switches take far less than 10 s" {
	$M plan new slimfly q=13 -o "$T/old.json" >/dev/null
	for m in two-cab three-cab one-step; do
		SECONDS=0
		permute --method $m --cabinet-size 16 >/dev/null
		[ $SECONDS -lt 10 ]
	done
}

@test "steps: no more cables than allowed, in one part, routed and safe at each" {
	permute >/dev/null
	for k in 2 5 64; do
		$M plan steps "$T/old.json" "$T/new.json" --max-cables $k --json >"$T/s"
		output=$(<"$T/s")
		holds ".possible and .safe and all(.steps[]; .cables <= $k and .safe and .connected)"
		holds 'all(.steps[]; .diameter > 0 and .max_load >= .mean_load and .mean_load > 0)'
		make_moves "$T/s" 0 1000 "$T/old.json" "$T/made.json"
		[ "$(cables "$T/made.json")" = "$(cables "$T/new.json")" ]
	done
	run -0 $M plan steps "$T/old.json" "$T/new.json" --max-cables 4
	[[ $output == *"step 1: 4 cables unplugged, diameter "*", safe"* ]]
}

@test "steps with LMC and the sl-hint profile" {
	permute >/dev/null
	echo "profile sl-hint" >"$T/conf"
	run -0 $M plan steps "$T/old.json" "$T/new.json" --max-cables 8 --lmc 2 --conf "$T/conf" --json
	holds '.safe and all(.steps[]; .safe)'
}

@test "steps: impossible for one cable at a time, and said so" {
	permute >/dev/null
	run --separate-stderr -1 $M plan steps "$T/old.json" "$T/new.json" --max-cables 1
	says "hold each other's ports: 1 at a time is too few, 2 will do"
	run -1 $M plan steps "$T/old.json" "$T/new.json" --max-cables 1 --json
	holds '.possible == false and (.error | length) > 0'
}

@test "steps: from any state on, out of a plan or of ibnetdiscover" {
	permute --method three-cab >/dev/null
	$M plan steps "$T/old.json" "$T/new.json" --max-cables 6 --json >"$T/s"
	n=$(jq '.steps | length' "$T/s")
	[ "$n" -gt 3 ]
	for at in 0 1 $((n / 2)) $((n - 1)) "$n"; do
		make_moves "$T/s" 0 $at "$T/old.json" "$T/now.json"
		$M plan export "$T/now.json" --to ibnetdiscover -o "$T/now.txt" >/dev/null
		for state in now.json now.txt; do
			$M plan steps "$T/old.json" "$T/new.json" --max-cables 6 --state "$T/$state" --json >"$T/rest"
			output=$(<"$T/rest")
			holds '.possible and .safe and .out == 0'
			[ "$(jq '.moves' "$T/rest")" -le $(($(jq "[.steps[$at:][].moves[]] | length" "$T/s") + 40)) ]
		done
	done
	[ "$(jq .ahead "$T/rest")" = 0 ]
}

@test "steps: stopped in the middle of one, cables are out and come back first or later" {
	permute >/dev/null
	$M plan steps "$T/old.json" "$T/new.json" --max-cables 6 --json >"$T/s"
	jq --slurpfile s "$T/s" '[$s[0].steps[0].moves[].cable] as $out |
		.cables |= [to_entries[] | select(.key as $k | $out | index($k) | not) | .value]' \
		"$T/old.json" >"$T/now.json"
	run -0 $M plan steps "$T/old.json" "$T/new.json" --max-cables 6 --state "$T/now.json" --json
	holds '.possible and .out == 6 and .steps[0].moves[0].from == null'
	holds '([.steps[].moves[].cable] | unique | length) == .ahead'
}

@test "steps: misuse" {
	permute >/dev/null
	$M plan new hypercube n=4 -o "$T/four.json" >/dev/null
	run --separate-stderr -2 $M plan steps "$T/old.json" "$T/new.json"
	says "--max-cables K is missing"
	run --separate-stderr -2 $M plan steps "$T/four.json" "$T/new.json" --max-cables 2
	says "only the ends of cables may differ"
	$M plan new torus2d a=4 b=8 -o "$T/torus.json" >/dev/null
	run --separate-stderr -2 $M plan steps "$T/old.json" "$T/new.json" --max-cables 2 --state "$T/torus.json"
	says "is not in the new plan"
	run --separate-stderr -2 $M plan steps "$T/old.json" "$T/new.json" --max-cables 2 --state "$T/none"
	says "$T/none"
}
