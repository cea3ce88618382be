# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# quality.bats - moorectl quality on plans, on dumps and on bad input.
load lib

setup_file() {
	load lib
	cd "$BATS_FILE_TMPDIR"
	q5 q5.json
	ring 6 ring.json
	$M route ring.json --lmc 1 -o ring >/dev/null
	clockwise ring clockwise
}

setup() { cd "$BATS_FILE_TMPDIR"; }

@test "quality of a plan: minimal routes, evenly spread, in offset 0" {
	run -0 $M quality q5.json --lmc 1 --json
	holds '.switches == 50 and .sources == 50 and .endpoints == 200 and .links == 350'
	holds '.distance.all.pairs == 9800 and .distance.at_one.pairs == 1400 and .distance.at_two.pairs == 8400'
	holds '[.offsets[].offset] == [0, 1] and .exact and .partitioned == 0'
	holds '.offsets[0] | .hops == {"1": 1400, "2": 8400} and .distance.all.longer == 0 and .no_route == 0'
	holds '.offsets[0].load | .min <= .q1 and .q1 <= .median and .median <= .q3 and .q3 <= .max and .mean == 52'
	holds '(.load.mean - ([.offsets[].load.mean] | add) | fabs) < 1e-6 and ([.disjoint[]] | add) == 9800'
}

@test "quality of dumps is that of the plan they come from" {
	$M route q5.json --lmc 2 --fail s0-0-1 --fail s1-1-1:7 -o "$T/t" >/dev/null
	$M quality "$T/t" --json >"$T/of-dumps"
	$M quality q5.json --lmc 2 --fail s0-0-1 --fail s1-1-1:7 --json >"$T/of-plan"
	# Of several links with equal load, the report on dumps may name another one, since
	# their order differs.
	anonymous='del(.. | .hottest?, .worst?.switch?, .worst?.endpoint?)'
	diff <(jq "$anonymous" "$T/of-dumps") <(jq "$anonymous" "$T/of-plan")
	# The load is the same as that of verify.
	$M verify "$T/t" --json >"$T/verdict"
	jq -e --slurpfile v "$T/verdict" '.load.max == $v[0].max_load and
		((.load.mean - $v[0].mean_load) | fabs) < 1e-9' "$T/of-dumps"
}

@test "all one way round a ring: longer routes, one of them disjoint" {
	run -0 $M quality clockwise --json
	# A ring of six: 12 pairs at distance one (6 of them the long way), 12 at two (6), 6
	# at three.
	holds '.offsets[1].hops == {"1": 6, "2": 6, "3": 6, "4": 6, "5": 6}'
	holds '.distance.at_one == {pairs: 12, longer: 6, longer_share: 0.5}'
	holds '.distance.at_two.longer == 6 and .distance.all.longer == 12 and .offsets[0].three_hops_at_two == 0'
	holds '.disjoint == {"1": 30} and .mean_disjoint == 1 and .worst.hops == 5'
	holds '.load | .min == 0 and .max == 30 and .mean == 15 and .max_over_mean == 2 and .hottest.port == 2'
	run -0 $M quality clockwise
	[[ $output == *"40.00% of pairs have a route longer"*"50.00% at distance one, 50.00% at two"* ]]
	[[ $output == *"1.000 routes on average share no link, of 2: 1 for 100.00%"* ]]
}

@test "the picture is well-formed XML without scripts, one row for each offset" {
	run -0 $M quality q5.json --lmc 3 --svg "$T/q.svg"
	python3 - "$T/q.svg" <<-'PY'
		import sys, xml.dom.minidom
		d = xml.dom.minidom.parse(sys.argv[1])
		text = [t.firstChild.data for t in d.getElementsByTagName("text")]
		assert [t for t in text if t.startswith("offset ")] == ["offset %d" % k for k in range(8)], text
		assert "all" in text and "Pairs by hops" in text
		assert not d.getElementsByTagName("script") and not d.getElementsByTagName("image")
		size = [float(d.documentElement.getAttribute(a)) for a in ("width", "height")]
		for r in d.getElementsByTagName("rect")[1:]:
		    x, y, w, h = (float(r.getAttribute(a)) for a in ("x", "y", "width", "height"))
		    assert 0 <= x and x + w <= size[0] and 0 <= y and y + h <= size[1], r.toxml()
	PY
	run -0 $M quality ring --svg - --json
	[[ $output == "<svg "*"</svg>"*"{"* ]]
	run --separate-stderr -2 $M quality ring --svg "$T/none/q.svg"
	says "$T/none/q.svg"
}

