# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored.bats - moored on a plane of Ethernet switches: network namespaces with a real lldpd.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${MOORE_BUILD:-$ROOT/build}
M=$BUILD/moorectl LAB=$ROOT/tests/ether/lab
PATH=$PATH:/usr/sbin
export COLUMNS=10000	# a sentence that a test looks for stands in one line

setup() {
	[ "$(id -u)" = 0 ] || skip "lldpd gives up the rights of root, so it needs them"
	cd "$BATS_TEST_TMPDIR"
	moored='' hosts_run=''
	"$M" plan new slimfly q=3 p=1 -o whole.json >/dev/null
	jq 'del(.endpoints[])' whole.json >plan.json	# the hosts of the lab run no lldpd
	"$LAB" up whole.json lab
	id=$(jq -r .id lab/lab.json)
	cat >ask <<-END
		#!/bin/sh
		echo "a warning, as ssh prints them" >&2
		case \$2 in
		neighbors) exec lldpcli -u "/run/$id/\$1" -f json0 show neighbors details ;;
		chassis) exec lldpcli -u "/run/$id/\$1" -f json0 show chassis ;;
		links) exec ip -n "$id.\$1" -json -statistics link show ;;
		esac
	END
	chmod +x ask
	printf '%s\n' "socket $PWD/s" "state_dir (null)" "metrics (null)" "plan $PWD/plan.json" "planes ethernet" \
		"ethernet $PWD/ask {switch} {what}" "sweep_s 1" >moored.conf
}

teardown() {
	[ -z "$moored" ] || kill -KILL "$moored" 2>/dev/null || true
	for p in $hosts_run; do kill "$p" 2>/dev/null || true; done
	[ ! -e lab/lab.json ] || "$LAB" down lab
}

start() {
	"$BUILD/moored" --foreground --config moored.conf >log 2>&1 3>&- &
	moored=$!
}

ctl() { "$M" --no-pager --socket "$PWD/s" "$@"; }

# until WORDS...: waits for the command to succeed.
until_ok() {
	for _ in $(seq 150); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.2
	done
	echo "never: $*"; tail -5 log; false
}
deviates() { ctl check --json | jq -e ".deviations | length == $1"; }

@test "the fabric is found, its cables are checked, a swap and a cut are seen" {
	start
	until_ok ctl check
	run -0 ctl status --json
	jq -e '.planes[0] | .state == "up" and .switches == 18 and .cables == 45' <<<"$output"
	"$LAB" swap lab s0-0-0 2 s0-1-0 2
	crossed() { [ "$(ctl check | grep -c ^wrong-peer)" = 2 ]; }
	until_ok crossed
	run ctl repair
	[[ $output == *"2 moves of cable ends"* ]]
	"$LAB" swap lab s0-0-0 2 s0-1-0 2
	until_ok ctl check
	"$LAB" cut lab s1-0-0 3
	until_ok deviates 1
	"$LAB" mend lab s1-0-0 3
	until_ok ctl check
}

@test "counters: what hosts send appears on the links" {
	start
	until_ok ctl check
	"$M" ethernet emit whole.json --ipv4 10.0.0.0/8 -o net >/dev/null
	"$LAB" load lab net
	"$LAB" hosts lab net >hosts
	"$BUILD/tests/ether/pings" --size 8000 --seconds 4 <hosts >answers &
	pings=$!
	sleep 3
	run -0 ctl call history.port '{"switch": "s0-0-0", "port": 2}'
	wait "$pings"
	jq -e '[.rows[][2]] | max > 10000' <<<"$output"
}

@test "loads are shares of the planned rate" {
	jq '.rate = "1xSDR"' plan.json >slow.json && mv slow.json plan.json
	start
	until_ok ctl check
	"$M" ethernet emit whole.json --ipv4 10.0.0.0/8 -o net >/dev/null
	"$LAB" load lab net
	"$LAB" hosts lab net >hosts
	"$BUILD/tests/ether/pings" --size 8000 --seconds 6 <hosts >answers &
	pings=$!
	loaded() { ctl links --json | jq -e '[.links[].load] | max > 0.001 and max <= 1.1'; }
	until_ok loaded
	wait "$pings"
}

# Hosts run lldpd too, so that they are endpoints of the fabric.
lldpd_in_hosts() {
	for host in $(jq -r '.endpoints[].name' whole.json); do
		printf '%s\n' "configure system hostname $host" "configure lldp portidsubtype ifname" \
			"configure lldp tx-interval 1" >"/run/$id/$host.conf"
		ip netns exec "$id.$host" lldpd -d -I 'eth*' -u "/run/$id/$host" -O "/run/$id/$host.conf" \
			>/dev/null 2>&1 3>&- &
		hosts_run="$hosts_run $!"
	done
}

