#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# simulate.bats - packets on the tables: what is known of their throughput, latency and deadlock.
load lib

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	$M plan new slimfly q=5 -o q5.json
	$M plan place q5.json -o placed.json
	$M plan new slimfly q=13 -o q13.json
	ring 8 ring.json
	$M route ring.json -o ring
	clockwise ring clockwise
}

setup() { cd "$BATS_FILE_TMPDIR"; }

@test "simulate: minimal routes of a Slim Fly carry uniform traffic" {
	run -0 $M simulate q5.json --load 0.01,0.95 --json
	holds '.switches == 50 and .nodes == 150 and .processes == 150 and .seed == 1 and .lmc == 0 and .packet == 2048'
	holds '[.rows[].load] == [0.01, 0.95] and (.rows | all(.routing == "min" and .pattern == "uniform" and
		.placement == "linear" and .programmable and (.stalled | not) and .dropped == 0 and .seed == 1))'
	holds '.rows[1] | .accepted > 0.93 and (.accepted - .offered | fabs) < 0.01 and .latency_p99 > 2 * .latency_p50'
	# Alone, a packet takes 163.84 ns of its own, 100 ns in each switch, and 50 ns on each link: in ticks
	# of 1.28 ns, 128 + 78 (h + 1) + 39 (h + 2).  Of 149 others, 2 are 0 links away, 21 are 1, 126 are 2.
	holds '.rows[0] | (.latency_mean / 1.28 - (2 * 284 + 21 * 401 + 126 * 518) / 149 | fabs) < 6'
	holds '.rows[0] | .latency_p50 / 1.28 >= 514 and .latency_p50 / 1.28 <= 522'
}

# The three nodes of a switch send to those of another switch, over one link.
@test "simulate: shift fills the one minimal link, and other offsets relieve it" {
	run -0 $M simulate q5.json --pattern shift --routing min,inr,ugal,all,valiant --lmc 2 --load 0.9 --json
	holds '.rows[0] | .routing == "min" and (.accepted - 1 / 3 | fabs) < 0.001 and .saturated'
	holds '(.rows[1].accepted > 1.04 / 3) and (.rows[3].accepted > 1.04 / 3) and .rows[2].accepted > 1.3 / 3'
	holds '[.rows[] | select(.programmable | not) | .routing] == ["ugal"]'
	# Routes of offset 0 alone decide where there is no other offset.
	run -0 $M simulate q5.json --pattern shift --routing min,inr,ugal --load 0.3 --json
	holds '[.rows[] | del(.routing, .programmable)] | unique | length == 1'
}

# Kathareios et al., section 4.2: over the middle link of two overlapping routes go 2 p flows.  Not all
# switches find such a partner; those that are paired without overlap get 1/p.
@test "simulate: the worst case of the papers gets 1/2p to 1/p on minimal routes, and more on others" {
	run -0 $M simulate q5.json --pattern overlap,yebenes --routing min,valiant,ugal --lmc 2 --load 0.9 --json
	holds '.rows[0] | .pattern == "overlap" and .accepted > 1 / 6 - 0.001 and .accepted < 1 / 4'
	holds '.rows[1].accepted > 1.8 * .rows[0].accepted and .rows[2].accepted > 2 * .rows[0].accepted'
	holds '.rows[3] | .pattern == "yebenes" and .accepted < 0.35'
}

# Kathareios et al., Figures 7 and 8: a threshold keeps uniform traffic on minimal routes.
@test "simulate: the numbers of UGAL count" {
	run -0 $M simulate q5.json --routing min,ugal,ugal-g --ugal-threshold 100000 --lmc 2 --load 0.7 --json
	holds '[.rows[] | .latency_mean] | unique | length == 1'
	holds '[.rows[] | select(.programmable | not) | .routing] == ["ugal", "ugal-g"]'
	run -0 $M simulate q5.json --routing ugal,min --lmc 2 --load 0.7 --json
	holds '.rows[0].latency_mean > .rows[1].latency_mean'
	usual=$(jq '.rows[0].latency_mean' <<<"$output")
	run -0 $M simulate q5.json --routing ugal --lmc 2 --load 0.7 --ugal-threshold 10 --json
	holds ".rows[0].latency_mean < $usual"
	holds '.ugal == { candidates: 4, weight: 1, cost: "hops", threshold: 3, bias: 0 }'
	run -0 $M simulate q5.json --routing ugal --lmc 2 --load 0.7 --ugal-cost constant --ugal-bias 2 --json
	holds '.ugal | .cost == "constant" and .bias == 2 and .threshold == 0'
	holds ".rows[0].latency_mean != $usual"
}

