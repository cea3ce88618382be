#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored with many peers, some of them faulty, while the fabric changes.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

teardown() {
	[ ! -e "$dir/moored.log" ] || tail -n 30 "$dir/moored.log"
	kill -KILL ${peers_pid-} 2>/dev/null || true
	moored_kill
	fabric_stop
}

peers() { timeout 50 python3 "$MOORE_ROOT/tests/daemon/peers.py" "$dir/moored.sock" "$@"; }
# Unplugs and replugs a cable until the peers end; each verdict comes within two seconds.
changes_while() {
	local n=0
	while kill -0 $peers_pid 2>/dev/null; do
		sim "Unlink $(first_link)"
		will 2 '.deviations | length == 1' wiring.check
		sim "ReLink $(first_link)"
		will 2 '.ok' wiring.check
		n=$((n + 1))
	done
	wait $peers_pid || fail "peers: $(cat "$dir/peers")"
	cat "$dir/peers"
	[ $n -ge 2 ] || fail "only $n changes"
}

@test "1,000 peers, one that reads nothing: all others are told of each change" {
	planned slimfly q=5 p=4
	moored_start clients 1024
	will 10 '.ok' wiring.check
	peers followers 1000 6 >"$dir/peers" 2>&1 3>&- 7>&- &
	peers_pid=$!
	until_ok 20 holds '.server.subscribers >= 1000' system.status
	changes_while
	holds '.server.clients < 10 and .server.dropped == 0' system.status
	moored_stop
}

@test "anything but JSON-RPC, and all of it, on the live socket: it serves on" {
	planned slimfly q=5 p=4
	moored_start
	will 10 '.ok' wiring.check
	before=$(awk '/VmRSS/ { print $2 }' "/proc/$daemon_pid/status")
	peers fuzz 12 "${MOORE_SEED:-20261121}" >"$dir/peers" 2>&1 3>&- 7>&- &
	peers_pid=$!
	changes_while
	holds '.planes[0].state == "up" and .server.clients == 1' system.status
	after=$(awk '/VmRSS/ { print $2 }' "/proc/$daemon_pid/status")
	[ $((after - before)) -lt 65536 ] || fail "memory: $before, then $after kB"
	moored_stop
}
