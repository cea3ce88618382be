# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# ethernet.bats - ethernet emit and verify: what is written, that it is read back, and that
# every kind of damage to the files is found.
load lib

setup_file() {
	load lib
	$M plan new slimfly q=5 -o "$BATS_FILE_TMPDIR/p.json" >/dev/null
	$M ethernet emit "$BATS_FILE_TMPDIR/p.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 \
		-o "$BATS_FILE_TMPDIR/net" >/dev/null
	ring 5 "$BATS_FILE_TMPDIR/ring.json"
	$M ethernet emit "$BATS_FILE_TMPDIR/ring.json" --ipv4 10.0.0.0/16 --layers 1 \
		-o "$BATS_FILE_TMPDIR/ring" >/dev/null
}

setup() {
	P=$BATS_FILE_TMPDIR/p.json
	cp -r "$BATS_FILE_TMPDIR/net" "$BATS_FILE_TMPDIR/ring" "$T"
	N=$T/net R=$T/ring
}

@test "emit writes every switch and host, the same each time, and says that it is sound" {
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 -o "$T/again" --json
	holds '.ok and .switches == 50 and .hosts == 150 and .layers == 4'
	# 49 other switches and 3 hosts, in 4 layers of 2 families, at 50 switches.
	holds '.tables | length == 1 and (.[0] | .format == "ipbatch" and .sound and .classes_read and
		.vls == [0, 1] and .routes == 20800)'
	diff -r "$T/again" "$N"
	[ "$(ls "$N/hosts" | wc -l)" = 150 ]
	jq -e '.layers == 4 and (.switches | length) == 50 and (.hosts | length) == 150' "$N/addresses.json"
	# No prefix and no address occurs twice.
	jq -r '.switches[].prefixes[] | .ipv4, .ipv6' "$N/addresses.json" | sort | uniq -d | diff /dev/null -
	jq -r '(.hosts[].addresses[], .switches[].prefixes[]) | .ipv4_self // .ipv4' "$N/addresses.json" |
		sort | uniq -d | diff /dev/null -
}

@test "a directory is replaced whole, and no other files are touched" {
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --layers 2 -o "$N" --json
	holds '.layers == 2 and (.tables | length) == 1'
	run -0 $M ethernet verify "$N" --json
	holds '.layers == 2'
	mkdir "$T/mine" && echo x >"$T/mine/file"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 -o "$T/mine"
	says "holds other files"
	only "$T/mine" file
	[ "$(cd "$T" && ls -d mine* net* ring* | xargs)" = "mine net ring" ]
}

@test "a full disk leaves the old files" {
	run -2 bash -c "ulimit -f 8; trap '' XFSZ; $M ethernet emit $P --ipv4 10.1.0.0/16 -o $N"
	diff -r "$N" "$BATS_FILE_TMPDIR/net"
	[ "$(cd "$T" && ls -d net* ring* | xargs)" = "net ring" ]
}

@test "nft takes the classes, and ip would take every word of the routes" {
	command -v nft || skip "no nft here"
	unshare -Urn nft -c -f "$N/s0-0-0/class.nft"
}

@test "a route that is gone is found" {
	sed -i '/ 10\.0\.4\.192\/29 /d' "$N/s1-3-3/routes.ipbatch"
	gone=$(diff "$N" "$BATS_FILE_TMPDIR/net" -r | grep -c '^>')
	[ "$gone" = 1 ]
	run -1 $M ethernet verify "$N" --json
	holds '(.tables[0].unreachable > 0) and (.tables[0].example | .layer == 3 and .to == "s0-0-2" and
		.prefix == "10.0.4.192/29")'
	run -1 $M ethernet verify "$N"
	[[ $output == *" pairs are connected but have no route"* ]]
}

@test "a next hop that is not the switch at the port is found, with its line" {
	line=$(grep -n 'via .* dev swp4 ' "$N/s0-0-0/routes.ipbatch" | head -1 | cut -d: -f1)
	sed -i "${line}s/dev swp4/dev swp5/" "$N/s0-0-0/routes.ipbatch"
	run -1 $M ethernet verify "$N" --json
	holds ".tables[0].fault_list[0] | .kind == \"wrong-next-hop\" and .line == $line"
}

@test "a port without a cable and a host behind another port are found" {
	sed -i '0,/ via .* dev swp4 /s// via 10.0.0.17 dev swp1 /' "$N/s0-0-0/routes.ipbatch"
	sed -i 's/^\(route replace 10.0.0.3 dev\) swp2/\1 swp3/' "$N/s0-0-0/routes.ipbatch"
	run -1 $M ethernet verify "$N" --json
	holds '[.tables[0].fault_list[].kind] | sort == ["host-not-routed", "no-link"]'
}

@test "a shorter prefix serves, and a longer one that leads elsewhere is found" {
	S=$N/s0-0-0/routes.ipbatch
	port=$(sed -n 's/.* 10\.0\.1\.0\/29 .* dev \(swp[0-9]*\) .*/\1/p' "$S")
	run -0 $M ethernet verify "$N"
	via=$(sed -n 's/.* 10\.0\.1\.0\/29 via \([^ ]*\) .*/\1/p' "$S")
	other=$(grep -o 'via [^ ]* dev swp[0-9]* onlink' "$S" | grep -v " $port " | head -1)
	echo "route replace 10.0.1.4/30 $other proto 109" >>"$S"
	run -1 $M ethernet verify "$N" --json
	holds '.tables[0].fault_list[0] | .kind == "split-prefix" and .to == "10.0.1.0/29"'
	# Another protocol's route is not ours.
	sed -i '$s/proto 109/proto 12/' "$S"
	run -0 $M ethernet verify "$N"
}

