#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moored is killed at random times (from MOORE_SEED) while its fabric stays up, and its
# clock is set back.  The tests check what it kept.  tests/daemon/mishaps.bats kills it at
# each step of writing.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

setup_file() {
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -shared -fPIC -o "$BATS_FILE_TMPDIR/mishap.so" \
		"$BATS_TEST_DIRNAME/../mishap.c" -ldl
}

teardown() {
	[ ! -e "$dir/moored.log" ] || tail -n 30 "$dir/moored.log"
	moored_kill
	fabric_stop
}

m() { moorectl --socket "$dir/moored.sock" "$@"; }
first_port() { sed 's/^\("[^"]*"\)\[\([0-9]*\)\]$/{"switch":\1,"port":\2,"rows":3600}/' <<<"$(first_link)"; }
# The end of each row of a port, in ms.
rows() { ask history.port "$(first_port)" | jq -c '[.rows[][0]]'; }

@test "killed at random points: no row is lost that is 25 s old, sweeps are counted on" {
	seed=${MOORE_SEED:-20261121} RANDOM=${MOORE_SEED:-20261121}
	echo "MOORE_SEED=$seed"
	planned slimfly q=5 p=4
	sweep=0
	# History is written every 20 s: one run lasts longer than that, the others are
	# short.
	for ms in $((31000 + RANDOM % 3000)) $((RANDOM % 700)) $((1000 + RANDOM % 2000)) $((RANDOM % 300)) $((3000 + RANDOM % 1000)); do
		[ ! -e "$dir/rows" ] || cp "$dir/rows" "$dir/owed"
		moored_start
		end=$((${EPOCHREALTIME/./} + ms * 1000))
		if [ -e "$dir/owed" ] && [ "$ms" -ge 1000 ]; then
			back() { rows >"$dir/rows" && jq -se '.[0] - .[1] == []' "$dir/owed" "$dir/rows" >/dev/null; }
			until_ok 10 back || fail "lost: $(jq -sc '.[0] - .[1]' "$dir/owed" "$dir/rows") of $(cat "$dir/owed")"
		fi
		left=$((end - ${EPOCHREALTIME/./}))
		[ $left -le 0 ] || sleep "$((left / 1000000)).$(printf '%06d' $((left % 1000000)))"
		if [ "$ms" -ge 1000 ]; then
			will 10 ".sweep > $sweep" system.status
			sweep=$(ask system.status | jq .sweep)
			rows | jq -c "map(select(. < (now - 25) * 1000))" >"$dir/rows"
		fi
		moored_kill
		! ls -A "$dir"/state | grep '\.bad$'
	done
	jq -e 'length >= 5' "$dir/owed"	# or nothing was shown
}

@test "the clock set back an hour while it runs: rows, verdicts and a restart go on" {
	plan slimfly q=5 p=4
	sim_start "$dir/net"
	sm_start
	await_up
	echo 0 0 >"$dir/clock"
	sim_so=$(LD_PRELOAD= ibsim-run env | sed -n 's/^LD_PRELOAD=//p')
	export MISHAP_CLOCK=$dir/clock
	MOORED_RUN="ibsim-run env LD_PRELOAD=$sim_so:$BATS_FILE_TMPDIR/mishap.so" moored_start
	will 10 '.lanes_read' fabric.summary
	will 10 '.rows | length >= 3' history.port "$(first_port)"
	echo -3600 0 >"$dir/clock.new"
	mv "$dir/clock.new" "$dir/clock"
	n=$(rows | jq length)
	will 10 ".rows | length >= $n + 3" history.port "$(first_port)"
	rows | jq -e '. == sort and . == unique'
	sim "Unlink $(first_link)"
	will 2 '.deviations | length == 1' wiring.check
	sim "ReLink $(first_link)"
	will 2 '.ok' wiring.check
	rows >"$dir/before"
	moored_stop	# saves all of its history
	moored_start	# with the true clock again
	until_ok 10 all_back
	n=$(rows | jq length)
	will 10 ".rows | length >= $n + 2" history.port "$(first_port)"
	moored_stop
}
all_back() { rows | jq -se '.[0] - .[1] == []' "$dir/before" - >/dev/null; }