# Kathareios et al., section 4.3: over random switches, half of what minimal routes carry under uniform traffic, under any.
@test "simulate: the papers' indirect routes, which no table has, carry all traffic alike" {
	run -0 $M simulate q5.json --routing middle,ugal-m,min --pattern uniform,overlap --load 0.55,0.9 --json
	holds '[.rows[] | .programmable] == [false, false, false, false, true, true, false, false, false, false, true, true]'
	holds '[.rows[] | select(.routing == "middle" and .load == 0.55)] | length == 2 and all(.saturated | not)'
	holds '[.rows[] | select(.routing == "middle" and .load == 0.9)] | all(.accepted > 0.55 and .accepted < 0.68)'
	holds '.rows[3] | .routing == "ugal-m" and .accepted > 0.88 and (.saturated | not)'
	holds '.rows | .[9].accepted > .[7].accepted and .[9].accepted > 2.5 * .[11].accepted'
	run -2 $M simulate q5.json --routing middle --profile sl-hint
	[[ $output == *"needs tables that are safe for any SL"* ]]
}

# Yebenes et al., sections IV and V: VAL_3h is shortest, and a second judgement shortens queues under adversarial traffic.
@test "simulate: progressive adaptive routing, and the three kinds of detours" {
	run -0 $M simulate q5.json --routing ugal-m,par --pattern overlap --load 0.5 --ugal-cost constant \
		--ugal-weight 2 --ugal-candidates 1 --json
	holds '.rows[1] | .routing == "par" and (.programmable | not) and (.saturated | not) and .dropped == 0'
	holds '.rows | .[1].latency_mean < 0.8 * .[0].latency_mean and .[1].latency_p99 < 0.5 * .[0].latency_p99'
	for detour in valiant nta valiant3; do
		run -0 $M simulate q5.json --routing middle,par --detour $detour --load 0.4 --json
		holds ".detour == \"$detour\" and (.rows | all(.saturated or .stalled | not))"
		jq '.rows[0].latency_mean' <<<"$output" >>means
	done
	sort -rnc means
	run -2 $M simulate q5.json --routing par --profile sl-hint
	[[ $output == *"needs tables that are safe for any SL, on 5 VLs at most"* ]]
	run -2 $M simulate q5.json --detour longest
	[[ $output == *"give one or several of valiant, nta, valiant3"* ]]
}

# Three nodes of each switch send over one link: at a load of 0.2 it carries 0.6, and an inner one of `shift` no more.
@test "simulate: the load on the floor" {
	run -0 $M simulate placed.json --pattern shift --load 0.2 --length 12800 --floor floor.svg
	python3 - floor.svg placed.json <<-'E'
		import json, re, sys, xml.etree.ElementTree as t
		s = "{http://www.w3.org/2000/svg}"
		root, plan = t.parse(sys.argv[1]).getroot(), json.load(open(sys.argv[2]))
		words = [x.text for x in root.iter(s + "text")]
		assert any("min, shift, load 0.2" in w for w in words), words
		assert all(c["name"] in words for c in plan["floor"]["cabinets"])
		numbers = [float(w) for w in words if re.fullmatch(r"[0-9.]+", w)]
		assert 0.55 < max(numbers) < 0.65, numbers
	E
	run -0 $M simulate placed.json --exchange neighbours --floor x.svg
	run -0 $M simulate placed.json --load 0.5 --cut s0-0-0:4 --length 800 --floor x.svg
}

