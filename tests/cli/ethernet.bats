# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# ethernet.bats - ethernet emit and verify: what is written, that it is read back, and that
# every kind of damage to the files is found.
load lib
load ethernet

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
	# One that names a next hop which is not there, too.
	sed -i "\$s/.*/route replace 10.0.1.4\/30 via 10.0.0.17 dev $port onlink proto 109/" "$S"
	run -1 $M ethernet verify "$N" --json
	holds '.tables[0].fault_list[0] | .kind == "wrong-next-hop" and .to == "10.0.1.0/29"'
	# The kernel takes one of another protocol for ours, but not to other addresses.
	sed -i '$s/proto 109/proto 12/' "$S"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "s0-0-0/routes.ipbatch:$(wc -l <"$S"): a route of another protocol than 109 takes packets of the network"
	sed -i '$s/10.0.1.4/10.9.1.4/' "$S"
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

@test "a plan without hosts, or with all of them cut off, is judged by the classes as well" {
	for of in 'del(.endpoints[])' '.switches[0].name as $s | del(.endpoints[] | select(.switch != $s)) |
		del(.cables[] | select(.a.switch == $s or .b.switch == $s))'; do
		jq "$of | del(.topology)" "$P" >"$T/p.json"
		run -0 $M ethernet emit "$T/p.json" --ipv4 10.0.0.0/8 -o "$T/net" --json
		holds '.ok and .tables[0].vls == [0, 1]'
		run -0 $M ethernet emit "$T/p.json" --ipv4 10.0.0.0/8 --backup -o "$T/net" --json
		holds '.ok and .tables[0].backups.sound'
	done
}

@test "a line that is there twice, with or without a difference" {
	emit="$M ethernet emit $R/plan.json --ipv4 10.0.0.0/16 --layers 1 --format ipbatch,frr,nft"
	$emit -o "$T/twice" >/dev/null
	I=$T/twice/r0/routes.ipbatch F=$T/twice/r0/frr.conf C=$T/twice/r0/class.nft
	# All three programs take an equal one for the same.
	sed -i '2p' "$I"
	sed -i '/^ip route .*\/30 /{p}' "$F"
	sed -i '/"swp2" : goto/p' "$C"
	run -0 $M ethernet verify "$T/twice" --json
	holds 'all(.tables[]; .sets == null and .routes == 25)'
	# ip would take the last one, nft none.
	sed -i 's/^\(route replace 10.0.0.8\/30 via\) .*/&\n\1 10.0.0.17 dev swp3 onlink proto 109/' "$I"
	line=$(grep -n "10.0.0.8/30 via 10.0.0.17 dev swp3" "$I" | cut -d: -f1)
	run -2 --separate-stderr $M ethernet verify "$T/twice"
	says "r0/routes.ipbatch:$line: line $((line - 1)) has another route to this prefix"
	$emit -o "$T/twice" >/dev/null
	sed -i '0,/"swp2" : goto dscp34/s//"swp2" : goto dscp26,\n\t\t\t&/' "$C"
	run -2 --separate-stderr $M ethernet verify "$T/twice"
	says "the port is in the map already, with another verdict"
}