@test "one way around a ring: PFC could deadlock, and the cycle is shown" {
	for r in 0 1 2 3 4; do
		next=$(( (r + 1) % 5 ))
		via=$(jq -r ".switches[$next].prefixes[0].ipv4_self" "$R/addresses.json")
		sed -i "s/via .* onlink/via $via dev swp2 onlink/" "$R/r$r/routes.ipbatch"
	done
	run -1 $M ethernet verify "$R" --json
	holds '.tables[0] | (.acyclic | not) and (.cycle | length) == 5 and .unreachable == 0'
	run -1 $M ethernet verify "$R"
	[[ $output == *"paused ports on these 5 links can wait for one another for ever"* ]]
}

# also_over FILE PREFIX PORT: the switch of a routes.ipbatch sends a prefix to the neighbour at a second port as well.
also_over() {
	local hop
	hop=$(awk -v p="swp$3" '$7 == p { print $5; exit }' "$1")
	sed -i "s|^\(route replace $2\) \(via .* onlink\) proto 109|\1 proto 109 nexthop \2 nexthop via $hop dev swp$3 onlink|" "$1"
	grep -q "^route replace $2 proto 109 nexthop .* nexthop " "$1"
}

@test "several next hops: every mixture is judged, over whichever of them the fault arises" {
	run -0 $M ethernet verify "$N" --json
	holds '.tables[0].sets == null'
	also_over "$N/s0-0-0/routes.ipbatch" 10.0.0.24/29 4
	run -0 $M ethernet verify "$N" --json
	holds '.ok and (.tables[0] | .routes == 20800 and .sets.sound and .sets.routes == 1 and .sets.next_hops == 2)'
	# A wrong address of the second one.
	sed -i 's/\(nexthop via .* nexthop via\) [^ ]*/\1 10.0.0.17/' "$N/s0-0-0/routes.ipbatch"
	run -1 $M ethernet verify "$N" --json
	holds '.tables[0].fault_list[0] | .kind == "wrong-next-hop" and .to == "10.0.0.24/29"'
	cp "$BATS_FILE_TMPDIR/net/s0-0-0/routes.ipbatch" "$N/s0-0-0/routes.ipbatch"
	# Over this port, waiting packets can form a cycle.
	also_over "$N/s0-0-0/routes.ipbatch" 10.0.0.88/29 5
	run -1 $M ethernet verify "$N" --json
	holds '(.ok | not) and (.tables[0] | (.sound | not) and .unreachable == 0 and
		(.sets | (.sound | not) and (.acyclic | not) and .loops == 0 and (.cycle | length) > 2))'
	run -1 $M ethernet verify "$N"
	[[ $output == *"1 routes have 2 next hops together"*"can wait for one another for ever"* ]]
	# A host's address may have no other way.
	cp "$BATS_FILE_TMPDIR/net/s0-0-0/routes.ipbatch" "$N/s0-0-0/routes.ipbatch"
	sed -i 's/^route replace 10.0.0.3 dev swp2 \(proto 109\)/route replace 10.0.0.3 \1 nexthop dev swp2 nexthop dev swp1/' \
		"$N/s0-0-0/routes.ipbatch"
	run -1 $M ethernet verify "$N" --json
	holds '.tables[0].fault_list[0] | .kind == "host-not-routed" and .to == "10.0.0.3"'
	# r0 sends to r1, which now sends back as well.
	also_over "$R/r1/routes.ipbatch" 10.0.0.8/30 3
	run -1 $M ethernet verify "$R" --json
	holds '.tables[0] | .unreachable == 0 and .sets.loops == 1 and .sets.unreachable > 0'
	sed -i 's/nexthop via/nexthop voa/' "$R/r1/routes.ipbatch"
	run -2 --separate-stderr $M ethernet verify "$R"
	says '"voa": is not a word of a route'
}