# In packets of 2048 bytes a weight of 1 is a packet, as is one of 32; 33 is two, and 64 of 1024 bytes are four.
@test "simulate: VL arbitration as OpenSM would program it" {
	run -0 $M simulate q5.json --load 0.9 --json
	usual=$(jq '.rows[0].latency_mean' <<<"$output")
	printf 'qos TRUE\nqos_swe_vlarb_high (null)\nqos_vlarb_high 0:0\nqos_vlarb_low 0:1,1:32\n' >equal
	run -0 $M simulate q5.json --load 0.9 --json --opensm-conf equal
	holds ".rows[0].latency_mean == $usual"
	sed 's/1:32/1:255/' equal >other
	run -0 $M simulate q5.json --load 0.9 --json --opensm-conf other
	holds ".rows[0] | .latency_mean != $usual and (.saturated | not)"
	printf 'qos TRUE\n' >bare
	run -0 $M simulate q5.json --load 0.9 --opensm-conf bare
	while IFS='|' read -r line part; do
		printf 'qos TRUE\nqos_swe_vlarb_low 0:1,1:1\n%s\n' "$line" >wrong
		run -2 $M simulate q5.json --opensm-conf wrong
		[[ $output == *"$part"* ]] || { echo "$line: $output"; false; }
	done <<-'ROWS'
	qos FALSE|wrong:3: qos: not TRUE
	qos_swe_vlarb_high 0:4,15:4|wrong:3: qos_swe_vlarb_high: not a list
	qos_vlarb_high 0:256|wrong:3: qos_vlarb_high: not a list
	qos_swe_vlarb_high 0:4,|wrong:3: qos_swe_vlarb_high: not a list
	qos_swe_high_limit 256|wrong:3: qos_swe_high_limit: not a number from 0 to 255
	qos_swe_vlarb_low 0:4|VL 1 has no turn in either table
	ROWS
}

# The three nodes of a switch send to those of another over one link: a third of their rate if it is as fast as theirs.
@test "simulate: links have the rates that the plan names" {
	jq '. + { rate: "4xHDR" }' q5.json >hdr.json
	run -0 $M simulate hdr.json --pattern shift --load 0.9 --json
	holds '.rate == 200 and (.rows[0].accepted - 1 / 3 | fabs) < 0.001'
	jq '. + { rate: "4xHDR" } | .cables[].rate = "4xEDR"' q5.json >slow.json
	run -0 $M simulate slow.json --pattern shift --load 0.9 --json
	holds '.rate == 200 and (.rows[0].accepted - 1 / 6 | fabs) < 0.001'
	jq '. + { rate: "4xHDR" } | .endpoints[].rate = "4xEDR"' q5.json >hosts.json
	run -0 $M simulate hosts.json --pattern shift --load 0.9 --json
	holds '.rate == 200 and (.rows[0].accepted - 2 / 3 | fabs) < 0.001'
	run -0 $M simulate hosts.json --pattern shift --load 0.9 --rate 100 --json
	holds '.rate == 100 and (.rows[0].accepted - 1 / 3 | fabs) < 0.001'
}

@test "simulate: a packet alone takes what its cables, at their rates, and its switches take" {
	seed=${MOORE_SEED:-$RANDOM}
	echo "MOORE_SEED=$seed"
	python3 "$ROOT/tests/alone.py" $M $seed
}

# A linear programme finds the shares of offsets with which the first link is full as late as possible; packets get
# over 97 % of that, and over 90 % where all is offered.
@test "simulate: senders with the shares of the linear programme get what it finds" {
	$M plan new slimfly q=7 -o q7.json
	$M plan new oft k=4 -o oft4.json
	$M plan new oft k=6 -o oft6.json
	$M plan new mlfm h=4 -o mlfm4.json
	for f in q5 q7 oft4 oft6 mlfm4; do
		run -0 $M simulate $f.json --lmc 2 --routing shares,inr --pattern shift,overlap --load 1 --json
		holds '[.rows[] | select(.routing == "shares")] | length == 2 and
			all(.programmable and .carried > 0.4 and .accepted > 0.9 * .carried)'
		holds '.rows | .[1].carried == null and .[2].accepted > 1.02 * .[3].accepted'
		loads=$(jq -r '[.rows[0, 2].carried] | map(tostring) | join(",")' <<<"$output")
		run -0 $M simulate $f.json --lmc 2 --routing shares --pattern shift,overlap --load "$loads" --json
		holds '.rows | [.[0], .[3]] | all(.accepted > 0.97 * .carried)'
	done
}