@test "what cannot be routed or joined is counted apart" {
	awk '/^Unicast/ { sw = $NF } /^0x000[89]/ && sw ~ /r0/ { next } 1' ring/opensm-lfts.dump >"$T/lfts"
	cp -r ring "$T/x"; cp "$T/lfts" "$T/x/opensm-lfts.dump"
	run -0 $M quality "$T/x" --json
	holds '([.offsets[].no_route] | add) > 0 and ([.disjoint[]] | add) == 30'
	run -0 $M quality "$T/x" --pattern uniform --json
	holds '.patterns[0] | .flows == 25 and .unrouted == 5 and .offsets == [null, null] and .shares == [null, null]'
	holds '.patterns[0] | .global == {load: null, max_load: null, throughput: null, over_minimal: null} and .even.load > 0'
	run -0 $M quality "$T/x" --pattern worst
	[[ $output == *"5 flows, 1 more have no route"*"equal for all   no offset has routes for all pairs"* ]]
	awk '!/Channel/ || $2 == "001"' ring/opensm-lfts.dump >"$T/x/opensm-lfts.dump"
	run -0 $M quality "$T/x" --pattern uniform
	[ "$output" = "uniform: none of its 30 flows has a route" ]
	run -0 $M quality ring.json --fail r0:2 --fail r3:2 --json
	holds '.partitioned == 18 and .distance.all.pairs == 12'
	run -0 $M quality ring.json --fail r0:2 --fail r3:2
	[[ $output == *"18 pairs that no links connect"* ]]
}

@test "the worst case of minimal routes: 2p flows on a link, spread over the offsets" {
	run -0 $M quality q5.json --lmc 2 --pattern worst --json
	holds '[.patterns[].pattern] == ["overlap", "yebenes", "matching",
		"single pair", "random", "adversary", "anywhere"]'
	holds 'all(.patterns[]; .flows + 4 * .idle == 200)'
	holds '.patterns[0].offsets[0] == {load: 8, max_load: 8, throughput: 0.125, over_minimal: 1}'
	holds 'all(.patterns[]; .bound.load <= .pair.load and .pair.load <= .global.load and .global.load <= .even.load * 1.000001)'
	holds 'all(.patterns[]; .pair.load <= .bound.load * 1.01 and (.shares | add - 1 | fabs) < 1e-9)'
	holds '([.patterns[].pair.throughput] | min) == .worst.throughput and .worst.throughput <= .worst.bound'
	holds '.worst as $w | .patterns[] | select(.pattern == $w.pattern) | .hottest == $w.hottest'
	holds 'all(.patterns[]; (.sends | length) == 50 - .idle and ([.sends[][1]] | unique | length) == 50 - .idle)'
	$M route q5.json --lmc 2 -o "$T/t" >/dev/null
	run -0 $M quality "$T/t" --pattern uniform --json
	holds '.patterns | [.[].pattern] == ["uniform"] and .[0].flows == 39200 and .[0].pair == null'
	holds '.patterns[0] | .global.load <= .offsets[0].load and .offsets[0].over_minimal == 1'
	run -0 $M quality q5.json --lmc 2 --pattern worst
	[[ $output == "worst "*" of full rate: "*"full link "*"overlap: 200 flows"*"offset 0 alone"*" 12.50% "*"upper bound"* ]]
	[ "$(wc -L <<<"$output")" -le 80 ]
}

@test "the worst case is that of the table in docs/measurements/layers.md" {
	$M plan new slimfly q=3 p=2 -o q3.json >/dev/null
	row=$(grep '^| slimfly q=3 p=2 |' "$ROOT/docs/measurements/layers.md" | head -n 1)
	run -0 $M quality q3.json --lmc 2 --pattern worst --json
	jq -r '.patterns[] | 100 * .pair.throughput' <<<"$output" | xargs printf '%.1f\n' >"$T/today"
	awk -F' *[|] *' '{ for (i = 4; i <= 10; i++) print $i }' <<<"$row" | diff - "$T/today"
}

@test "a pattern without flows has no figures: on three switches, nothing is two hops away" {
	ring 3 three.json
	run -0 $M quality three.json --pattern worst --json
	holds '[.patterns[] | select(.flows > 0) | .pattern] == ["matching", "single pair", "anywhere"]'
	holds '.patterns | map(select(.flows == 0)) | length == 4 and all(.[]; .flows == 0 and .even == {load: null, max_load: null,
		throughput: null, over_minimal: null} and .pair.throughput == null and .hottest == null)'
	run -0 $M quality three.json --pattern worst
	[[ $output == *$'\noverlap: this pattern has no flows here'*$'\nyebenes: this pattern has no flows here'* ]]
	grep -qx 'overlap  *0  *3' <<<"$output"
}

@test "quality: base LIDs of a Myrinet-Clos have as even routes with four LIDs as with one" {
	$M plan new myriclos n=256 -o myri.json >/dev/null
	for lmc in 0 2; do
		run -0 $M quality myri.json --lmc $lmc --json
		holds '.offsets[0].load | .max < 1.4 * .mean'
	done
}

