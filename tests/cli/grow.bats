# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# grow.bats - a fabric that is built in stages.
load lib

setup() {
	$M plan new slimfly q=5 p=3 -o "$T/whole.json" >/dev/null
}

# plugs PLAN: every switch port in use, with what is plugged in.
plugs() {
	jq -r '(.cables[] | "\(.a.switch):\(.a.port) \(.b.switch):\(.b.port)"),
		(.endpoints[] | "\(.switch):\(.port) \(.name)")' "$1" | sort
}

@test "stages grow to the whole, and no cable is moved" {
	run -0 $M plan grow "$T/whole.json" --switches 20 --endpoints 2 -o "$T/1.json" --json
	holds '.switches == 20 and .endpoints == 40 and .parts == 1 and .family == null'
	$M plan grow "$T/whole.json" --from "$T/1.json" --switches 35 --endpoints 2 -o "$T/2.json"
	$M plan grow "$T/whole.json" --from "$T/2.json" --switches 50 -o "$T/3.json"
	for k in 1 2; do
		[ -z "$(comm -23 <(plugs "$T/$k.json") <(plugs "$T/$((k + 1)).json"))" ]
	done
	[ "$(plugs "$T/3.json")" = "$(plugs "$T/whole.json")" ]
	# Endpoints alone are added.
	run -0 $M plan grow "$T/whole.json" --from "$T/1.json" --json
	holds '(.switches | length) == 20 and (.endpoints | length) == 60'
}

@test "a stage is routed as a part of the whole, and the next one interrupts nothing" {
	$M plan grow "$T/whole.json" --switches 25 --endpoints 2 -o "$T/1.json"
	$M plan grow "$T/whole.json" --from "$T/1.json" --switches 32 --endpoints 2 -o "$T/2.json"
	run -0 $M route "$T/whole.json" --stage "$T/1.json" --lmc 2 -o "$T/t1" --json
	holds '.switches == 25 and .endpoints == 50 and .missing_switches == 25 and .sound'
	run -0 $M route "$T/whole.json" --stage "$T/2.json" --lmc 2 --from "$T/t1" -o "$T/t2" --json
	holds '.switches == 32 and (.steps.list | length) > 0 and all(.steps.list[]; .interrupted == 0 and .safe)'
	# The tables are those of the fabric that is there.
	$M verify "$T/t2"
	# What is not built can be named in other words.
	unbuilt=$(comm -23 <(jq -r '.switches[].name' "$T/whole.json" | sort) <(jq -r '.switches[].name' "$T/1.json" | sort))
	$M plan grow "$T/whole.json" --switches 25 -o "$T/full.json"
	a=$($M route "$T/whole.json" --stage "$T/full.json" --json | jq .hash)
	[ "$a" = "$($M route "$T/whole.json" $(sed 's/^/--fail /' <<<"$unbuilt") --json | jq .hash)" ]
}

@test "wrong stages are named with their place" {
	run -2 $M plan grow "$T/whole.json"
	[[ $output == *"--switches N is missing"* ]]
	run -2 $M plan grow "$T/whole.json" --switches 51
	[[ $output == *"whole.json: 51 switches: the whole plan has 50"* ]]
	$M plan grow "$T/whole.json" --switches 20 -o "$T/1.json"
	run -2 $M plan grow "$T/whole.json" --from "$T/1.json" --switches 19
	[[ $output == *"19 switches: 20 are built already"* ]]
	$M plan new slimfly q=5 p=4 -o "$T/other.json"
	for command in "plan grow $T/whole.json --switches 50 --from" "route $T/whole.json --stage"; do
		run -2 $M $command "$T/other.json"
		[[ $output == *'other.json: switches[0]: "s0-0-0" has 11 ports, and 10 in the whole plan'* ]]
	done
	jq '.cables[3] |= (.a.port as $p | .a.port = .b.port)' "$T/1.json" >"$T/wrong.json"
	run -2 $M plan grow "$T/whole.json" --from "$T/wrong.json" --switches 20
}
