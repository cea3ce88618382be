# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# tables.bats - route, verify, path, table: from a plan to tables and back.
load lib

FILES="opensm-lfts.dump opensm-sl2vl.dump opensm-subnet.lst opensm.fdbs opensm.mcfdbs moore-op-vls.dump"

setup_file() {
	load lib
	q5 "$BATS_FILE_TMPDIR/p.json"
	$M route "$BATS_FILE_TMPDIR/p.json" -o "$BATS_FILE_TMPDIR/t" >/dev/null
	ring 5 "$BATS_FILE_TMPDIR/ring.json"
	$M route "$BATS_FILE_TMPDIR/ring.json" -o "$BATS_FILE_TMPDIR/ring" >/dev/null
	clockwise "$BATS_FILE_TMPDIR/ring" "$BATS_FILE_TMPDIR/bad"
}

setup() {
	P=$BATS_FILE_TMPDIR/p.json D=$BATS_FILE_TMPDIR/t
}

@test "route without -o says the same and writes nothing" {
	cd "$BATS_TEST_TMPDIR"
	q5 q5.json
	$M route q5.json --lmc 2 -o t --json >with
	mkdir empty
	(cd empty && $M route ../q5.json --lmc 2 --json >../without)
	diff with without
	jq -e '.sound' without
	[ -z "$(ls -A empty)" ]
}

@test "route writes OpenSM's dumps, the same each time, and says what they do" {
	run -0 $M route "$P" -o "$T/t" --json
	# 50 switches and 250 LIDs: 49 * 250 pairs; each switch has 7 * 5 LIDs at one hop.
	holds '.sound and .topology == "planned slimfly q=5 p=4" and .hops == {"1": 1750, "2": 10500}'
	holds '.vls == [0, 1] and .pairs == 12250 and .missing_links == 0 and .max_over_mean_load < 1.5'
	holds '.hash | test("^0x[0-9a-f]{16}$")'
	hash=$(jq .hash <<<"$output")
	only "$T/t" $FILES
	diff -r "$T/t" "$D"
	run -0 $M route "$P" -o "$T/t" --json
	[ "$(jq .hash <<<"$output")" = "$hash" ]
	run -0 $M route "$P" -o "$T/t"
	[[ $output == *"planned slimfly q=5 p=4"* && $output == *"1: 1750, 2: 10500"* ]]
}

@test "classes have lanes of their own, sound, and another hash" {
	echo "classes 0,1,0" >"$T/moore.conf"
	a=$($M route "$P" -o "$T/a" --json | jq -r .hash)
	run -0 $M route "$P" -o "$T/b" --conf "$T/moore.conf" --json
	holds '.vls == [0, 1, 2, 3] and .sound'
	[ "$(jq -r .hash <<<"$output")" != "$a" ]
	run -0 $M verify "$T/b" --json
	holds '.vls == [0, 1, 2, 3] and .sound'
	run -0 $M verify "$T/b" --sl 1 --json
	holds '.vls == [2, 3]'
}

@test "a drain can be tried: the links file of the configuration is heeded" {
	echo "links $T/links" >"$T/moore.conf"
	printf 's0-0-0 avoid\ns0-0-1:6 avoid\nnobody avoid\n' >"$T/links"
	run -0 $M route "$P" -o "$T/b" --conf "$T/moore.conf" --json
	holds '.sound and .avoided_links == 1 and .drained_switches == 1 and .missing_links == 0 and .unknown_link_rules == 1'
	run -0 $M route "$P" -o "$T/b" --conf "$T/moore.conf"
	[[ $output == *"1 link out of use, nothing passes through 1 switch"$'\n'* ]]
	[[ $output == *"1 line names no switch of the plan, the first is line 3"* ]]
	echo 's0-0-0 weight' >"$T/links"
	run --separate-stderr -2 $M route "$P" -o "$T/c" --conf "$T/moore.conf"
	says "$T/links:1: "
	rm "$T/links"
	run --separate-stderr -2 $M route "$P" -o "$T/c" --conf "$T/moore.conf"
	says "No such file"
}

