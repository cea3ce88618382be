# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# wire.bats - moorectl check and repair: verdicts that name cabinets and units, the shape of
# the JSON, exit codes, and files that are cut off, empty or of another kind.
load lib

setup() {
	ring 6 "$T/bare.json"
	# The plan gets two cabinets, free ports and labels.
	jq '.switches |= [to_entries[] | .value + {ports: 5, cabinet: (if .key < 3 then "A1" else "B1" end),
		unit: (.key % 3 + 1)}] | .cables |= [to_entries[] | .value + {label: "C\(.key)"}]' \
		"$T/bare.json" >"$T/p.json"
}

# wrong JQ: writes the fabric as ibnetdiscover would print it after that change of the plan.
wrong() {
	jq "$1" "$T/p.json" >"$T/wrong.json"
	$M plan export --to ibnetdiscover "$T/wrong.json" >"$T/seen"
}

@test "as planned, from each kind of file" {
	wrong .
	run --separate-stderr -0 $M check "$T/p.json" "$T/seen"
	[[ $output == *"6 switches, 6 endpoints, 6 cables: cabled as planned"* ]]
	run -0 $M check "$T/p.json" "$T/p.json"
	run -0 $M check "$T/p.json" - <"$T/seen"
	$M route "$T/p.json" -o "$T/dumps" >/dev/null
	run -0 $M check "$T/p.json" "$T/dumps/opensm-subnet.lst"
	run -0 $M check "$T/p.json" "$T/dumps"
	run -0 $M repair "$T/p.json" "$T/dumps"
	[[ $output == "nothing to move" ]]
}

@test "one line for each deviation, in rack words, and a sum for each cabinet" {
	wrong '.cables[1].b.port = 4 | del(.cables[3])'
	run --separate-stderr -1 $M check "$T/p.json" "$T/seen"
	[[ $output == *"wrong-port       r1[2] (cabinet A1, unit 2): should lead to r2[3] (cabinet A1, unit 3), leads to r2[4]"* ]]
	[[ $output == *"missing          r3[2] (cabinet B1, unit 1) -- r4[3] (cabinet B1, unit 2): planned, and nothing is there"* ]]
	[[ $output =~ cabinet\ A1\ +1$'\n'cabinet\ B1\ +1$'\n' ]]
	[[ $output == *"2 deviations" ]]
}

@test "the JSON of check" {
	wrong '.cables[1].b.port = 4'
	run --separate-stderr -1 $M check "$T/p.json" "$T/seen" --json
	holds '.ok == false and (.deviations | length) == 1 and .counts == {"wrong-port": 1}'
	holds '.deviations[0] | .verdict == "wrong-port" and .label == "C1"
		and .a == {switch: "r1", port: 2, cabinet: "A1", unit: 2}
		and .b == {switch: "r2", port: 3, cabinet: "A1", unit: 3}
		and .planned == "r1[2] -- r2[3]" and .observed == "r1[2] -- r2[4]"'
	holds '.bound == {guid: 0, name: 6, structure: 0} and .image'
	run --separate-stderr -0 $M check "$T/p.json" "$T/p.json" --json
	holds '.ok and .deviations == []'
}

@test "the JSON of repair, and its moves made" {
	wrong '.cables[0].b as $x | .cables[0].b = .cables[3].b | .cables[3].b = $x'
	run --separate-stderr -1 $M repair "$T/p.json" "$T/seen" --json
	holds '.optimal and .lower_bound == 2 and (.moves | length) == 2 and .new_cables == 0 and .exchanges == []'
	holds '.moves | all(has("cable") and (.end | . == "a" or . == "b") and has("from") and has("to"))'
	# The state of each port after the moves is computed independently.
	jq --argjson m "$(jq .moves <<<"$output")" '
		def at($j): "\($j.switch)[\($j.port)]";
		reduce $m[] as $k (.; .cables |= map(
			if at(.a) == at($k.from) then .new_a = $k.to
			elif at(.b) == at($k.from) then .new_b = $k.to else . end))
		| .cables |= map((if .new_a then .a = {switch: .new_a.switch, port: .new_a.port} else . end)
			| (if .new_b then .b = {switch: .new_b.switch, port: .new_b.port} else . end)
			| del(.new_a, .new_b))' "$T/wrong.json" >"$T/fixed.json"
	run -0 $M check "$T/p.json" "$T/fixed.json"
}

