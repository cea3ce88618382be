#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Profile one-vl without the plugin: stock OpenSM loads what moorectl route writes.
load lib.bash

setup_file() {
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -o "$BATS_FILE_TMPDIR/mcjoin" \
		"$BATS_TEST_DIRNAME/mcjoin.c" -libumad
}

# begin KEY VALUE...: OpenSM without the plugin, on one lane.  It assigns LIDs, finds no routes,
# and then loads those of profile one-vl from $dir/tables.
begin() {
	plan slimfly q=5 p=2
	sim_start "$dir/net"
	sm_start event_plugin_name '(null)' event_plugin_options '(null)' qos FALSE max_op_vls 1 \
		routing_engine file,no_fallback lfts_file "$dir/tables/opensm-lfts.dump" "$@"
	await 'No routing engine able'
	settled
	tables_to "$dir/tables"
	change sm_hup
	settled
	log_has 'file tables configured on all switches'
	holds "$dir/tables"
}

# tables_to DIR OPTION...: writes the tables of the plan.
tables_to() {
	moorectl route "$dir/plan.json" --profile one-vl --lids "$dir/cache/guid2lid" -o "$1" \
		"${@:2}" >"$dir/route" ||
		fail "$(cat "$dir/route")"
}

# The switches hold the tables of that directory.
holds() {
	diff <(tables "$1") <(tables "$dir/dump") | head -n 5 >"$dir/diff"
	[ ! -s "$dir/diff" ] || fail "$(cat "$dir/diff")"
}

safe_on_one_lane() {
	moorectl verify "$dir/dump" --op-vls 1 --json >"$dir/verdict" || fail "$(cat "$dir/verdict")"
}

# join GROUP FROM STEP: joins the ports of every STEP-th endpoint.
join() {
	grep -o 'CA[^{]*PortGUID:[0-9a-f]*' "$dir/dump/opensm-subnet.lst" |
		sed 's/.*PortGUID:/0x/' | sort -u | awk -v f="$2" -v s="$3" 'NR % s == f' >"$dir/members.$1"
	on_fabric "$BATS_FILE_TMPDIR/mcjoin" "$1" $(cat "$dir/members.$1") >"$dir/joined" ||
		fail "$(cat "$dir/joined")"
	mlid=$(awk 'NR == 1 { print toupper(substr($2, 3)) }' "$dir/joined")
	until_ok "$DEADLINE" covers "$1" || fail "$(cat "$dir/mctree")"
}
covers() {
	python3 "$BATS_TEST_DIRNAME/mctree.py" "$dir/dump" "$mlid" "$dir/members.$1" >"$dir/mctree" 2>&1
}

@test "stock OpenSM loads the routes; with its multicast trees they are safe on one lane" {
	begin lid_matrix_dump_file "$dir/tables/opensm-lid-matrix.dump"
	join 1 0 1
	join 2 0 7
	join 3 1 30
	join 4 1 9
	safe_on_one_lane
}

@test "without the hops of the tree, OpenSM's own multicast trees are not safe" {
	begin
	safe_on_one_lane
	join 1 0 1
	join 2 0 7
	run moorectl verify "$dir/dump" --op-vls 1
	[ "$status" -eq 1 ]
}

@test "after a cut the tables are made again, and go out in safe steps" {
	begin lid_matrix_dump_file "$dir/tables/opensm-lid-matrix.dump"
	link=$(first_link | tr -d '"' | sed 's/\[\(.*\)\]/:\1/')
	change sim "Unlink $(first_link)"
	settled
	tables_to "$dir/new" --fail "$link" --from "$dir/tables"
	for step in $(ls -dv "$dir"/new/step-*); do
		cp "$step"/* "$dir/tables"
		change sm_hup
		settled
		holds "$step"
		moorectl verify "$dir/dump" --op-vls 1 --json >"$dir/verdict" || true
		jq -e '.acyclic and .loops == 0' "$dir/verdict" >/dev/null || fail "$(cat "$dir/verdict")"
	done
	holds "$dir/new"
	safe_on_one_lane
}

@test "with the plugin, too, it needs neither lanes nor QoS, and a cut goes in safe steps" {
	plan slimfly q=5 p=2
	echo "profile one-vl" >>"$dir/moore.conf"
	sim_start "$dir/net"
	sm_start qos FALSE max_op_vls 1 lmc 1
	await_up
	settled
	safe_on_one_lane
	change sim "Unlink $(first_link)"
	settled
	log_has 'moore: step 1 of [0-9]*: .* 0 live pairs interrupted' || fail "$(log | grep moore)"
	safe_on_one_lane
	# Another profile does: the routes of before stay.
	since
	echo "plan $dir/plan.json" >"$dir/moore.conf"
	sm_hup
	await 'ERR MR02'
	await 'ERR MR01: .*the last good routes stay in force'
}