@test "a configuration counts: another seed, other tables, another hash" {
	echo "seed 7" >"$T/moore.conf"
	a=$($M route "$P" -o "$T/a" --json | jq -r .hash)
	b=$($M route "$P" -o "$T/b" --conf "$T/moore.conf" --json | jq -r .hash)
	[ "$a" != "$b" ]
	echo "seed many" >"$T/moore.conf"
	run --separate-stderr -2 $M route "$P" -o "$T/c" --conf "$T/moore.conf"
	says "$T/moore.conf:1: seed"
	[ ! -e "$T/c" ]
}

@test "verify: sound, in text and JSON" {
	run -0 $M verify "$D"
	[[ $output == *"sound: no cycle of waiting packets exists"* && $output != *$'\033'* ]]
	run -0 $M verify "$D" --json
	holds '.sound and .acyclic and .unreachable == 0 and .loops == 0 and .partitioned == 0 and .dropped == 0'
	holds '.hops == {"1": 1750, "2": 10500} and .vls == [0, 1] and .channels == 700'
	holds '.max_over_mean_load >= 1 and (.cycle | not) and .hottest.switch and .hottest.peer.switch'
}

@test "verify asks what it is told: SLs, LIDs, sources" {
	run -0 $M verify "$D" --sl 0,2-5 --lids base --sources endpoints --json
	# Only the LIDs of endpoints: 49 * 200.
	holds '.sound and .pairs == 9800'
	for l in x 16 3-1 0, ,0 0-16 -1 "0 1" ""; do
		run --separate-stderr -2 $M verify "$D" --sl "$l"
		says "--sl $l: not a list of SLs" || [ -z "$l" ]
	done
	run --separate-stderr -2 $M verify "$D" --lids some
	says "--lids some: it is all or base"
	run --separate-stderr -2 $M verify "$D" --sources me
	says "it is all or endpoints"
}

@test "operational VLs count: from the file, from --op-vls, or named as assumed" {
	cp -r "$D" "$T/v"
	run -0 $M verify "$T/v" --json
	holds '.sound and .op_vls == {"from": "file", "least": 8, "greatest": 8}'
	run -1 $M verify "$T/v" --op-vls 1 --json
	holds '.vls == [0] and .op_vls == {"from": "option", "least": 1, "greatest": 1}'
	holds '(.sound | not) and (.cycle | length) > 2 and all(.cycle[].from.vl; . == 0)'
	run -0 $M verify "$T/v" --op-vls 2
	[[ $output == *"operational    2 VLs on links between switches (--op-vls)"* ]]
	run -1 $M change "$D" "$T/v" --op-vls 1 --json
	holds '(.safe | not) and .op_vls.greatest == 1'
	run -0 $M path s0-0-0-h1 s1-2-2-h1 --tables "$T/v" --json
	holds '[.hops[:-1][].vl] | unique == [0, 1]'
	run -0 $M path s0-0-0-h1 s1-2-2-h1 --tables "$T/v" --op-vls 1 --json
	holds '[.hops[].vl] | unique == [0]'
	sed -i 's/^\([0-9]*\) 8$/\1 1/' "$T/v/moore-op-vls.dump"
	run -1 $M verify "$T/v"
	[[ $output == *"operational    1 VL on links between switches (moore-op-vls.dump)"*"NOT sound"* ]]
	run -1 $M change "$T/v" "$D" --json
	holds '.op_vls.greatest == 1'
	rm "$T/v/moore-op-vls.dump"
	run -0 $M verify "$T/v"
	[[ $output == *"15 VLs on links between switches: assumed"* ]]
	run -0 $M verify "$T/v" --json
	holds '.op_vls == {"from": "assumed", "least": 15, "greatest": 15}'
	# A plan has no ports that could run fewer.
	run -0 $M route "$P" --fail s0-0-0:5
	[[ $output == *"missing        0 switches, 1 link; "* && $output != *assumed* ]]
	for n in 3 0 16 x; do
		run --separate-stderr -2 $M verify "$T/v" --op-vls $n
		says "op-vls"
	done
	run --separate-stderr -2 $M verify --op-vls 1
	says "need a DIR of dumps"
	echo junk >"$T/v/moore-op-vls.dump"
	run --separate-stderr -2 $M verify "$T/v"
	says "moore-op-vls.dump:1: expected 'Switch"
}

