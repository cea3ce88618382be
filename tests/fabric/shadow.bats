#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Captures of what real OpenSM wrote, under several engines, shadowed.  captures.bats starts them
# again on ibsim.
load lib.bash
load daemon.bash
bats_require_minimum_version 1.5.0

teardown() {
	moored_kill
	fabric_stop
}

# captured ENGINE [KEY VALUE]...: routes a Slim Fly without our plugin and captures it.
captured() {
	local engine=$1
	shift
	planned slimfly q=4 p=2 -- routing_engine "$engine" event_plugin_name '(null)' "$@"
	settled
	moorectl capture "$dir/dump" --key "$dir/key" -o "$dir/site.tar" >/dev/null
}

# shadow STATUS JQ [WORDS...]: the exit code, or those that are allowed, and what the answer satisfies.
shadow() {
	local rc=0 want=$1 cond=$2
	shift 2
	moorectl shadow "$dir/site.tar" "$@" --json >"$dir/answer" || rc=$?
	[[ " $want " == *" $rc "* ]] || fail "exit code $rc: $(jq -c . "$dir/answer")"
	jq -e ".ok == ($rc == 0)" "$dir/answer" >/dev/null || fail "exit code $rc is not what .ok says"
	jq -e "$cond" "$dir/answer" >/dev/null || fail "not ($cond): $(jq -c . "$dir/answer")"
}

# What moore would program there is sound, and each step there is safe if today's tables are.
MOORE='.topology == "slimfly q=4" and .sound and .acyclic and .unreachable == 0 and .missing_links == 0'

@test "minhop on one VL: today can deadlock, moore cannot" {
	captured minhop qos FALSE
	shadow 1 "(.today.acyclic | not) and (.today.lanes_dumped | not) and (.moore | $MOORE) and .writes.sl2vl_rows == null"
	shadow 1 '[.preconditions[] | select(.what == "QoS").met] == [false]'
	shadow 1 '[.preconditions[] | select(.what == "two VLs").met] == [null]'
	# One operational VL is too few for profile any-sl, and that is reported before anything else.
	shadow 1 '.ok == false and [.preconditions[] | select(.what == "two VLs").met] == [false]' --op-vls 1
}

@test "updn on one VL: today is sound, longer and less even than moore" {
	sed -n 's/^switchguid=0x//p' <(moorectl plan new slimfly q=4 p=2 | moorectl plan export --to ibsim -) |
		head -n 1 | sed 's/^/0x/' >"$dir/roots"
	captured updn root_guid_file "$dir/roots"
	# OpenSM gives the LIDs, so some runs have a way that interrupts no pair, and most have none.
	shadow "0 1" '.ok == ([.there.stages[], .back.stages[] | .steps.list[].interrupted] | add == 0)'
	shadow "0 1" ".today.sound and (.moore | $MOORE) and .today_shares.uniform < .moore_shares.uniform"
	shadow "0 1" '.today.max_over_mean_load > .moore.max_over_mean_load and .writes.blocks > 0 and .writes.sl2vl_rows > 0'
	# Lanes change, so the way has two stages, and today's routes are safe on one lane.
	shadow "0 1" '[.there.stages[].lanes] == ["one", "all"] and [.back.stages[].lanes] == ["all", "one"]'
	shadow "0 1" '[.there.stages[], .back.stages[] | .steps | .start_safe, .list[].safe] | length > 8 and all'
}

@test "dfsssp: sound on the SLs of path records alone, which no dump has" {
	captured dfsssp max_op_vls 4
	shadow 1 "(.today.acyclic | not) and (.today.asked.hint | not) and (.moore | $MOORE)"
}

@test "moore's own tables are what the shadow computes" {
	planned slimfly q=4 p=2 -- lmc 1
	settled
	moorectl capture "$dir/dump" --names keep -o "$dir/site.tar" >/dev/null
	shadow 0 '.ok and .writes.blocks == 0 and .writes.sl2vl_rows == 0 and [.there.stages[] | .steps.list | length] == [0]' --plan "$dir/plan.json"
	shadow 0 '.cables.deviations == [] and .moore.topology == "planned slimfly q=4 p=2" and .lmc == 1' --plan "$dir/plan.json"
	# Without names the plan cannot be joined to the fabric; its cables are compared by structure.
	moorectl capture "$dir/dump" --key "$dir/key" -o "$dir/site.tar" >/dev/null
	shadow 1 '.today.sound and .cables.ok and [.preconditions[] | select(.what == "plan").met] == [false]' --plan "$dir/plan.json"
}