@test "a hotspot is named and explained by the routes that the switches run" {
	cp whole.json plan.json
	jq '.rate = "1xSDR"' plan.json >slow.json && mv slow.json plan.json
	lldpd_in_hosts
	echo "ethernet_dir $PWD/net" >>moored.conf
	sed -i "/^links/a routes) exec ip -n \"$id.\$1\" -json route show ;;" ask
	"$M" ethernet emit whole.json --ipv4 10.0.0.0/8 -o net >/dev/null
	"$LAB" load lab net
	start
	until_ok ctl check
	# Two hosts send to each other on layer 2.
	"$LAB" hosts lab net | awk '$1 == "s0-0-0-h0" || $1 == "s1-2-2-h0" { print $1, $2, $5 }' >two
	"$BUILD/tests/ether/pings" --size 8000 --seconds 60 <two >answers 3>&- &
	pings=$! hosts_run="$hosts_run $!"
	dev=$(ip -n "$id.s0-0-0" -json route get "$(awk '$1 == "s1-2-2-h0" { print $3 }' two)" | jq -r '.[0].dev')
	explains() {
		ctl call hotspots.explain "{\"switch\": \"s0-0-0\", \"port\": ${dev#swp}}" | jq -e \
			'.suspects[0] | .from == "s0-0-0" and .to == "s1-2-2" and .offset == 2'
	}
	until_ok explains
	# The rate of the plan is the least there is, 2 Gb/s, so that these two load it.
	place=".finding == \"load\" and .switch == \"s0-0-0\" and .port == ${dev#swp}"
	named() { ctl hotspots --json | jq -e ".hotspots | any($place)"; }
	until_ok named
	caused() {
		ctl call hotspots.history '{}' | jq -e ".events | map(select($place and .raised))[0].cause.suspects |
			any(.from == \"s0-0-0\" and .to == \"s1-2-2\")"
	}
	until_ok caused
	kill "$pings"
	# Routes that change are read again.
	ip -n "$id.s0-0-0" route flush proto 109
	gone() { ctl call path.select '{"pairs": [{"from": "s0-0-0-h0", "to": "s1-2-2-h0"}]}' | jq -e '.choices[0].offset == null'; }
	until_ok gone
}

@test "documents are read from files by a command that prints them" {
	collect() {
		for s in $(jq -r '.switches[].name' plan.json); do
			mkdir -p "docs/$s"
			for what in chassis neighbors links; do ./ask "$s" "$what" >"docs/$s/$what.json"; done
		done
	}
	collected() { collect && sleep 2 && ctl check; }
	sed -i "s,^ethernet .*,ethernet cat $PWD/docs/{switch}/{what}.json," moored.conf
	start
	until_ok collected
	until_ok ctl links
	rm docs/s0-2-2/chassis.json
	silent() { ctl status | grep -q "1 of 18 switches did not answer, the first is s0-2-2"; }
	until_ok silent
}

@test "a switch that does not answer costs only itself; a command that hangs stops nothing" {
	sed -i '2i [ "$1" != s0-2-2 ] || exit 3' ask
	sed -i '3i [ "$1" != s1-1-1 ] || [ "$2" = links ] || { echo "$2" >>hung; sleep 1000; }' ask
	start
	up() { ctl status --json | jq -e '.planes[0] | .state == "up" and .switches >= 16 and (.why | contains("did not answer"))'; }
	for _ in $(seq 100); do ! up >/dev/null 2>&1 || break; sleep 0.5; done
	run -0 up
	[[ $(ctl status) == *"2 of 18 switches did not answer"* ]]
	# It is waited for once, not for each document.
	[ "$(sort -u hung)" = chassis ]
	# It ends at once although a command hangs.
	kill -TERM "$moored"
	for _ in $(seq 40); do kill -0 "$moored" 2>/dev/null || break; sleep 0.1; done
	! kill -0 "$moored" 2>/dev/null
	moored=''
	! pgrep -f "$PWD/ask" >/dev/null
}

@test "without a plan, a command or the directory of routes the state says what is missing" {
	sed -i '/^plan /d' moored.conf
	start
	until_ok bash -c "'$M' --socket '$PWD/s' status | grep -q 'set the key plan'"
	kill -KILL "$moored"
	echo "plan $PWD/plan.json" >>moored.conf
	sed -i '/^ethernet /d' moored.conf
	rm -f s
	start
	until_ok bash -c "'$M' --socket '$PWD/s' status | grep -q 'the key ethernet has no command'"
	kill -KILL "$moored"
	printf '%s\n' "ethernet $PWD/ask {switch} {what}" "ethernet_dir $PWD/none" >>moored.conf
	rm -f s
	start
	until_ok bash -c "'$M' --socket '$PWD/s' status | grep -q 'ethernet_dir: .*plan.json'"
	until_ok ctl check
}

@test "path and verify answer by the routes and classes that the switches run" {
	cp whole.json plan.json
	lldpd_in_hosts
	echo "ethernet_dir $PWD/net" >>moored.conf
	sed -i "/^links/a routes) exec ip -n \"$id.\$1\" -N -json route show ;;" ask
	"$M" ethernet emit whole.json --ipv4 10.0.0.0/8 -o net >/dev/null
	"$LAB" load lab net
	start
	until_ok ctl check
	# Without classes verify says what is missing.
	run -2 ctl verify
	[[ $output == *"not their lanes or classes"* ]]
	sed -i "/^links/a classes) exec ip netns exec \"$id.\$1\" nft -n list table inet moore ;;" ask
	until_ok ctl verify
	run -0 ctl verify --json
	jq -e '.ok and .acyclic and .vls == [0, 1] and .unreachable == 0 and .expected == null and .op_vls.from == "classes"' <<<"$output"
	# What is computed for InfiniBand says nothing of these switches.
	[[ $(ctl verify) != *"another engine"* ]]
	run -2 ctl drain 's0-0-0[2]'
	[[ $output == *"plane 0 is of Ethernet switches: moorectl ethernet emit --fail"* ]]
	run -2 ctl call job.env '{"target": "ucx"}'
	[[ $output == *"hosts/HOST/env"* ]]
	# On layer 1 a packet goes as in the emitted files, in the class of each hop.
	"$LAB" hosts lab net | awk '$1 == "s0-0-0-h0" || $1 == "s1-2-2-h0"' >two
	run -0 ctl path s0-0-0-h0 s1-2-2-h0 --offset 1 --json
	hops=$(jq -r '[.hops[] | select(.switch) | .switch] | join(" ")' <<<"$output")
	run -0 ip netns exec "$id.s0-0-0-h0" ip -json route get "$(awk '$1 == "s1-2-2-h0" { print $4 }' two)"
	dev=$(ip -n "$id.s0-0-0" -json route get "$(awk '$1 == "s1-2-2-h0" { print $4 }' two)" | jq -r '.[0].dev')
	run -0 ctl path s0-0-0-h0 s1-2-2-h0 --offset 1
	[[ $hops == s0-0-0*s1-2-2 && $output == *"${dev#swp}"* ]]
	# What the switches print, collected in a directory, is judged as well.
	mkdir run && cp net/plan.json net/addresses.json run
	for s in net/s*; do
		mkdir "run/${s##*/}"
		ip -n "$id.${s##*/}" -N -json route show >"run/${s##*/}/routes.json"
		ip netns exec "$id.${s##*/}" nft -n list table inet moore >"run/${s##*/}/classes.nft"
	done
	run -0 "$M" ethernet verify run --json
	jq -e '.ok and .tables[0].classes_read and .tables[0].vls == [0, 1]' <<<"$output"
	sed -i 's/ip dscp set 0x22/ip dscp set 0x00/' run/s0-0-0/classes.nft
	run -2 "$M" ethernet verify run
	[[ $output == *"classes.nft:"*"the table differs from the one that is emitted"* ]]
	# A next hop that is not the switch at the port, which leads there all the same.
	told() { ctl status --json | jq -e ".planes[0] | tostring | test(\"$1\")"; }
	read -r to dev < <(awk '/ via / { print $3, $7; exit }' net/s0-0-0/routes.ipbatch)
	ip -n "$id.s0-0-0" route replace "$to" via 10.99.0.1 dev "$dev" onlink proto 109
	until_ok told "routes: 1 lead astray or are missing, the first is that of s0-0-0 to $to"
	run -1 ctl verify
	[[ $output == *"NOT sound: "*" pairs are connected but have no route"* ]]
	"$LAB" load lab net
	until_ok ctl verify
	# A map that somebody changed by hand, and one that is gone.
	ip netns exec "$id.s0-0-0" nft delete element inet moore from26 '{ "swp2" }'
	until_ok told "lossless packets may be lost"
	ip netns exec "$id.s0-0-0" nft delete table inet moore
	until_ok told "classes of s0-0-0"
	"$LAB" load lab net
	until_ok ctl verify
}