@test "stock OpenSM's multicast trees: safe by the file's hops, not by shortest paths" {
	run -0 $M route "$P" --profile one-vl -o "$T/v"
	run -0 $M verify "$T/v" --op-vls 1 --mcast stock --json
	holds '.ok and .stock.hops == "file" and .stock.trees == 50 and .stock.safe == 50 and .stock.together'
	holds '(.stock.list | length) == 50 and all(.stock.list[]; .safe and .mlid == null)'
	# What a full disk leaves of the file is no file, not a fabric of short trees.
	mv "$T/v/opensm-lid-matrix.dump" "$T/hops"
	for lines in 0 1 40 1000 2549; do
		head -n $lines "$T/hops" >"$T/v/opensm-lid-matrix.dump"
		run --separate-stderr -2 $M verify "$T/v" --op-vls 1 --mcast stock
		says "opensm-lid-matrix.dump: no hops from s"
		says "to which links lead: copy the file whole"
	done
	rm "$T/v/opensm-lid-matrix.dump"
	run -1 $M verify "$T/v" --op-vls 1 --mcast stock --json
	holds '.sound and (.ok | not) and .stock.hops == "shortest" and .stock.safe == 0'
	holds '(.stock.cycle | length) > 2 and any(.stock.cycle[].example; .lid == 0)'
	run -1 $M verify "$T/v" --op-vls 1 --mcast stock
	[[ $output == *"by shortest paths: 0 of 50 roots safe"*"NOT safe"*"to a multicast group on SL 0"* ]]
	run -0 $M verify "$T/v" --op-vls 1
	# Two members beside the switches s0-0-0 and s0-0-1, which are neighbours.
	sw() { grep -o "Switch 0x[0-9a-f]*, \"$1\"" "$T/v/moore-op-vls.dump" | cut -d, -f1; }
	for s in s0-0-0 s0-0-1; do
		printf '\n%s\nLID    : Out Port(s) \n0xC001 : 0x001 \n' "$(sw $s)"
	done >"$T/v/opensm.mcfdbs"
	run -0 $M verify "$T/v" --op-vls 1 --mcast stock --json
	holds '.stock.trees == 1 and .stock.list == [{"root": "s0-0-0", "mlid": 49153, "safe": true}]'
	echo junk >"$T/v/opensm-lid-matrix.dump"
	run --separate-stderr -2 $M verify "$T/v" --mcast stock
	says "opensm-lid-matrix.dump:1: expected 'Switch: guid 0xGUID'"
	run --separate-stderr -2 $M verify "$T/v" --mcast tree
	says "--mcast tree: it is stock"
	run --separate-stderr -2 $M verify --mcast stock
	says "need a DIR of dumps"
}

@test "LMC: four LIDs for each endpoint" {
	run -0 $M route "$P" --lmc 2 -o "$T/t" --json
	holds '.pairs == 49 * 850'
	run -0 $M verify "$T/t" --json
	holds '.sound and .pairs == 49 * 850'
	run -0 $M verify "$T/t" --lids base --json
	holds '.pairs == 49 * 250'
	run --separate-stderr -2 $M route "$P" --lmc 8 -o "$T/u"
	says "--lmc 8: not a number from 0 to 7"
}