@test "quality of failures at random: nothing fails, some do, and the ring falls apart" {
	run -0 $M quality q5.json --fail-share 0,0.1,0.3 --draws 8 --seed 7 --json
	holds '.links == 175 and .draws == 8 and .seed == 7 and [.shares[].failed] == [0, 18, 53]'
	holds '.shares[0] | .connected == 8 and .sound == 8 and .diameter.max == 2 and .mean_distance.min == .mean_distance.max'
	holds '[.shares[].sound] == [8, 8, 8] and ([.shares[].mean_distance.median] | . == sort)'
	# Slim Fly q=5 has 65; a ring without a link is a row, with one in the middle.
	holds '.shares[0].bisection.min == 65 and ([.shares[].bisection.median] | . == (sort | reverse))'
	holds '[.shares[].throughput_worst.median] | . == (sort | reverse)'
	echo "$output" >"$T/first"
	$M quality q5.json --fail-share 0,0.1,0.3 --draws 8 --seed 7 --json | diff - "$T/first"
	$M quality q5.json --pattern worst --json >"$T/worst"
	[ "$(jq .shares[0].throughput_worst.min "$T/first")" = "$(jq .worst.throughput "$T/worst")" ]
	# Any two missing links cut a ring of six.
	COLUMNS=80 run -0 $M quality q5.json --fail-share 0,0.1234 --draws 1
	[ "${lines[0]}" = "175 links between switches, 1 draw" ]
	awk 'length > 80 { print; long = 1 } END { exit long }' <<<"$output"
	run -0 $M quality ring.json --fail-share 0.17,0.34 --draws 5 --json
	holds '[.shares[].failed] == [1, 2] and [.shares[].connected] == [5, 0] and [.shares[].sound] == [5, 5]'
	holds '.shares[0].diameter.min == 5 and .shares[0].bisection.max == 1 and .shares[1].diameter == null and .shares[1].partitioned_share.min > 0'
	run -0 $M quality ring.json --fail-share 0.34 --draws 5 --drawn "$T/drawn"
	grep -Eq "^ *34 +0 +5( +-){10}$" <<<"$output"
}

@test "quality --drawn: without the links that it names, each graph is as far as it printed" {
	run -0 $M quality q5.json --fail-share 0.1,0.3 --draws 3 --seed 4 --drawn "$T/drawn" --json
	[ "$(head -1 "$T/drawn")" = draw,order,switch,port,peer,peer_port ]
	[ "$(wc -l <"$T/drawn")" -eq $((1 + 3 * 53)) ]
	echo "$output" | jq -c '.shares[] | [.failed, .mean_distance.min, .mean_distance.max]' >"$T/printed"
	for failed in 18 53; do
		for draw in 1 2 3; do
			awk -F, -v d=$draw -v n=$failed 'NR > 1 && $1 == d && $2 <= n { print $3, $4, $5, $6 }' "$T/drawn" |
				jq -Rn '[inputs / " "] | map({a: {switch: .[0], port: (.[1] | tonumber)},
					b: {switch: .[2], port: (.[3] | tonumber)}})' >"$T/gone"
			jq --slurpfile gone "$T/gone" '.cables -= $gone[0]' q5.json >"$T/left"
			[ "$(jq '.cables | length' "$T/left")" -eq $((175 - failed)) ]
			$M plan show "$T/left" --json | jq .mean_distance
		done | jq -cs "[$failed, min, max]"
	done | diff - "$T/printed"
}

@test "quality: misuse" {
	jq 'del(.endpoints[])' ring.json >"$T/bare.json"
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M quality $args
		says "$part"
	done <<-ROWS
	|it takes DIR|PLAN
	ring --lmc 1|--lmc: ring is a directory of tables
	ring --fail r0|--fail: ring is a directory of tables
	$T/none|No such file
	ring.json --lmc 8|not a number from 0 to 7
	ring --fail-share 0.1|--fail-share: ring is a directory of tables
	ring.json --fail-share 1|not a list of shares
	ring.json --fail-share 0.1,|not a list of shares
	ring.json --fail-share nan|not a list of shares
	ring.json --draws 3|they are of the links of --fail-share
	ring.json --drawn x.csv|they are of the links of --fail-share
	ring.json --fail-share 0.1 --drawn none/x.csv|none/x.csv: cannot write: No such file
	ring.json --fail-share 0.1 --pattern worst|leave --pattern and --svg out
	ring.json --pattern bad|it is uniform or worst
	ring.json --pattern worst --svg -|cannot draw a --pattern
	$T/bare.json|no endpoint has a LID
	ROWS
}
