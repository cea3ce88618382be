#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored scans a fabric: ibsim with the real OpenSM and our plugin.  Its findings are
# compared with libibnetdisc's walk, OpenSM's dumps and ibsim's console.
load lib.bash
load daemon.bash

teardown() {
	kill -CONT "$sim_pid" 2>/dev/null || true
	[ ! -e "$dir/moored.log" ] || tail -n 30 "$dir/moored.log"
	moored_kill
	fabric_stop
}

UP='.planes[0].state == "up"'

# Lists the links between switches as "A 1 B 2", sorted, the ends of each in order.
found_links() {
	ask fabric.links | jq -r '.links[] | [[.a.switch, .a.port], [.b.switch, .b.port]] | sort | flatten | join(" ")' | sort
}
walked_links() {	# the same by libibnetdisc
	on_fabric ibnetdiscover >"$dir/walk"
	moorectl plan import --from ibnetdiscover "$dir/walk" -o "$dir/walk.json" >/dev/null
	jq -r '.cables[] | [[.a.switch, .a.port], [.b.switch, .b.port]] | sort | flatten | join(" ")' "$dir/walk.json" | sort
}
same_links() { diff <(found_links) <(walked_links) || fail "not what ibnetdiscover finds"; }
switch_of() { sed 's/^"\([^"]*\)".*/\1/' <<<"$1"; }
port_of() { sed 's/.*\[\([0-9]*\)\].*/\1/' <<<"$1"; }

# Compares a switch's rows, "LID port", as moored serves them and as OpenSM dumped them.
same_table() {
	ask routes.table "{\"switch\":\"$1\"}" | jq -r '.rows[] | select(.port != null) | .port as $p | .lids[] | "\(.) \($p)"' |
		sort >"$dir/served"
	[ -s "$dir/served" ] || fail "no table of $1"
	diff "$dir/served" \
		<(awk -v n="'$1'" '/^Unicast/ { on = index($0, n) } on && /^0x/ && $2 != "255" {
			print $1, $2 + 0 }' "$dir/dump/opensm-lfts.dump" |
			while read -r lid port; do echo "$((lid)) $port"; done | sort) >"$dir/diff" ||
		fail "table of $1: $(head -n 5 "$dir/diff")"
}

@test "what is found is what ibnetdiscover finds, with OpenSM's LIDs and tables" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	holds '.switches == 50 and .cables == 175 and (.sm | test("master"))' fabric.summary
	same_links
	[ "$(ask fabric.endpoints | jq '[.endpoints[] | select(.lid != null)] | length')" -eq "$(ask fabric.summary | jq .endpoints)" ]
	same_table s0-0-0
	same_table s1-4-4
	will 5 '.sound and .acyclic and .unreachable == 0' routes.verify
	moored_stop
}

@test "lanes read back are those that OpenSM set: minhop on one lane is cyclic to us" {
	planned slimfly q=5 -- routing_engine minhop
	moored_start
	will 10 '.lanes_read' fabric.summary
	holds '.acyclic | not' routes.verify
}

@test "the SLs of path records are read from the SA: one under minhop, all lanes under dfsssp" {
	planned slimfly q=5 p=1 -- routing_engine dfsssp max_op_vls 4
	moored_start
	will 20 '.sa.asked == 2450 and .sa.answered == 2450 and (.sa.sls | length > 1)' routes.verify
	a=$(ask fabric.endpoints | jq '.endpoints[0].lid') b=$(ask fabric.endpoints | jq '.endpoints[30].lid')
	sl=$(on_fabric saquery -p --src-to-dst "$a:$b" | sed -n 's/^\t*sl\.\.*//p')
	holds "[.sa.sls[] == $((sl))] | any" routes.verify
	sm_stop
	sm_start routing_engine minhop
	# An SA that is still sweeping leaves some of the first questions without a record; the next round counts.
	will 40 '.sa.asked == 2450 and .sa.answered == 2450 and .sa.sls == [0]' routes.verify
	moored_stop
}

