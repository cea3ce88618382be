# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# change.bats - moorectl change: from one set of tables to the next.
load lib

setup_file() {
	load lib
	cd "$BATS_FILE_TMPDIR"
	q5 p.json
	$M route p.json -o whole >/dev/null
	$M route p.json --fail s0-0-0:7 -o link >/dev/null
	$M route p.json --fail s0-0-0 -o switch >/dev/null
	ring 5 ring.json
	$M route ring.json -o ring >/dev/null
	clockwise ring clockwise
}

setup() { cd "$BATS_FILE_TMPDIR"; }

@test "nothing changed: safe, no churn" {
	run -0 $M change whole whole --json
	holds '.safe and .acyclic and .loop_lids == 0 and .lids == 250 and .lids_changed == 0'
	holds '.churn.changed == {rows: 0, blocks: 0} and .churn.forced.rows == 0'
	holds '.order.kind == "any" and .order.steps == [] and .gone == 0 and .new == 0'
	run -0 $M change whole whole
	[[ $output == *"safe: no combination of old and new rows"* && $output != *$'\033'* ]]
}

@test "a link lost: counted rows, a loop by name, an order" {
	run -1 $M change whole link --json
	# The number of rows that differ is counted in the text of the dumps.
	rows=$(diff whole/opensm-lfts.dump link/opensm-lfts.dump | grep -c '^> 0x')
	holds ".churn.changed.rows == $rows and .dead_new == 0 and .dead_old == .churn.forced.rows"
	holds '.churn.changed.blocks <= 3 * .churn.shortest.blocks and .churn.forced.blocks <= .churn.lost.blocks'
	holds '.safe == false and .loop_lids > 0 and (.loop.links | length) == 2'
	holds '.loop.links[0].peer.switch == .loop.links[1].switch and .loop.links[1].peer.switch == .loop.links[0].switch'
	holds '.order.kind == "switches" and .order.acyclic'
	holds '(.order.steps | length) == .churn.changed.blocks'
	# The switch that lost the link must wait for the one that its routes now pass.
	run -1 $M change whole link
	[[ $output == *"NOT safe: "*" LIDs can run in circles"* ]]
	[[ $output == *"order          switch by switch"* ]]
}

@test "a switch lost, and found again" {
	run -- $M change whole switch --json
	[ "$status" -le 1 ]
	holds '.gone == 1 and .new == 0 and .switches == 49 and .dead_new > 0'
	run -- $M change switch whole --json
	[ "$status" -le 1 ]
	holds '.gone == 0 and .new == 1 and .switches == 50 and .dead_new == 0'
}

@test "a ring turned clockwise is cyclic in any mixture" {
	run -1 $M change ring clockwise --json
	holds '.acyclic == false and (.cycle | length) >= 2 and .cycle[0].vl == 1'
	holds '.order.acyclic == false'
	run -1 $M change ring clockwise
	[[ $output == *"can wait for one another"* ]]
}

@test "misuse is told" {
	run --separate-stderr -2 $M change whole
	says "change"
	run --separate-stderr -2 $M change whole nowhere
	says "nowhere: no such directory"
	run --separate-stderr -2 $M change whole p.json
	says "is no directory"
}