@test "without classes a packet keeps one, which is said; damaged classes are found" {
	rm "$R"/*/class.nft
	run $M ethernet verify "$R" --json
	holds '.tables[0].classes_read | not'
	# s0-0-0 forgets to raise the class of what came from its port 4.
	sed -i '/map from26/,/}/s/"swp4" : goto dscp34/"swp4" : goto dscp26/' "$N/s0-0-0/class.nft"
	run -1 $M ethernet verify "$N" --json
	holds 'any(.tables[0].fault_list[]; .kind == "mixed-classes" and .switch == "s0-0-0" and .port == 4)'
	sed -i '/map from26/,/}/{/"swp4"/d}' "$N/s0-0-0/class.nft"
	run -1 $M ethernet verify "$N" --json
	holds 'any(.tables[0].fault_list[]; .kind == "lossy" and .switch == "s0-0-0" and .dscp == 26)'
	echo "chain more {}" >>"$N/s0-0-0/class.nft"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "class.nft:"
}

@test "one lossless priority: the routes themselves are free of cycles" {
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --priorities 3 -o "$T/one" --json
	holds '.ok and .tables[0].vls == [0] and (.classes | length) == 1'
}

@test "links are numbered where a range is given, and next hops can be IPv6" {
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --links-ipv4 172.16.0.0/16 -o "$T/31" --json
	holds '.ok'
	grep -q 'via 172\.16\.[0-9.]* dev swp[0-9]* proto 109' "$T/31/s0-0-0/routes.ipbatch"
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --next-hop inet6 -o "$T/6" --json
	grep -q 'via inet6 fe80::.* dev swp' "$T/6/s0-0-0/routes.ipbatch"
	holds '.ok'
}

@test "a link or switch that failed is routed around" {
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --fail s0-0-0:4 --fail s1-2-2 -o "$T/cut" --json
	holds '.tables[0].acyclic'
	! grep -q 'dev swp4 ' "$T/cut/s0-0-0/routes.ipbatch"
}

@test "a sample: all switches are judged, and the drawn ones have the files that they have in the whole" {
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --sample 7 --seed 5 -o "$T/s" --json
	holds '.ok and .switches == 50 and (.tables[0] | .format == "computed" and .sound and .routes == 20800)'
	[ "$(ls "$T/s" | wc -l)" = 10 ]
	[ "$(ls "$T/s/hosts" | wc -l)" = 21 ]
	for at in "$T"/s/*/; do
		name=$(basename "$at")
		[ "$name" = hosts ] || diff -r "$at" "$N/$name"
	done
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --sample 7 --seed 6 -o "$T/other"
	! diff <(ls "$T/s") <(ls "$T/other")
	run -2 --separate-stderr $M ethernet verify "$T/s"
	says "the switches have no file of routes there"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --sample 51 -o "$T/x"
	says "--sample 51: not a number from 1 to 50"
}

@test "bad options and files say what is wrong" {
	run -2 --separate-stderr $M ethernet emit "$P" -o "$T/x"
	says "no range of addresses"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/24 -o "$T/x"
	says "too small for 200 prefixes of /29: give one of /21 or larger"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.1/8 -o "$T/x"
	says "bits after the first 8 are set"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 fd00::/8 -o "$T/x"
	says "other family"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --links-ipv4 10.1.0.0/16 -o "$T/x"
	says "overlap"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --format ipbatch,bgp -o "$T/x"
	says "bgp is no format"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --layers 129 -o "$T/x"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --dscp 26,26 -o "$T/x"
	[ ! -e "$T/x" ]
	sed -i '3s/dev swp[0-9]*/dev eth0;reboot/' "$N/s0-0-0/routes.ipbatch"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "routes.ipbatch:3: \"eth0;reboot\": is no port of a switch"
	head -c 5000 "$BATS_FILE_TMPDIR/net/addresses.json" >"$N/addresses.json"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "addresses.json:"
	run -2 --separate-stderr $M ethernet verify "$T/nowhere"
}

@test "addresses that contradict one another are found" {
	A=$N/addresses.json
	jq '.switches[3].prefixes[0].ipv4 = .switches[2].prefixes[0].ipv4' "$BATS_FILE_TMPDIR/net/addresses.json" >"$A"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "is there twice"
	jq '.hosts[3].addresses[0].ipv4 = "10.200.0.1"' "$BATS_FILE_TMPDIR/net/addresses.json" >"$A"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "hosts[3].addresses: one of them is not in the prefix"
	jq '.layers = 5' "$BATS_FILE_TMPDIR/net/addresses.json" >"$A"
	run -2 --separate-stderr $M ethernet verify "$N"
	jq '.hosts |= .[1:]' "$BATS_FILE_TMPDIR/net/addresses.json" >"$A"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "another number"
}

@test "frr: the same routes, read back; damage is found with its line" {
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --format ipbatch,frr,nft -o "$T/frr" --json
	holds '.ok and [.tables[].format] == ["ipbatch", "frr"] and .tables[0].routes == .tables[1].routes'
	holds '.tables[0].hops == .tables[1].hops'
	C=$T/frr/s0-0-0/frr.conf
	cp "$C" "$T/whole"
	line=$(grep -n 'swp4' "$C" | head -1 | cut -d: -f1)
	sed -i "${line}s/swp4/swp5/" "$C"
	run -1 $M ethernet verify "$T/frr" --json
	holds ".tables[1].fault_list[0] | .kind == \"wrong-next-hop\" and .line == $line"
	sed "4s/ swp1/ eth0/" "$T/whole" >"$C"
	run -2 --separate-stderr $M ethernet verify "$T/frr"
	says "frr.conf:4:"
	sed '7s/^ip route/router bgp/' "$T/whole" >"$C"
	run -2 --separate-stderr $M ethernet verify "$T/frr"
	says "frr.conf:7:"
	sed '$d' "$T/whole" | sed '$d' | sed '$d' >"$C"
	run -1 $M ethernet verify "$T/frr" --json
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --next-hop inet6 --format frr -o "$T/frr6"
	says "FRR takes no IPv6 next hop"
}