@test "a failed link, endpoint and switch: routed around, safe, in any order" {
	run -0 $M route "$P" --fail s0-0-0:5 -o "$T/link" --json
	holds '.sound and .missing_links == 1 and .switches == 50 and .endpoints == 200'
	# The girth is 5: around a pentagon the ends of the cut link are four hops apart,
	# and there is no shorter way.
	run -0 $M verify "$T/link" --json
	holds '.sound and .hops["4"] > 0'
	run -0 $M route "$P" --fail s0-0-0 --fail s0-0-0:5 --fail s1-0-0-h1 --fail s1-0-0:2 -o "$T/a" --json
	holds '.sound and .switches == 49 and .endpoints == 195 and .missing_switches == 1 and .missing_links == 7'
	run -0 $M route "$P" --fail s1-0-0:2 --fail s0-0-0:5 --fail s0-0-0 -o "$T/b" --json
	diff -r "$T/a" "$T/b"
	run -0 $M verify "$T/a" --json
	holds '.sound and .switches == 49 and .partitioned == 0'
	! grep -q "'s0-0-0'" "$T/a/opensm-lfts.dump"
	# LIDs stay those of the intact plan: s0-0-1 has LID 2.
	head -1 "$T/a/opensm-lfts.dump" | grep -q 'Lid 2 '
}

@test "without the plan, a cut fabric is recognised and few rows change" {
	for plan in '' --without-plan; do
		$M route "$P" --lmc 1 $plan -o "$T/was$plan" >/dev/null
		run -0 $M route "$P" --lmc 1 --fail s0-0-0:5 $plan -o "$T/is$plan" --json
		holds '.sound and .missing_links == 1'
		$M change "$T/was$plan" "$T/is$plan" --json >"$T/change$plan" || [ $? -eq 1 ]
	done
	holds '.topology == "slimfly q=5"'
	with=$(jq .churn.changed.blocks "$T/change") without=$(jq .churn.changed.blocks "$T/change--without-plan")
	[ "$with" -gt 0 ] && [ $((2 * without)) -le $((3 * with)) ]
}

@test "a fabric that falls apart: pieces are routed, what is apart is no fault" {
	ring 6 "$T/r.json"
	run -0 $M route "$T/r.json" --fail r0:2 --fail r3:2 -o "$T/t" --json
	holds '.sound and .partitioned > 0'
	run -0 $M verify "$T/t"
	[[ $output == *partitioned* ]]
	run -0 $M route "$T/r.json" --fail r0 --fail r2 -o "$T/lone" --json
	holds '.sound and .switches == 4'
	run -0 $M verify "$T/lone" --json
	holds '.sound and .switches == 4'
}

@test "--fail of what is not there: a near name, the ports" {
	while IFS='|' read -r what part; do
		run --separate-stderr -2 $M route "$P" --fail "$what" -o "$T/t"
		says "$part"
		[ ! -e "$T/t" ]
	done <<-'ROWS'
	s0-0-9|did you mean s0-0-
	s0-0-0:12|ports 1 to 11
	s0-0-0:0|ports 1 to 11
	s0-0-0:x|nothing in the fabric
	quux:3|nothing in the fabric
	|nothing in the fabric
	ROWS
}

@test "clockwise around a ring deadlocks: the cycle, link by link" {
	run -1 $M verify "$BATS_FILE_TMPDIR/bad"
	[[ $output == *"NOT sound: packets on these 5 links can wait for one another for ever"* ]]
	[[ $output == *"which waits for the first"* && $output == *"r4[2] -> r0[3]"* ]]
	run -1 $M verify "$BATS_FILE_TMPDIR/bad" --json
	holds '.sound == false and .acyclic == false and (.cycle | length) == 5 and .unreachable == 0'
	# Each channel waits for the next one, and the last for the first.
	holds '.cycle as $c | all(range(5); $c[.].to == $c[(. + 1) % 5].from)'
	holds 'all(.cycle[]; .from.port == 2 and (.from.guid | test("^0x0000000000200")) and .example.lid > 0 and .example.sl <= 15)'
	holds '[.cycle[].from.switch] | sort == ["r0", "r1", "r2", "r3", "r4"]'
	# An example is a packet that really takes both links, so it can be followed.
	jq -r '.cycle[] | [.from.switch, .to.switch, .example.source, .example.lid, .example.sl] | @tsv' <<<"$output" |
	while IFS=$'\t' read -r from to src lid sl; do
		$M path "$src" "$lid" --sl "$sl" --tables "$BATS_FILE_TMPDIR/bad" --json |
			jq -e --arg f "$from" --arg t "$to" '[.hops[].switch] | index($f) + 1 == index($t)'
	done
}

