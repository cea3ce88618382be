#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# choose.bats - which topology to buy: topo find and topo compare.
load lib

@test "topo find: each row holds the endpoints within the limits, the cheapest first" {
	run -0 $M topo find endpoints=1000 radix=24 diameter=3 --quick --json
	holds '.ok and .endpoints == 1000 and .radix == 24 and .diameter == 3 and (.found | length) > 5'
	holds '.found | all(.endpoints >= 1000 and .radix <= 24 and .endpoint_diameter <= 3)'
	holds '[.found[].links] | . == sort'
	holds '[.found[].family] | length == (unique | length)'
	holds '.found | all(.ports_per_wanted == (2 * .links + 1000) / 1000)'
	holds '.found | all(.throughput_worst == null and .cable_m == null)'
}

# Slim Fly q=7, OFT k=6 and MLFM h=8 are the least that hold 400 endpoints.
@test "topo find: the least member of the families that the papers compare" {
	run -0 $M topo find endpoints=400 radix=32 diameter=2 --quick --rows 40 --json
	holds '[.found[] | select(.family == "slimfly" or .family == "oft" or .family == "mlfm") | .name] | sort == ["mlfm h=8 l=8 p=8", "oft k=8 p=8", "slimfly q=7 p=5"]'
}

@test "topo find: brute force over a family finds nothing cheaper" {
	run -0 $M topo find endpoints=60 radix=12 --quick --rows 40 --json
	found=$(jq '.found[] | select(.family == "hyperx") | .links' <<<"$output")
	best=100000
	for a in 1 2 3 4 5; do for b in 1 2 3 4 5 6 7; do for c in 2 3 4 5 6 7 8; do
		[ $a -le $b ] && [ $b -le $c ] && [ $((a * b * c)) -ge 10 ] && [ $((a * b * c)) -le 60 ] || continue
		$M topo show hyperx s1=$a s2=$b s3=$c --json >"$BATS_TEST_TMPDIR/t"
		links=$(jq '(.degree / .mean_distance + 1e-9 | floor) as $p | ([$p, 12 - .degree] | min) as $p |
			if $p > 0 and .switches * $p >= 60 then .links else 100000 end' "$BATS_TEST_TMPDIR/t")
		[ "$links" -ge $best ] || best=$links
	done; done; done
	echo "$found $best"
	[ "$found" -eq "$best" ]
}

@test "topo find: routes and cables, unless --quick" {
	run -0 $M topo find endpoints=60 radix=12 diameter=2 --rows 4 --json
	holds '.found | length == 4 and all(.throughput_worst > 0 and .throughput_worst <= 1 and .lmc == 2 and .cable_m > 0)'
	run -0 $M topo find endpoints=60 radix=12 diameter=2 --rows 4
	[ "$(grep -c ' 2$' <<<"$output")" -eq 4 ]
	[[ $output == "topology  "*"worst  cable LMC"* && $output != *"is not measured"* && $output != *unless* ]]
	! grep -q '.\{81\}' <<<"$output"
}

@test "topo find: switches of up to 64 ports, a full mesh once, and only the notes that apply" {
	run -0 $M topo find endpoints=3000 --quick
	[[ $output == *"Switches have up to 64 ports unless"* && $output == *"is not measured"* ]]
	! grep -q '.\{81\}' <<<"$output"
	run -0 $M topo find endpoints=3000 --quick --json
	holds '.radix == 64 and (.found | all(.radix <= 64))'
	# Switches that are linked to all others: one row at most.
	for e in 60 3000; do
		run -0 $M topo find endpoints=$e radix=128 --quick --rows 40 --json
		holds '[.found[] | select(.degree == .switches - 1) | .family] | . == ["hyperx"]'
	done
}

@test "topo find: nothing fits" {
	run -1 $M topo find endpoints=5000 radix=10 diameter=1 --quick
	[ "$output" = "no family has a member that fits" ]
	run -1 $M topo find endpoints=5000 radix=10 diameter=1 --quick --json
	holds '.ok == false and .found == []'
}

@test "topo find: large networks take seconds" {
	run -0 timeout 60 $M topo find endpoints=100000 radix=64 diameter=3 --quick --json
	holds '.found | length > 4 and all(.lids[0].suffice == false)'
}

@test "topo compare: what topo show says, side by side" {
	run -0 $M topo compare slimfly q=5 oft k=4 --quick --svg "$BATS_TEST_TMPDIR/c.svg" --json
	holds '[.topologies[].name] == ["slimfly q=5 p=3", "oft k=4 p=4"]'
	for t in "slimfly q=5" "oft k=4"; do
		$M topo show $t --json >"$BATS_TEST_TMPDIR/t"
		jq -e --slurpfile t "$BATS_TEST_TMPDIR/t" '.topologies | any(contains($t[0]))' <<<"$output"
	done
	xmllint --noout "$BATS_TEST_TMPDIR/c.svg" 2>&1 || python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" "$BATS_TEST_TMPDIR/c.svg"
	[ "$(grep -c '<rect' "$BATS_TEST_TMPDIR/c.svg")" -gt 20 ]
	run -0 $M topo compare slimfly q=5 oft k=4 mlfm h=4 hypercube n=4 torus a=4 b=4
	[ "$(grep -c '^worst, % of rate' <<<"$output")" -eq 2 ]
	# Slim Fly: 50 switches, 150 endpoints with 2^LMC LIDs each, and one to align them.
	[[ $output =~ LIDs\ at\ LMC\ 0\ +200\  && $output =~ LIDs\ at\ LMC\ 2\ +651\  ]]
	! grep -q '.\{81\}' <<<"$output"
}

@test "topo compare: what all shortest paths carry is the graph's, and the routes may carry less or more" {
	run -0 $M topo compare dragonfly a=4 h=2 p=2 slimfly q=5 hypercube n=5 p=3 --json
	# The Dragonfly's from a program of its own: counts of paths to each switch, added up by link.
	# There the routes are some of the shortest, more even than all of them; on the hypercube many are longer.
	holds '.topologies[0] | (.throughput_shortest - 0.768953 | fabs) < 1e-6 and .throughput_uniform > .throughput_shortest'
	holds '.topologies[1] | .throughput_shortest == 1 and .throughput_uniform == 1'
	holds '.topologies[2] | .throughput_uniform < .throughput_shortest'
}

@test "topo compare: no name in the picture is cut off or runs into the panel beside it" {
	run -0 $M topo compare skywalk x=15 y=15 s=4 k=16 seed=12 slimfly q=5 --quick --svg "$BATS_TEST_TMPDIR/c.svg"
	python3 - "$BATS_TEST_TMPDIR/c.svg" <<-'PY'
		import sys, xml.etree.ElementTree as t
		root = t.parse(sys.argv[1]).getroot()
		texts = [(float(e.get("x")), e.get("text-anchor"), e.text) for e in root.iter("{http://www.w3.org/2000/svg}text")]
		# A letter of 11 pixels is less than 7 wide; values of the left panel end where the middle begins.
		middle = float(root.get("width")) / 2
		assert any("seed=12" in text for _, _, text in texts)
		for x, anchor, text in texts:
		    if anchor == "end":
		        assert x - 7 * len(text) >= (middle if x > middle else 0), (x, text)
		    else:
		        assert x > middle or x + 7 * len(text) <= middle, (x, text)
		assert "-" not in [text for _, _, text in texts]	# panels that nobody has a value for
	PY
}

@test "topo find and compare: misuse" {
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M topo $args
		[ -z "$output" ]
		says "$part"
	done <<-'ROWS'
	find|missing argument
	find radix=10|endpoints=N is missing
	find endpoints=x|give a number from 2 to 10000000
	find endpoints=-4|give a number from
	find endpoints=10 size=3|give endpoints=N
	find endpoints=10 --rows 0|rows
	compare|missing argument
	compare slimfly|q=
	compare slimfly q=5 nosuch k=3|no such family
	compare q=5|no such family
	ROWS
}