@test "sonic: routes, addresses and the chain of classes, as SONiC's YANG models want them" {
	emit="$M ethernet emit $P --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --format sonic"
	run -2 --separate-stderr $emit -o "$T/sonic"
	says "number the links"
	run -2 --separate-stderr $emit --links-ipv4 172.16.0.0/16 --links-ipv6 fd01::/64 --priorities 0,4 -o "$T/sonic"
	says "priority 0 is that of lossy traffic"
	run -0 $emit --links-ipv4 172.16.0.0/16 --links-ipv6 fd01::/64 -o "$T/sonic" --json
	holds '.ok and .tables[0].format == "sonic" and .tables[0].routes == 20800 and .tables[0].vls == [0, 1]'
	D=$T/sonic/s0-0-0/config_db.json
	# Types and patterns of sonic-static-route, sonic-port-qos-map and the maps that it refers to.
	jq -e '. as $db | all(.STATIC_ROUTE | to_entries[]; (.key | test("^default\\|[0-9a-f.:]+/[0-9]+$")) and
		(.value | keys == ["advertise", "ifname", "nexthop"]) and (.value.advertise | test("^(true|false)$")) and
		(.value.ifname | in($db.PORT)))' "$D"
	jq -e '. as $db | all(.PORT_QOS_MAP | to_entries[]; (.key | in($db.PORT)) and
		(.value.pfc_enable | test("^([0-7](,[0-7])*)?$")) and
		(.value.dscp_to_tc_map | in($db.DSCP_TO_TC_MAP)) and (.value.tc_to_pg_map | in($db.TC_TO_PRIORITY_GROUP_MAP)) and
		(.value.tc_to_queue_map | in($db.TC_TO_QUEUE_MAP)) and (.value.tc_to_dscp_map | in($db.TC_TO_DSCP_MAP)) and
		(.value.pfc_to_queue_map | in($db.MAP_PFC_PRIORITY_TO_QUEUE)))' "$D"
	jq -e '[.DSCP_TO_TC_MAP[] | keys | length] == [64, 64] and all(.. | scalars; type == "string")' "$D"
	# A host's mark comes in class 3 and leaves in it; between switches it leaves in class 4, marked.
	jq -e '.DSCP_TO_TC_MAP.moore_host["26"] as $h | .DSCP_TO_TC_MAP.moore_switch["26"] as $s |
		[.TC_TO_PRIORITY_GROUP_MAP, .TC_TO_QUEUE_MAP, .TC_TO_DSCP_MAP | .moore | [.[$h], .[$s]]] ==
		[["3", "3"], ["3", "4"], ["26", "34"]] and .DSCP_TO_TC_MAP.moore_host["34"] == "0"' "$D"
}

@test "sonic: damage to routes and maps is found" {
	$M ethernet emit "$P" --ipv4 10.0.0.0/8 --links-ipv4 172.16.0.0/16 --format sonic -o "$T/sonic" >/dev/null
	D=$T/sonic/s0-0-0/config_db.json
	cp "$D" "$T/whole"
	damage() { jq "$1" "$T/whole" >"$D"; run $M ethernet verify "$T/sonic" --json; }
	damage '.STATIC_ROUTE["default|10.0.0.8/29"].ifname = "Ethernet16"'
	[ "$status" = 1 ] && holds 'any(.tables[0].fault_list[]; .kind == "wrong-next-hop")'
	damage 'del(.STATIC_ROUTE["default|10.0.0.8/29"])'
	[ "$status" = 1 ] && holds '.tables[0].unreachable > 0'
	damage '.TC_TO_QUEUE_MAP.moore["2"] = "3"'
	[ "$status" = 1 ] && holds 'any(.tables[0].fault_list[]; .kind == "mixed-classes" or .kind == "other-class")'
	damage '.TC_TO_PRIORITY_GROUP_MAP.moore["3"] = "3"'
	[ "$status" = 1 ] && holds 'any(.tables[0].fault_list[]; .kind == "other-class")'
	damage '.PORT_QOS_MAP.Ethernet12.pfc_enable = "3"'
	[ "$status" = 1 ] && holds 'any(.tables[0].fault_list[]; .kind == "lossy")'
	damage '.TC_TO_DSCP_MAP.moore["2"] = "26"'
	[ "$status" = 1 ]
	damage '.STATIC_ROUTE["default|10.0.0.8/29"].ifname = "Ethernet17"'
	[ "$status" = 2 ]
	damage 'del(.DSCP_TO_TC_MAP.moore_host)'
	[ "$status" = 2 ]
	head -c 3000 "$T/whole" >"$D"
	run -2 --separate-stderr $M ethernet verify "$T/sonic"
	says "config_db.json:"
}

# ---- several next hops --------------------------------------------------------------------

