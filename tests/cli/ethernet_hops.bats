# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# ethernet_hops.bats - routes with several next hops, and with backups.
load lib
load ethernet

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
		580 4 oft k=4
		318 4 mlfm h=4
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

@test "emit --backup for SONiC: the same backups, as next hops of distance 20; damage to distances is found" {
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --layers 2 --links-ipv4 172.16.0.0/16 \
		--links-ipv6 fd01::/64 --backup --format ipbatch,sonic,nft -o "$T/net-b" --json
	holds '.ok and (.tables | length) == 2 and ([.tables[] | .backups] | unique | length) == 1 and .tables[0].backups.backed > 1000'
	D=$T/net-b/s0-0-0/config_db.json
	# The pattern of distance in sonic-static-route; SONiC refuses lists of different lengths.
	jq -e 'def n: split(",") | length; [.STATIC_ROUTE[] | select(.distance)] | length > 100 and all(.[];
		(.distance | test("^0,20$")) and (.distance | n) == (.nexthop | n) and (.distance | n) == (.ifname | n))' "$D"
	[ "$(jq '[.STATIC_ROUTE[] | select(.distance)] | length' "$D")" = \
		"$(grep -c ' metric 2048$' "$T/net-b/s0-0-0/routes.ipbatch")" ]
	cp "$D" "$T/whole-b"
	to=$(jq -r '[.STATIC_ROUTE | to_entries[] | select(.value.distance)][0].key' "$D")
	for distance in 0,0 1,20 0 0,20,20 0,20, 0,30 ,20; do
		jq --arg k "$to" --arg d "$distance" '.STATIC_ROUTE[$k].distance = $d' "$T/whole-b" >"$D"
		run --separate-stderr $M ethernet verify "$T/net-b" --json
		case $distance in
		1,20) [ "$status" = 0 ] ;;
		0,0) holds '.tables[0].backups.backed != .tables[1].backups.backed' ;;
		*) [ "$status" = 2 ] && says "distance" ;;
		esac
	done
}

@test "emit --backup goes neither with --ecmp nor --sample" {
	for with in "--ecmp 2" "--sample 2"; do
		run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --backup $with -o "$T/x"
		says "neither with --ecmp nor with --sample"
	done
}

# ---- diff -------------------------------------------------------------------------------