# predict computes the load at which the first link is full.
@test "simulate: what predict finds free of full links is accepted, and not much more" {
	run -0 $M predict q5.json --routing tables --pattern shift --lmc 2 --json
	full=$(jq '.rows[0].saturation' <<<"$output")
	run -0 $M simulate q5.json --routing inr --pattern shift --lmc 2 \
		--load "$(jq -n "$full * 0.9"),$(jq -n "$full * 1.5")" --json
	holds '.rows[0].saturated == false and .rows[1].saturated'
}

@test "simulate: tables that are cyclic stall, those of moore do not" {
	run -0 $M simulate ring --load 1 --json
	holds '.rows[0].stalled == false and .rows[0].stuck == null and .rows[0].accepted > 0.2'
	run -1 $M simulate clockwise --load 1 --json
	holds '.rows[0] | .stalled and .stuck.buffers == 8 and .stuck.port == 3 and .stuck.vl == 1'
	run -1 $M simulate clockwise --load 1
	grep -Eq 'stalled: 8 full buffers wait for each other, one at r[0-7]\[3\], VL 1' <<<"$output"
	run -0 $M simulate clockwise --load 0.05
}

@test "simulate: packets without a route are dropped" {
	cp -r ring broken
	awk -v r="'r3'" '/^Unicast/ { here = index($0, r) } !(here && /Channel Adapter/) { print }' \
		ring/opensm-lfts.dump >broken/opensm-lfts.dump
	! cmp -s ring/opensm-lfts.dump broken/opensm-lfts.dump
	run -1 $M simulate broken --load 0.1 --json
	holds '.rows[0] | .dropped > 0 and .first_drop.switch == "r3" and .first_drop.lid > 0'
	run -1 $M simulate broken --load 0.1
	grep -Eq 'dropped: [0-9]+ packets, the first at r3, for LID [0-9]+' <<<"$output"
	# Routes over a middle need rows to the middle, too, and packets that r3 sends to it have none either.
	for routing in middle ugal-m par; do
		run -1 $M simulate broken --routing $routing --load 0.9 --json
		holds '.rows[0] | .dropped > 0 and .first_drop.switch == "r3" and .accepted > 0.1'
	done
}

@test "simulate: an interval of latency is given where the run is long enough, and only there" {
	run -0 $M simulate q5.json --load 0.3,0.9,1 --length 2000
	[[ $(sed -n 4,6p <<<"$output" | grep -o '?' | wc -l) = 1 && $output == *$'\n?: the interval of this mean is not known; run longer, with --length.\n'* ]]
	sed -n 5p <<<"$output" | grep -Eq ' 0\.9 .* [0-9]+\? +[0-9]+ +[0-9]+$'
	run -0 $M simulate q5.json --load 0.3,0.9,1 --length 2000 --json
	holds '[.rows[].latency_ci | type] == ["number", "null", "null"] and .rows[2].saturated'
	run -0 $M simulate q5.json --load 0.3 --length 2000
	[[ $output != *"?"* ]]
}

@test "simulate: the same seed gives the same answer on any processors, another seed another" {
	$M simulate q5.json --routing inr,ugal --lmc 1 --load 0.4,0.8 --length 300 --json >one
	taskset -c 0 $M simulate q5.json --routing inr,ugal --lmc 1 --load 0.4,0.8 --length 300 --json | cmp - one
	! $M simulate q5.json --routing inr,ugal --lmc 1 --load 0.4,0.8 --length 300 --seed 2 --json | cmp -s - one
}