@test "emit --ecmp: every mixture of the next hops is sound, with the hops of one" {
	while read -r least n params; do
		$M plan new $params -o "$T/p.json" >/dev/null
		run -0 $M ethernet emit "$T/p.json" --ipv4 10.0.0.0/8 --layers 2 -o "$T/one" --json
		holds '.ok and .tables[0].sets == null'
		hops=$(jq -c '.tables[0].hops' <<<"$output")
		run -0 $M ethernet emit "$T/p.json" --ipv4 10.0.0.0/8 --layers 2 --ecmp "$n" -o "$T/sets" --json
		echo "# $params: $(jq -c '.tables[0].sets' <<<"$output")"
		holds ".ok and .tables[0].hops == $hops and (.tables[0].sets // {routes: 0, next_hops: 0} |
			.routes >= $least and .next_hops <= $n * .routes)"
		# Of layer 1, the same single next hops; in layer 0, the first one stays among them.
		cat "$T"/sets/*/routes.ipbatch | grep -c 'nexthop .* nexthop' | grep -qx "$(jq '.tables[0].sets.routes // 0' <<<"$output")"
		layer1=$(jq -r '.switches[] | .prefixes[]? | select(.layer == 1) | .ipv4' "$T/sets/addresses.json" | head -1)
		! cat "$T"/sets/*/routes.ipbatch | grep "^route replace $layer1 .*nexthop"
		diff <(cat "$T"/one/*/routes.ipbatch | grep -v '/') <(cat "$T"/sets/*/routes.ipbatch | grep -v '/')
	done <<-END
		586 4 oft k=4
		310 4 mlfm h=4
		72 2 mlfm h=4
		390 2 hyperx s1=3 s2=3 s3=3
		190 2 torus2d a=5 b=5
		0 2 slimfly q=5
	END
}

@test "emit --ecmp: with one lossless class, too; the same each time; around a cut" {
	$M plan new mlfm h=4 -o "$T/p.json" >/dev/null
	emit="$M ethernet emit $T/p.json --ipv4 10.0.0.0/8 --ecmp 4"
	run -0 $emit --priorities 3 -o "$T/one" --json
	holds '.ok and .tables[0].sets.routes > 50 and .tables[0].vls == [0]'
	$emit -o "$T/a" >/dev/null
	$emit -o "$T/b" >/dev/null
	diff -r "$T/a" "$T/b"
	sw=$(jq -r .switches[0].name "$T/p.json")
	grep -q "nexthop.* dev swp6 " "$T/a/$sw/routes.ipbatch"
	run -0 $emit --fail "$sw:6" -o "$T/cut" --json
	holds '.ok and .tables[0].sets.sound'
	! grep -q " dev swp6 " "$T/cut/$sw/routes.ipbatch"
	run -0 $emit --next-hop inet6 -o "$T/six" --json
	holds '.ok and .tables[0].sets.sound'
	grep -q "nexthop via inet6 fe80::[^ ]* dev swp[0-9]* nexthop via inet6 fe80::" "$T/six/$sw/routes.ipbatch"
	grep -q fib_multipath_hash_policy "$T/a/$sw/sysctl.conf"
	! grep -q fib_multipath_hash_policy "$N/s0-0-0/sysctl.conf"
	run -2 --separate-stderr $M ethernet emit "$T/p.json" --ipv4 10.0.0.0/8 --ecmp 0 -o "$T/x"
}