@test "a link cut and joined again is seen in less than two seconds each" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	for i in 1 2 3; do
		sim "Unlink $(first_link)"
		will 2 '.cables == 174' fabric.summary
		sim "ReLink $(first_link)"
		will 2 '.cables == 175' fabric.summary
	done
	settled
	will 5 '.sound and .unreachable == 0' routes.verify
	same_links
	moored_stop
}

@test "the verdict on the cabling comes of itself in less than two seconds" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	moorectl --socket "$dir/moored.sock" events wiring --json >"$dir/events" 2>&1 3>&- 7>&- &
	events=$!
	told() {	# LINES CONDITION
		[ "$(wc -l <"$dir/events")" -eq "$1" ] && [ "$(tail -n 1 "$dir/events" | jq "$2")" = true ]
	}
	sleep 0.5	# until the subscription is there
	n=0
	# moored's own route to other switches uses the first of these links, but not the
	# others.
	for link in "$(first_link)" "$(cables | sed -n 100p)" "$(cables | sed -n 300p)"; do
		sim "Unlink $link"
		until_us 2 told $((n += 1)) '.params.n_appeared == 1 and .params.ok == false' || fail "cut $link: $(cat "$dir/events")"
		sim "ReLink $link"
		until_us 2 told $((n += 1)) '.params.n_cleared == 1 and .params.ok' || fail "joined $link: $(cat "$dir/events")"
		settled
	done
	kill $events
}

@test "tables follow what OpenSM routes around a cut" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	since
	sim "Unlink $(first_link)"
	await_up
	settled
	will 5 '.cables == 174' fabric.summary
	will 5 '.sound and .unreachable == 0' routes.verify
	same_table "$(switch_of "$(first_link)")"
}

@test "a switch dies: seen in two seconds, and its links with it" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	dead=$(cables | sed -n '100p')
	sim "Unlink \"$(switch_of "$dead")\""
	will 2 '.switches == 49 and .cables == 168' fabric.summary
	same_links
}

@test "before OpenSM runs there is a fabric without LIDs; then there is one with" {
	plan slimfly q=5
	sim_start "$dir/net"
	moored_start
	will 5 ".planes[0].switches == 50 and .planes[0].sm == null and $UP" system.status
	sm_start
	await_up
	will 5 '.lid_top > 0 and .lanes_read' fabric.summary
	will 5 '.sound and .unreachable == 0' routes.verify
}

@test "OpenSM ends, and another comes with other routes: they are seen" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	will 5 '.acyclic' routes.verify
	sm_stop
	sm_start routing_engine minhop
	since
	await_up
	will 15 '.acyclic | not' routes.verify
	holds "$UP" system.status
}

@test "ibsim stands still: it is said, others are answered; then all goes on" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	kill -STOP "$sim_pid"
	will 8 '.planes[0].state == "unreached"' system.status
	holds '.switches == 50' fabric.summary
	kill -CONT "$sim_pid"
	will 8 "$UP" system.status
	sim "Unlink $(first_link)"
	will 3 '.cables == 174' fabric.summary
	moored_stop
}

@test "counters that move are rates of their port, a wrap is no spike" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	l=$(first_link) s=$(switch_of "$(first_link)") p=$(port_of "$(first_link)")
	v=0
	for i in $(seq 30); do
		v=$((v + 1000000))
		sim "PerformanceSet $l PortCountersExtended.PortXmitData=$v"
		sim "PerformanceSet $l PortCounters.PortXmitWait=$((v / 100))"
		sleep 0.1
	done
	# 10 steps per second of 4,000,000 bytes each, and moored's own MADs.
	will 3 '[.rows[] | select(.[2] > 20000000 and .[2] < 80000000 and .[4] > 50000)] | length >= 1' \
		history.port "{\"switch\":\"$s\",\"port\":$p}"
	# A counter that is set back, as by a restart, counts from there and does not jump
	# by 2^64.
	sim "PerformanceSet $l PortCountersExtended.PortXmitData=5"
	sleep 3
	holds '[.rows[] | select(.[2] > 1000000000)] | length == 0' history.port "{\"switch\":\"$s\",\"port\":$p}"
}