@test "repair by cabinet, and what a step parts is told" {
	wrong 'del(.cables[5]) | .cables[0].b as $x | .cables[0].b = .cables[3].b | .cables[3].b = $x'
	run --separate-stderr -1 $M repair "$T/p.json" "$T/seen"
	[[ $output == *"cabinet A1"*"step "* ]]
	[[ $output == *"new 1: plug it into"* ]]
	[[ $output == *"4 moves of cable ends in "*" steps, 1 new cable: this is the shortest possible list"* ]]
}

@test "reseat comes before replace, and the steps come in their order" {
	# A missing cable may be in its jacks, and a slow one often is not fully in.
	wrong 'del(.cables[3])'
	run --separate-stderr -1 $M repair "$T/p.json" "$T/seen"
	[[ $output == "reseat both ends first, and replace a cable only if that does not help:"*$'\n'"  missing   C3: r3[2] (cabinet B1, unit 1) -- r4[3]"*"a link that comes up needs no new cable: then list the moves again"*"the steps in order"*"step 1 "* ]]
	jq '.rate = "4xHDR"' "$T/p.json" >"$T/fast.json"
	jq '.rate = "4xHDR" | .cables[1].rate = "4xEDR" | .cables[2].rate = "1xHDR"' "$T/p.json" >"$T/slow.json"
	run --separate-stderr -0 $M repair "$T/fast.json" "$T/slow.json"
	[[ $output == *"  slow      C1: r1[2]"*"  narrow    C2: r2[2]"*"nothing to move"* ]]
	[[ $output != *"new cable"* && $output != *"the steps"* ]]
	run --separate-stderr -0 $M repair "$T/fast.json" "$T/slow.json" --json
	holds '[.reseat[].verdict] == ["slow", "narrow"] and .ok'
	# Ends of other cabinets in turn: the step numbers rise all the same.
	wrong '.cables[0].b as $x | .cables[0].b = .cables[3].b | .cables[3].b = $x
		| .cables[1].b as $x | .cables[1].b = .cables[4].b | .cables[4].b = $x'
	run --separate-stderr -1 $M repair "$T/p.json" "$T/seen"
	steps=$(sed -n 's/^  step \([0-9]*\) .*/\1/p' <<<"$output")
	[ "$(wc -l <<<"$steps")" -ge 4 ]
	cmp <(echo "$steps") <(sort -n <<<"$steps")
}

@test "an endpoint elsewhere, one at another port, one unknown" {
	wrong '.endpoints[2].port = 4 | .endpoints[3] |= (.switch = "r5" | .port = 4)
		| .endpoints[4].name = "who"'
	run --separate-stderr -1 $M check "$T/p.json" "$T/seen" --json
	holds '[.deviations[].verdict] | sort == ["endpoint-moved", "unknown-device", "wrong-port"]'
	holds '.deviations[] | select(.verdict == "endpoint-moved") | .a == {endpoint: "h3", port: 1}
		and .b.switch == "r3" and (.observed | contains("r5[4]"))'
}

@test "hosts without their names yet are in their places, and no cable is pulled" {
	wrong '.endpoints[1].name = "localhost" | .endpoints[3].name = "MT4123 mlx5_0"'
	run --separate-stderr -1 $M check "$T/p.json" "$T/seen"
	[[ $output == *"MT4123 mlx5_0: a host that is not in the plan, with the cable of h3 -- r3[1] (cabinet B1, unit 1)"* ]]
	[[ $output == *"2 deviations" ]]
	run --separate-stderr -1 $M check "$T/p.json" "$T/seen" --json
	holds '[.deviations[] | [.verdict, .planned, .observed]] == [["unknown-device", "h1 -- r1[1]", "localhost"],
		["unknown-device", "h3 -- r3[1]", "MT4123 mlx5_0"]]'
	run -0 $M repair "$T/p.json" "$T/seen" --json
	holds '.moves == [] and .optimal'
	# One that is planned elsewhere and found there is in nobody's place here.
	wrong '.endpoints[1].name = "localhost" | .endpoints[1].port = 4'
	run --separate-stderr -1 $M check "$T/p.json" "$T/seen" --json
	holds '[.deviations[].verdict] | sort == ["missing-endpoint", "unknown-device"]'
}

