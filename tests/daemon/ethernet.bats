# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# ethernet.bats - the methods on a plane of Ethernet switches, whose documents a command prints from files.
load lib

setup_file() { command -v nft || PATH=$PATH:/usr/sbin command -v nft || skip "no nft here"; }

# documents EMIT...: what the switches of a small dragonfly report, and run after ethernet emit EMIT... -o net.
documents() {
	cd "$T"
	$M plan new dragonfly a=2 h=1 p=1 -o plan.json
	"$ROOT/tests/ether/fake-lldp" plan.json docs
	$M ethernet emit plan.json --layers 2 "$@" -o net
	for s in $(jq -r '.switches[].name' plan.json); do
		jq -Rn --arg v6 "$family6" '[inputs | split(" ") | select((.[2] | contains(":")) == ($v6 != "")) |
			. as $w | def after($k): $w[($w | index($k)) + 1];
			{ dst: $w[2], dev: after("dev"), protocol: "109", flags: ["onlink"] } +
			(if $w | index("via") then { gateway: after("via") } else {} end)]' \
			"net/$s/routes.ipbatch" >"docs/$s/routes${family6:+6}.json"
		unshare -Urn sh -c "PATH=\$PATH:/usr/sbin; nft -f net/$s/class.nft && nft -n list table inet moore" \
			>"docs/$s/classes.json"
	done
	D=$BUILD/moored
	conf plan "$T/plan.json" planes ethernet sweep_s 1 ethernet "cat $T/docs/{switch}/{what}.json"
}

refuses() {
	! ask "$@" 2>"$T/err" || return 1
	grep -q "$said" "$T/err" || { cat "$T/err"; return 1; }
	kill -0 "$PID"
}

@test "OpenSM's files are refused, and moored goes on" {
	documents --ipv4 10.0.0.0/8
	echo "ethernet_dir $T/net" >>"$T/moored.conf"
	start
	will '.sound' routes.verify
	said='plane 0 is of Ethernet switches: .*moorectl ethernet diff'
	for f in opensm-subnet.lst opensm-lfts.dump moore-hardware.dump moore-counters.dump; do
		refuses fabric.dump "{\"file\": \"$f\"}"
	done
	for verb in shadow 'accept d0-0' 'capture -o cap'; do
		! $M --socket "$SOCK" $verb 2>err
		grep -q "$said" err
	done
	stop
}

@test "a network of both families: the routes that are not asked for are not missed" {
	documents --ipv4 10.0.0.0/8 --ipv6 fd00::/48
	echo "ethernet_dir $T/net" >>"$T/moored.conf"
	start
	will '.sound' routes.verify
	holds '.planes[0] | .state == "up" and .why == null' system.status
	# A route that is missing indeed is named.
	jq 'del(.[] | select(.gateway == null))' docs/d0-0/routes.json >r && mv r docs/d0-0/routes.json
	will '.planes[0].why | . != null and contains("the first is that of d0-0 to 10.0.")' system.status
	stop
}

@test "without ethernet_dir, what needs routes names that key" {
	documents --ipv4 10.0.0.0/8
	start
	will '.planes[0] | .state == "up" and .why == null' system.status
	said='ethernet_dir of moored.conf'
	refuses routes.verify
	refuses routes.path '{"from": "d0-0-h0", "to": "d1-0-h0"}'
	refuses hotspots.explain '{"switch": "d0-0", "port": 2}'
	refuses path.select '{"pairs": [{"from": "d0-0-h0", "to": "d1-0-h0"}]}'
	# A plane that there is not is no fabric to wait for.
	said='there is no plane 3: moored has 1, from 0 on'
	refuses fabric.summary '{"plane": 3}'
	refuses fabric.loads '{"plane": 3}'
	refuses history.export '{"plane": 3}'
	! timeout 5 $M --socket "$SOCK" record --plane 3 tape 2>err
	grep -q "$said" err
	$M --socket "$SOCK" status | grep "ethernet_dir in moored.conf"
	stop
}