@test "our own routes on that ring do not" {
	run -0 $M verify "$BATS_FILE_TMPDIR/ring" --json
	holds '.sound'
	# With one lane and the same next hops, rows of zeros suffice for a cycle.
	cp -r "$BATS_FILE_TMPDIR/bad" "$T/one"
	sed -Ei '/^[0-9]/s/: .*/: 0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0 /' "$T/one/opensm-sl2vl.dump"
	run -1 $M verify "$T/one" --sl 3 --json
	holds '.vls == [0] and all(.cycle[]; .from.vl == 0 and .example.sl == 3)'
}

@test "routes in circles and dead ends are found, with an example" {
	cp -r "$BATS_FILE_TMPDIR/ring" "$T/x"
	# r0 and r1 send packets for h3 (LID 9) to each other.
	awk '/^Unicast/ { sw = $NF } /^0x0009/ && sw ~ /r0/ { $2 = "002" } /^0x0009/ && sw ~ /r1/ { $2 = "003" } 1' \
		"$BATS_FILE_TMPDIR/ring/opensm-lfts.dump" >"$T/x/opensm-lfts.dump"
	run -1 $M verify "$T/x" --json
	holds '.sound == false and .loops > 0 and .unreachable >= .loops and .example.lid == 9'
	run -1 $M verify "$T/x"
	[[ $output == *"of them because of a forwarding loop"* ]]
	run -1 $M path h0 h3 --tables "$T/x"
	[[ $output == *"not delivered: the route runs in circles"* ]]
	awk '/^Unicast/ { sw = $NF } /^0x0009/ && sw ~ /r0/ { next } 1' \
		"$BATS_FILE_TMPDIR/ring/opensm-lfts.dump" >"$T/x/opensm-lfts.dump"
	run -1 $M verify "$T/x" --json
	holds '.unreachable > 0 and .loops == 0'
	run -1 $M path h0 h3 --tables "$T/x" --json
	holds '.delivered == false and (.fault | test("no route"))'
}

@test "verify says which dump, which line" {
	cp -r "$BATS_FILE_TMPDIR/ring" "$T/x"
	sed -i '3s/.*/0x0002 zzz/' "$T/x/opensm-lfts.dump"
	run --separate-stderr -2 $M verify "$T/x"
	says "moorectl: $T/x/opensm-lfts.dump:3:"
	cp "$BATS_FILE_TMPDIR/ring/opensm-lfts.dump" "$T/x"
	echo "{ nonsense" >>"$T/x/opensm-subnet.lst"
	run --separate-stderr -2 $M verify "$T/x"
	says "moorectl: $T/x/opensm-subnet.lst:"
	for f in opensm-lfts.dump opensm-subnet.lst; do
		rm -rf "$T/x"; cp -r "$BATS_FILE_TMPDIR/ring" "$T/x"
		rm "$T/x/$f"
		run --separate-stderr -2 $M verify "$T/x"
		says "$T/x/$f: no such file: OpenSM writes it"
	done
	rm -rf "$T/x"; cp -r "$BATS_FILE_TMPDIR/ring" "$T/x"
	rm "$T/x/opensm.mcfdbs" "$T/x/opensm.fdbs"
	run -0 $M verify "$T/x"
	run --separate-stderr -2 $M verify "$T/nowhere"
	run --separate-stderr -2 $M verify "$P"
	says "is no directory"
}