@test "a cable that is gone: counted against the family, named against the plan" {
	planned slimfly q=4 p=2 -- lmc 1
	settled
	change sim "Unlink $(first_link)"
	settled
	moorectl capture "$dir/dump" --names keep -o "$dir/site.tar" >/dev/null
	shadow 1 '.today.sound and .moore.missing_links == 1'
	shadow 1 '[.cables.deviations[].verdict] == ["missing"]' --plan "$dir/plan.json"
}

@test "live: moored's tables are captured as the dumps are, with operational VLs, and shadowed" {
	planned slimfly q=4 p=2 -- lmc 1
	settled
	moored_start
	will "$DEADLINE" '.lanes_read' fabric.summary
	moorectl --socket "$dir/moored.sock" capture --key "$dir/key" -o "$dir/live.tar" --json >"$dir/manifest"
	jq -e '.from == "moored" and ([.members[].name] | index("moore-op-vls.dump"))' "$dir/manifest" >/dev/null
	moorectl capture "$dir/dump" --key "$dir/key" -o "$dir/dump.tar" >/dev/null
	# The same cables and routes, whoever read them, and the same VLs as the plugin wrote.
	moorectl change "$dir/dump.tar" "$dir/live.tar" --json |
		jq -e '.gone == 0 and .new == 0 and .churn.changed.rows == 0' >/dev/null
	for f in plan.json opensm-lfts.dump moore-op-vls.dump; do
		cmp <(tar xOf "$dir/dump.tar" "$f") <(tar xOf "$dir/live.tar" "$f") || fail "$f differs"
	done
	# What the switches report of themselves, and their arbitration, as smpquery reads it.
	moorectl --socket "$dir/moored.sock" capture --names keep -o "$dir/kept.tar" >/dev/null
	tar xOf "$dir/kept.tar" moore-hardware.dump >"$dir/hardware"
	[ "$(grep -c '^has ' "$dir/hardware")" = 32 ]
	[ "$(grep -c '^port ' "$dir/hardware")" = $((32 * 9)) ]
	first=$(awk '/^Switch/ { n++ } n == 1' "$dir/hardware")
	lid=$(sed -n '1,/^Unicast/ s/^Unicast.* switch Lid \([0-9]*\) .*/\1/p' "$dir/dump/opensm-lfts.dump")
	on_fabric smpquery switchinfo "$lid" >"$dir/asked"
	for pair in lft_cap:LinearFdbCap lft_top:LinearFdbTop mft_cap:McastFdbCap; do
		[ "$(sed -n "s/^has.* ${pair%:*} \([0-9]*\) .*/\1/p" <<<"$first")" = \
			"$(sed -n "s/^${pair#*:}:\.*//p" "$dir/asked")" ] || fail "$pair: $first; $(cat "$dir/asked")"
	done
	for port in 1 8; do
		on_fabric smpquery vlarb "$lid" "$port" | python3 -c 'import sys
row = lambda s: [int(x, 16) for x in s.split("|")[1:-1]]
t = [row(s) for s in sys.stdin if s.startswith(("VL ", "WEIGHT"))]
for vl, weight in (t[2:], t[:2]): print("".join(f" {v}:{w}" for v, w in zip(vl, weight) if w))' >"$dir/asked"
		grep -A 2 "^port $port " <<<"$first" | sed -n 's/^low//p; s/^high//p' | diff - "$dir/asked"
	done
	moorectl verify "$dir/live.tar" --json | jq -e .sound >/dev/null
	moorectl --socket "$dir/moored.sock" shadow --plan "$dir/plan.json" --json >"$dir/answer" ||
		fail "$(jq -c . "$dir/answer")"
	jq -e '.ok and .cables.ok and .writes.blocks == 0 and .writes.sl2vl_rows == 0 and .today.op_vls.from == "portinfo"' \
		"$dir/answer" >/dev/null || fail "$(jq -c . "$dir/answer")"
	moored_stop
}

@test "counters: captured as perfquery reads them, with pseudonyms as the rest, beside the predicted load" {
	planned slimfly q=3 p=2 -- lmc 0
	settled
	link=$(first_link)
	busy=$(sed -n 's/^"\(.*\)"\[\([0-9]*\)\]$/\1[\2]/p' <<<"$link")
	port=${busy#*[} port=${port%]}
	sim "PerformanceSet $link PortCountersExtended.PortXmitData=250000000000"
	sim "PerformanceSet $link PortCounters.SymbolErrorCounter=17"
	moored_start
	will "$DEADLINE" '.lanes_read' fabric.summary
	will "$DEADLINE" '.ports | length > 0' errors.list
	m="moorectl --socket $dir/moored.sock"
	$m capture --names keep -o "$dir/kept.tar" >/dev/null
	tar xOf "$dir/kept.tar" moore-counters.dump >"$dir/counters"
	# Each port with a cable has a line: 18 switches with 5 cables and 2 endpoints.
	[ "$(grep -c '^[0-9]' "$dir/counters")" = $((18 * 7)) ]
	# MADs count too, so that the value goes on a little.
	awk -v s="\"${busy%[*}\"" -v p="$port" '$1 == "Switch" { on = $3 == s }
		on && $1 == p { print $2, $7 }' "$dir/counters" >"$dir/row"
	read -r data symbols <"$dir/row"
	[ "$data" -ge 250000000000 ] && [ "$data" -lt 250001000000 ] && [ "$symbols" = 17 ] || fail "$(cat "$dir/row")"
	lid=$(sed -n "s/^Unicast.* switch Lid \([0-9]*\) .*'${busy%[*}'.*/\1/p" "$dir/dump/opensm-lfts.dump" | head -n 1)
	now=$(on_fabric perfquery -x "$lid" "$port" | sed -n 's/^PortXmitData:\.*//p')
	[ "$now" -ge "$data" ] && [ "$now" -lt $((data + 1000000)) ] || fail "perfquery reads $now, the capture has $data"
	# The load and the error are shown, of the running fabric and of the capture, as JSON,
	$m shadow --json >"$dir/live.json" || [ $? -eq 1 ]
	moorectl shadow "$dir/kept.tar" --json >"$dir/kept.json" || [ $? -eq 1 ]
	for f in live kept; do
		jq -e --arg s "${busy%[*}" '.counters | .links == 90 and .links_read == 90 and .ports == 126 and
			.ports_with_errors == 1 and .errors[0].switch == $s and .errors[0].counters == {symbol_error: 17} and
			.busiest[0].switch == $s and .busiest[0].bytes >= 1e12 and .busiest[0].over_mean > 80 and
			.busiest[0].predicted_over_mean > 0.5 and .busiest[0].predicted_over_mean < 2 and
			.at_ms > 1.6e12 and .max_over_mean_load == .busiest[0].over_mean' "$dir/$f.json" >/dev/null ||
			fail "$f: $(jq -c .counters "$dir/$f.json")"
	done
	# as lines and as a page.
	moorectl shadow "$dir/kept.tar" --html "$dir/page.html" >"$dir/text" || [ $? -eq 1 ]
	for words in 'measured load' "$busy -> " '1.0 TB' '1 of 126 ports' 'symbol_error 17'; do
		grep -qF "$words" "$dir/text" || fail "no $words: $(cat "$dir/text")"
		sed 's/&gt;/>/g; s/<[^>]*>//g' "$dir/page.html" | grep -qF "$words" || fail "the page lacks $words"
	done
	# Under pseudonyms it is the same but for the names.
	$m capture --key "$dir/key" -o "$dir/hidden.tar" >/dev/null
	tar xOf "$dir/hidden.tar" moore-counters.dump >"$dir/hidden"
	! grep -qF "${busy%[*}" "$dir/hidden"
	[ "$(grep -c '^Switch 0x02[0-9a-f]*, "sw-[0-9a-f]*"$' "$dir/hidden")" = 18 ]
	diff <(awk '$1 == "Switch"' "$dir/counters" | wc -l) <(awk '$1 == "Switch"' "$dir/hidden" | wc -l)
	moorectl shadow "$dir/hidden.tar" --json >"$dir/hidden.json" || [ $? -eq 1 ]
	jq -e '.counters.ports_with_errors == 1 and .counters.busiest[0].over_mean > 80' "$dir/hidden.json" >/dev/null
	# Without the counters the page says so.
	moorectl capture "$dir/dump" --key "$dir/key" -o "$dir/dump.tar" >/dev/null
	! tar tf "$dir/dump.tar" | grep -q counters
	moorectl shadow "$dir/dump.tar" --json >"$dir/dump.json" || [ $? -eq 1 ]
	jq -e '.counters == null' "$dir/dump.json" >/dev/null
	moorectl shadow "$dir/dump.tar" >"$dir/text" || [ $? -eq 1 ]
	grep -q '^measured load *not known' "$dir/text"
	grep -q '^counters *not captured' "$dir/text"
	moored_stop
}
