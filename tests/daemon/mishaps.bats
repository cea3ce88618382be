# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# mishaps.bats - moored is killed at each step of writing files, its clocks jump, its peers
# stop reading, and it logs to a journal.  A preloaded library (mishap.c) causes what a test
# cannot wait for.
load lib

setup_file() {
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -shared -fPIC -o "$BATS_FILE_TMPDIR/mishap.so" \
		"$BATS_TEST_DIRNAME/../mishap.c" -ldl
}

# start_mishap is start with that library; ahead WALL MONOTONIC sets the clocks.
start_mishap() {
	ahead 0 0
	LD_PRELOAD=$BATS_FILE_TMPDIR/mishap.so MISHAP_CLOCK=$T/clock $D --config "$T/moored.conf" --foreground "$@" \
		2>>"$T/log" 3>&- &
	PID=$!
	until_ok serves
}
ahead() { echo "$1 $2" >"$T/clock.new"; mv "$T/clock.new" "$T/clock"; }

@test "killed at each step of writing: what was written before is there, nothing is half" {
	q5
	printf '%s %s\n' socket "$SOCK" state_dir "$T/state" metrics '(null)' >"$T/moored.conf"
	MOORED_STILL_POLLS=40 start --plan "$T/plan.json"
	will '.poll >= 40' hotspots.list
	stop
	[ "$status" -eq 0 ]
	cp -r "$T/state" "$T/before"
	before=$(cat "$T/before/sweep")
	k=0 dead=0 more=0
	while k=$((k + 1)); do
		[ $k -lt 60 ]
		rm -rf "$T/state" "$T/log"
		cp -r "$T/before" "$T/state"
		ahead 0 0
		MOORED_STILL_POLLS=80 MISHAP_KILL=$k LD_PRELOAD=$BATS_FILE_TMPDIR/mishap.so MISHAP_CLOCK=$T/clock \
			$D --config "$T/moored.conf" --foreground --plan "$T/plan.json" 2>>"$T/log" 3>&- &
		PID=$!
		until_ok polled_or_dead
		ahead 0 21	# history is written every 20 s
		until_ok saved_or_dead
		kill -0 $PID 2>/dev/null || dead=$((dead + 1))
		kill -0 $PID 2>/dev/null && last=1 || last=0
		kill -KILL $PID 2>/dev/null || true
		wait $PID || true
		: >"$T/log"
		start
		until_ok logged 'rows of plane 0 were read'
		rows=$(sed -n 's/.*history: \([0-9]*\) rows of plane 0 were read.*/\1/p' "$T/log" | tail -n 1)
		echo "step $k: $rows rows"
		# The clock starts again at the same time, so the first 40 polls may come
		# before the old rows or after them.
		[ "$rows" -eq 39 ] || [ "$rows" -ge 79 ]
		[ "$rows" -eq 39 ] || more=$((more + 1))
		[ "$(cat "$T/state/sweep")" -ge "$before" ]
		! ls -A "$T/state" | grep -e '\.bad$' -e '^\.history'
		kill -KILL $PID
		wait $PID || true
		[ $last -eq 0 ] || break
	done
	PID=''
	# Some runs ended before the rows were safe, some after.
	[ $dead -ge 6 ] && [ $more -ge 2 ]
}
polled_or_dead() { ! kill -0 $PID 2>/dev/null || holds '.poll >= 80' hotspots.list >/dev/null; }
saved_or_dead() { ! kill -0 $PID 2>/dev/null || [ "$(ls "$T"/state/history-* | wc -l)" -ge 2 ]; }

