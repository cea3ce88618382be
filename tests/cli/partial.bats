# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# partial.bats - layers carry as much when not every switch that could have endpoints has some.
load lib

setup() { cd "$BATS_TEST_TMPDIR"; }

# Makes whole.json, and by the jq program $2 part.json from it.
part() {
	# shellcheck disable=SC2086
	$M plan new $1 -o whole.json >/dev/null
	jq "del(.topology) | $2" whole.json >part.json
}

# Four LIDs carry nearly as much in the worst case of part.json as in that of whole.json, and loads
# are at most 1.5 times the mean.
carries_as_much() {
	local whole
	whole=$($M quality whole.json --lmc 2 --pattern worst --json | jq .worst.throughput)
	run -0 $M quality part.json --lmc 2 --pattern worst --json
	holds ".worst.throughput > 0.95 * $whole"
	run -0 $M route part.json --lmc 2 --json
	holds '.sound and .unreachable == 0 and .max_over_mean_load < 1.5'
}

first_bare='.endpoints[0].switch as $s | del(.endpoints[] | select(.switch == $s))'

@test "an OFT of which one leaf has no endpoints" {
	part "oft k=5" "$first_bare"
	carries_as_much
}

@test "an MLFM of which one local switch has no endpoints" {
	part "mlfm h=7" "$first_bare"
	carries_as_much
}

@test "a Slim Fly of which one switch has no endpoints" {
	part "slimfly q=7" "$first_bare"
	carries_as_much
}

@test "an OFT of which every third leaf has no endpoints has detours as before" {
	part "oft k=5" '([.endpoints[].switch] | unique | to_entries | map(select(.key % 3 == 0).value)) as $s |
		del(.endpoints[] | select(.switch | IN($s[])))'
	run -0 $M quality part.json --lmc 2 --pattern worst --json
	holds '.worst.throughput > 0.4'
}

@test "a host at a middle switch costs the others no detours" {
	for family in "oft k=5" "mlfm h=5"; do
		rm -f whole.json
		part "$family" "$host_at_middle"
		for profile in any-sl sl-hint; do
			run -0 $M quality part.json --lmc 2 --profile $profile --pattern worst --json
			holds '.worst.throughput > 0.39'
			run -0 $M route part.json --lmc 2 --profile $profile --json
			holds '.sound and .unreachable == 0'
		done
	done
}

# A management switch with one host hangs from the fourth switch with endpoints.
hanging='([.endpoints[].switch] | unique | .[3]) as $s | (.switches[] | select(.name == $s) | .ports) += 1 |
	.switches += [{name: "mgmt", ports: 4}] | .endpoints += [{name: "sm", switch: "mgmt", port: 1}] |
	.cables += [{a: {switch: "mgmt", port: 2}, b: {switch: $s, port: (.switches[] | select(.name == $s) | .ports)}}]'

@test "a management switch that hangs from a fabric costs the others no detours" {
	for family in "oft k=5" "mlfm h=5" "slimfly q=5"; do
		rm -f whole.json
		part "$family" "$hanging"
		run -0 $M quality part.json --lmc 2 --pattern worst --json
		holds '.patterns[] | select(.pattern == "overlap") | .pair.throughput > 0.3'
		run -0 $M route part.json --lmc 2 --json
		holds '.sound and .unreachable == 0'
		run -0 $M route part.json --lmc 2 --without-plan --json
		holds ".sound and .unreachable == 0 and (.topology | startswith(\"$family\"))"
	done
	# On larger ones the switch from which it hangs has detours, too.
	for family in "slimfly q=7" "oft k=6" "mlfm h=7"; do
		rm -f whole.json
		part "$family" "$hanging"
		run -0 $M quality part.json --lmc 2 --pattern worst --json
		holds '.worst.throughput > 0.3'
	done
}

@test "a management switch that hangs from a fabric changes few rows of the others" {
	for family in "oft k=5" "mlfm h=5" "slimfly q=7"; do
		rm -rf whole.json without with
		part "$family" "$hanging"
		for lmc in 0 2; do
			$M route part.json --lmc $lmc -o with >/dev/null
			jq 'del(.switches[-1], .endpoints[-1], .cables[-1])' part.json >without.json
			$M route without.json --lmc $lmc -o without >/dev/null
			all=$(tables without | wc -l)
			changed=$(comm -23 <(tables without) <(tables with) | wc -l)
			echo "$family, LMC $lmc: $changed of $all rows"
			((changed * 50 < all))
		done
	done
}

@test "an MLFM of which two columns have no endpoints, so a middle switch has none near" {
	part "mlfm h=5" 'del(.endpoints[] | select(.switch | test("^l[03]-")))'
	run -0 $M quality part.json --lmc 2 --pattern worst --json
	holds '.worst.throughput > 0.4'
}