@test "a list of links that is cut off is no sound fabric of fewer links" {
	for n in 0 1 3 6 9; do
		rm -rf "$T/x"; cp -r "$BATS_FILE_TMPDIR/ring" "$T/x"
		head -n $n "$BATS_FILE_TMPDIR/ring/opensm-subnet.lst" >"$T/x/opensm-subnet.lst"
		run -1 $M verify "$T/x" --json
		holds '.sound == false and .dangling > 0 and .dangling_example.switch'
		run -1 $M verify "$T/x"
		[[ $output == *"a port that has no link in opensm-subnet.lst"* && $output != *"sound: no cycle"* ]]
	done
	for f in opensm-lfts.dump opensm-sl2vl.dump opensm-subnet.lst; do : >"$T/x/$f"; done
	run --separate-stderr -2 $M verify "$T/x"
	says "hold no switch"
	run -0 $M verify "$BATS_FILE_TMPDIR/ring" --json
	holds '.dangling == 0'
}

@test "without a dump of lanes packets keep one VL, as without QoS" {
	cp -r "$BATS_FILE_TMPDIR/bad" "$T/x"
	rm "$T/x/opensm-sl2vl.dump"
	run -1 $M verify "$T/x"
	[[ $output == *"no opensm-sl2vl.dump"*"5 links can wait for one another"* ]]
	run -1 $M verify "$T/x" --json
	holds '.lanes_dumped == false and .vls == [0] and (.cycle | length) == 5'
	run -0 $M path h0 h2 --tables "$T/x" --json
	holds '.delivered and all(.hops[]; .vl == null)'
	run --separate-stderr -2 $M table sl2vl r0 --tables "$T/x"
	says "opensm-sl2vl.dump: no such file"
	run -0 $M table lft r0 --tables "$T/x"
}

@test "dumps cut off anywhere never crash it" {
	for f in opensm-lfts.dump opensm-sl2vl.dump opensm-subnet.lst; do
		size=$(stat -c %s "$BATS_FILE_TMPDIR/ring/$f")
		for part in 0 1 3 7 9; do
			rm -rf "$T/x"; cp -r "$BATS_FILE_TMPDIR/ring" "$T/x"
			head -c $((size * part / 10)) "$BATS_FILE_TMPDIR/ring/$f" >"$T/x/$f"
			run $M verify "$T/x"
			[ $status -le 2 ]
		done
	done
}

@test "a certificate is a numbering of all channels along which the routes rise" {
	$M route "$P" --fail s0-0-1 --fail s1-1-1:7 -o "$T/t" >/dev/null
	run -0 $M verify "$T/t" --certificate "$T/cert" --json
	[ "$(grep -vc '^#' "$T/cert")" = "$(jq .channels <<<"$output")" ]
	run -0 python3 "$ROOT/tests/certificate.py" "$T/t" "$T/cert"
	[[ $output == "$(grep -vc '^#' "$T/cert") channels, "*", 0 not forward" ]]
	awk '/^#/ { print; next } { l[n++] = $0 } END { for (i = n - 1; i >= 0; i--) print l[i] }' \
		"$T/cert" >"$T/reversed"
	run -1 python3 "$ROOT/tests/certificate.py" "$T/t" "$T/reversed"
	[[ $output != *" 0 not forward" ]]
	# A certificate without one of the channels is invalid, too.
	sed '$d' "$T/cert" >"$T/short"
	run -1 python3 "$ROOT/tests/certificate.py" "$T/t" "$T/short"
	run --separate-stderr -1 $M verify "$BATS_FILE_TMPDIR/bad" --certificate "$T/none"
	says "no certificate exists"
	[ ! -e "$T/none" ]
}