@test "a folder that cannot be written is in the log once, and then that it is written again" {
	q5
	printf '%s %s\n' socket "$SOCK" state_dir "$T/none/state" metrics '(null)' >"$T/moored.conf"
	jq 'del(.cables[3])' "$T/plan.json" >"$T/still.json"
	export MOORED_STILL=$T/still.json MOORED_STILL_POLLS=4000
	start_mishap --plan "$T/plan.json"
	will '.poll >= 40' hotspots.list
	will '.ok == false and (.records_error | test("none/state: cannot write: No such file"))' system.status
	run -1 $M --socket "$SOCK" status
	[[ $output == *"records        $T/none/state: cannot write: No such file or directory: free space, or allow "*": what happens now is lost when moored ends"* ]]
	for s in 21 42 63 84; do
		ahead $s $s	# history is written every 20 s, into a file of that time
		ask system.ping
		sleep 0.2
	done
	until_ok logged 'history: .*cannot write: No such file'
	until_ok logged 'events: .*cannot write: No such file'
	until_ok logged 'wiring: .*cannot write: No such file'
	# One line for each of the three.
	[ "$(grep -c 'cannot write' "$T/log")" -eq 3 ]
	mkdir -p "$T/none/state"
	ahead 105 105
	ask system.ping
	until_ok logged 'history: written again; the failure came [3-5] times'
	until_ok logged 'events: written again'
	until_ok logged 'wiring: written again'
	[ -e "$T/none/state/since-0" ]
	will '.ok and .records_error == null' system.status
}

@test "who takes nothing for 30 s is dropped; who asks nothing is not" {
	q5
	start_mishap
	will '.planes[0].switches == 50' system.status
	python3 "$BATS_TEST_DIRNAME/peers.py" "$SOCK" stalled "$T/clock"
	logged 'dropped: it read nothing for 30 s'
}

@test "the wall clock set back an hour and forward a day: rows, verdicts and the end go on" {
	q5
	cp "$T/plan.json" "$T/still.json"
	export MOORED_STILL=$T/still.json
	start_mishap --plan "$T/plan.json"
	will '.last.deviations == []' wiring.watch
	for by in -3600 86400 0; do
		ahead $by 0
		jq 'del(.cables[3])' "$T/plan.json" >"$T/new.json"
		mv "$T/new.json" "$T/still.json"
		will '.deviations | length == 1' wiring.check
		cp "$T/plan.json" "$T/new.json"
		mv "$T/new.json" "$T/still.json"
		will '.ok' wiring.check
	done
	ahead -3600 0
	before=$SECONDS
	stop
	[ "$status" -eq 0 ]
	[ $((SECONDS - before)) -le 3 ]
	! logged 'given up'
}

@test "to the journal: an entry with fields, and nothing on standard error" {
	[ "$(id -u)" -eq 0 ] || skip "needs to mount"
	unshare -m --propagation slave mount -t tmpfs none /run || skip "cannot mount"
	q5
	$M plan new slimfly q=5 p=3 -o "$T/other.json" >/dev/null
	SOCK=$T/s
	printf '%s %s\n' socket "$SOCK" state_dir '(null)' metrics '(null)' plan "$T/other.json" >"$T/moored.conf"
	unshare -m --propagation slave bash -c 'mount -t tmpfs none /run && exec "$@"' - \
		python3 "$BATS_TEST_DIRNAME/peers.py" "$SOCK" journal 'deviations (' $D --config "$T/moored.conf" >"$T/journal"
	jq -se 'all(.[]; .MESSAGE != "" and (.PRIORITY | test("^[0-7]$")))' "$T/journal"
	jq -se '.[] | select(.MESSAGE | startswith("scan 1 of plane 0")) | .MOORE_PLANE == "0" and .MOORE_SWEEP == "1" and .PRIORITY == "6"' "$T/journal"
	jq -se '.[-1] | .MOORE_PLANE == "0" and .MOORE_SWEEP == "1" and .PRIORITY == "4"' "$T/journal"
}

@test "started by its socket: the first peer starts it and is answered" {
	command -v systemd-socket-activate >/dev/null || skip "no systemd-socket-activate"
	q5
	mkdir "$T/s"
	systemd-socket-activate --listen="$SOCK" -E MOORED_STILL $D --config "$T/moored.conf" --plan "$T/plan.json" 2>>"$T/log" 3>&- &
	PID=$!
	until_ok test -S "$SOCK"
	! logged serves
	[ "$(ask system.ping | jq .pid)" -eq $PID ]	# the process has become moored
	will '.planes[0].switches == 50' system.status
	stop
	[ "$status" -eq 0 ]
	[ -S "$SOCK" ]		# the socket is systemd's, so moored leaves it
}
