# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# told.bats - the plugin sends moored a notice of each sweep, and OpenSM never waits for it.
load lib
load daemon
bats_require_minimum_version 1.5.0

teardown() { moored_kill; fabric_stop; }

T='.planes[0].told'
# send COUNT BYTES: sends datagrams of random bytes; prints how many the socket accepted.
send() {
	python3 - "$dir/moored.sock.sweep" "$1" "$2" <<-'END'
		import os, socket, sys
		s, took = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), 0
		s.setblocking(False)
		for i in range(int(sys.argv[2])):
		    try:
		        s.sendto(os.urandom(int(sys.argv[3])), sys.argv[1])
		        took += 1
		    except OSError:
		        pass
		print(took)
	END
}

@test "told of each sweep: what the switches hold is what was computed, without a plan here" {
	plan slimfly q=5 p=4
	sim_start "$dir/net"
	moored_start plan '(null)' sweep_s 20
	sm_start lmc 1
	await_up
	will 20 "$T.state == \"routed\" and $T.up and $T.routes_held and $T.lanes_held" system.status
	holds "$T.hash == \"0x$(hash)\" and $T.switches == 50 and $T.endpoints == 200 and
		$T.topology == \"planned slimfly q=5 p=4\" and $T.profile == \"any-sl\" and $T.layers == \"valiant3\"" system.status
	holds '.told.routes_held and .told.lanes_held' fabric.summary
	will 20 '.told.routes_held' routes.verify
	run -0 moorectl --socket "$dir/moored.sock" status
	[[ $output == *"the switches hold its routes and lanes"* ]]
	[ "$(stat -c %a "$dir/moored.sock.sweep")" = 600 ]

	# Routes change while no link does: moored notices within 5 s, though it otherwise
	# reads tables only every 20 s.
	n=$(ask system.status | jq "$T.number")
	echo 'seed 5' >>"$dir/moore.conf"
	change sm_hup
	will 5 "$T.number > $n and $T.up and $T.routes_held" system.status
	holds "$T.hash == \"0x$(hash)\"" system.status

	# After a refusal moored gives the reason, and the switches keep the last good
	# routes.
	sm_set lmc 1 qos FALSE
	since
	sm_hup
	await 'ERR MR01'
	will 20 "$T.state == \"kept\" and $T.up and ($T.why | startswith(\"MR01: qos is FALSE\")) and $T.routes_held" system.status

	# The tables of another engine are not those of the last notice.
	sm_stop
	: >"$dir/opensm.log"
	seen=0
	sm_start lmc 1 routing_engine minhop event_plugin_name '(null)'
	await_up
	will 90 "$T.routes_held == false" system.status
	will 30 'any(.planes[0].problems[]; .what == "tables-other")' system.status
	run -1 moorectl --socket "$dir/moored.sock" status
	[[ $output == *"the switches do not hold its routes"* ]]
	sm_stop
	moored_stop
}

@test "no daemon, one that hangs, one that comes back: OpenSM is as fast, and says it once" {
	plan slimfly q=5 p=4
	sim_start "$dir/net"
	sm_start
	await_up
	settled
	# Forces sweeps; prints the milliseconds until the last one is done.
	sweeps() {
		local begin=${EPOCHREALTIME/./} i
		for i in 1 2 3; do change sm_hup; done
		echo $(((${EPOCHREALTIME/./} - begin) / 1000))
	}
	none=$(sweeps)
	moored_start
	there=$(sweeps)
	will 20 "$T.up and $T.routes_held" system.status
	kill -STOP "$daemon_pid"
	# Fills the queue, so that the plugin's next notices are dropped at once.
	send 2000 10 >"$dir/took"
	[ "$(cat "$dir/took")" -lt 2000 ]
	hung=$(sweeps)
	echo "three sweeps: no daemon $none ms, one $there ms, one that hangs $hung ms"
	[ "$hung" -lt $((2 * none + 2000)) ]
	[ "$there" -lt $((2 * none + 2000)) ]
	kill -CONT "$daemon_pid"
	moored_kill
	sweeps
	[ "$(grep -c 'moored at .* gets no notices: nobody listens' "$dir/opensm.log")" -eq 1 ]
	[ "$(grep -c 'moored at .*queue is full' "$dir/opensm.log")" -eq 1 ]
	[ "$(grep -c 'moored at' "$dir/opensm.log")" -eq 2 ]
	moored_start
	holds "$T == null" system.status
	change sm_hup
	will 20 "$T.up and $T.routes_held" system.status
	moored_stop
}

@test "junk is counted and said once; a flood leaves it answering" {
	plan slimfly q=5 p=4
	sim_start "$dir/net"
	moored_start
	send 3 100 >"$dir/took"
	will 5 '.sweeps.junk == 3 and .sweeps.notices == 0' system.status
	send 1 0 >"$dir/took"
	send 1 60000 >"$dir/took"
	will 5 '.sweeps.junk == 5' system.status
	before=$(awk '{ print $14 + $15 }' "/proc/$daemon_pid/stat")
	(for i in $(seq 20); do send 20000 500; done) >"$dir/took" &
	flood=$!
	for i in $(seq 50); do holds '.name == "moored"' system.ping; done
	wait $flood
	spent=$(($(awk '{ print $14 + $15 }' "/proc/$daemon_pid/stat") - before))
	echo "moored took $(awk '{ n += $1 } END { print n }' "$dir/took") of 400000 and $spent ticks"
	[ "$(grep -c 'is not a notice of' "$dir/moored.log")" -eq 1 ]
	sm_start
	await_up
	will 20 "$T.up and $T.routes_held" system.status
	moored_stop
}