@test "path: hop by hop, as the tables say" {
	run -0 $M path s0-0-0-h0 s1-2-3-h1 --tables "$D" --json
	holds '.delivered and .from == "s0-0-0-h0" and .to == "s1-2-3-h1" and .switch_hops <= 2'
	holds '.hops[0].in == 1 and .hops[0].vl == 0 and all(.hops[1:][]; .vl == 1)'
	holds '.hops[-1].peer.endpoint == "s1-2-3-h1" and .fault == null'
	# Each hop leads, by a cable of the plan, to the switch of the next hop.
	jq -c '.hops | range(length - 1) as $i | [.[$i].switch, .[$i].out, .[$i + 1].switch, .[$i + 1].in]' <<<"$output" |
	while read -r link; do
		jq -e --argjson l "$link" 'any(.cables[];
			[.a.switch, .a.port, .b.switch, .b.port] == $l or [.b.switch, .b.port, .a.switch, .a.port] == $l)' "$P"
	done
	run -0 $M path s0-0-0-h0 s1-2-3-h1 --tables "$D"
	[[ $output == *"delivered after"* ]]
	run -0 $M path s0-0-0 s0-0-0 --tables "$D" --json
	holds '.delivered and .switch_hops == 0'
	run -0 $M path 0x200000 "lid 2" --tables "$D" --sl 15 --json
	holds '.delivered and .lid == 2 and .sl == 15 and .switch_hops == 1'
}

@test "path: misuse" {
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M path $args
		says "$part"
	done <<-ROWS
	s0-0-0|it takes A B
	s0-0-0 s0-0-1 --socket $T/none|cannot reach moored at $T/none: no such socket
	s0-0-0 s0-0-1 s0-0-2 --tables $D|one argument too many
	s0-0-x s0-0-1 --tables $D|did you mean s0-0-
	s0-0-0 s0-0-1 --tables $D --offset 1|LMC 0: offsets 0 to 0
	s0-0-0 s0-0-1 --tables $D --sl 16|--sl 16: not a number from 0 to 15
	s0-0-0 s0-0-1 --tables $T/none|no such directory
	ROWS
}

@test "table lft: every LID is there once, by port" {
	run -0 $M table lft s0-0-0 --tables "$D" --json
	holds '.switch == "s0-0-0" and .guid == "0x0000000000200000"'
	holds '[.rows[].lids[]] | sort == [range(1; 251)]'
	holds '.rows[] | select(.port == 0) | .lids == [1]'
	holds '.rows[] | select(.port == 1) | .peer.endpoint == "s0-0-0-h0"'
	run -0 $M table lft s0-0-0 --tables "$D"
	[[ ${lines[0]} == "port 0   to s0-0-0 itself: 1 LID: 1" ]]
}

