# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# past.bats - what moored remembers: events of the past, and since when a deviation stands.
load lib

m() { $M --socket "$SOCK" "$@"; }
becomes() { jq "$1" "$T/plan.json" >"$T/new.json"; mv "$T/new.json" "$T/still.json"; }
kept() {
	q5
	cp "$T/plan.json" "$T/still.json"
	export MOORED_STILL=$T/still.json
	printf '%s %s\n' socket "$SOCK" state_dir "$T/state" metrics '(null)' plan "$T/plan.json" >"$T/moored.conf"
}
unplug='del(.cables[] | select(.a == {"switch": "s0-0-0", "port": 5}))'
# past COUNT [PARAMS]: moored keeps so many such events.
past() { [ "$(ask events.past "${2:-{\}}" | jq '.events | length')" = "$1" ]; }

@test "events of the past: in the words of live ones, also after moored was killed" {
	kept
	start
	m events >"$T/live" 3>&- &
	live=$!
	until_ok holds '.server.subscribers == 1' system.status
	becomes "$unplug"
	until_ok grep -q wiring "$T/live"
	ask system.reload >/dev/null
	until_ok grep -q reload "$T/live"
	kill $live
	run -0 --separate-stderr m events --since 1h
	[[ $stderr == "moorectl: moored keeps no event from before 20"* ]]
	echo "$output" >"$T/past"
	# Each line that was told live is among those of the past, after its date.
	while read -r clock rest; do
		grep -qF "$clock $rest" <(tr -s ' ' <"$T/past")
	done < <(tr -s ' ' <"$T/live" | grep -v reload)
	grep -Eq '^[0-9]{4}(-[0-9]{2}){2} [0-9:]{8}  wiring    missing s0-0-0\[5\] -- .*: planned, and nothing is there; 1 deviation in all$' "$T/past"
	# state, manager, sweep, wiring, then sweep, wiring, reload and what the plan led to
	[ "${#lines[@]}" -ge 7 ]
	# Without WHAT, history prints the same lines.
	run -0 m history --since 1h
	[ "$output" = "$(cat "$T/past")" ]
	[ "$(m history --since 2020-01-01 --json | jq -c '[.what, .port, .cut, .load, .counters]')" = '[null,null,false,null,null]' ]
	run -0 m history --since "$(date -d '+1 minute' +%FT%T)"
	[ "$output" = "nothing happened" ]
	run -2 --separate-stderr m call history.of '{"port":3}'
	[[ $stderr == *"port: name its switch in what"* ]]
	m events wiring --since today --until now --json >"$T/json" || true
	run -0 --separate-stderr m events wiring --since 1h --json
	jq -se 'length >= 2 and all(.[]; .method == "event.wiring") and .[1].params.n_appeared == 1
		and (map(.number) | . == (sort | unique))' <<<"$output"
	until_ok ls "$T"/state/events-0000000000000001.jsonl
	sleep 1.5	# events are written 1 s after they came
	before=$(ask events.past | jq -S .events)
	kill -KILL $PID
	wait $PID || true
	start
	[ "$(ask events.past | jq -S --argjson n "$(jq length <<<"$before")" '.events[:$n]')" = "$before" ]
	# Numbers go on where they were, in the same file.
	will '[.events[].number] | length > 7 and . == [range(1; length + 1)]' events.past
	stop
	[ "$status" -eq 0 ]
	[ "$(echo "$T"/state/events-*)" = "$T/state/events-0000000000000001.jsonl" ]
	[ "$(wc -l <"$T"/state/events-*)" -gt 7 ]
}

