# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# hosts.bats - moored reads the counters of HCA ports in turn, and serves them as metrics; hosts
# that hang with their links up delay nobody.
bats_require_minimum_version 1.5.0
load lib
load daemon

teardown() {
	moored_kill
	fabric_stop
}

scrape() { curl -sf "http://127.0.0.1:$port/metrics" >"$dir/metrics"; }
has() { scrape && grep -qxF "$1" "$dir/metrics"; }
# The GUID of a host's node, in ibsim's net.
node_guid() { on_fabric ibnetdiscover 2>/dev/null | sed -n "s/^Ca.*\"H-\([0-9a-f]*\)\".*# \"$1\"\$/0x\1/p"; }

@test "counters of HCA ports are served as they are, and outlive a lost link" {
	planned slimfly q=5
	port=$((20000 + RANDOM % 20000))
	# A host's counters are its own: the switch port at the other end has none of these errors.
	host=$(jq -r '.endpoints[7].name' "$dir/plan.json")
	guid=$(node_guid "$host")
	[[ $guid == 0x* ]] || fail "no GUID of $host"
	sim "PerformanceSet \"$host\"[1] PortCounters.SymbolErrorCounter=17"
	sim "PerformanceSet \"$host\"[1] PortCounters.PortXmitWait=12345"
	moored_start metrics 127.0.0.1:$port
	until_ok 40 has "infiniband_hca_port_symbol_error_total{guid=\"$guid\",port=\"1\"} 17" || fail "$(grep hca "$dir/metrics")"
	# metrics_ports few: the names of those with errors, and of no other.
	[ "$(grep -c "^infiniband_hca_port" "$dir/metrics")" = 1 ] || fail "$(grep "^infiniband_hca" "$dir/metrics")"
	# Names are not served while a scan is newer than the last poll.
	named() { scrape && grep -E "^infiniband_hca_uplink_info\{guid=\"$guid\",hca=\"$host\",port=\"1\",uplink=\"$(jq -r '.endpoints[7].switch' "$dir/plan.json")\",uplink_guid=\"0x[0-9a-f]{16}\",uplink_type=\"SW\",uplink_port=\"[0-9]+\",uplink_lid=\"[0-9]+\"\} 1$" "$dir/metrics"; }
	until_ok 10 named || fail "$(grep "^infiniband_hca" "$dir/metrics")"
	[ "$(grep -c '^infiniband_hca_uplink_info' "$dir/metrics")" = 1 ]
	# errors.list: its cable's far end is the switch port, and what rises later is counted.
	row=".ports | map(select(.hca)) | length == 1 and (.[0] | .guid == \"$guid\" and .switch == \"$host\" and .port == 1
		and .peer == \"$(jq -r '.endpoints[7].switch' "$dir/plan.json")\" and .peer_port == $(jq '.endpoints[7].port' "$dir/plan.json"))"
	holds "$row" errors.list || fail "$(ask errors.list)"
	symbol='.ports[] | select(.hca) | .counters[] | select(.counter == "symbol_error")'
	sim "PerformanceSet \"$host\"[1] PortCounters.SymbolErrorCounter=20"
	will 30 "$symbol | .value == 20 and .rose == 3 and .per_hour > 0 and .last_ms > 1e12" errors.list
	run -1 moorectl --socket "$dir/moored.sock" errors
	grep -qE "^$host\[1\] +[^ ]+\[[0-9]+\] +symbol_error +20 +3 " <<<"$output" || fail "$output"
	sim "PerformanceSet \"$host\"[1] PortCounters.SymbolErrorCounter=17"
	# A new snapshot keeps what was read.
	change sim "Unlink $(first_link)"
	will 20 '.deviations | length == 1' wiring.check
	holds "$row and (.[0].counters[] | select(.counter == \"symbol_error\") | .rose >= 3)" errors.list || fail "$(ask errors.list)"
	until_ok 20 has "infiniband_hca_port_symbol_error_total{guid=\"$guid\",port=\"1\"} 17"
	moored_stop
	moored_start metrics 127.0.0.1:$port metrics_ports all
	until_ok 40 has "infiniband_hca_port_transmit_wait_total{guid=\"$guid\",port=\"1\"} 12345" || fail "$(grep "hca.*$guid" "$dir/metrics")"
	# Within 10 s and a little more all hosts had their turn.
	all_read() { scrape && [ "$(grep -c '^infiniband_hca_port_transmit_data_bytes_total' "$dir/metrics")" = "$(jq '.endpoints | length' "$dir/plan.json")" ]; }
	until_ok 30 all_read
	promtool check metrics <"$dir/metrics"
	moored_stop
}

@test "hosts that hang with their links up do not make the polls of switches late" {
	planned slimfly q=5
	port=$((20000 + RANDOM % 20000))
	moored_start metrics 127.0.0.1:$port
	will 20 '.poll > 3' hotspots.list
	# OpenSM and moored are on the first host of the net.
	sed -n 's/^Hca[^"]*"\(.*\)"$/Error "\1"[1] 100/p' "$dir/net" | tail -n +2 >"$dir/hang"
	[ "$(wc -l <"$dir/hang")" = 149 ]
	sim "!$dir/hang"
	n=$(ask hotspots.list | jq .poll)
	sleep 10
	polls=$(($(ask hotspots.list | jq .poll) - n))
	echo "# polls in 10 s: $polls" >&3
	[ "$polls" -ge 5 ]
	scrape
	[ "$(sed -n 's/^moore_poll_failed_ports.* //p' "$dir/metrics")" = 0 ]
	moored_stop
}