@test "emit --ecmp: FRR, SONiC and ip hold the same next hops; a loop over one of them is found" {
	$M plan new oft k=4 -o "$T/p.json" >/dev/null
	run -0 $M ethernet emit "$T/p.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --links-ipv4 172.16.0.0/16 \
		--links-ipv6 fd01::/64 --ecmp 4 --format ipbatch,frr,sonic,nft -o "$T/net4" --json
	holds '.ok and (.tables | length) == 3 and ([.tables[] | .sets] | unique | length) == 1 and .tables[0].sets.routes > 1000'
	# A switch between sends to a host's switch, and now also to another, which sends back to it.
	mid=$(jq -r '[.switches[].name] - [.endpoints[].switch] | .[0]' "$T/p.json")
	C=$T/net4/$mid/frr.conf D=$T/net4/$mid/config_db.json I=$T/net4/$mid/routes.ipbatch
	for f in "$C" "$D" "$I"; do cp "$f" "$f.whole"; done
	far=$(jq -r --arg m "$mid" '[.cables[] | select(.a.switch == $m) | .b.switch, (select(.b.switch == $m) | .a.switch)][0] //
		[.cables[] | select(.b.switch == $m) | .a.switch][0]' "$T/p.json")
	to=$(jq -r --arg s "$far" '.switches[] | select(.name == $s) | .prefixes[0].ipv4' "$T/net4/addresses.json")
	port=$(sed -n "s|^ip route $to [^ ]* swp||p" "$C")
	other=$(sed -n 's|^ip route [^ ]*/[0-9]* \([^ ]* swp[0-9]*\)$|\1|p' "$C" | grep -v "swp$port\$" | head -1)
	[[ $port && $other ]]
	echo "ip route $to $other" >>"$C"
	run -1 $M ethernet verify "$T/net4" --json
	holds '[.tables[] | .sound] == [true, false, true] and .tables[1].sets.loops > 0'
	mv "$C.whole" "$C"
	sed -i "s|^\(route replace $to\) \(via .*\) proto 109|\1 proto 109 nexthop \2 nexthop via ${other/ / dev }|" "$I"
	run -1 $M ethernet verify "$T/net4" --json
	holds '[.tables[] | .sound] == [false, true, true] and .tables[0].sets.loops > 0'
	mv "$I.whole" "$I"
	jq --arg k "default|$to" --arg via "${other% *}" --arg i "Ethernet$(( 4 * (${other#*swp} - 1) ))" \
		'.STATIC_ROUTE[$k] |= (.nexthop += "," + $via | .ifname += "," + $i)' "$D.whole" >"$D"
	run -1 $M ethernet verify "$T/net4" --json
	holds '[.tables[] | .sound] == [true, true, false] and .tables[2].sets.loops > 0'
	jq --arg k "default|$to" '.STATIC_ROUTE[$k].nexthop += ",172.16.0.1"' "$D.whole" >"$D"
	run -2 --separate-stderr $M ethernet verify "$T/net4"
	says "nexthop and ifname are lists of two lengths"
}

# ---- backups ------------------------------------------------------------------------------

@test "emit --backup: sound with every single link down, in each format; the same each time" {
	while read -r least params; do
		$M plan new $params -o "$T/p.json" >/dev/null
		run -0 $M ethernet emit "$T/p.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --layers 2 --backup \
			--format ipbatch,frr,nft -o "$T/a" --json
		echo "# $params: $(jq -c '.tables[0].backups' <<<"$output")"
		holds ".ok and (.tables | length) == 2 and ([.tables[].backups] | unique | length) == 1 and
			(.tables[0].backups | .sound and .bad_links == 0 and .backed >= .routes * $least / 100 and
			.backed <= .routes and .links > 0)"
		[ "$(cat "$T"/a/*/routes.ipbatch | grep -c ' metric 2048$')" = "$(jq .tables[0].backups.backed <<<"$output")" ]
		[ "$(cat "$T"/a/*/frr.conf | grep -c ' 20\( onlink\)\?$')" = "$(jq .tables[0].backups.backed <<<"$output")" ]
	done <<-END
		80 slimfly q=5
		50 oft k=4
		50 hyperx s1=3 s2=3 s3=3
		20 torus2d a=5 b=5
	END
	$M ethernet emit "$T/p.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --layers 2 --backup \
		--format ipbatch,frr,nft -o "$T/b" >/dev/null
	diff -r "$T/a" "$T/b"
	# With one lossless class; and the routes themselves are those without backups.
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --priorities 3 --backup -o "$T/one" --json
	holds '.ok and .tables[0].backups.sound'
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --backup -o "$T/with"
	[[ $output =~ "wait for the controller" ]]
	for s in "$N"/s*; do
		grep -v ' metric ' "$T/with/${s##*/}/routes.ipbatch" | diff - "$s/routes.ipbatch"
	done
}

@test "verify: backups that loop, lose packets or close a cycle are found" {
	$M ethernet emit "$R/plan.json" --ipv4 10.0.0.0/16 --layers 1 --backup -o "$T/r" >/dev/null
	sw=$(jq -r '.switches[0].name' "$R/plan.json")
	F=$T/r/$sw/routes.ipbatch
	# A route by a neighbour that sends back here: the other way around the ring, to the far side.
	bad=0
	while read -r to; do
		cp "$F" "$F.whole"
		sed -i "\|route replace $to .* metric |d" "$F"
		hop=$(sed -n "s|^route replace $to \(via .*\) proto 109\$|\1|p" "$F")
		other=$(sed -n 's|^route replace [^ ]*/[0-9]* \(via .*\) proto 109$|\1|p' "$F" | grep -vF "$hop" | head -1)
		echo "route replace $to $other proto 109 metric 2048" >>"$F"
		if run -1 $M ethernet verify "$T/r" --json; then
			holds '.tables[0].backups | (.sound | not) and .bad_links > 0 and (.bad.loops > 0 or (.bad.acyclic | not))'
			bad=$((bad + 1))
		fi
		mv "$F.whole" "$F"
	done < <(sed -n 's|^route replace \([^ ]*/[0-9]*\) via .* proto 109$|\1|p' "$F")
	[ "$bad" -gt 0 ]
	# A backup over no cable, or with a next hop that is not there.
	to=$(sed -n 's|^route replace \([^ ]*/[0-9]*\) via .* proto 109$|\1|p' "$F" | head -1)
	echo "route replace $to via 10.0.0.1 dev swp200 onlink proto 109 metric 2048" >>"$F"
	run -1 $M ethernet verify "$T/r" --json
	holds '.tables[0].fault_list[0].kind == "no-link" and .tables[0].backups.bad.unreachable > 0'
	sed -i 's/ metric 2048/ metric 7/' "$F"
	run -2 --separate-stderr $M ethernet verify "$T/r"
	says "is no metric that is known here"
}

@test "emit --backup goes neither with --ecmp, --sample nor SONiC; diff refuses backups" {
	for with in "--ecmp 2" "--sample 2"; do
		run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --backup $with -o "$T/x"
		says "neither with --ecmp nor with --sample"
	done
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --links-ipv4 172.16.0.0/16 --backup \
		--format sonic -o "$T/x"
	says "backups are not written for SONiC"
	$M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --backup -o "$T/with" >/dev/null
	run -2 --separate-stderr $M ethernet diff "$T/with" "$N"
	says "no steps are known between routes with backups"
}

# ---- diff -------------------------------------------------------------------------------

around() { $M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --fail s0-0-0:4 -o "$T/around" >/dev/null; }

@test "diff: nothing differs from itself; a cut and its repair go in safe steps" {
	run -0 $M ethernet diff "$N" "$N"
	[[ $output == *"run the routes of the directory"* ]]
	around
	for way in "around net" "net around"; do
		read -r new old <<<"$way"
		run -1 $M ethernet diff "$T/$new" "$T/$old" --json
		holds '(.ok | not) and .edits > 100 and .steps.ok and all(.steps.list[]; .safe and .interrupted == 0)'
		# Played on the old files, the steps leave exactly the new ones.
		$M ethernet diff "$T/$new" "$T/$old" -o "$T/steps-$new" >/dev/null || true
		for s in "$T/$old"/s*; do
			name=${s##*/}
			cat "$s/routes.ipbatch" "$T/steps-$new"/step-*/"$name.ipbatch" 2>/dev/null | awk '
				$2 == "replace" { route[$3] = $0 } $2 == "del" { delete route[$3] }
				END { for (r in route) print route[r] }' | sort | diff - <(sort "$T/$new/$name/routes.ipbatch")
		done
	done
}

@test "diff: what is written otherwise, missing or ours alone is changed last" {
	S=$N/s0-0-0/routes.ipbatch
	cp -r "$N" "$T/old"
	O=$T/old/s0-0-0/routes.ipbatch
	sed -i '/ 10\.0\.0\.3 /d' "$O"
	echo "route replace 172.20.0.0/16 dev swp1 proto 109" >>"$O"
	echo "route replace 172.21.0.0/16 dev swp1 proto 11" >>"$O"
	run -1 $M ethernet diff "$N" "$T/old"
	[[ $output == *"# step 1: s0-0-0"*"route replace 10.0.0.3 dev swp2 proto 109"*"route del 172.20.0.0/16 proto 109"* ]]
	[[ $output != *172.21* ]]
	run -1 $M ethernet diff "$N" "$T/old" --json
	holds '.edits == 2 and .removed == 1 and .steps == null'
}

# running DIR: what `ip -json route show` would print of emitted files, with a route of another.
running() {
	for s in "$N"/s*; do
		mkdir -p "$1/${s##*/}"
		for family in "routes:\\." "routes6::.*"; do
			awk -v f="${family#*:}" '$3 ~ f {
				o = $0 ~ / onlink / ? "\"onlink\"" : ""; g = $4 == "via" ? "\"gateway\": \"" $5 "\", " : ""
				d = $4 == "via" ? $7 : $5
				printf "%s{\"dst\": \"%s\", %s\"dev\": \"%s\", \"protocol\": \"109\", \"flags\": [%s]}",
					n++ ? ",\n" : "[{\"dst\":\"default\",\"dev\":\"eth0\",\"protocol\":\"boot\",\"flags\":[]},\n", $3, g, d, o }
				END { print "]" }' "$s/routes.ipbatch" >"$1/${s##*/}/${family%%:*}.json"
		done
	done
}

@test "diff: reads what ip prints, and bad files say where they are wrong" {
	running "$T/run"
	run -0 $M ethernet diff "$N" "$T/run"
	sed -i '3s/"swp[0-9]*"/"eth0"/' "$T/run/s0-0-0/routes.json"
	run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
	says "routes.json: [2].dev: a route of this protocol leaves by an interface that is no port"
	echo "[" >"$T/run/s0-0-0/routes.json"
	run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
	says "routes.json:"
	echo "{}" >"$T/run/s0-0-0/routes.json"
	run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
	says "a list of at most"
	run -2 --separate-stderr $M ethernet diff "$N" "$T/nowhere"
	says "no file of routes there"
	# A network of one family has no file of the other.
	rm "$T"/run/*/routes.json
	run -2 --separate-stderr $M ethernet diff "$N" "$T/run"
	says "routes.json: "
	for family in "ipv4 10.0.0.0/8 routes6" "ipv6 fd00::/48 routes"; do
		read -r option range other <<<"$family"
		$M ethernet emit "$P" "--$option" "$range" -o "$T/net" >/dev/null
		rm -rf "$T/run"
		running "$T/run"
		rm "$T"/run/*/"$other.json"
		run -0 $M ethernet diff "$N" "$T/run"
	done
}

# several PREFIX PORT: $T/run, in which s0-0-0 sends a prefix to a second port as well.
several() {
	local hop
	hop=$(awk -v p="swp$2" '$7 == p { print $5; exit }' "$N/s0-0-0/routes.ipbatch")
	jq --arg to "$1" --arg hop "$hop" --arg dev "swp$2" 'map(if .dst == $to then {dst, protocol, flags: [],
		nexthops: [del(.dst, .protocol), {gateway: $hop, dev: $dev, flags}]} else . end)' \
		"$T/run/s0-0-0/routes.json" >"$T/routes"
	cp "$T/routes" "$T/run/s0-0-0/routes.json"
}