@test "a port that drops every MAD costs only itself" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	l=$(cables | sed -n '200p')
	sim "Error $l 100"
	sleep 4
	# The rows of another port continue, one per second.
	far=$(cables | sed -n '300p')
	[ "$(ask history.port "{\"switch\":\"$(switch_of "$far")\",\"port\":$(port_of "$far")}" |
		jq '[.rows[-2:][] | .[1]] | max < 2500')" = true ]
}

@test "killed with -9 and started again: the sweep number goes on, history is back" {
	planned slimfly q=5
	moored_start
	will 10 '.lanes_read' fabric.summary
	before=$(ask system.status | jq .sweep)
	sleep 24
	ls "$dir"/state/history-0-*.moore
	moored_kill
	moored_start
	will 10 '.lanes_read' fabric.summary
	[ "$(ask system.status | jq .sweep)" -gt "$before" ]
	far=$(cables | sed -n '300p')
	# At most a minute is lost, so of 24 seconds at least some rows are kept.
	will 5 '.rows | length > 10' history.port "{\"switch\":\"$(switch_of "$far")\",\"port\":$(port_of "$far")}"
	moored_kill
	f=$(ls "$dir"/state/history-0-*.moore | head -n 1)
	truncate -s -7 "$f"
	echo "not ours" >"$dir/state/history-0-00000000000000ff.moore"
	moored_start
	until_ok 5 grep -q 'history-0-00000000000000ff.moore: .*set aside' "$dir/moored.log"
	grep -q "${f##*/}: truncated: set aside" "$dir/moored.log"
	[ -e "$f.bad" ] && [ ! -e "$f" ]
	will 10 "$UP" system.status
}

@test "no device is a state, not an end" {
	plan slimfly q=5
	MOORED_RUN='' moored_start
	will 5 '.planes[0].state == "no-device" and (.planes[0].why | test("umad"))' system.status
	moored_stop
}

@test "an InfiniBand and an Ethernet plane in one daemon: each has its own cables and faults" {
	planned slimfly q=4 p=1
	"$MOORE_ROOT/tests/ether/fake-lldp" "$dir/plan.json" "$dir/docs"
	moored_start planes ibsim0:1,ethernet ethernet "cat $dir/docs/{switch}/{what}.json" sweep_s 1
	both() { will 15 "[.planes[] | .deviations] == $1 and all(.planes[]; .state == \"up\")" system.status; }
	both "[0, 0]"
	holds '[.planes[] | .name] == ["ibsim0:1", "ethernet"] and all(.planes[]; .switches == 32)' system.status
	holds '.lanes_read' fabric.summary '{"plane": 0}'
	# A swap on one, a cut on the other, a switch that no longer answers, and all of it undone.
	"$MOORE_ROOT/tests/ether/fake-lldp" "$dir/plan.json" "$dir/docs" swap=s0-0-0:4,s0-1-0:4
	both "[0, 2]"
	sim 'Unlink "s1-0-0"[3]'
	both "[1, 2]"
	moorectl --socket "$dir/moored.sock" check --plane 1 --json | jq -e '[.deviations[].verdict] | unique == ["wrong-port"]'
	moorectl --socket "$dir/moored.sock" check --plane 0 --json | jq -e '[.deviations[].verdict] | unique == ["missing"]'
	"$MOORE_ROOT/tests/ether/fake-lldp" "$dir/plan.json" "$dir/docs"
	rm "$dir/docs/s0-2-2/chassis.json"
	# Its host is known from it alone; its cables from their other ends.
	will 15 '.planes[1] | .deviations == 1 and (.why | contains("1 of 32 switches did not answer"))' system.status
	sim 'ReLink "s1-0-0"[3]'
	will 15 '.planes[0].deviations == 0' system.status
	moored_stop
}

# The simulator's library supports one port per process, so two planes cannot be simulated.
@test "each of two planes says for itself that its device is not there" {
	plan slimfly q=5
	MOORED_RUN='' moored_start planes absent0:1,absent1:2
	will 5 '[.planes[] | select(.state == "no-device") | .name] == ["absent0:1", "absent1:2"]' system.status
	moored_stop
}
