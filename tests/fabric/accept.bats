#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Two spare switches with two hosts each and an OpenSM of their own: does `moorectl accept` find
# what a switch does not keep?  The switches of ibsim keep everything, so moored is lied to.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

teardown() {
	moored_kill
	fabric_stop
}

# spare [KEY VALUE]...: the pairs are for OpenSM.
spare() {
	cat >"$dir/net" <<-'END'
		switchguid=0x200001
		Switch 8 "one"
		[1]	"one-h0"[1]
		[2]	"one-h1"[1]
		[7]	"two"[7]
		[8]	"two"[8]

		switchguid=0x200002
		Switch 8 "two"
		[1]	"two-h0"[1]
		[2]	"two-h1"[1]
		[7]	"one"[7]
		[8]	"one"[8]

		Hca 1 "one-h0"
		[1]	"one"[1]

		Hca 1 "one-h1"
		[1]	"one"[2]

		Hca 1 "two-h0"
		[1]	"two"[1]

		Hca 1 "two-h1"
		[1]	"two"[2]
	END
	sim_start "$dir/net"
	sm_start "$@"
	await_up
	settled
}

# A library that lies in the name of the switch; the words are those of lame.c.
lame_so() {
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -fPIC -shared -o "$dir/lame.so" \
		"$BATS_TEST_DIRNAME/lame.c" -libumad -ldl
}

accept() { moorectl --socket "$dir/moored.sock" accept "$@" --programmed "$dir/dump" --json; }
# The rows of a switch that do not obey, and those that cannot be told.
not_so() { jq -r --arg s "$1" --arg v "$2" '.switches[] | select(.switch == $s).rows[] | select(.tables == $v).row' <<<"$output" | paste -sd ' '; }

@test "switches that keep their tables obey in each row, and nothing is told of traffic" {
	spare lmc 1
	moored_start
	will "$DEADLINE" .lanes_read fabric.summary
	run -0 accept one two
	[ "$(jq '[.switches[].rows[] | select(.tables == "obeys")] | length' <<<"$output")" = 12 ] || fail "$output"
	jq -e '[.switches[].rows[].traffic] | unique == ["cannot be told here"]' <<<"$output"
	# From a file that may leave the site: both sides under one key.
	moorectl --socket "$dir/moored.sock" capture --key "$dir/key" -o "$dir/read.tar" >/dev/null
	moorectl capture "$dir/dump" --key "$dir/key" -o "$dir/programmed.tar" >/dev/null
	mapfile -t sw < <(tar xOf "$dir/read.tar" plan.json | jq -r '.switches[].name')
	unset COLUMNS
	run -0 moorectl accept "${sw[@]}" --tables "$dir/read.tar" --programmed "$dir/programmed.tar"
	flat=$(tr -s ' \n' ' ' <<<"$output")
	[[ $flat == *" obeys an SL to VL row "*" all 20 rows are as programmed, and at 4 out ports they differ "* ]] || fail "$output"
	[[ $flat == *" cannot be told here, for any row"* ]] || fail "$output"
	! awk 'length > 80' <<<"$output" | grep . || fail "wide: $output"
	# What OpenSM believes is nothing that a switch said.
	run -1 moorectl accept "${sw[@]}" --tables "$dir/programmed.tar" --programmed "$dir/programmed.tar" --json
	[ "$(jq '[.switches[].rows[] | select(.tables == "cannot be told here")] | length' <<<"$output")" = 12 ]
	# Without what was programmed, four rows have nothing to be compared with.
	run -1 moorectl --socket "$dir/moored.sock" accept one --json
	[ "$(not_so one "cannot be told here")" = "sl2vl vls no-path" ] || fail "$output"
	run -2 accept nobody
	[[ $output == *nobody* ]]
	moored_stop
}

@test "a switch that lies is found in its row, and the other is as it is" {
	lame_so
	spare lmc 1
	export LAME_SWITCH LAME_LIE
	LAME_SWITCH=$(sed -n '/^switchguid=/ s///p' "$dir/net" | tail -n 1)
	while read -r LAME_LIE row; do
		MOORED_RUN="ibsim-run env LD_PRELOAD=$dir/lame.so:$(sed -n 's/^sim_so=//p' "$(command -v ibsim-run)")" moored_start
		will "$DEADLINE" .lanes_read fabric.summary
		run -1 accept one two
		[ "$(not_so two "does not obey")" = "$row" ] || fail "$LAME_LIE: $output"
		[ "$(not_so one obeys | wc -w)" = 6 ] || fail "$LAME_LIE: $output"
		moored_stop
		rm -rf "$dir/state"
	done <<-'END'
		by-out sl2vl
		map sl2vl
		no-path no-path
		shifted no-path lmc
		weight arbitration
		no-weight arbitration
		top top lmc
		vls vls
	END
}

@test "a switch that maps no SLs: its lanes are read as they are, and shadow counts them" {
	lame_so
	export LAME_SWITCH=0x200002 LAME_LIE=map
	sm_preload=$dir/lame.so spare lmc 1
	MOORED_RUN="ibsim-run env LD_PRELOAD=$dir/lame.so:$(sed -n 's/^sim_so=//p' "$(command -v ibsim-run)")" moored_start
	will "$DEADLINE" .lanes_read fabric.summary
	run -1 accept one two
	[ "$(not_so two "does not obey")" = sl2vl ] || fail "$output"
	# A packet leaves it on the VL that equals its SL, on ports that run two.
	[ "$(ask vls.table '{"switch":"two"}' | jq -c '.rows[] | select((.in | index(1)) and (.out | index(7))).vls')" = '[0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1]' ]
	will 20 .sound routes.verify
	moorectl --socket "$dir/moored.sock" capture --names keep -o "$dir/live.tar" >/dev/null
	for from in "$dir/live.tar" ""; do
		run -1 moorectl --socket "$dir/moored.sock" shadow $from --json
		jq -e '(.preconditions[] | select(.what == "SL mapping").met == false) and .moore.sound and
			.today.sound and .writes.blocks == 0 and .writes.sl2vl_rows == 0' <<<"$output" || fail "$output"
	done
	moored_stop
}

@test "one lane, no path bits: nothing is accepted that was not seen" {
	spare routing_engine minhop lmc 0 max_op_vls 1
	moored_start
	will "$DEADLINE" .lanes_read fabric.summary
	run -1 accept one two
	[ "$(not_so one "does not obey")" = "" ] || fail "$output"
	for row in sl2vl arbitration lmc; do
		[[ " $(not_so one "cannot be told here") " == *" $row "* ]] || fail "$row: $output"
	done
	moored_stop
}