@test "diff: a route with several next hops is every one of them" {
	running "$T/run"
	several 10.0.0.24/29 4
	run -1 $M ethernet diff "$N" "$T/run"
	[[ $output == "# step 1: s0-0-0"$'\n'"route replace 10.0.0.24/29 via 10.0.0.33 dev swp5 onlink proto 109"* ]]
	run -1 $M ethernet diff "$N" "$T/run" --json
	holds '.edits == 1 and .steps.ok and .steps_to_load == 1'
	# A route to a host, which the steps do not judge.
	several 10.0.0.3 4
	run -1 $M ethernet diff "$N" "$T/run" --json
	holds '.edits == 2'
	# Over this port, waiting packets can form a cycle: the switches may hold that already.
	running "$T/run"
	several 10.0.0.88/29 5
	run -1 $M ethernet diff "$N" "$T/run" --json
	holds '(.steps.ok | not) and (.steps.start_safe | not)'
}

@test "diff: to and from several next hops, which are added when all else is done" {
	$M plan new mlfm h=4 -o "$T/p.json" >/dev/null
	emit="$M ethernet emit $T/p.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --layers 2"
	$emit -o "$T/one" >/dev/null
	$emit --ecmp 4 -o "$T/sets" >/dev/null
	$emit --ecmp 4 --fail "$(jq -r .switches[0].name "$T/p.json"):6" -o "$T/around" >/dev/null
	run -0 $M ethernet diff "$T/sets" "$T/sets"
	while read -r new old edits steps waits; do
		rm -rf "$T/steps"
		run -1 $M ethernet diff "$T/$new" "$T/$old" -o "$T/steps" --json
		echo "# $old to $new: $(jq -c '[.edits, .steps_to_load, .last_waits, .steps.ok]' <<<"$output")"
		holds ".steps.ok and (.steps.list | all(.safe)) and .edits $edits and .steps_to_load $steps and .last_waits == $waits"
		for s in "$T/$old"/*/routes.ipbatch; do
			name=$(basename "${s%/*}")
			cat "$s" "$T"/steps/step-*/"$name.ipbatch" 2>/dev/null | awk '
				$2 == "replace" { route[$3] = $0 } $2 == "del" { delete route[$3] }
				END { for (r in route) print route[r] }' | sort | diff - <(sort "$T/$new/$name/routes.ipbatch")
		done
	done <<-END
		sets one ==620 ==1 false
		one sets >=620 >=1 false
		around sets >620 >1 true
		sets around >620 >1 true
	END
	# Next hops that are not safe are not loaded.
	also_over "$R/r1/routes.ipbatch" 10.0.0.8/30 3
	run -2 --separate-stderr $M ethernet diff "$R" "$BATS_FILE_TMPDIR/ring"
	says "can loop or deadlock over some of their next hops"
}