@test "another GUID under the same name is the same switch; another name needs the cables" {
	wrong '.switches[2].guid = "0x77"'
	run -0 $M check "$T/p.json" "$T/seen"
	wrong '.switches[2].name = "spare" | (.endpoints[], .cables[].a, .cables[].b) |=
		(if .switch == "r2" then .switch = "spare" else . end)'
	run --separate-stderr -1 $M check "$T/p.json" "$T/seen" --json
	holds '[.deviations[].verdict] == ["unknown-device"] and .bound.structure == 1'
	holds '.deviations[0].observed == "spare" and .deviations[0].planned == "r2"'
	# After a relabelling it is the plan.
	run -0 $M repair "$T/p.json" "$T/seen" --json
	holds '.moves == [] and .optimal'
	# Another switch is in its place and a cable is wrong, but no other switch could be
	# meant.
	wrong '.switches[2].name = "spare" | (.endpoints[], .cables[].a, .cables[].b) |=
		(if .switch == "r2" then .switch = "spare" else . end) | .cables[0].b.port = 5'
	run --separate-stderr -1 $M repair "$T/p.json" "$T/seen" --json
	holds '(.moves | length) == 1 and .optimal'
	# No name is known and one host is where none is planned, so which host it is
	# remains a guess.
	wrong '.endpoints |= [to_entries[] | .value + {name: "x\(.key)"}] | .endpoints[1].port = 4'
	run --separate-stderr -1 $M repair "$T/p.json" "$T/seen" --json
	holds '.optimal == false and .lower_bound <= 1'
}

@test "accepted as it is: the plan that the fabric fulfils" {
	wrong '.cables[1].b.port = 4 | .cables[2].a.port = 5'
	run --separate-stderr -0 $M repair "$T/p.json" "$T/seen" --accept "$T/now.json"
	run -0 $M check "$T/now.json" "$T/seen"
	[ "$(jq -c '[.cables[].label]' "$T/now.json")" = "$(jq -c '[.cables[].label]' "$T/p.json")" ]
	wrong 'del(.cables[1])'
	run --separate-stderr -2 $M repair "$T/p.json" "$T/seen" --accept "$T/none.json"
	says "the wiring is no image of the plan"
	[ ! -e "$T/none.json" ]
	wrong .
	run --separate-stderr -2 $M repair "$T/p.json" "$T/seen" --accept /no/such/dir/x.json
	says "cannot write"
}

@test "files that are not there, empty, cut off or of another kind" {
	wrong .
	run --separate-stderr -2 $M check "$T/p.json" "$T/none"
	says "$T/none: "
	run --separate-stderr -2 $M check "$T/none" "$T/seen"
	says "$T/none: "
	run --separate-stderr -2 $M check "$T/seen" "$T/seen"
	run --separate-stderr -2 $M check "$T/p.json" "$T"
	says "opensm-subnet.lst: no such file: OpenSM writes it when"
	: >"$T/empty"
	run --separate-stderr -2 $M check "$T/p.json" "$T/empty"
	[ -n "$stderr" ]
	# A file cut anywhere gives an answer or a reason, never a crash or an empty answer.
	$M route "$T/p.json" -o "$T/dumps" >/dev/null
	for from in "$T/seen" "$T/dumps/opensm-subnet.lst" "$T/p.json"; do
		size=$(stat -c %s "$from")
		for k in 1 2 3 4 5 6 7 8 9; do
			head -c $((size * k / 10)) "$from" >"$T/cut"
			run --separate-stderr $M check "$T/p.json" "$T/cut"
			case $status in
			1) [[ $output == *deviation* ]] ;;
			2) says "$T/cut:" ;;
			*) echo "$from at $k: $status"; false ;;
			esac
			run --separate-stderr $M repair "$T/p.json" "$T/cut"
			[ "$status" = 1 ] || [ "$status" = 2 ] || [[ $output == "nothing to move"* ]]
		done
	done
}

@test "narrow and slow, cables and endpoints alike" {
	jq '.rate = "4xHDR"' "$T/p.json" >"$T/fast.json"
	mv "$T/fast.json" "$T/p.json"
	wrong '.cables[2].rate = "2xHDR" | .endpoints[1].rate = "4xEDR" | .cables[4].rate = "4xNDR"'
	run --separate-stderr -1 $M check "$T/p.json" "$T/seen" --json
	holds '[.deviations[] | [.verdict, .planned, .observed]] | sort ==
		[["narrow", "4xHDR", "2xHDR"], ["slow", "4xHDR", "4xEDR"]]'
	run --separate-stderr -0 $M repair "$T/p.json" "$T/seen"
	[[ $output == "reseat both ends first"*$'\n'"nothing to move; moorectl check lists the other deviations" ]]
}
