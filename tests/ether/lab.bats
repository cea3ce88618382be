# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# lab.bats - what `ethernet emit` writes, on real kernels: a network namespace for each switch and
# host, veth links, real packets, a real lldpd.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${MOORE_BUILD:-$ROOT/build}
M=$BUILD/moorectl PINGS=$BUILD/tests/ether/pings
LAB=$ROOT/tests/ether/lab WALK=$ROOT/tests/ether/walk
PATH=$PATH:/usr/sbin

setup() {
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ ! -e lab/lab.json ] || "$LAB" down lab
}

# The JSON in $output satisfies a jq condition; if not, prints it.
holds() { jq -e "$1" <<<"$output" >/dev/null || { echo "not ($1): ${output:0:2000}"; return 1; }; }

needs_root() { [ "$(id -u)" = 0 ] || skip "lldpd gives up the rights of root, so it needs them"; }

# lab_of FAMILY PARAMS...: a plan, its files with both families, and the lab that has loaded them.
lab_of() {
	"$M" plan new "$@" -o plan.json >/dev/null
	"$M" ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 -o net --json >emitted
	"$LAB" up plan.json lab --no-lldp
	"$LAB" load lab net
	"$LAB" hosts lab net >hosts
}

# All hosts reach all others in every layer and family, in the hops and classes that the routes say.
all_answer() {
	"$WALK" marks lab net start
	run -0 "$PINGS" <hosts
	holds '.lost == 0 and .sent == .received and (.hops | length) > 1'
	# Every route has two switches at least, so the last mark is on every packet that arrives.
	holds '.dscp | keys == ["34"]'
	run -0 "$WALK" marks lab net check
	holds '.counters > 100 and .n_differ == 0 and .unseen == 0'
	run -0 "$WALK" routes lab net
	holds '.asked > 1000 and .differ == 0 and .astray == 0'
}

# all_arrived FILE: not one of many packets was lost; if not, prints which.
all_arrived() {
	jq -e '.lost == 0 and .sent > 50000' "$1" || { jq -c '{sent, lost}, .lost_list[:20][]' "$1"; false; }
}

@test "Slim Fly q=5: all pairs answer in every layer, kernels and traceroute agree with the routes" {
	needs_root
	lab_of slimfly q=5
	all_answer
	run -0 "$WALK" trace lab net 500 11
	holds '.traced == 500 and .wrong == []'
}

@test "OFT k=4 and MLFM h=4: all pairs answer in every layer" {
	needs_root
	lab_of oft k=4
	all_answer
	"$LAB" down lab
	lab_of mlfm h=4
	all_answer
}

@test "several next hops: all pairs answer over every one, and apply leads there and back" {
	needs_root
	lab_of oft k=4 p=1
	"$M" ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --ecmp 4 -o sets >/dev/null
	"$LAB" load lab sets
	run -0 "$WALK" routes lab sets
	holds '.several > 500 and .differ == 0 and .astray == 0 and .uneven == 0'
	for port in 4791 5001 5002 5003; do
		run -0 "$PINGS" --port "$port" <hosts
		holds '.lost == 0 and .sent == .received'
	done
	id=$(jq -r .id lab/lab.json)
	load="ip netns exec $id.{switch} ip -force -batch -"
	read="ip netns exec $id.{switch} ip {family} -N -json route show"
	run -0 "$M" ethernet apply sets --command "$load" --read "$read" --json
	holds '.edits == 0'
	"$PINGS" --seconds 6 <hosts >during || true &
	sleep 1
	for to in net sets; do
		run -0 "$M" ethernet apply "$to" --command "$load" --read "$read" --json
		holds '.steps.ok and .edits > 500'
	done
	wait
	all_arrived during
	run -0 "$WALK" routes lab sets
	holds '.several > 500 and .differ == 0 and .astray == 0 and .uneven == 0'
}

@test "the largest packets pass, and hosts with another mark get no lossless class" {
	needs_root
	lab_of slimfly q=3 p=2
	run -0 "$PINGS" --size 8900 <hosts
	holds '.lost == 0'
	run -0 "$PINGS" --dscp 34 <hosts
	holds '.lost == 0 and (.dscp | keys == ["0"])'
	run -0 "$PINGS" --dscp 10 <hosts
	holds '.dscp | keys == ["10"]'
}