@test "apply: commands that fail, hang or lie stop it" {
	running "$T/run"
	cat >"$T/read" <<-END
		#!/bin/sh
		[ "\$2" = -4 ] && cat $T/run/\$1/routes.json || cat $T/run/\$1/routes6.json
	END
	chmod +x "$T/read"
	run -0 $M ethernet apply "$N" --command "false" --read "$T/read {switch} {family}"
	around
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "false" --read "$T/read {switch} {family}"
	says "false: the command exited with 1"
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "$T/read {switch} {family}"
	says "does not run the routes of the step"
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "sleep 60" --timeout 1
	says "it took too long"
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "$T/none"
	says "No such file"
	run -2 --separate-stderr $M ethernet apply "$T/around" --command "true" --read "yes"
	says "its answer is longer than 64 MiB"
	run -0 $M ethernet apply "$T/around" --command "false" --read "$T/read {switch} {family}" --dry-run
	run -2 --separate-stderr $M ethernet apply "$T/around"
	says "--command and --read are missing"
}

@test "apply: a signal ends its commands with it" {
	printf '#!/bin/sh\necho $$ >>%s\nexec sleep 77\n' "$T/pids" >"$T/slow"
	chmod +x "$T/slow"
	$M ethernet apply "$N" --command true --read "$T/slow" 3>&- &
	for _ in $(seq 100); do
		[ "$(wc -l <"$T/pids")" = 8 ] && break
		sleep 0.05
	done 2>/dev/null
	kill -TERM $!
	rc=0
	wait $! || rc=$?
	[ $rc = 143 ] && [ "$(wc -l <"$T/pids")" = 8 ]
	while read -r pid; do
		! kill -0 "$pid" || return 1
	done <"$T/pids"
}

@test "apply: when it is killed, no switch has got a part of a line" {
	$M plan new slimfly q=3 p=1 -o "$T/q3.json" >/dev/null
	$M ethernet emit "$T/q3.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --layers 60 -o "$T/q3" >/dev/null
	# More lines than a pipe holds, for commands that do not read at first.
	[ "$(wc -c <"$T/q3/s0-0-0/routes.ipbatch")" -gt 131072 ]
	mkdir "$T/got"
	printf '#!/bin/sh\nsleep 6\ncat >"%s/got/$1"\n>"%s/got/$1.end"\n' "$T" "$T" >"$T/slow"
	printf '#!/bin/sh\necho "[]"\n' >"$T/none"
	chmod +x "$T/slow" "$T/none"
	run timeout -s KILL 5 $M ethernet apply "$T/q3" --command "$T/slow {switch}" --read "$T/none" 3>&-
	for _ in $(seq 100); do
		n=$(find "$T/got" -name '*.end' | wc -l)
		[ "$n" = 8 ] && break
		sleep 0.1
	done
	[ "$n" = 8 ]
	for f in "$T"/got/*.end; do
		[ "$(wc -c <"${f%.end}")" -gt 60000 ]
		[ -z "$(tail -c 1 "${f%.end}" | tr -d '\n')" ] || { tail -c 60 "${f%.end}"; false; }
	done
}