# lacks FILE LINE: verify finds that a file of $N lacks a line, and nothing else but an address in its place; the file
# is as before then.
lacks() {
	local f=${1##*/} host=null
	[[ $1 != hosts/* ]] || { host=${1#hosts/} && host="\"${host%/*}\""; }
	run -1 $M ethernet verify "$N" --json
	holds ".tables[0] | .acyclic and .unreachable == 0 and
		(.faults == 1 or (.faults == 2 and .fault_list[1].line and .fault_list[1].lacks == null)) and (.fault_list[0] | .kind == \"incomplete-file\" and
		.file == \"$f\" and .host == $host and .lacks == $2)"
	cp "$BATS_FILE_TMPDIR/net/$1" "$N/$1"
}

@test "addresses, neighbours, settings and the files of hosts: a line that is gone or changed is found" {
	while read -r f line; do
		grep -qxF "$line" "$N/$f"
		awk -v line="$line" '$0 != line' "$BATS_FILE_TMPDIR/net/$f" >"$N/$f"
		lacks "$f" "\"$line\""
		awk -v line="$line" '$0 == line { sub(/[0-9]$|[0-9]( |\/)/, "7&") } 1' "$BATS_FILE_TMPDIR/net/$f" >"$N/$f"
		lacks "$f" "\"$line\""
		rm "$N/$f"
		lacks "$f" null
	done <<-'END'
		s0-0-0/interfaces.ipbatch link set dev swp4 address 02:04:00:00:00:00 mtu 9000 up
		s1-2-3/interfaces.ipbatch addr replace fe80::26:5/64 dev swp5 nodad
		s0-0-0/neighbours.ipbatch neigh replace 10.0.0.2 lladdr 06:00:00:00:00:00 dev swp1 nud permanent
		s0-0-0/sysctl.conf net.ipv4.ip_forward = 1
		hosts/s0-0-0-h1/setup.ipbatch addr replace 10.0.0.3/32 dev eth0
		hosts/s1-2-2-h0/env export NCCL_IB_GID_INDEX=3
	END
	# The last line of a setting is the one in force.
	echo " net.ipv4.ip_forward=0" >>"$N/s0-0-0/sysctl.conf"
	run -1 $M ethernet verify "$N"
	[[ $output == *"  s0-0-0/sysctl.conf has in line $(wc -l <"$N/s0-0-0/sysctl.conf") another value than net.ipv4.ip_forward = 1"* ]]
	# With other blanks it is the same value; sysctl takes slashes and a dash, too.
	echo "net.ipv4.ip_forward=1" >>"$N/s0-0-0/sysctl.conf"
	run -0 $M ethernet verify "$N"
	for line in "net/ipv4/ip_forward = 0" "-net.ipv4.ip_forward = 0" "net.ipv4.conf.all.forwarding = 0" \
		"net.ipv4.conf.swp4.forwarding=0" "net.ipv6.conf.swp5.disable_ipv6 = 1"; do
		echo "$line" >>"$N/s0-0-0/sysctl.conf"
		run -1 $M ethernet verify "$N"
		[[ $output == *"  s0-0-0/sysctl.conf has in line $(wc -l <"$N/s0-0-0/sysctl.conf") another value than net"* ]]
		sed -i '$d' "$N/s0-0-0/sysctl.conf"
	done
	echo "NCCL_IB_GID_INDEX=4" >>"$N/hosts/s1-2-2-h0/env"
	lacks hosts/s1-2-2-h0/env '"export NCCL_IB_GID_INDEX=3"'
	[ "$(sh -c ". '$N/hosts/s1-2-2-h0/env'; env" | grep -c '^UCX_IB\|^NCCL_IB')" = 4 ]
	# Comments, the order, and what a site adds count for nothing.
	{ echo "# ours"; tac "$N/s0-0-0/sysctl.conf"; echo "net.ipv4.tcp_mtu_probing = 1"; } >"$T/more"
	mv "$T/more" "$N/s0-0-0/sysctl.conf"
	sed -i '/^#/d' "$N/hosts/s1-2-2-h0/env"
	run -0 $M ethernet verify "$N"
	# Directories of what switches run have no hosts.
	rm -r "$N/hosts"
	run -0 $M ethernet verify "$N"
	rm "$N/s0-1-1/neighbours.ipbatch"
	run -1 $M ethernet verify "$N"
	[[ $output == *"  s0-1-1/neighbours.ipbatch is missing"* ]]
}

# Adds each line of standard input, VERDICT FILE LINE, to its file and verifies: of one that is bad, the
# answer names the line, and what it does in these words.
judge_lines() {
	while read -r verdict f line; do
		echo "$line" >>"$N/$f"
		[ $verdict = ok ] && rc=0 || rc=1
		run -$rc $M ethernet verify "$N"
		[ $verdict = ok ] || [[ $output == *"  $f has line $(wc -l <"$N/$f"), which $1"* ]]
		cp "$BATS_FILE_TMPDIR/net/$f" "$N/$f"
	done
}

@test "a later line of ip that undoes one of ours is found, and others are not" {
	judge_lines "undoes " <<-'END'
		bad s0-0-0/interfaces.ipbatch addr del 10.0.0.1/32 dev lo
		bad s0-0-0/interfaces.ipbatch address delete 10.0.0.1 dev lo
		bad s0-0-0/interfaces.ipbatch a f dev swp5
		bad s0-0-0/interfaces.ipbatch link set swp5 down
		bad s0-0-0/interfaces.ipbatch link set dev swp5 mtu 1500
		ok s0-0-0/interfaces.ipbatch link set dev swp5 mtu 9000 txqueuelen 2000
		ok s0-0-0/interfaces.ipbatch link set dev mgmt down
		ok s0-0-0/interfaces.ipbatch addr add 192.0.2.1/32 dev lo
		bad s0-0-0/interfaces.ipbatch link set group default down
		bad s0-0-0/interfaces.ipbatch link set swp4 master br0
		bad s0-0-0/interfaces.ipbatch link del swp4
		bad s0-0-0/neighbours.ipbatch link set swp5 down
		bad s0-0-0/neighbours.ipbatch addr flush dev swp4
		bad s0-0-0/neighbours.ipbatch addr del 10.0.0.1/32 dev lo
		ok s0-0-0/interfaces.ipbatch neigh flush all
		bad s0-0-0/neighbours.ipbatch neigh replace 10.0.0.2 lladdr 06:00:00:00:00:77 dev swp1 nud permanent
		bad s0-0-0/neighbours.ipbatch neighbor del 10.0.0.2 dev swp1
		bad s0-0-0/neighbours.ipbatch n flush all
		ok s0-0-0/neighbours.ipbatch neigh flush dev mgmt
		bad hosts/s0-0-0-h1/setup.ipbatch route del default
		bad hosts/s0-0-0-h1/setup.ipbatch route replace 0.0.0.0/0 via 192.0.2.1 dev mgmt
		ok hosts/s0-0-0-h1/setup.ipbatch route replace 0.0.0.0/0 via 192.0.2.1 dev mgmt metric 500
		ok hosts/s0-0-0-h1/setup.ipbatch route add 198.51.100.0/24 via 192.0.2.1 dev mgmt
	END
	# A route or an address that takes packets of the network, in a file that is to hold others.
	judge_lines "leads addresses of the network elsewhere" <<-'END'
		bad s0-0-0/interfaces.ipbatch route add 10.0.1.4/30 via 10.0.0.17 dev swp5 onlink
		bad s0-0-0/neighbours.ipbatch r a blackhole 10.0.1.2/32
		bad s0-0-0/neighbours.ipbatch addr add 10.0.1.2/24 dev lo
		ok s0-0-0/neighbours.ipbatch route add 10.0.0.0/8 via 192.0.2.1 dev mgmt
		ok s0-0-0/neighbours.ipbatch route add default via 192.0.2.1 dev mgmt
		bad hosts/s0-0-0-h1/setup.ipbatch route add 10.0.0.0/9 via 192.0.2.1 dev mgmt
		ok hosts/s0-0-0-h1/setup.ipbatch route add 10.0.0.0/9 via 10.0.0.1 dev eth0 onlink
		bad hosts/s0-0-0-h1/setup.ipbatch addr add fd00::5/128 dev eth0
	END
	# It does no harm before ours.
	sed -i '1i neigh flush all' "$N/s0-0-0/neighbours.ipbatch"
	run -0 $M ethernet verify "$N"
}

@test "a host with two ports: both have their route, and the files of both are checked" {
	jq '.endpoints[0] as $e | .endpoints |= map(if .switch == "r3" then .name = $e.name | .ca_port = 2 else . end)' \
		"$R/plan.json" >"$T/two.json"
	$M ethernet emit "$T/two.json" --ipv4 10.0.0.0/16 --ipv6 fd00::/48 --layers 1 -o "$T/two" >/dev/null
	cat >"$T/load" <<-END
		for e in 0 1; do ip link add eth\$e type veth peer name p\$e; ip link set p\$e up; done
		ip -force -batch "$T/two/hosts/h0/setup.ipbatch"
		ip -force -batch "$T/two/hosts/h0/eth1-setup.ipbatch"
		for e in 0 1; do ip route get 10.0.0.10 oif eth\$e; ip route get fd00:0:0:2::2 oif eth\$e; done
		ip route get 10.0.0.10
	END
	run -0 env PATH="$PATH:/usr/sbin" unshare -Urn bash -e "$T/load"
	for way in "10.0.0.1 dev eth0" "fe80::1 dev eth0" "10.0.0.13 dev eth1" "fe80::3:1 dev eth1"; do
		[[ $output == *"via $way"* ]] || { echo "$output"; false; }
	done
	[[ $(grep ^10 <<<"$output" | tail -1) == *"via 10.0.0.1 dev eth0"* ]]
	# The files are loaded in the order of the ports.
	echo "addr flush dev eth1" >>"$T/two/hosts/h0/setup.ipbatch"
	run -0 $M ethernet verify "$T/two"
	echo "addr flush dev eth0" >>"$T/two/hosts/h0/eth1-setup.ipbatch"
	run -1 $M ethernet verify "$T/two"
	[[ $output == *"  hosts/h0/eth1-setup.ipbatch has line "*", which undoes addr replace 10.0.0.2/32 dev eth0"* ]]
	sed -i '/^addr/d' "$T/two/hosts/h0/eth1-setup.ipbatch"
	run -1 $M ethernet verify "$T/two"
	[[ $output == *"  hosts/h0/eth1-setup.ipbatch lacks the line addr replace "*"/32 dev eth1"* ]]
}

@test "a file that one switch lacks is missed, of whichever switch" {
	$M ethernet emit "$R/plan.json" --ipv4 10.0.0.0/16 --layers 1 --format ipbatch,frr,nft -o "$T/net3" >/dev/null
	for f in r{0,3}/{routes.ipbatch,frr.conf,class.nft}; do
		mv "$T/net3/$f" "$T/kept"
		run -2 --separate-stderr $M ethernet verify "$T/net3"
		says "$f: is missing: add it"
		mv "$T/kept" "$T/net3/$f"
	done
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
	# 49 switches and s1-2-2 do not reach each other, in 4 layers.
	run -0 $M ethernet verify "$T/cut"
	[[ $output == *"partitioned    392 pairs (switch, prefix) that no links connect"* ]]
	run -0 $M ethernet verify "$N"
	[[ $output != *partitioned* ]]
	# A host that fails changes no route.
	for what in s0-0-0:1 s0-0-0:2 s0-0-0-h0 s0-0-0-h1; do
		run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --fail $what -o "$T/host"
		says "--fail $what: host s0-0-0-h"
	done
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
	# Each prefix is counted once, as in the files.
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --sample 7 -o "$T/s4" --json
	jq '.tables[0] | .hops, .pairs' <<<"$output" >"$T/sampled"
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 -o "$T/whole" --json
	jq '.tables[0] | .hops, .pairs' <<<"$output" | diff "$T/sampled" -
	run -2 --separate-stderr $M ethernet verify "$T/s"
	says "/routes.ipbatch: is missing: add it, since the files of all switches are read (ethernet emit --sample "
	rm "$T"/s/s*/routes.ipbatch
	run -2 --separate-stderr $M ethernet verify "$T/s"
	says "the switches have no file of routes there"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --sample 51 -o "$T/x"
	says "--sample 51: not a number from 1 to 50"
}

@test "more than 20,000 switches: a sample, whose tables are made in parts" {
	cd "$BATS_TEST_TMPDIR"
	run -0 $M plan new torus a=12 b=12 c=12 d=12 -o t.json
	run -2 --separate-stderr $M ethernet emit t.json --ipv4 10.0.0.0/8 --layers 1 -o big
	says "t.json: the files of all 20736 switches would not fit on most disks: with --sample 200 the tables"
	[ ! -e big ]
	[ -n "$MOORE_SOAK" ] || return 0
	(ulimit -v 4194304; $M ethernet emit t.json --ipv4 10.0.0.0/8 --layers 1 --sample 3 -o big --json) >answer
	jq -e '.ok and .switches == 20736 and
		(.tables[0] | .sound and .acyclic and .unreachable == 0 and .routes == 20736 * 20736)' answer
	for at in big/t*/; do
		[ "$(grep -c " via .* proto 109" "$at/routes.ipbatch")" = 20735 ]
	done
}

@test "bad options and files say what is wrong" {
	run -2 --separate-stderr $M ethernet emit "$P" -o "$T/x"
	says "no range of addresses"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --layers 65 -o "$T/x"
	says "/p.json: 65 layers of both families are more than the checker takes: choose up to 64"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/24 -o "$T/x"
	says "too small for 200 prefixes of /29: give one of /21 or larger"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.1/8 -o "$T/x"
	says "bits after the first 8 are set"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 fd00::/8 -o "$T/x"
	says "other family"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --links-ipv4 10.1.0.0/16 -o "$T/x"
	says "overlap"
	# No host can have these, and ports have link-local ones.
	for range in "4 0.0.0.0/0" "4 0.0.0.0/10" "4 127.0.0.0/8" "4 224.0.0.0/4" "4 240.0.0.0/5" "6 ::/0" "6 ::/40" \
		"6 fe80::/40" "6 fe00::/8" "6 ff05::/16"; do
		run -2 --separate-stderr $M ethernet emit "$P" --ipv${range/ / } -o "$T/x"
		says "a range overlaps"
	done
	run -2 --separate-stderr $M ethernet emit "$P" --ipv6 fd00::/48 --links-ipv6 fe80::/64 -o "$T/x"
	says "a range overlaps fe80::/10, the link-local addresses of the ports"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --format ipbatch,bgp -o "$T/x"

	says "bgp is no format"
	for bad in "frr frr.conf holds routes alone: add ipbatch" "nft nft holds no routes: add ipbatch"; do
		run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --format ${bad%% *} -o "$T/x"
		says "--format: ${bad#* }"
	done
	run -1 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --format ipbatch -o "$T/x"
	says "the routes need two lossless classes, and no file marks them: add nft to --format, or choose one class"
	for bad in "3, 26" "3,4,5 26,34" "3 26,34" "3,4 26" "8 26" "3 26,"; do
		run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --priorities ${bad% *} --dscp ${bad#* } -o "$T/x"
	done
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --layers 129 -o "$T/x"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --dscp 26,26 -o "$T/x"
	# Lossy packets leave with DSCP 0, on priority 0.
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --dscp 26,0 -o "$T/x"
	says "DSCP 0 is that of lossy traffic"
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --priorities 0 -o "$T/x"
	says "priority 0 is that of lossy traffic"
	[ ! -e "$T/x" ]
	sed -i '3s/dev swp[0-9]*/dev eth0;reboot/' "$N/s0-0-0/routes.ipbatch"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "routes.ipbatch:3: \"eth0;reboot\": is no port of a switch"
	head -c 5000 "$BATS_FILE_TMPDIR/net/addresses.json" >"$N/addresses.json"
	run -2 --separate-stderr $M ethernet verify "$N"
	says "addresses.json:"
	run -2 --separate-stderr $M ethernet verify "$T/nowhere"
}

@test "names that cannot stand in paths and commands are refused, by apply too" {
	while read -r old bad; do
		sed "s|\"$old\"|\"$bad\"|g" "$P" >"$T/bad.json"
		run -2 --separate-stderr $M ethernet emit "$T/bad.json" --ipv4 10.0.0.0/8 -o "$T/x"
		says "/bad.json: \"$bad\": cannot stand in paths and commands"
		[ ! -e "$T/x" ]
	done <<-'END'
		s0-0-0 -oProxyCommand=reboot
		s0-0-0 s0;reboot
		s0-0-0 s0$(reboot)
		s0-0-0 *
		s0-0-0 ..
		s0-0-0 a/b
		s0-0-0 a b
		s0-0-0-h0 h`reboot`
	END
	sed "s|\"s0-0-0\"|\"hosts\"|g" "$P" >"$T/bad.json"
	run -2 --separate-stderr $M ethernet emit "$T/bad.json" --ipv4 10.0.0.0/8 -o "$T/x"
	says "/bad.json: \"hosts\": a file beside the switches has this name"
	for f in plan addresses; do
		sed -i 's|"s0-0-0"|"-oProxyCommand=reboot"|g' "$N/$f.json"
	done
	mv "$N/s0-0-0" "$N/-oProxyCommand=reboot"
	run -2 --separate-stderr $M ethernet apply "$N" --command "ssh {switch}" --read "echo []"
	says "\"-oProxyCommand=reboot\": cannot stand in paths and commands"
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
	run -2 --separate-stderr $M ethernet emit "$P" --ipv4 10.0.0.0/8 --next-hop inet6 --format ipbatch,frr -o "$T/frr6"
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
	# PFC of priority 3 would stop another queue, or come from another buffer.
	damage '.MAP_PFC_PRIORITY_TO_QUEUE.moore["3"] = "5"'
	[ "$status" = 1 ] && holds 'any(.tables[0].fault_list[]; .kind == "lossy")'
	damage '.PFC_PRIORITY_TO_PRIORITY_GROUP_MAP.moore["3"] = "5"'
	[ "$status" = 1 ] && holds 'any(.tables[0].fault_list[]; .kind == "lossy")'
	damage 'del(.MAP_PFC_PRIORITY_TO_QUEUE)'
	[ "$status" = 2 ]
	damage '.TC_TO_DSCP_MAP.moore["2"] = "26"'

	[ "$status" = 1 ]
	# The addresses on which next hops rest, and the MTU.
	damage 'del(.INTERFACE["Ethernet12|172.16.0.0/31"])'
	[ "$status" = 2 ] && [[ $output == *'INTERFACE[\"Ethernet12|172.16.0.0/31\"]: is missing'* ]]
	damage '.PORT.Ethernet12.mtu = "1500"'
	[ "$status" = 2 ] && [[ $output == *'PORT[\"Ethernet12\"].mtu: should be 9000'* ]]
	damage '.INTERFACE.Ethernet12.vrf_name = "Vrf1"'
	[ "$status" = 2 ] && [[ $output == *'INTERFACE[\"Ethernet12\"]: is in a VRF'* ]]
	damage '.PORTCHANNEL_MEMBER["PortChannel1|Ethernet12"] = {}'
	[ "$status" = 2 ] && [[ $output == *'PORTCHANNEL_MEMBER[\"PortChannel1|Ethernet12\"]: the port routes'* ]]
	damage '.PORT.Ethernet12.lanes = "1,2,3,4" | .INTERFACE.Ethernet0.x = "1" | .VLAN = {}'
	[ "$status" = 0 ]
	damage '.STATIC_ROUTE["default|10.0.0.8/29"].ifname = "Ethernet17"'
	[ "$status" = 2 ]
	damage 'del(.DSCP_TO_TC_MAP.moore_host)'
	[ "$status" = 2 ]
	head -c 3000 "$T/whole" >"$D"
	run -2 --separate-stderr $M ethernet verify "$T/sonic"
	says "config_db.json:"
}

# ---- several next hops --------------------------------------------------------------------

# until_written N: waits until the directory beside net has so many files.
until_written() {
	for _ in $(seq 3000); do
		[ ! -d "$(echo "$T"/beside/net.unfinished-??????)" ] ||
			[ "$(ls "$T"/beside/net.unfinished-?????? | wc -l)" -lt "$1" ] || break
		sleep 0.01
	done
}

@test "emit: a signal at any time leaves the directory as it was, and nothing beside it" {
	$M plan new slimfly q=9 p=1 -o "$T/q9.json" >/dev/null
	mkdir "$T/beside"
	cp -r "$N" "$T/beside/net"
	(cd "$T/beside/net" && find . -type f -exec cksum {} +) | sort >"$T/before"
	for at in "0 TERM 143" "1 INT 130" "20 HUP 129" "120 TERM 143"; do
		read -r files signal status <<<"$at"
		env --default-signal="$signal" $M ethernet emit "$T/q9.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 \
			-o "$T/beside/net/" 3>&- >/dev/null &
		until_written "$files"
		kill -s "$signal" $!
		rc=0
		wait $! || rc=$?
		[ "$rc" = "$status" ] || { echo "$at: $rc"; false; }
		[ "$(ls "$T/beside")" = net ] || { echo "$at"; ls "$T/beside"; false; }
		(cd "$T/beside/net" && find . -type f -exec cksum {} +) | sort | diff "$T/before" -
	done
	# One that was to be ignored still is.
	(trap "" HUP; exec $M ethernet emit "$T/q9.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 -o "$T/beside/net" 3>&- >/dev/null) &
	until_written 0
	kill -s HUP $!
	wait $!
	[ "$(ls "$T/beside")" = net ]
}

@test "emit: the next run removes what SIGKILL left, and nothing that another run still writes" {
	$M plan new slimfly q=9 p=1 -o "$T/q9.json" >/dev/null
	mkdir -p "$T/beside/net.backup" "$T/beside/net.unfinished-other"
	left=$T/none
	for sig in KILL STOP; do
		$M ethernet emit "$T/q9.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 -o "$T/beside/net" 3>&- >/dev/null 2>&1 &
		for _ in $(seq 3000); do [ -d "$left" ] || break; sleep 0.01; done
		until_written 20
		kill -s $sig $!
		left=$(echo "$T"/beside/net.unfinished-??????)
		[ -d "$left" ]
	done
	held=$!
	run -0 $M ethernet emit "$P" --ipv4 10.0.0.0/8 --layers 1 -o "$T/beside/net"
	[ "$(ls "$T/beside" | wc -l)" = 4 ]	# with the one that is stopped
	kill -s CONT $held
	wait $held
	[ "$(ls "$T/beside" | tr '\n' ' ')" = "net net.backup net.unfinished-other " ]
}

@test "emit: what turns out not to be sound does not replace what was there" {
	$M plan new slimfly q=9 p=1 -o "$T/q9.json" >/dev/null
	mkdir "$T/beside"
	cp -r "$N" "$T/beside/net"
	$M ethernet emit "$T/q9.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 -o "$T/beside/net" 3>&- >"$T/out" 2>"$T/err" &
	until_written 20
	kill -s STOP $!
	echo "route replace 10.0.0.5 via 10.0.0.5 dev swp1 onlink proto 109" >>"$(echo "$T"/beside/net.unfinished-??????/s0-0-0)/routes.ipbatch"
	kill -s CONT $!
	rc=0
	wait $! || rc=$?
	[ "$rc" = 1 ]
	grep -q "faults " "$T/out"
	grep -q "/beside/net: left as it was, since the new files are not sound" "$T/err"
	[ "$(ls "$T/beside")" = net ]
	diff -r "$N" "$T/beside/net"
}
