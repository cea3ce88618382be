#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored while subnet managers and the fabric itself fail and return.
load lib.bash
load daemon.bash

teardown() {
	[ ! -e "${one:-$dir}/moored.log" ] || tail -n 30 "${one:-$dir}/moored.log"
	kill -KILL ${first-} 2>/dev/null || true
	moored_kill
	fabric_stop
}

UP='.planes[0].state == "up"'
VERIFIED='.sound and .unreachable == 0 and .expected.routes_differ == 0 and .expected.lanes_differ == 0'
sm_of() { ask system.status | jq -r '.planes[0].sm'; }

# Starts a second OpenSM, a standby, on another host; $first is the master.
standby() {
	first=$sm_pid
	mkdir -p "$dir/two/cache" "$dir/two/dump"
	cp "$dir/cache/"* "$dir/two/cache/" 2>/dev/null || true
	(
		one=$dir dir=$dir/two
		cp "$one/moore.conf" "$dir/"
		: >"$dir/opensm.log"
		SIM_HOST=$(awk -F'"' '/^Hca/ { n = $2 } END { print n }' "$one/net")
		OSM_TMP_DIR=$dir/dump OSM_CACHE_DIR=$dir/cache
		sm_start sminfo_polling_timeout 1000 polling_retry_number 2 "$@"
		echo "$sm_pid" >"$dir/pid"
	)
	sm_pid=$(cat "$dir/two/pid")
	waits() { grep -q 'Entering STANDBY state' "$dir/two/opensm.log"; }
	until_ok "$DEADLINE" waits || fail "no standby: $(tail "$dir/two/opensm.log")"
}

@test "the master dies: moored names the new one, and the tables are as expected" {
	planned slimfly q=5 p=4 -- lmc 1
	moored_start
	will 10 '.lanes_read' fabric.summary
	will 10 "$VERIFIED" routes.verify
	was=$(sm_of)
	[[ $was == 0x*master* ]] || fail "SM: $was"
	standby lmc 1
	kill -KILL "$first"
	wait "$first" || true
	other() { [[ $(sm_of) == 0x*master* && $(sm_of) != "$was" ]]; }
	until_ok 20 other || fail "still $(sm_of), was $was"
	holds "$UP" system.status
	will 10 "$VERIFIED" routes.verify
	sim "Unlink $(first_link)"	# and the new one is followed
	will 3 '.cables == 174' fabric.summary
	will 10 '.sound and .unreachable == 0 and .expected.routes_differ == 0' routes.verify
	moored_stop
}

@test "OpenSM killed and started again, three times: never a false word" {
	planned slimfly q=5 p=4
	moored_start
	will 10 '.lanes_read' fabric.summary
	for i in 1 2 3; do
		sm_stop
		since
		sm_start
		await_up
		settled
		will 10 "$VERIFIED" routes.verify
		holds '.ok' wiring.check
		holds "$UP" system.status
	done
	moored_stop
}

# libumad2sim connects only once per process, so only a new moored finds a new ibsim. The
# old one must report that its fabric is gone, and must still end on a signal.
@test "ibsim killed: it is said and the last fabric is still served; a new one is found" {
	planned slimfly q=5 p=4
	moored_start
	will 10 '.lanes_read' fabric.summary
	before=$(ask system.status | jq .sweep)
	sm_stop
	exec 7>&-
	kill -KILL "$sim_pid"
	wait "$sim_pid" || true
	will 8 '.planes[0].state != "up"' system.status
	holds '.switches == 50' fabric.summary
	holds '.ok' wiring.check
	moored_stop
	rm -f "$dir/console"
	sim_start "$dir/net"
	moored_start
	since
	sm_start
	await_up
	will 10 '.lanes_read' fabric.summary
	holds ".sweep > $before" system.status
	will 10 "$VERIFIED" routes.verify
	moored_stop
}

@test "the device goes away and comes back: both are said, and the fabric is found again" {
	planned slimfly q=5 p=4
	moored_start
	will 10 '.lanes_read' fabric.summary
	device=$(echo "$dir/sys-$daemon_pid"/sys/class/infiniband/ibsim0)
	mv "$device" "$dir/device"
	will 5 '.planes[0].state == "no-device"' system.status
	holds '.switches == 50' fabric.summary
	mv "$dir/device" "$device"
	will 5 "$UP" system.status
	sim "Unlink $(first_link)"
	will 3 '.cables == 174' fabric.summary
	n=$(ask hotspots.list | jq .poll)
	will 5 ".poll > $n" hotspots.list
	moored_stop
}