@test "simulate: each answer says what is beyond InfiniBand and what is not modelled" {
	run -0 $M simulate q5.json --routing shares,ugal,par,min --pattern uniform,shift --load 0.2 --length 200
	grep -qx 'Beyond static InfiniBand: ugal, par\.' <<<"$output"
	[[ $output == *$'latencies grow with the run.\n?: the interval of this mean is not known; run longer, with --length.\nBeyond'*$'\nNot modelled: '*"congestion"*"retries"*"ASIC"* ]]
	[[ $output == *$'\n\nshares, uniform, load 0.2: shares of offsets'* ]]
	run -0 $M simulate q5.json --routing inr,shares --load 0.2 --length 200
	[[ $output == *$'\n\nshares, uniform, load 0.2: shares of offsets'* && $output != *Beyond* ]]
	run -0 $M simulate q5.json --exchange tree --message 2048 --routing ugal-m
	[[ $output == *$'\nBeyond static InfiniBand: ugal-m.\nNot modelled: '* ]]
	run -0 $M simulate q5.json --cut s0-0-0:4 --load 0.2 --length 800
	[[ $output == *$'\nNot modelled: '* && $output != *Beyond* ]]
	run -0 $M simulate q5.json --load 0.2 --length 200 --json
	holds '.not_modelled | index("congestion control") and index("end-to-end retries")'
}

@test "simulate: cables, rates, packets, buffers and the crossbar count" {
	mean() { $M simulate "$@" --load 0.05 --length 1000 --json | jq '.rows[0].latency_mean'; }
	usual=$(mean q5.json)
	[ "$(jq -n "$(mean placed.json) < $usual")" = true ]
	[ "$(jq -n "$(mean q5.json --rate 400) < $usual - 120")" = true ]
	[ "$(jq -n "$(mean q5.json --packet 256) < $usual - 140")" = true ]
	run -0 $M simulate q5.json --load 1 --speedup 1 --queues fifo --length 1000 --json
	holds '.queues == "fifo" and .rows[0].accepted < 0.8'
	fifo=$(jq '.rows[0].accepted' <<<"$output")
	run -0 $M simulate q5.json --load 1 --speedup 1 --length 1000 --json
	holds ".queues == \"voq\" and .rows[0].accepted > $fifo + 0.1"
	run -0 $M simulate q5.json --load 1 --buffer 1 --length 1000 --json
	holds '.rows[0].accepted < 0.6'
	run -0 $M simulate q5.json --load 1 --length 1000 --processes 60 --placement RDN --pattern permutation,stencil3
	! grep -q '.\{81\}' <<<"$output"
	grep -Eq '^min     stencil3    RDN ' <<<"$output"
}

# Kathareios et al., Figures 13 and 14: all-to-all gets nearly all of full rate on minimal and adaptive
# routes, and neighbours get more on adaptive than on minimal ones.
@test "simulate: exchanges end, and the same on any processors" {
	run -0 $M simulate q5.json --lmc 2 --routing min,ugal --exchange alltoall,neighbours,ring,tree --json
	holds '[.rows[] | .pattern] == ["alltoall", "alltoall", "neighbours", "neighbours", "ring", "ring", "tree", "tree"]'
	holds '.rows[0].share > 0.95 and .rows[1].share > 0.95 and .rows[3].share > 1.2 * .rows[2].share'
	holds '.rows | all(.completion_ns > 0 and .share > 0 and .share <= 1 and .dropped == 0 and (.stalled | not))'
	cmp <(taskset -c 0 $M simulate q5.json --lmc 2 --routing min,ugal --exchange alltoall,neighbours,ring,tree \
		--json) - <<<"$output"
	run -0 $M simulate q5.json --exchange ring --message 2048
	grep -Eq '^min     ring        linear +[0-9]+ 0\.[0-9]+$' <<<"$output"
	run -1 $M simulate clockwise --exchange alltoall --json
	holds '.rows[0] | .stalled and .completion_ns == null and .share == null'
	run -0 $M simulate q5.json --load 0.1 --length 100 --json
	holds '.rows[0] | .completion_ns == null and .share == null'
}

cut_json() { $M simulate q5.json --length 2000 --load 0.7 --cut s0-0-0:4 --cut-at 50 --repair-at 200 "$@" --json; }

