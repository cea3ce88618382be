# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# hot.bats - heavy flows over background traffic, along the routes that moored reads from
# ibsim's switches: moored names their senders.
bats_require_minimum_version 1.5.0
load lib
load daemon

teardown() {
	[ -z "$traffic_pid" ] || kill -KILL "$traffic_pid" 2>/dev/null || true
	moored_kill
	fabric_stop
}

# heavy N POLL_MS SECONDS PLAN...: puts N heavy flows on that fabric; moored must name all
# of them, or all but one.
heavy() {
	local of=$1 poll=$2 seconds=$3 seed=${MOORE_SEED:-20261121} n ends polls
	shift 3
	planned "$@"
	moored_start poll_ms "$poll"
	will 120 .lanes_read fabric.summary
	echo "# MOORE_SEED=$seed"
	python3 "$MOORE_ROOT/tests/hot_pairs.py" "$dir/moored.sock" flows "$seed" "$dir/heavy" "$of" >"$dir/flows"
	# The counters are set twenty times per poll, so the traffic between two polls is
	# right to 5 %.
	python3 "$MOORE_ROOT/tests/traffic.py" "$dir/moored.sock" 600 "$(awk "BEGIN { print $poll / 20000 }")" \
		<"$dir/flows" >&7 3>&- &
	traffic_pid=$!
	# The flows make hot links, and during the last poll's whole interval there was
	# traffic.
	will "$seconds" "(.total >= $of)" hotspots.list
	polls=$(ask hotspots.list | jq .poll)
	will "$seconds" ".poll >= $polls + 4" hotspots.list
	read -r n ends < <(python3 "$MOORE_ROOT/tests/hot_pairs.py" "$dir/moored.sock" named "$dir/heavy")
	echo "# named: $n of $of by their switches, $ends by their endpoints"
	[ "$n" -ge $((of - 1)) ]
	moored_stop
}

@test "five heavy flows on q=5: at least 4 are named" {	# more, and they share links
	heavy 5 2000 60 slimfly q=5 p=4
}

@test "ten heavy flows on q=13 p=9: at least 9 are named" {
	[ -n "$MOORE_SOAK" ] || skip "only with make soak"
	DEADLINE=300
	heavy 10 20000 400 slimfly q=13 p=9
}