@test "lldpd in every switch sees every link" {
	needs_root
	"$M" plan new slimfly q=5 -o plan.json >/dev/null
	"$LAB" up plan.json lab
	sleep 3
	for _ in $(seq 10); do
		n=$(for s in $(jq -r '.switches[].name' plan.json); do
			lldpcli -u "/run/$(jq -r .id lab/lab.json)/$s" -f json0 show neighbors
		done | grep -c '"rid"' || true)
		[ "$n" -lt 350 ] || break
		sleep 1
	done
	[ "$n" = 350 ] || { echo "$n of 350"; cat lab/s0-0-0.log; false; }
}

@test "a cable is cut: the routes around it load over the old ones, and all answer again" {
	needs_root
	lab_of slimfly q=5
	"$LAB" cut lab s0-0-0 4
	sleep 0.2
	run -1 "$PINGS" <hosts
	holds '.lost > 0'
	"$M" ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --fail s0-0-0:4 -o around >/dev/null
	"$LAB" load lab around
	run -0 "$PINGS" <hosts
	holds '.lost == 0'
}

@test "a cut and its repair, applied while all hosts send: no packet of a live pair is lost" {
	needs_root
	lab_of slimfly q=5 p=1
	id=$(jq -r .id lab/lab.json)
	load="ip netns exec $id.{switch} ip -force -batch -"
	read="ip netns exec $id.{switch} ip {family} -N -json route show"
	emit="$M ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48"
	run -0 "$M" ethernet apply net --command "$load" --read "$read"
	ip -n "$id.s0-0-0" route add 192.168.77.0/24 dev swp3 proto static
	far=$(jq -r '.peer["s0-0-0:swp2"] | select(.[1] == "swp2")[0]' lab/lab.json)
	"$LAB" cut lab s0-0-0 2
	sleep 0.2
	run -1 "$PINGS" <hosts
	jq -c '.lost_list[] | [.from, .to, .address]' <<<"$output" | sort >dead
	$emit --fail s0-0-0:2 -o around >/dev/null
	"$PINGS" --seconds 6 <hosts >during || true &
	sleep 1
	start=$EPOCHREALTIME
	run -0 "$M" ethernet apply around --command "$load" --read "$read" --json
	echo "# applied in $(bc <<<"$EPOCHREALTIME - $start") s" >&3
	holds '.steps.ok and .edits > 10'
	wait
	run -0 "$PINGS" <hosts
	holds '.lost == 0'
	jq -c '.lost_list[] | [.from, .to, .address]' during | sort >lost
	[ -s dead ] && [ "$(wc -l <lost)" -le "$(wc -l <dead)" ]
	[ -z "$(comm -23 lost dead)" ] || { echo "of live pairs:"; comm -23 lost dead | head -20; false; }
	# The cable is back: nothing at all is lost, although the kernel has dropped the addresses and
	# neighbours of the port that was down, and takes seconds over one of its own before it asks for any.
	ip netns exec "$id.$far" sysctl -q -w net.ipv6.conf.swp2.dad_transmits=6
	"$PINGS" --seconds 8 <hosts >during || true &
	sleep 1
	"$LAB" mend lab s0-0-0 2
	run -0 "$M" ethernet apply net --command "$load" --read "$read" --json
	holds '.steps.ok and .edits > 10'
	[ "$(ip -n "$id.$far" neigh show dev swp2 nud permanent | wc -l)" -gt 1 ]
	ip -n "$id.$far" -6 addr show dev swp2 | grep -q nodad
	wait
	all_arrived during
	[ "$(ip -n "$id.s0-0-0" route show 192.168.77.0/24 | wc -l)" = 1 ]
	run -0 "$M" ethernet apply net --command "$load" --read "$read" --dry-run --json
	holds '.edits == 0'
}