@test "simulate: a link goes down and comes up, and moore's steps follow" {
	run -0 cut_json
	holds '.rows[0] | .motion == "safe" and (.stalled | not) and .stalled_ns == null and
		[.phases[].name] == ["before", "cut", "after", "repair", "repaired"]'
	holds '.rows[0].phases | .[0].to_ns == .[1].from_ns and (.[1].from_ns / 1000 - 50 | fabs) < 0.1 and
		(.[2].to_ns / 1000 - 200 | fabs) < 0.1 and (.[4].to_ns - 2000 * 163.84 | fabs) < 2000 * 163.84 / 64'
	# On the link, to its port, and without a row between the two steps; nothing else is lost.
	holds '.rows[0].phases | .[1].lost.wire <= 2 and .[1].lost.port > 0 and .[1].lost.row > 0 and
		([.[] | .lost | add] | .[0] == 0 and .[1] > 0 and .[2:] == [0, 0, 0])'
	holds '.rows[0] | .dropped == ([.phases[].lost | add] | add)'
	holds '.rows[0].phases | ([.[].made] | add) - ([.[].received] | add) - ([.[].lost | add] | add) | . >= 0 and . < 3000'
	holds '.rows[0].phases | .[0].stale == 0 and .[1].stale > 0 and .[2].stale == 0 and .[3].stale > 0 and .[4].stale == 0'
	holds '.rows[0].phases | all(.accepted > 0.65 and .latency_p99 > .latency_mean)'
	run -0 $M simulate q5.json --length 1000 --load 0.5 --cut s0-0-0:4 --cut s0-1-0:4
	grep -Eq '^  after +[0-9.]+ +0\.[0-9]+ .* 0$' <<<"$output"
	grep -Eq '^  cut +[0-9.]+ +0\.[0-9]+ .*  (wire,)?port,row$' <<<"$output"
	! grep -q '.\{81\}' <<<"$output"
	# Rows that go out at once are out before those of steps.
	run -0 $M simulate q5.json --length 1000 --load 0.5 --cut s0-0-0:4 --cut-at 50 --repair-at 95 --motion fast,fast
	cmp <(cut_json --motion safe,fast) <(taskset -c 0 $M simulate q5.json --length 2000 --load 0.7 --cut s0-0-0:4 \
		--cut-at 50 --repair-at 200 --motion safe,fast --json)
}

@test "simulate: slow rows all at once stall a Slim Fly, and in steps do not" {
	run -1 $M simulate q5.json --length 2000 --load 0.7 --cut s0-0-0:4 --cut-at 50 --motion safe,fast --step 60 \
		--buffer 2 --json
	holds '[.rows[] | .motion, .stalled] == ["safe", false, "fast", true]'
	holds '.rows[1] | .stalled_ns > 70000 and .stalled_ns < 150000 and [.phases[].name] == ["before", "cut"]'
	run -1 $M simulate q5.json --length 2000 --load 0.7 --cut s0-0-0:4 --cut-at 50 --motion fast --step 60 \
		--buffer 2
	grep -Eq 'stalled: [0-9]+ full buffers wait for each other' <<<"$output"
}