@test "table sl2vl: two kinds of in port, lane 0 and lane 1" {
	run -0 $M table sl2vl s0-0-0 --tables "$D" --json
	holds '.rows | length == 2'
	holds '.rows[0].in == [0, 1, 2, 3, 4] and .rows[0].vls == [range(16) | 0]'
	holds '.rows[1].in == [5, 6, 7, 8, 9, 10, 11] and .rows[1].vls == [range(16) | 1]'
	run -0 $M table sl2vl s0-0-0 --tables "$D"
	[ ${#lines[@]} = 2 ]
	[[ ${lines[1]} == "in 5-11  out 1-11"* ]]
}

@test "tables of what is no switch" {
	run --separate-stderr -2 $M table lft s0-0-0-h0 --tables "$D"
	says "is an endpoint: name a switch; it is plugged into s0-0-0[1]"
	run --separate-stderr -2 $M table sl2vl nobody --tables "$D"
	says "nothing in the fabric"
	run --separate-stderr -2 $M --socket "$T/none" table lft s0-0-0
	says "cannot reach moored at $T/none"
	says "without it: moorectl table lft SWITCH --tables DIR"
}

@test "names that would write to the terminal or are no UTF-8 do neither" {
	esc=$(printf '\033')
	cp -r "$BATS_FILE_TMPDIR/bad" "$T/x"
	LC_ALL=C sed -i "s/{r0}/{r${esc}[2J}/g; s/{r1}/{r\xff}/g" "$T/x/opensm-subnet.lst"
	LC_ALL=C sed -i "s/'r0'/'r${esc}[2J'/g; s/'r1'/'r\xff'/g" "$T/x/opensm-lfts.dump"
	run $M verify "$T/x"
	[ $status -le 2 ]
	[[ $output != *$'\033'* ]]
	run --separate-stderr $M verify "$T/x" --json
	[ $status = 2 ] || jq . <<<"$output" >/dev/null
}

@test "sl-hint: sound for the SLs of path records, not for all, and not without the list" {
	$M plan new slimfly q=5 -o "$T/h.json" >/dev/null
	echo "profile sl-hint" >"$T/h.conf"
	$M route "$T/h.json" --conf "$T/h.conf" --lmc 2 -o "$T/h" >/dev/null
	$M verify "$T/h" --sl hint --json | jq -e '.sound and .vls == [0, 1]'
	$M verify "$T/h" --sl 0 --lids base --json | jq -e .sound
	run $M verify "$T/h" --json
	[ "$status" -eq 1 ]
	# A LID without a line is unknown, not unused.
	cp -r "$T/h" "$T/gap"
	sed -i '0,/^0x0007/{/^0x0007/d}' "$T/gap/moore-path-sl.dump"
	run -1 $M verify "$T/gap" --sl hint --json
	holds '.acyclic and .unlisted == 1 and .unlisted_example.lid == 7 and (.sound | not)'
	run -1 $M verify "$T/gap" --sl hint
	[[ $output == *"NOT proven: moore-path-sl.dump has no line for 1 "*"from switch "*" to LID 7 ("* ]]
	[[ $output != *"sound: no cycle"* ]]
	sed -i 's/^0x0007 .*/0x0007/' "$T/gap/moore-path-sl.dump"
	run -1 $M verify "$T/gap" --sl hint --json
	holds '.unlisted == 1'
	sed 's/^0x0007 .*/0x0007/' "$T/h/moore-path-sl.dump" >"$T/gap/moore-path-sl.dump"
	run -0 $M verify "$T/gap" --sl hint --json
	holds '.sound and .unlisted == 0'
	# The file has no line, not even for multicast groups.
	printf '#--\n' >"$T/gap/moore-path-sl.dump"
	run -1 $M verify "$T/gap" --sl hint
	[[ $output == *"no line for "*" to multicast groups;"* ]]
	sed -i '$d' "$T/h/moore-path-sl.dump"
	run $M verify "$T/h" --sl hint
	[ "$status" -eq 2 ]
	[[ $output == *"moore-path-sl.dump"*"copy it whole"* ]]
	$M route "$T/h.json" --lmc 2 -o "$T/h" >/dev/null
	run $M verify "$T/h" --sl hint
	[ "$status" -eq 2 ]
	[[ $output == *"no such file"* ]]
}

@test "route --lids: LIDs of OpenSM, and what it has not found is left out with --fail" {
	q5 "$T/bare"
	jq '.switches |= [to_entries[] | .value + {guid: "0x2\(.key + 100)"}] |
		.endpoints |= [to_entries[] | .value + {guid: "0x3\(.key + 100)"}]' "$T/bare" >"$T/p"
	jq -r '(.switches | to_entries[] | "\(.value.guid) \(.key + 1) \(.key + 1)"),
		(.endpoints | to_entries[] | "\(.value.guid) \(100 + 4 * .key) \(101 + 4 * .key)\n")' \
		"$T/p" >"$T/lids"
	run -0 $M route "$T/p" --lids "$T/lids" -o "$T/t"
	grep -qi "^0x0064 .* portguid 0x0*3100:" "$T/t/opensm-lfts.dump"
	grep -v '^0x3100 ' "$T/lids" >"$T/one"
	run --separate-stderr -2 $M route "$T/p" --lids "$T/one"
	says "$T/one: has no LID for \"s0-0-0-h0\" (0x0000000000003100): OpenSM has not found it: leave it out with --fail"
	run -0 $M route "$T/p" --lids "$T/one" --fail s0-0-0-h0 --json
	holds '.sound and .endpoints == 199'
	grep -v '^0x210[01] ' "$T/lids" >"$T/two"
	run --separate-stderr -2 $M route "$T/p" --lids "$T/two"
	says "has no LIDs for \"s0-0-0\""
	says "and 1 more"
	echo "0x1 1" >>"$T/one"
	run --separate-stderr -2 $M route "$T/p" --lids "$T/one"
	says "is no line"
}