# in_kernel SPACE: "PREFIX PORT" of every next hop over a port, sorted.
in_kernel() {
	{ ip -n "$1" -json route show; ip -n "$1" -6 -json route show; } |
		jq -r '.[] | select(.dst | startswith("fe80") or . == "default" | not) | .dst as $dst |
			(.nexthops // [.])[] | select(.dev | startswith("swp")) | "\($dst) \(.dev)"' | sort
}

# frr_agrees SWITCH N: FRR takes over from our N next hops of a switch with what DIR frr holds for it.
frr_agrees() {
	local space own d
	space=$(jq -r .id lab/lab.json).$1
	in_kernel "$space" >ours
	[ "$(wc -l <ours)" = "$2" ]
	ip -n "$space" route flush proto 109
	ip -n "$space" -6 route flush proto 109
	[ -z "$(in_kernel "$space")" ]
	own=$(mktemp -d)
	cp "frr/$1/frr.conf" "$own"
	: >"$own/empty"
	chown -R frr:frr "$own"
	for d in zebra:empty staticd:frr.conf; do
		ip netns exec "$space" "/usr/lib/frr/${d%:*}" -d -f "$own/${d#*:}" -i "$own/${d%:*}.pid" -z "$own/zebra" \
			--vty_socket "$own" -P 0 3>&- 2>"$own/log" || { cat "$own/log"; false; }
	done
	for _ in $(seq 100); do
		in_kernel "$space" >theirs
		[ "$(wc -l <theirs)" -lt "$2" ] || break
		sleep 0.2
	done
	run -0 "$PINGS" <hosts
	mkdir -p "told/$1"
	ip netns exec "$space" vtysh --vty_socket "$own" -c "show ip route json" >"told/$1/routes.json"
	ip netns exec "$space" vtysh --vty_socket "$own" -c "show ipv6 route json" >"told/$1/routes6.json"
	kill "$(cat "$own/staticd.pid")" "$(cat "$own/zebra.pid")"
	rm -rf "$own"
	holds '.lost == 0'
	diff ours theirs
}

@test "FRR loads its file, and the kernel then routes as with ours" {
	needs_root
	lab_of slimfly q=5 p=1
	"$M" ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --format ipbatch,frr,nft -o frr >/dev/null
	frr_agrees s0-2-3 400
	# What FRR says of its routes is read as what the switch runs.
	for s in frr/s*; do
		[ "$s" = frr/s0-2-3 ] || ip -n "$(jq -r .id lab/lab.json).${s#frr/}" -N -json route show \
			>"$(mkdir -p "told/${s#frr/}"; echo "told/${s#frr/}")/routes.json"
		[ "$s" = frr/s0-2-3 ] || ip -n "$(jq -r .id lab/lab.json).${s#frr/}" -6 -N -json route show \
			>"told/${s#frr/}/routes6.json"
	done
	run -0 "$M" ethernet diff frr told --json
	holds '.edits == 0'
	jq 'with_entries(select(.value[0].protocol == "static")) | to_entries | .[1:] | from_entries' \
		told/s0-2-3/routes.json >less && mv less told/s0-2-3/routes.json
	run -1 "$M" ethernet diff frr told --json
	holds '.edits == 1'
}

@test "FRR loads routes with several next hops" {
	needs_root
	lab_of oft k=4 p=1
	emit="$M ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 --ecmp 4"
	$emit -o sets >/dev/null
	$emit --format ipbatch,frr,nft -o frr >/dev/null
	"$LAB" load lab sets
	n=$(grep -o ' dev swp' sets/o0-0/routes.ipbatch | wc -l)
	[ "$n" -gt "$(wc -l <sets/o0-0/routes.ipbatch)" ]
	frr_agrees o0-0 "$n"
}

@test "a user without rights can do it in a namespace of their own" {
	own=$(mktemp -d)
	cp "$M" "$PINGS" "$LAB" "$own"
	cat >"$own/inside" <<-END
		set -e
		mount -t tmpfs none /run
		cd "$own"
		./moorectl plan new slimfly q=3 p=2 -o plan.json >/dev/null
		./moorectl ethernet emit plan.json --ipv4 10.0.0.0/8 --ipv6 fd00::/48 -o net >/dev/null
		./lab up plan.json there --no-lldp
		./lab load there net
		./lab hosts there net >hosts
		./pings <hosts
		./lab down there
	END
	user=()
	[ "$(id -u)" != 0 ] || { chmod 777 "$own"; user=(setpriv --reuid=65534 --regid=65534 --clear-groups); }
	run -0 "${user[@]}" unshare -Urmn bash "$own/inside"
	rm -rf "$own"
	holds '.lost == 0 and .hosts == 18'
}