@test "simulate: misuse" {
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M simulate $args
		[ -z "$output" ]
		says "$part"
	done <<-'ROWS'
	|missing argument
	nosuch.json|nosuch.json
	q5.json --routing ecmp|--routing ecmp: give one or several of min, valiant, inr, ugal, all, ugal-g, middle, ugal-m, par, shares
	q5.json --pattern waves|uniform, alltoall, permutation, shift
	q5.json --pattern overlap --processes 50|leave --processes out
	q5.json --load 0|give numbers from 0.001 to 1
	q5.json --load 0.5,|give numbers from 0.001 to 1
	q5.json --load 0.5;1|give numbers from 0.001 to 1
	q5.json --queues lifo|give one or several of fifo, voq
	q5.json --ugal-weight -1|not a number from 0 to 1e+06
	q5.json --ugal-cost cheap|give one or several of constant, hops
	q5.json --ugal-candidates 0|not a number from 1
	q5.json --ugal-threshold x|not a number from 0 to 100000
	q5.json --exchange gossip|give one or several of alltoall, neighbours, ring, tree
	q5.json --exchange ring --load 0.5|stands in place of --load
	q5.json --exchange ring --routing shares|are those of a lasting load
	q5.json --message 100|of what --exchange names
	q5.json --torus 3,5,10|of --exchange neighbours
	q5.json --exchange neighbours --torus 3,5|give three sides from 1 to 100000
	q5.json --exchange neighbours --torus 3,5,9|a torus of 3 x 5 x 9 is not one of 150 processes
	q5.json --exchange ring --message 1099511627776|simulate: an exchange of 150 processes with messages of
	q5.json --exchange tree --message 1099511627776|give fewer processes, shorter messages, or longer packets
	q5.json --arbiter oldest|give one or several of turns, farthest
	q5.json --queues fifo,voq|give one name
	q5.json --speedup 0.5|not a number from 1 to 100
	q5.json --placement RDN,RDR|give one name
	q5.json --placement RDC|`moorectl plan place` puts them into cabinets
	q5.json --processes 151|151 processes do not fit on 150 nodes
	q13.json --buffer 4096|the bound is 2048 MB: give smaller buffers
	q5.json --length 10|not a number from 64
	ring --pattern yebenes|no switch has one to send to
	ring --lmc 1|is a directory of tables
	ring --cut r0:3|directory of tables, and moore's routes without the link follow from a plan
	q5.json --cut s0-0-0|is no link between two switches
	q5.json --cut s0-0-0:1|is no link between two switches
	q5.json --cut s0-0-0:11|--cut s0-0-0:11: s0-0-0 has ports 1 to 10
	q5.json --cut nosuch:1|nosuch
	q5.json --repair-at 100|of the link that --cut names
	q5.json --cut s0-0-0:4 --cut-at 1000|the run ends after 524.3 us
	q5.json --cut s0-0-0:4 --repair-at 100|--repair-at 100: the tables without the link are out only after
	q5.json --cut s0-0-0:4 --cut-at 50 --repair-at 75 --motion safe,fast|with motion safe: give a later time, or shorter
	q5.json --cut s0-0-0:4 --motion slow|give one or several of safe, fast
	q5.json --cut s0-0-0:4 --step 0|not a number from
	q5.json --cut s0-0-0:4 --exchange ring|an exchange would never end
	placed.json --load 0.1,0.2 --floor x.svg|draws one run: give one routing, one pattern and one load
	q5.json --load 0.1 --floor x.svg|`moorectl plan place` places them
	ring --load 0.1 --floor x.svg|the floor is that of a plan: give one
	q5.json --cut s0-0-0:4 --svg x.svg|of which --cut changes the fabric
	q5.json --cut s0-0-0:4 --profile sl-hint|with profile sl-hint
	ROWS
}

@test "simulate: curves of throughput and latency" {
	$M plan new slimfly q=3 p=2 -o q3.json
	$M simulate q3.json --routing min,inr --lmc 1 --pattern uniform,shift --load 0.1,0.5,0.9 --length 200 --svg c.svg
	python3 - c.svg <<-'E'
		import sys, xml.etree.ElementTree as t
		s = "{http://www.w3.org/2000/svg}"
		root = t.parse(sys.argv[1]).getroot()
		lines = [p for p in root.iter(s + "path") if p.get("stroke") != "#333"]
		curves = [p.get("d") for p in lines if "h" not in p.get("d")]
		assert len(curves) == 8, curves		# 2 routings, 2 patterns, 2 panels
		assert curves[0].count("L") == 2	# three loads
		legend = [(p.get("stroke"), p.get("stroke-dasharray")) for p in lines if "h" in p.get("d")]
		colours, dashes = zip(*legend)		# a colour for each routing, dashes for each pattern
		assert colours[0] == colours[2] != colours[1] == colours[3], legend
		assert dashes[0] == dashes[1] != dashes[2] == dashes[3], legend
		assert len(list(root.iter(s + "circle"))) == sum(1 + c.count("L") for c in curves)
		names = [x.text for x in root.iter(s + "text")]
		assert all(n in names for n in ("min, uniform", "inr, uniform", "min, shift", "inr, shift"))
	E
	run -2 $M simulate q3.json --exchange ring --svg c.svg
	[[ $output == *"--svg: draws curves over the load"* ]]
}
