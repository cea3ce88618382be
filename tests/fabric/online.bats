# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# online.bats - moorectl with moored on ibsim's fabric under the real OpenSM.
bats_require_minimum_version 1.5.0
load lib

teardown() {
	kill -KILL ${moored_pid-} ${watch_pid-} ${traffic_pid-} 2>/dev/null || true
	fabric_stop
}

m() { moorectl --socket "$dir/moored.sock" "$@"; }

moored_start() {
	printf '%s %s\n' socket "$dir/moored.sock" state_dir '(null)' metrics '(null)' \
		plan "$dir/plan.json" >"$dir/moored.conf"
	(cd "$dir" && exec ibsim-run "$MOORE_BUILD/moored" --foreground --config moored.conf \
		>"$dir/moored.log" 2>&1 3>&- 7>&-) &
	moored_pid=$!
	until_ok 30 has_tables || fail "moored does not find the fabric: $(tail "$dir/moored.log")"
}
has_tables() { m verify >/dev/null 2>&1; }
ends() { kill -KILL "$1" 2>/dev/null || true; wait "$1" 2>/dev/null || true; }

@test "cables out and back, two swapped: watch says each within 2 s, repair undoes it" {
	planned slimfly q=5 p=4
	moored_start
	run -0 m status
	run -0 m check
	m watch >"$dir/watch" 2>&1 3>&- 7>&- &
	watch_pid=$!
	until_ok 10 grep -q '175 of 175' "$dir/watch"
	begin=$EPOCHREALTIME
	sim 'Unlink "s0-0-0"[5]'
	until_ok 10 grep -q '174 of 175 cables as planned' "$dir/watch"
	awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a " s"; exit !(b - a < 2) }'
	# s0-1-0[7] and s0-2-1[8] exchange their far ends.
	read -r far1 far2 < <(jq -r '[.cables[] | select((.a.switch == "s0-1-0" and .a.port == 7) or
		(.a.switch == "s0-2-1" and .a.port == 8)) | "\"\(.b.switch)\"[\(.b.port)]"] | join(" ")' "$dir/plan.json")
	sim 'Unlink "s0-1-0"[7]'
	sim 'Unlink "s0-2-1"[8]'
	sim "Link \"s0-1-0\"[7] $far2"
	sim "Link \"s0-2-1\"[8] $far1"
	until_ok 10 grep -q '172 of 175 .* 2 wrong' "$dir/watch"
	run -1 m check --json
	jq -e '.counts == {"missing": 1, "wrong-peer": 2}' <<<"$output"
	run -1 m repair --json
	jq -e '.moves | length == 4' <<<"$output"
	sim 'Unlink "s0-1-0"[7]'
	sim 'Unlink "s0-2-1"[8]'
	sim "Link \"s0-1-0\"[7] $far1"
	sim "Link \"s0-2-1\"[8] $far2"
	sim 'ReLink "s0-0-0"[5]'
	repaired() { tail -n 1 "$dir/watch" | grep -q '175 of 175'; }
	until_ok 20 m check
	until_ok 10 grep -q '^  - wrong-peer' "$dir/watch"
	ends $watch_pid
	ends $moored_pid
}

@test "a flood: the links it takes are hot, its ends are named, a recording shows it again" {
	planned slimfly q=5 p=4 -- lmc 2
	moored_start
	{
		jq -r '[.endpoints[].name] as $n | range($n | length) | "\($n[.]) \($n[(. * 7 + 31) % ($n | length)]) 0 2e7"' "$dir/plan.json"
		echo s0-0-0-h0 s1-3-2-h1 0 8e8
	} >"$dir/flows"
	python3 "$MOORE_ROOT/tests/traffic.py" "$dir/moored.sock" 60 <"$dir/flows" >&7 3>&- &
	traffic_pid=$!
	hot() { ! m hotspots >/dev/null; }
	until_ok 30 hot
	m path s0-0-0-h0 s1-3-2-h1 --json | jq -c '[.hops[:-1][] | [.switch, .out]] | sort' >"$dir/way"
	m hotspots --json | jq -c '[.hotspots[] | [.switch, .port]] | sort' >"$dir/hot"
	diff "$dir/way" "$dir/hot"
	link=$(jq -r '.[0] | "\(.[0])[\(.[1])]"' "$dir/hot")
	run -0 m explain "$link" --json
	jq -e '.suspects[0] | .source == "s0-0-0-h0" and .dest == "s1-3-2-h1" and .share > 0.8
		and .certainty > 0.8' <<<"$output"
	run -0 m explain "$link"
	[[ $output == *"send "*" s1-3-2-h1 on offset "* ]]
	again() { m record "$dir/rec" --past 120 && moorectl replay "$dir/rec" | grep -qF "  + load     $link -> "; }
	until_ok 20 again	# rows of the last seconds come with the next poll
	ends $traffic_pid
	ends $moored_pid
}

@test "verify and path on the live tables are those of OpenSM's dumps" {
	planned slimfly q=5 p=4 -- lmc 1
	moored_start
	settled
	run -0 m verify
	[[ $output == *"written by     engine moore: all routes"* ]]
	diff <(m verify --json | jq '[.sound, .pairs, .hops, .vls, .channels, .dependencies]') \
		<(moorectl verify "$dir/dump" --json | jq '[.sound, .pairs, .hops, .vls, .channels, .dependencies]')
	# key for key; values differ where several links have the greatest load
	keys='del(.sweep, .plane, .at_ms) | .expected |= null | .sa |= null | .told |= null
		| [paths | map(strings) | join("/")] | unique'
	diff <(m verify --json | jq "$keys") <(moorectl verify "$dir/dump" --json | jq "$keys")
	for words in "path s0-0-0-h0 s1-2-3-h1 --offset 1" "table lft s0-3-3" "table sl2vl s0-3-3"; do
		diff <(m $words) <(moorectl $words --tables "$dir/dump")
		diff <(m $words --json | jq -S 'del(.sweep, .plane, .at_ms)') \
			<(moorectl $words --tables "$dir/dump" --json | jq -S .)
	done
	ends $moored_pid
}

@test "recorded while it runs, then replayed: what flowed, and when" {
	planned slimfly q=5 p=4
	moored_start
	m record "$dir/rec" --seconds 8 3>&- 7>&- &
	l=$(first_link) v=0
	for i in $(seq 60); do
		v=$((v + 1000000))
		sim "PerformanceSet $l PortCountersExtended.PortXmitData=$v"
		sleep 0.1
	done
	wait $!
	ends $moored_pid	# a replay needs no daemon
	run -0 --separate-stderr moorectl replay "$dir/rec" --json
	echo "$output" >"$dir/replay"
	# Words of 4 bytes, at most 10 steps per second; a busy machine makes fewer.
	jq -se --arg l "$(tr -d '"' <<<"$l")" 'map(select(.at_ms)) | length >= 6 and ([.[].at_ms] | . == sort)
		and ([.[] | .busiest[0] | select("\(.switch)[\(.port)]" == $l)] | length >= 4)' "$dir/replay"
	run -0 --separate-stderr moorectl replay "$dir/rec"
	[[ $output == *"$(tr -d '"' <<<"$l")"* ]]
}