@test "a page ends after its limit and names the next; times bound it" {
	kept
	start
	will '.events | map(.method) | index("event.wiring") != null' events.past
	for i in 1 2 3 4 5 6; do ask system.reload >/dev/null; done
	past 6 '{"kinds":["reload"]}'
	after=0 got=0
	while :; do
		page=$(ask events.past "{\"kinds\":[\"reload\"],\"limit\":4,\"after\":$after}")
		got=$((got + $(jq '.events | length' <<<"$page")))
		after=$(jq .next <<<"$page")
		[ "$after" != null ] || break
		[ "$(jq '.events | length' <<<"$page")" = 4 ]
	done
	[ $got = 6 ]
	at=$(ask events.past '{"kinds":["reload"]}' | jq '.events[3].at_ms')
	n=$(ask events.past '{"kinds":["reload"]}' | jq --argjson at "$at" '[.events[] | select(.at_ms < $at)] | length')
	past "$n" "{\"kinds\":[\"reload\"],\"until_ms\":$at}"
	past $((6 - n)) "{\"kinds\":[\"reload\"],\"since_ms\":$at}"
	run --separate-stderr -2 m call events.past '{"limit":1001}'
	[[ $stderr == *"limit"* ]]
	# Without --limit the verb reads page after page.
	for i in $(seq 120); do echo '{"jsonrpc":"2.0","method":"system.reload"}'; done >"$T/asks"
	python3 - "$SOCK" "$T/asks" <<-'PY'
	import socket, sys, time
	s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
	for line in open(sys.argv[2]):
	    s.sendall(line.encode()); time.sleep(0.005)
	PY
	until_ok past 126 '{"kinds":["reload"],"limit":1000}'
	run -0 --separate-stderr m events reload --since 1h
	[ ${#lines[@]} = 126 ]
}

@test "--since and --until: each way to write a time, and what is no time" {
	kept
	start
	will '.events | map(.method) | index("event.wiring") != null' events.past
	year=$(date +%Y)
	for w in 1h 90m 3600s 2d 1w yesterday "$((year - 1))-12-31" "$((year - 1))-12-31T10:00" \
		"$((year - 1))-12-31T10:00:59" "$((year - 1))-12-31 10:00"; do
		run -0 --separate-stderr m events wiring --since "$w"
		[ ${#lines[@]} = 1 ] || { echo "$w"; false; }
	done
	for w in "--until 1h" "--until 2020-01-01" "--since $((year + 1))-01-01"; do
		run -0 --separate-stderr m events $w
		[ -z "$output" ] || { echo "$w"; false; }
	done
	for w in 8 8x h -1h "" 2026-02-30 2026-13-01 25:00 tomorrow 2026-11-22T10 99999999999999h; do
		run --separate-stderr -2 m events --since="$w"
		[[ $stderr == *"--since $w: not a time like 8h"* ]] || { echo "$w: $stderr"; false; }
	done
	run --separate-stderr -2 m events --since 1h --until 2h
	[[ $stderr == *"--until 2h: not later than --since"* ]]
}

@test "files of events: a damaged one is set aside, a half one is removed, old events go" {
	kept
	mkdir "$T/state"
	now=$(date +%s)000
	event() { printf '{"number":%d,"at_ms":%d,"method":"event.reload","params":{"good":true}}\n' "$1" "$2"; }
	{ event 1 $((now - 31 * 86400000)); event 2 $((now - 31 * 86400000)); } >"$T/state/events-0000000000000001.jsonl"
	{ event 3 $((now - 31 * 86400000)); event 4 $((now - 86400000)); } >"$T/state/events-0000000000000003.jsonl"
	{ event 5 $((now - 3600000)); echo '{"number":'; } >"$T/state/events-0000000000000005.jsonl"
	printf '{"num' >"$T/state/.events-0000000000000007.jsonl"
	start
	logged 'events-0000000000000005.jsonl: a line is no event, or is cut: set aside as .*\.bad'
	[ "$(ask events.past '{"kinds":["reload"]}' | jq -c '[.events[].number]')" = '[4,5]' ]
	[ ! -e "$T/state/.events-0000000000000007.jsonl" ]
	[ -e "$T/state/events-0000000000000005.jsonl.bad" ]
	# The next write removes the file that has no event left.
	ask system.reload >/dev/null
	until_ok test ! -e "$T/state/events-0000000000000001.jsonl"
	[ -e "$T/state/events-0000000000000003.jsonl" ]
	past 3 '{"kinds":["reload"]}'
	stop
	# Of 9 MiB the first is forgotten.
	python3 - "$now" >"$T/state/events-0000000000000100.jsonl" <<-'PY'
	import json, sys
	for n in range(9 * 1024):
	    print(json.dumps({"number": 256 + n, "at_ms": int(sys.argv[1]) - 1000, "method": "event.reload",
	                      "params": {"plan_error": "x" * 940}}))
	PY
	[ "$(stat -c %s "$T/state/events-0000000000000100.jsonl")" -gt $((9 << 20)) ]
	start
	n=$(ask events.past '{"kinds":["reload"]}' | jq '.events[0].number')
	[ "$n" -gt 1200 ] && [ "$n" -lt 1600 ]
}

@test "check says since when each deviation stands, also after a restart; from files nothing" {
	kept
	start
	will '.ok' wiring.check
	first=$(date +%s)
	becomes "$unplug"
	will '.deviations | length == 1' wiring.check
	will '.last.deviations | length == 1' wiring.watch
	run -1 --separate-stderr m check --json
	at=$(jq '.deviations[0].since' <<<"$output")
	[ $((at / 1000)) -ge $first ] && [ $((at / 1000)) -le $(date +%s) ]
	run -1 m check
	[[ ${lines[0]} == "missing "*"; since $(date -d @$((at / 1000)) '+%F %T')" ]]
	sleep 2.1
	# A second deviation is younger; the first one stays as old as it is.
	becomes "del(.cables[100]) | $unplug"
	will '.deviations | length == 2' wiring.check
	will '.last.deviations | length == 2' wiring.watch
	both=$(m check --json | jq -c '[.deviations[].since] | sort') || true
	jq -e --argjson at "$at" '.[0] == $at and .[1] >= $at + 2000' <<<"$both"
	kill -KILL $PID
	wait $PID || true
	start
	will '.last.deviations | length == 2' wiring.watch
	[ "$(m check --json | jq -c '[.deviations[].since] | sort')" = "$both" ]
	# What is repaired and comes back is new.
	becomes 'del(.cables[100])'
	will '.last.deviations | length == 1' wiring.watch
	sleep 1.1
	becomes "del(.cables[100]) | $unplug"
	will '.last.deviations | length == 2' wiring.watch
	m check --json | jq -e --argjson b "$both" '[.deviations[].since] | sort | .[0] == $b[1] and .[1] > $b[1]'
	# From files nothing is said, nor where the plan is a file.
	for words in "$T/plan.json $T/still.json" "$T/plan.json"; do
		run -1 m check $words
		[[ $output != *since* ]]
		m check $words --json | jq -e 'all(.deviations[]; has("since") | not)'
	done
	stop
	printf 'nothing' >"$T/state/since-0"
	start
	will '.last.deviations | length == 2' wiring.watch
	m check --json | jq -e --argjson b "$both" 'all(.deviations[]; .since > $b[1])'
}
